//! The plans of 19.7.

use std::sync::Arc;

use ludex_game::incomplete::{IncompleteGame, WorldId, Worlds};
use ludex_gdl::{Source, detect, lower_sentences, parse};
use ludex_logic::Budget;
use ludex_logic::relational::GroundingOptions;

use super::{Aim, BestPlan, MOST_MOVES, PlanningOptions, best_plan};

fn game(text: &str) -> Arc<IncompleteGame> {
    let (sheet, errors) = parse(Arc::new(Source::new("game", text)), None);
    assert_eq!(errors, []);
    let (sentences, errors) = lower_sentences(&sheet, detect(&sheet).0);
    assert_eq!(errors, []);
    let options = GroundingOptions { each_alone: false, budget: Budget::unlimited() };
    Arc::new(IncompleteGame::new(Arc::new(sentences.unwrap()), &[], &options).unwrap())
}

/// A bundled rulesheet with so many moves.
fn lights(text: &str, moves: usize) -> Arc<IncompleteGame> {
    let numbers: Vec<String> = (1..=moves + 1).map(|n| format!("N={n}")).collect();
    let pairs: Vec<String> = (1..=moves).map(|n| format!("M={n} & N={}", n + 1)).collect();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in &mut lines {
        if line.starts_with("number(N)") {
            *line = format!("number(N) <=> {}", numbers.join(" | "));
        } else if line.starts_with("successor(M,N)") {
            *line = format!("successor(M,N) <=> {}", pairs.join(" | "));
        } else if line.starts_with("terminal") {
            *line = format!("terminal <=> true(step({}))", moves + 1);
        }
    }
    game(&lines.join("\n"))
}

const COMPLETE: &str = include_str!("../../../../games/igdl/lights-in-sentences.gdl");
const FROM_ANYWHERE: &str = include_str!("../../../../games/igdl/lights-from-anywhere.gdl");
const ALIKE: &str = include_str!("../../../../games/igdl/lights-alike.gdl");

fn best(game: &Arc<IncompleteGame>, aim: Aim) -> BestPlan {
    best_plan(game, 0, &PlanningOptions { aim, ..PlanningOptions::default() }).unwrap()
}

#[test]
fn the_complete_game_is_solved_in_six_moves() {
    let game = lights(COMPLETE, 6);
    let plan = best(&game, Aim::Guarantee);
    assert_eq!((plan.worlds, plan.guarantee, plan.plans.len()), (1, 100, 1));
    assert_eq!(plan.plans[0].1.length(), 6);
    assert_eq!(best(&lights(COMPLETE, 5), Aim::Guarantee).guarantee, 0);
}

/// Seed notes: 7 moves are needed when q is seen off and 5 when it is seen on; six moves do not suffice.
#[test]
fn from_anywhere_no_plan_of_six_moves_is_guaranteed() {
    let guarantee = |moves| best(&lights(FROM_ANYWHERE, moves), Aim::Guarantee);
    let six = guarantee(6);
    assert_eq!((six.worlds, six.guarantee, six.plans.len()), (8, 0, 2));
    assert_eq!(guarantee(7).guarantee, 100);
}

/// Seed notes: with p and q alike, six moves suffice when q is seen off, three when it is seen on.
#[test]
fn lights_that_are_alike_are_solved_in_six_moves() {
    let six = best(&lights(ALIKE, 6), Aim::Guarantee);
    assert_eq!((six.worlds, six.guarantee, six.plans.len()), (4, 100, 2));
    assert!(six.plans.iter().all(|(_, plan)| plan.length() == 6));
    assert_eq!(best(&lights(ALIKE, 5), Aim::Guarantee).guarantee, 0);
}

/// Which plan a role follows in which case: by what is seen first.
fn guaranteed_when(text: &str, q_is_on: bool, moves: usize) -> bool {
    let seen = if q_is_on { "init(q)" } else { "~init(q)" };
    best(&lights(&format!("{text}\n{seen}\n"), moves), Aim::Guarantee).guarantee == 100
}

#[test]
fn what_is_seen_first_decides_how_long_it_takes() {
    let needed = |text, q_is_on| (1..9).find(|&moves| guaranteed_when(text, q_is_on, moves));
    assert_eq!(needed(FROM_ANYWHERE, false), Some(7));
    assert_eq!(needed(FROM_ANYWHERE, true), Some(5));
    assert_eq!(needed(ALIKE, false), Some(6));
    assert_eq!(needed(ALIKE, true), Some(3));
}

#[test]
fn games_without_end_have_plans_of_limited_length() {
    let endless = "role(a)\nbase(p)\nX!=p => ~base(X)\ninput(a,m)\nX!=a | Y!=m => ~input(X,Y)\n\
        legal(R,M) <=> input(R,M)\ninit(p)\nnext(p) <=> true(p)\n~terminal\ngoal(a,100) <=> true(p)\n\
        Y!=100 => ~goal(X,Y)\n";
    let options = PlanningOptions { moves: usize::MAX, ..PlanningOptions::default() };
    let plan = best_plan(&game(endless), 0, &options).unwrap();
    assert_eq!((plan.guarantee, plan.plans[0].1.length()), (0, MOST_MOVES));
}

#[test]
fn where_nothing_is_guaranteed_the_mean_is_best() {
    let plan = best(&lights(FROM_ANYWHERE, 6), Aim::Mean);
    assert_eq!(plan.guarantee, 0);
    assert!(plan.mean > 50.0 && plan.mean < 100.0, "{}", plan.mean);
}

/// a, b, c; then a, b, a if q is off, and a with two fillers if it is on.
#[test]
fn the_plan_of_the_book_works() {
    let game = lights(&format!("{ALIKE}\n~init(q)\n"), 6);
    let mut worlds = Worlds::new(Arc::clone(&game), 64, &Budget::unlimited()).unwrap();
    let mut possible = worlds.initial().unwrap();
    assert_eq!(possible.len(), 2);
    possible = follow(&mut worlds, possible, "abc");
    let (seen, unseen): (Vec<WorldId>, Vec<WorldId>) =
        possible.into_iter().partition(|&world| !worlds.aspects(world, 0).unwrap()[0].sees.is_empty());
    assert_eq!((seen.len(), unseen.len()), (1, 1));
    for (possible, rest) in [(seen, "abb"), (unseen, "aba")] {
        for world in follow(&mut worlds, possible, rest) {
            assert!(worlds.aspects(world, 0).unwrap()[0].is_terminal);
            let goals = worlds.goals(world, 0).unwrap();
            let value = |number: u32| game.sentences().theory.terms.integer(game.goals(0)[number as usize]);
            assert_eq!(goals.iter().map(|goals| value(goals[0])).collect::<Vec<_>>(), [Some(100)]);
        }
    }
}

#[test]
fn the_last_step_ends_a_game_whatever_holds() {
    const WATCHMAN: &str = include_str!("../../../../games/isdl/watchman.gdl");
    let options = PlanningOptions { moves: 10, ..PlanningOptions::default() };
    let best = |text: &str| {
        let found = best_plan(&game(text), 0, &options).unwrap();
        let length = found.plans.iter().map(|(_, plan)| plan.length()).max();
        (found.guarantee, length)
    };
    assert_eq!(best(WATCHMAN), (100, Some(4)));
    // No step is the end by the rules: the last one is, with what it is worth.
    let endless = WATCHMAN.replace("terminal(N) <=> N=5", "~terminal(N)");
    assert_ne!(endless, WATCHMAN);
    assert_eq!(best(&endless), (100, Some(4)));
    // One before it.
    let early = WATCHMAN.replace("terminal(N) <=> N=5", "terminal(N) <=> N=4");
    assert_eq!(best(&early), (0, Some(3)));
}

fn follow(worlds: &mut Worlds, mut possible: Vec<WorldId>, moves: &str) -> Vec<WorldId> {
    let game = Arc::clone(worlds.game());
    for name in moves.chars() {
        let term = game.sentences().theory.terms.constant(&name.to_string());
        let number = game.moves(0).iter().position(|&known| known == term).unwrap();
        let mut next = Vec::new();
        for world in possible {
            next.extend(worlds.developments(world, 0, number).unwrap().iter().map(|found| found.world));
        }
        possible = next;
    }
    possible
}
