//! Exercise 13.1, with 8 coins and with 998.

use std::fmt::Write;

use ludex::library;
use ludex_game::{Machine, read_term};
use ludex_logic::derive::Derivations;
use ludex_logic::{Budget, GroundAtom};

use super::table::{Table, set};

/// The rules for an even number of coins; everything is won after half as many moves.
fn rules(coins: usize) -> String {
    let text = library::find("coins").unwrap().text;
    let mut rules = String::new();
    for line in text.lines() {
        if line.starts_with("succ(") || line.starts_with("base(step(") {
            continue;
        }
        let win = format!("step({})", coins / 2 + 1);
        rules.push_str(&if line.starts_with("goal(") { line.replace("step(5)", &win) } else { line.into() });
        rules.push('\n');
    }
    for i in 1..coins {
        writeln!(rules, "succ({i},{})", i + 1).unwrap();
    }
    for i in 1..=coins / 2 + 1 {
        writeln!(rules, "base(step({i}))").unwrap();
    }
    rules
}

/// Jumping from the fourth single coin to the first leaves the same game with two coins fewer.
fn plan(coins: usize) -> Vec<String> {
    let mut single: Vec<usize> = (1..=coins).collect();
    let mut jumps = Vec::new();
    let mut jump = |single: &mut Vec<usize>, from: usize, to: usize| {
        jumps.push(format!("(jump {} {})", single[from], single[to]));
        single.remove(from.max(to));
        single.remove(from.min(to));
    };
    while single.len() > 8 {
        jump(&mut single, 3, 0);
    }
    for (from, to) in [(3, 6), (4, 1), (0, 1), (0, 1)] {
        jump(&mut single, from, to);
    }
    jumps
}

#[test]
fn eight_coins() {
    let table = Table::of("coins");
    let mut runner = table.runner();
    assert_eq!(table.facts(&*runner).len(), 9);
    assert_eq!(table.legal(&mut *runner, "you").len(), 10);
    let (mut all, mut won) = (0, 0);
    table.endings(&mut |_, goals| {
        all += 1;
        won += u32::from(goals == [Some(100)]);
    });
    assert_eq!((won, all), (16, 86));
    let mut runner = table.after_plan(plan(8).iter().map(String::as_str));
    assert!(runner.terminal().unwrap());
    assert_eq!(table.goal(&mut *runner, "you"), Some(100));
}

#[test]
fn a_jump_moves_a_coin_onto_another() {
    let table = Table::of("coins");
    let runner = table.after_plan(["(jump 4 7)"]);
    let facts = table.facts(&*runner);
    assert!(facts.is_superset(&set(["(row 4 empty)", "(row 7 two_coins)", "(row 5 one_coin)"])));
    assert_eq!(facts.len(), 9);
}

#[test]
fn what_the_mysterious_relations_mean() {
    let table = Table::of("coins");
    let program = &table.game.program;
    let coins = ["one_coin", "one_coin", "empty", "empty", "one_coin", "one_coin", "two_coins", "one_coin"];
    let given: Vec<_> = coins
        .iter()
        .enumerate()
        .map(|(row, coin)| {
            let fact = read_term(&program.terms, &format!("(row {} {coin})", row + 1)).unwrap();
            GroundAtom { relation: table.game.vocabulary.truth, args: [fact].into() }
        })
        .collect();
    let mut derivations = Derivations::new(program, &given).unwrap();
    let mut holds = |name: &str, x: u32, y: u32| {
        let relation = program.find_relation(name, 2).unwrap();
        let args = [x, y].map(|n| program.terms.constant(&n.to_string()));
        let atom = GroundAtom { relation, args: args.into() };
        derivations.holds(&atom, &mut Budget::unlimited().meter()).unwrap()
    };
    assert!(holds("babbage", 2, 5));
    assert!(!holds("babbage", 2, 6));
    assert!(holds("lovelace", 1, 5));
    assert!(!holds("lovelace", 1, 6));
    assert!(holds("turing", 1, 6));
    assert!(!holds("turing", 1, 7));
    assert!(holds("turing", 6, 8));
}

#[test]
fn ten_coins_as_eight() {
    let table = Table::text("ten coins", &rules(10));
    let mut runner = table.after_plan(plan(10).iter().map(String::as_str));
    assert!(runner.terminal().unwrap());
    assert_eq!(table.goal(&mut *runner, "you"), Some(100));
}

#[test]
fn nine_hundred_and_ninety_eight_coins() {
    let table = Table::text("998 coins", &rules(998));
    let mut runner = table.runner();
    // Every jump over two neighbours, there and back.
    assert_eq!(table.legal(&mut *runner, "you").len(), 2 * 995);
    let plan = plan(998);
    assert_eq!(plan.len(), 499);
    let mut runner = table.after_plan(plan.iter().map(String::as_str));
    assert!(runner.terminal().unwrap());
    assert_eq!(table.goal(&mut *runner, "you"), Some(100));
    assert_eq!(table.machine.signature().known_propositions(), 3 * 998 + 500);
}
