//! Positions in which few of many moves keep what is proven that a role can force.

use std::path::{Path, PathBuf};

use ludex_game::{Position, Rules};
use serde::{Deserialize, Serialize};

use crate::corpus::{CorpusError, read_lines, stem};
use crate::games::{bundled, playable_file};

/// A position with a forced win, or an only move: it is proven what the role that moves can force, by which of its moves,
/// and that all other moves bring less.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForcedResult {
    /// A bundled game, or one of the rulesheets beside the positions.
    pub game: String,
    /// The joint moves that lead there from the start, each with the moves of all roles in their order.
    pub moves: Vec<Vec<String>>,
    /// Who moves.
    pub role: String,
    /// The moves that keep what it can force.
    pub keeps: Vec<String>,
    /// How many legal moves it has.
    pub legal: usize,
    /// The goal that it can force.
    pub value: u32,
    /// A search of all moves sees what the moves are worth after so many plies, if not later; `None` where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
}

impl ForcedResult {
    /// The rules of its game.
    ///
    /// # Errors
    /// That there is no such game, or why it cannot be run.
    pub fn rules(&self) -> Result<Rules, String> {
        forced_result_game(&self.game)
    }

    /// The position, in the rules of its game.
    ///
    /// # Errors
    /// Which of the moves that lead there cannot be made.
    pub fn position(&self, rules: &Rules) -> Result<Position, String> {
        position_after(rules, &self.moves).map_err(|error| format!("{}: {error}", self.game))
    }
}

/// The position after these joint moves.
///
/// # Errors
/// Which of them cannot be made, and why.
pub fn position_after(rules: &Rules, moves: &[Vec<String>]) -> Result<Position, String> {
    let mut position = rules.start();
    for joint in moves {
        let joint: Vec<&str> = joint.iter().map(String::as_str).collect();
        position.play(&joint).map_err(|error| format!("{joint:?}: {error}"))?;
    }
    Ok(position)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ludex-players/tests/data")
}

/// The rules of a bundled game in prefix notation, or of a rulesheet that is there for such positions alone.
///
/// # Errors
/// That there is no such game, or why it cannot be run.
pub fn forced_result_game(name: &str) -> Result<Rules, String> {
    let own = folder().join(format!("games/{name}.kif"));
    let is_wanted = |path: &PathBuf| stem(path) == name && path.extension().is_some_and(|e| e == "kif");
    let found = bundled().into_iter().find(is_wanted).or_else(|| own.is_file().then_some(own));
    playable_file(&found.ok_or_else(|| format!("no game `{name}`"))?)
}

/// The positions that the search for proofs made from matches.
///
/// # Errors
/// What cannot be read.
pub fn forced_results() -> Result<Vec<ForcedResult>, CorpusError> {
    read_lines(&folder().join("forced-results.jsonl"))
}

/// Positions of games that programs written for one game alone have solved, sharing nothing with this project: of connect
/// four (after the first moves), breakthrough on 5x5 cells and on 6 rows of 4, and reversi on 6x6 cells (13 to 15 empty).
///
/// # Errors
/// What cannot be read.
pub fn solved_positions() -> Result<Vec<ForcedResult>, CorpusError> {
    read_lines(&folder().join("solved-positions.jsonl"))
}
