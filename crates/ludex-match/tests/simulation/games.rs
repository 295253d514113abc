//! The games that are played in worlds: all kinds of them, and none that takes long.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ludex_game::{RuleMachine, RuleMachineOptions, Rules};
use ludex_gdl::{LoadOptions, Notation, Source, load};
use ludex_logic::Budget;

use crate::bundled;

/// Games for two players or more: players take turns, move at once, see everything or not.
pub(crate) const TOGETHER: &[&str] = &[
    "gdl/tic-tac-toe.kif",
    "gdl/tic-tac-toe.gdl",
    "gdl/nim.kif",
    "gdl/chomp.kif",
    "gdl/race.kif",
    "gdl/rock-paper-scissors.kif",
    "gdl/prisoners-dilemma.kif",
    "gdl/lowest-unique.kif",
    "gdl/three-player-tic-tac-toe.kif",
    "gdl/hodgepodge.kif",
    "gdl-ii/blind-tic-tac-toe.kif",
    "gdl-ii/blind-tic-tac-toe.gdl",
    "gdl-ii/blind-tic-tac-toe-without-random.gdl",
    "gdl-ii/high-card.gdl",
    "gdl-ii/trading.gdl",
    "gdl-ii/exploding-bomb-tell.gdl",
    "sdl/once-each.gdl",
    "igdl/minefield.gdl",
];

/// Games that are played alone, and with nobody but chance.
pub(crate) const ALONE: &[&str] = &[
    "gdl/buttons-and-lights.kif",
    "gdl/coins.gdl",
    "gdl/joint-buttons-and-lights.gdl",
    "gdl/hanoi.gdl",
    "gdl/figure-9-3.gdl",
    "gdl/best-buttons-and-lights.gdl",
    "gdl-ii/monty-hall.gdl",
    "gdl-ii/exploding-bomb.gdl",
    "sdl/no-way-back.gdl",
    "igdl/lights-alike.gdl",
    "igdl/three-chests.gdl",
    "isdl/watchman.gdl",
];

/// What the players of a game may be told in place of its rules (book 19.7), seat by seat; nothing for most games.
pub(crate) fn sheets(rules: &Rules) -> &'static [&'static str] {
    match rules.seats().len() {
        2 if rules.sha256() == self::rules("igdl/minefield.gdl").sha256() => {
            &["igdl/minefield-white.gdl", "igdl/minefield-black.gdl"]
        }
        _ => &[],
    }
}

type Shelf = Mutex<BTreeMap<String, Rules>>;

/// The rules of a bundled game, read once.
pub(crate) fn rules(path: &str) -> Rules {
    static SHELF: OnceLock<Shelf> = OnceLock::new();
    let mut shelf = SHELF.get_or_init(Shelf::default).lock().unwrap_or_else(PoisonError::into_inner);
    shelf.entry(path.to_owned()).or_insert_with(|| bundled::rules(path)).clone()
}

/// The rules that a player was sent. Those of seats that are not scrambled come again and again.
pub(crate) fn rules_of(text: &str, notation: Notation) -> Result<Rules, String> {
    static SHELF: OnceLock<Shelf> = OnceLock::new();
    let shelf = SHELF.get_or_init(Shelf::default);
    let known = shelf.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned();
    if let Some(rules) = known {
        return Ok(rules);
    }
    let options = LoadOptions { notation: Some(notation), ..LoadOptions::default() };
    let mut checked = load(Arc::new(Source::new("sent", text)), &options);
    let program = Arc::new(checked.game.take().ok_or("the rules have errors")?);
    let options = RuleMachineOptions { notation, tune: false, ..RuleMachineOptions::default() };
    let machine = Arc::new(RuleMachine::new(&program, &options).map_err(|error| error.to_string())?);
    let rules = Rules::new(checked, program, machine, "rules", Budget::unlimited());
    let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
    if shelf.len() > 200 {
        shelf.clear();
    }
    shelf.insert(text.to_owned(), rules.clone());
    Ok(rules)
}
