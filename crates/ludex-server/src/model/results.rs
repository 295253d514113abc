//! What finished matches say about games and players.

use ludex::matches::tournament::FaultCounts;
use serde::Serialize;

/// How a seat did in matches that were played to the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatResults {
    /// The game.
    pub game: String,
    /// The seat, from 0.
    pub seat: u32,
    /// The role, in prefix notation.
    pub role: String,
    /// How many matches.
    pub matches: u64,
    /// The mean goal value.
    pub goal: f64,
    /// What went wrong there.
    pub faults: FaultCounts,
}

/// How a player did against another, over all seats that they had in one match, which was played to the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpponentResults {
    /// The other.
    pub opponent: String,
    /// How many matches.
    pub matches: u64,
    /// The player's mean goal value in them.
    pub goal: f64,
    /// The other's.
    pub opponent_goal: f64,
}

/// How a player did in its newest matches, by game and seat and by opponent; of each those with most matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlayerResults {
    /// By game and seat.
    pub seats: Vec<SeatResults>,
    /// By opponent.
    pub opponents: Vec<OpponentResults>,
}

/// First moves, and what came of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Opening {
    /// The first move of each role, in prefix notation.
    pub moves: Vec<String>,
    /// How many matches began with them.
    pub matches: u64,
    /// The mean goal value of each seat.
    pub goals: Vec<f64>,
}

/// How matches of a version of a game ended that were played to the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GameResults {
    /// How many matches these numbers are of: the newest ones.
    pub matches: u64,
    /// By seat.
    pub seats: Vec<SeatResults>,
    /// The most frequent first moves.
    pub openings: Vec<Opening>,
}
