//! Good records of which something is missing or doubled, one thing at a time: none of them is good any more.

use crate::bundled;
use std::time::Duration;

use ludex_game::{RoleId, Rules};
use ludex_match::{Match, MatchRecord, MatchSetup, check_shape, verify_match};
use proptest::prelude::*;
use serde_json::Value;

/// Games with one role and several, simultaneous moves, percepts, chance, and roles that see nothing.
const GAMES: [&str; 8] = [
    "gdl/tic-tac-toe.kif",
    "gdl/nim.kif",
    "gdl/hanoi.gdl",
    "gdl/three-player-tic-tac-toe.kif",
    "gdl/rock-paper-scissors.kif",
    "gdl-ii/monty-hall.gdl",
    "gdl-ii/exploding-bomb-tell.gdl",
    "gdl-ii/high-card.gdl",
];

/// A record with everything in it, of a match of a few steps.
fn record(rules: &Rules, seed: u64) -> MatchRecord {
    let player_names = rules.seats().iter().map(|role| format!("player {}", role.index())).collect();
    let setup = MatchSetup { id: "m".into(), seed, player_names, ..MatchSetup::default() };
    let mut game = Match::new(rules.clone(), setup).unwrap();
    game.note_ready(RoleId(0), Duration::from_millis(3));
    while !game.is_over() && game.steps().len() < 6 {
        game.submit(&[], Some(1_000 + game.steps().len() as u64)).unwrap();
    }
    if !game.is_over() {
        game.abort("enough");
    }
    let (steps, roles) = (game.steps().len(), rules.role_names().len());
    let mut record = game.record();
    record.move_times = Some(vec![vec![Some(5); roles]; steps]);
    record.reports = Some(vec![vec![None; roles]; steps]);
    record.rewards = Some(vec![Some(1.0); roles]);
    record
}

/// Where something can be missing or doubled: the place of each item of each list, and of each fact of each state.
fn places(value: &Value, path: &str, places: &mut Vec<(String, usize)>) {
    match value {
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                places.push((path.to_owned(), number));
                self::places(item, &format!("{path}/{number}"), places);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                self::places(field, &format!("{path}/{name}"), places);
            }
        }
        Value::String(state) if path.starts_with("/states/") => {
            places.extend((0..facts(state).len()).map(|number| (path.to_owned(), number)));
        }
        _ => {}
    }
}

/// The facts of a state: `((cell 1 b) step)` has two.
fn facts(state: &str) -> Vec<String> {
    let (mut facts, mut depth) = (vec![String::new()], 0);
    for letter in state[1..state.len() - 1].chars() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        match facts.last_mut() {
            Some(last) if letter != ' ' || depth > 0 => last.push(letter),
            _ => facts.push(String::new()),
        }
    }
    facts.retain(|fact| !fact.is_empty());
    facts
}

fn change<T: Clone>(list: &mut Vec<T>, number: usize, double: bool) {
    if double {
        list.insert(number, list[number].clone());
    } else {
        list.remove(number);
    }
}

/// The record with an item missing, or there twice.
fn changed(whole: &MatchRecord, (path, number): &(String, usize), double: bool) -> MatchRecord {
    let mut value = serde_json::to_value(whole).unwrap();
    match value.pointer_mut(path).unwrap() {
        Value::Array(items) => change(items, *number, double),
        Value::String(state) => {
            let mut facts = facts(state);
            change(&mut facts, *number, double);
            *state = format!("({})", facts.join(" "));
        }
        other => panic!("{other}"),
    }
    MatchRecord::read(&value.to_string()).unwrap()
}

/// Whether a change leaves nothing wrong: a list that is empty is one that was not recorded.
fn says_less(changed: &MatchRecord) -> bool {
    changed.player_names_from_host.is_empty() || changed.errors.is_empty()
}

#[test]
fn whole_records_are_good() {
    for game in GAMES {
        let rules = bundled::rules(game);
        for seed in 0..4 {
            let record = record(&rules, seed);
            assert_eq!(verify_match(&rules, &record).mismatches, [], "{game}");
            assert_eq!(check_shape(&record), [], "{game}");
        }
    }
}

/// Every single place of one record of each game.
#[test]
fn nothing_can_be_missing_or_there_twice() {
    for game in GAMES {
        let rules = bundled::rules(game);
        let whole = record(&rules, 1);
        let mut all = Vec::new();
        places(&serde_json::to_value(&whole).unwrap(), "", &mut all);
        // Facts and moves of one state are as those of another; every list of lists is gone through.
        let are_many = all.len() > 400;
        for (at, place) in all.iter().enumerate() {
            let is_deep = place.0.matches('/').count() > 2 || place.0.starts_with("/states/");
            for double in [false, true] {
                let changed = changed(&whole, place, double);
                if (are_many && is_deep && at % 7 != 0) || says_less(&changed) {
                    continue;
                }
                let found = verify_match(&rules, &changed).mismatches;
                assert!(!found.is_empty(), "{game}: {place:?} doubled: {double}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_change_of_any_record_is_let_through(
        game in prop::sample::select(&GAMES[..]), seed: u64, place: prop::sample::Index, double: bool,
    ) {
        let rules = bundled::rules(game);
        let whole = record(&rules, seed);
        let mut all = Vec::new();
        places(&serde_json::to_value(&whole).unwrap(), "", &mut all);
        let place = place.get(&all);
        let changed = changed(&whole, place, double);
        prop_assume!(!says_less(&changed));
        prop_assert!(!verify_match(&rules, &changed).mismatches.is_empty(), "{game}: {place:?} {double}");
    }
}

/// What is said of a list that was cut short names it, with its step.
#[test]
fn what_is_missing_is_named() {
    let rules = bundled::rules("gdl-ii/monty-hall.gdl");
    let whole = record(&rules, 1);
    let told = |change: &dyn Fn(&mut MatchRecord)| {
        let mut changed = whole.clone();
        change(&mut changed);
        let found = verify_match(&rules, &changed).mismatches;
        found
            .iter()
            .map(|m| format!("{} {}: {}, {}", m.step, m.what, m.expected, m.found))
            .collect::<Vec<_>>()
    };
    let steps = whole.moves.len();
    assert_eq!(
        told(&|record| drop(record.percepts.as_mut().unwrap().pop())),
        [format!(
            "{0} length of percepts: {0} items, {steps} items, with {steps} steps and 2 roles",
            steps - 1
        )]
    );
    assert_eq!(
        told(&|record| drop(record.percepts.as_mut().unwrap()[1].pop())),
        [format!("1 length of percepts[1]: 1 item, 2 items, with {steps} steps and 2 roles")]
    );
    assert_eq!(
        told(&|record| {
            record.rulesheet = None;
            record.rulesheet_sha256 = Some("0".repeat(64));
        }),
        [format!("0 SHA-256 of the rules: {}, {}", "0".repeat(64), rules.sha256())]
    );
}
