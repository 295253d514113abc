//! Game trees counted elsewhere.

use ludex_game::{Machine, PerftRow, perft, read_term};
use ludex_logic::Budget;

use super::table::{Table, set};

fn rows(name: &str, depth: u32) -> Vec<PerftRow> {
    perft(&Table::of(name).machine, depth, &Budget::unlimited()).unwrap()
}

#[track_caller]
fn paths(name: &str, expected: &[u128]) {
    let found: Vec<_> = rows(name, expected.len() as u32).iter().skip(1).map(|r| r.paths).collect();
    assert_eq!(found, expected);
}

#[test]
fn tic_tac_toe() {
    let rows = rows("tic-tac-toe", 10);
    assert_eq!(rows.len(), 10, "all is over after nine moves");
    let paths: Vec<_> = rows.iter().map(|r| r.paths).collect();
    assert_eq!(paths, [1, 9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872]);
    let distinct: Vec<_> = rows.iter().map(|r| r.distinct).collect();
    assert_eq!(distinct, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    assert_eq!(distinct.iter().sum::<u64>(), 5478);
    let terminals: Vec<_> = rows.iter().map(|r| r.terminals).collect();
    assert_eq!(terminals, [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127_872]);
}

#[test]
fn connect_four() {
    paths("connect-four", &[7, 49, 343, 2401, 16807, 117_649, 823_536]);
}

#[test]
fn breakthrough() {
    paths("breakthrough", &[22, 484, 11132]);
}

#[test]
fn reversi() {
    paths("reversi", &[4, 12, 56, 244, 1396, 8200, 55092]);
}

#[test]
fn checkers() {
    paths("checkers", &[7, 49, 302, 1469, 7361, 36768]);
}

#[test]
fn untwisty_corridor() {
    // The book counts 349 525 states, which would take nine steps.
    let rows = rows("untwisty-corridor", 8);
    assert_eq!(rows.iter().map(|r| r.paths).sum::<u128>(), 21_845);
    assert_eq!(rows.iter().map(|r| r.distinct).sum::<u64>(), 36);
}

#[test]
fn checkers_counts_a_multiple_jump_as_one_move_and_each_route_apart() {
    let table = Table::of("checkers");
    // A black king on square 10 can take four men in a circle, either way round, and must.
    let facts = [
        "(cell 4 3 black_king)",
        "(cell 8 1 black_man)",
        "(cell 5 4 white_man)",
        "(cell 5 6 white_man)",
        "(cell 3 6 white_man)",
        "(cell 3 4 white_man)",
        "(control black)",
        "(quiet 7)",
    ];
    let terms = table.machine.signature().terms();
    let facts: Vec<_> = facts.iter().map(|f| read_term(terms, f).unwrap()).collect();
    let state = table.machine.state_of(&facts).unwrap();
    let mut runner = table.runner();
    runner.set(&state).unwrap();
    let one_way = "(jump (path (path (path (path 10 19) 26) 17) 10))";
    let other_way = "(jump (path (path (path (path 10 17) 26) 19) 10))";
    assert_eq!(table.legal(&mut *runner, "black"), set([one_way, other_way]));

    runner.step(&[table.action(one_way), table.action("noop")]).unwrap();
    let left = ["(cell 4 3 black_king)", "(cell 8 1 black_man)", "(control white)", "(quiet 0)"];
    assert_eq!(table.facts(&*runner), set(left));
    assert!(runner.terminal().unwrap(), "white has nothing to move");
    assert_eq!(table.goal(&mut *runner, "black"), Some(100));
}

#[test]
fn a_new_king_does_not_jump_on() {
    let table = Table::of("checkers");
    let facts = ["(cell 3 6 black_man)", "(cell 4 7 white_man)", "(cell 6 7 white_man)"];
    let terms = table.machine.signature().terms();
    let facts = facts.iter().chain(&["(control black)", "(quiet 0)"]);
    let facts: Vec<_> = facts.map(|f| read_term(terms, f).unwrap()).collect();
    let mut runner = table.runner();
    runner.set(&table.machine.state_of(&facts).unwrap()).unwrap();
    assert_eq!(table.legal(&mut *runner, "black"), set(["(jump (path 22 31))"]));
    runner.step(&[table.action("(jump (path 22 31))"), table.action("noop")]).unwrap();
    let left = ["(cell 5 8 black_king)", "(cell 6 7 white_man)", "(control white)", "(quiet 0)"];
    assert_eq!(table.facts(&*runner), set(left));
}

#[test]
fn who_cannot_turn_a_disc_passes() {
    // Black takes all but the far corner of one row: white has no move, black goes on.
    let table = Table::of("reversi");
    let facts = ["(cell 1 1 white)", "(cell 2 1 black)", "(cell 5 5 white)", "(cell 6 5 black)"];
    let terms = table.machine.signature().terms();
    let facts = facts.iter().chain(&["(cell 7 5 black)", "(cell 8 5 black)", "(control white)"]);
    let facts: Vec<_> = facts.map(|f| read_term(terms, f).unwrap()).collect();
    let mut runner = table.runner();
    runner.set(&table.machine.state_of(&facts).unwrap()).unwrap();
    assert_eq!(table.legal(&mut *runner, "white"), set(["(place 3 1)"]));
    runner.step(&[table.action("noop"), table.action("(place 3 1)")]).unwrap();
    assert_eq!(table.legal(&mut *runner, "black"), set(["(place 4 5)"]));
    runner.step(&[table.action("(place 4 5)"), table.action("noop")]).unwrap();
    assert!(runner.terminal().unwrap(), "neither can turn a disc");
    assert_eq!(table.goal(&mut *runner, "black"), Some(100));
    assert_eq!(table.goal(&mut *runner, "white"), Some(0));
}
