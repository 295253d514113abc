//! How much memory games take that are kept ready, by rule of thumb.

use ludex::game::TimedRules;
use ludex::{Game, Playable};

/// What is counted for each byte of a rulesheet: its text, syntax tree, clauses and plans.
const BYTES_OF_TEXT: usize = 100;

/// How many bytes a game holds: its text, and the terms that were met so far.
pub(crate) fn held_bytes(game: &Playable) -> usize {
    match game {
        Playable::InSteps(game) => of_game(game),
        Playable::InTime(rules) => of_timed_game(rules),
    }
}

pub(super) fn of_game(game: &Game) -> usize {
    let signature = game.signature();
    game.source().text().len() * BYTES_OF_TEXT + signature.terms().bytes() + signature.bytes()
}

pub(super) fn of_timed_game(rules: &TimedRules) -> usize {
    rules.rulesheet().source.text().len() * BYTES_OF_TEXT + rules.machine().terms().bytes()
}
