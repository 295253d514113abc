//! Known sizes of game trees.

use ludex_game::perft;
use ludex_logic::Budget;
use ludex_testkit::{bundled, machine_of, rounds};

fn paths(game: &str, depth: u32) -> Vec<ludex_game::PerftRow> {
    let named = |p: &std::path::PathBuf| p.file_stem().is_some_and(|s| s == game);
    let path = bundled().into_iter().find(named).unwrap_or_else(|| panic!("{game} is bundled"));
    let machine = machine_of(&path).unwrap();
    perft(&*machine, depth, &Budget::unlimited()).unwrap()
}

fn compare(game: &str, quick: usize, numbers: &[u128]) {
    let depth = if rounds(1) > 1 { numbers.len() } else { quick };
    let rows = paths(game, depth as u32);
    let found: Vec<u128> = rows[1..].iter().map(|r| r.paths).collect();
    assert_eq!(found, numbers[..depth], "{game}");
}

#[test]
fn tic_tac_toe_whole() {
    let rows = paths("tic-tac-toe", 9);
    let paths: Vec<u128> = rows.iter().map(|r| r.paths).collect();
    assert_eq!(paths, [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]);
    let distinct: Vec<u64> = rows.iter().map(|r| r.distinct).collect();
    assert_eq!(distinct, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    assert_eq!(distinct.iter().sum::<u64>(), 5478);
    let terminals: Vec<u128> = rows.iter().map(|r| r.terminals).collect();
    assert_eq!(terminals, [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]);
}

#[test]
fn nothing_comes_after_the_last_ending() {
    assert_eq!(paths("tic-tac-toe", 12).len(), 10);
}

#[test]
fn connect_four() {
    compare("connect-four", 5, &[7, 49, 343, 2401, 16807, 117649, 823536]);
}

#[test]
fn reversi() {
    compare("reversi", 4, &[4, 12, 56, 244, 1396, 8200, 55092]);
}

#[test]
fn checkers() {
    compare("checkers", 3, &[7, 49, 302, 1469, 7361, 36768]);
}

#[test]
fn breakthrough() {
    compare("breakthrough", 2, &[22, 484, 11132]);
}
