//! What players of the games of incomplete information can know: chapter 17.

use std::collections::BTreeMap;

use ludex_game::{ActionId, Machine, Rng, State};
use rustc_hash::FxHashSet;

use super::news::possible;
use super::table::Table;

#[test]
fn figure_17_1() {
    let table = Table::of("blind-tic-tac-toe");
    assert_eq!(possible(&table, "white", &[("(mark 2 2)", &["ok"])]).len(), 9);
    assert_eq!(possible(&table, "white", &[("(mark 2 2)", &[])]).len(), 1);
}

#[test]
fn exercise_17_1() {
    let table = Table::of("blind-tic-tac-toe");
    let states = |first: &[&str], second: &[&str]| {
        let news = [("(mark 2 2)", first), ("(mark 1 3)", second)];
        // Boards: what the opponent tried and failed is not counted.
        let boards: FxHashSet<Vec<String>> = possible(&table, "white", &news)
            .iter()
            .map(|state| {
                let mut runner = table.runner();
                runner.set(state).unwrap();
                table.facts(&*runner).into_iter().filter(|f| f.starts_with("(cell")).collect()
            })
            .collect();
        boards.len()
    };
    assert_eq!([states(&[], &["ok"]), states(&[], &[]), states(&["ok"], &[])], [8, 1, 8]);
}

/// The goal of a role after one joint move from a state, where the game must end.
fn outcome(table: &Table, state: &State, joint: &[ActionId], role: &str) -> u32 {
    let mut runner = table.runner();
    runner.set(state).unwrap();
    runner.step(joint).unwrap();
    assert!(runner.terminal().unwrap());
    table.goal(&mut *runner, role).unwrap()
}

/// The best value of one move for all states, and the mean of the best moves for each state alone.
fn known_and_believed(table: &Table, states: &[State], joints: &[Vec<ActionId>], role: &str) -> (u32, u32) {
    let count = states.len() as u32;
    let value = |state: &State, joint: &[ActionId]| outcome(table, state, joint, role);
    let known = joints.iter().map(|j| states.iter().map(|s| value(s, j)).sum::<u32>() / count).max();
    let believed = states.iter().map(|s| joints.iter().map(|j| value(s, j)).max().unwrap()).sum::<u32>();
    (known.unwrap(), believed / count)
}

#[test]
fn asking_about_the_bomb_is_worth_90() {
    let table = Table::of("exploding-bomb");
    let cuts = table.joints(&[&["noop", "(cut red)"], &["noop", "(cut blue)"]]);
    let asked = possible(&table, "agent", &[("noop", &[]), ("ask", &["red"])]);
    assert_eq!(asked.len(), 1);
    assert_eq!(known_and_believed(&table, &asked, &cuts, "agent"), (90, 90));
    let unasked = possible(&table, "agent", &[("noop", &[]), ("noop", &[])]);
    assert_eq!(unasked.len(), 2);
    assert_eq!(known_and_believed(&table, &unasked, &cuts, "agent"), (50, 100));
}

#[test]
fn telling_about_the_bomb_leads_to_10_and_90() {
    let table = Table::of("exploding-bomb-tell");
    let cuts = table.joints(&[&["noop", "(cut red)"], &["noop", "(cut blue)"]]);
    let told = possible(&table, "opponent", &[("noop", &[]), ("noop", &["blue"])]);
    assert_eq!(told.len(), 1);
    assert_eq!(known_and_believed(&table, &told, &cuts, "opponent").0, 90);
    assert_eq!(outcome(&table, &told[0], &cuts[0], "agent"), 10);
    let untold = possible(&table, "opponent", &[("noop", &[]), ("noop", &[])]);
    assert_eq!(untold.len(), 2);
    assert_eq!(known_and_believed(&table, &untold, &cuts, "opponent").0, 50);
}

#[test]
fn switching_wins_two_times_in_three() {
    let table = Table::of("monty-hall");
    let before: [(&str, &[&str]); 3] = [("noop", &[]), ("(choose 1)", &[]), ("noop", &["(opened 3)"])];
    let states = possible(&table, "candidate", &before);
    assert_eq!(states.len(), 2);
    let mut chances = Vec::new();
    for last in ["stay", "switch"] {
        let (mut won, mut all) = (0.0, 0.0);
        for (hidden, opened) in [("1", "2"), ("1", "3"), ("2", "3"), ("3", "2")] {
            // Behind the chosen door the car leaves the host two doors to open.
            let weight = if hidden == "1" { 0.5 } else { 1.0 };
            let [hide, open] = [format!("(hide_car {hidden})"), format!("(open_door {opened})")];
            let moves: [&[&str]; 4] =
                [&["noop", &hide], &["(choose 1)", "noop"], &["noop", &open], &[last, "noop"]];
            let mut runner = table.after(&table.joints(&moves));
            won += weight * f64::from(table.goal(&mut *runner, "candidate").unwrap()) / 100.0;
            all += weight;
        }
        chances.push(won / all);
    }
    assert_eq!(chances, [1.0 / 3.0, 2.0 / 3.0]);
}

#[test]
fn cards_are_shown_only_after_a_check() {
    let table = Table::of("high-card");
    let deal: &[&str] = &["noop", "noop", "(deal king 7)"];
    let bet: &[&str] = &["bet", "noop", "noop"];
    let runner = table.after(&table.joints(&[deal]));
    assert_eq!(table.percepts(&*runner, "alice"), ["(dealt king)"]);
    assert_eq!(table.percepts(&*runner, "bob"), ["(dealt 7)"]);

    let runner = table.after(&table.joints(&[deal, bet, &["noop", "fold", "noop"]]));
    assert_eq!(table.percepts(&*runner, "alice"), ["(move bob fold)"]);
    assert!(table.percepts(&*runner, "bob").is_empty());
    let facts = table.facts(&*runner);
    assert!(facts.contains("(money alice 0)") && facts.contains("(money bob 0)"));
    assert!(facts.contains("(first bob)"), "the players take turns");

    let moves = [deal, bet, &["noop", "raise", "noop"], &["check", "noop", "noop"]];
    let runner = table.after(&table.joints(&moves));
    assert_eq!(table.percepts(&*runner, "alice"), ["(shown bob 7)"]);
    assert_eq!(table.percepts(&*runner, "bob"), ["(move alice check)", "(shown alice king)"]);
    let facts = table.facts(&*runner);
    assert!(facts.contains("(money alice 10)") && facts.contains("(money bob 0)"));
    assert_eq!(facts.iter().filter(|f| f.starts_with("(in_deck")).count(), 11);
}

#[test]
fn a_check_can_be_all_in() {
    let table = Table::of("high-card-stakes");
    let rounds: [&[&str]; 7] = [
        &["noop", "noop", "(deal king 7)"],
        &["(bet 40)", "noop", "noop"],
        &["noop", "check", "noop"],
        &["noop", "noop", "(deal 10 9)"],
        &["noop", "(bet 60)", "noop"],
        &["(raise 140)", "noop", "noop"],
        &["noop", "check", "noop"],
    ];
    let runner = table.after(&table.joints(&rounds[..3]));
    assert!(table.facts(&*runner).is_superset(&super::table::set(["(money alice 140)", "(money bob 60)"])));
    let mut runner = table.after(&table.joints(&rounds));
    assert!(runner.terminal().unwrap(), "bob is broke");
    assert_eq!(table.goal(&mut *runner, "alice"), Some(100));
    assert!(table.facts(&*runner).contains("(money alice 200)"));
}

#[test]
fn private_offers_are_heard_by_one_and_public_ones_by_all() {
    let table = Table::of("trading");
    let wishes: &[&str] = &["noop", "noop", "noop", "(wishes bread apple apple)"];
    let private: &[&str] = &["(ask ben (trade apple bread))", "noop", "noop", "noop"];
    let runner = table.after(&table.joints(&[wishes]));
    assert_eq!(table.percepts(&*runner, "ann"), ["(own_wish bread)"]);
    let runner = table.after(&table.joints(&[wishes, private]));
    assert_eq!(table.percepts(&*runner, "ben"), ["(offer ann apple bread)"]);
    assert!(table.percepts(&*runner, "cem").is_empty());
    let accept: &[&str] = &["noop", "accept", "noop", "noop"];
    let runner = table.after(&table.joints(&[wishes, private, accept]));
    assert_eq!(table.percepts(&*runner, "ann"), ["(accepted ben)"]);
    assert!(table.percepts(&*runner, "cem").is_empty());
    assert!(table.facts(&*runner).is_superset(&super::table::set(["(has ann bread)", "(has ben apple)"])));

    let public: &[&str] = &["(announce (trade apple bread))", "noop", "noop", "noop"];
    let mut runner = table.after(&table.joints(&[wishes, public]));
    assert_eq!(table.percepts(&*runner, "cem"), ["(announcement ann apple bread)"]);
    assert_eq!(table.legal(&mut *runner, "cem"), super::table::set(["decline"]), "cem has no bread");
    let accept: &[&str] = &["noop", "accept", "decline", "noop"];
    let runner = table.after(&table.joints(&[wishes, public, accept]));
    assert_eq!(table.percepts(&*runner, "cem"), ["(traded ann ben)"]);
}

/// Who can know whether the game is over, and what was got. The book's blind games and bombs leave it open.
#[test]
fn whoever_made_and_saw_the_same_knows_the_end_and_the_result() {
    let games = [
        "krieg-tic-tac-toe",
        "krieg-tic-tac-toe-lost-turn",
        "blind-breakthrough",
        "battleship",
        "loaded-die",
        "loaded-or-fair-die",
        "mastermind",
        "monty-hall",
        "high-card",
        "high-card-stakes",
        "liars-dice",
        "blind-goofspiel",
        "trading",
        "signals",
    ];
    for name in games {
        let table = Table::of(name);
        let signature = table.machine.signature();
        let players = || signature.role_ids().filter(|&role| Some(role) != signature.random());
        // By what a role did and saw: whether it is over, and the own goal at the end.
        let mut known: BTreeMap<String, Option<u32>> = BTreeMap::new();
        let mut again = 0;
        for seed in 0..200 {
            let (mut runner, mut rng) = (table.runner(), Rng::from_seed(seed));
            let mut stories: Vec<String> = players().map(|role| table.role_text(role)).collect();
            loop {
                let over = runner.terminal().unwrap();
                for (role, story) in players().zip(&stories) {
                    let now = over.then(|| runner.goal(role).unwrap().unwrap());
                    again += usize::from(known.contains_key(story));
                    let before = *known.entry(story.clone()).or_insert(now);
                    assert_eq!(before, now, "{name}: {story}");
                }
                if over {
                    break;
                }
                // Few different moves, so that stories come again.
                let pick = |role| {
                    let legal = runner.legal(role).unwrap();
                    *rng.pick(&legal[..legal.len().min(2)]).unwrap()
                };
                let joint: Vec<ActionId> = signature.role_ids().map(pick).collect();
                runner.step(&joint).unwrap();
                for (role, story) in players().zip(&mut stories) {
                    let percepts = table.percepts(&*runner, &table.role_text(role));
                    story.push_str(&format!(" {:?} {percepts:?}", joint[role.index()]));
                }
            }
        }
        assert!(again > 200, "{name}: {again}");
    }
}
