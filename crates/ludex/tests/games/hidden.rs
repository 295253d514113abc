//! What players of the games of incomplete information can know: chapter 17.

use ludex_game::{ActionId, JointMoves, Machine, State};
use rustc_hash::FxHashSet;

use super::table::Table;

/// The states in which a role may be after these own moves, each followed by these percepts.
fn possible(table: &Table, role: &str, news: &[(&str, &[&str])]) -> Vec<State> {
    let seat = table.role(role).index();
    let mut runner = table.runner();
    let mut states = vec![table.machine.initial().clone()];
    for &(own, percepts) in news {
        let own = table.action(own);
        let mut after = FxHashSet::default();
        for state in &states {
            runner.set(state).unwrap();
            let mut joints = JointMoves::new(&mut *runner, table.machine.signature()).unwrap();
            while let Some(joint) = joints.next() {
                if joint[seat] != own {
                    continue;
                }
                runner.set(state).unwrap();
                runner.step(joint).unwrap();
                if table.percepts(&*runner, role) == percepts {
                    let mut next = State::default();
                    runner.save(&mut next);
                    after.insert(next);
                }
            }
        }
        states = after.into_iter().collect();
        states.sort();
    }
    states
}

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
