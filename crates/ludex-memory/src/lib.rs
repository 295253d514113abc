//! What players remember from match to match, in one file (book 20.5): per game what was learned of what states are worth
//! and what searches of the first moves found, per opponent the matches with it, move by move.
//!
//! [`Memory`] is the file, an SQLite database that several processes may use at once and that a process which is killed
//! in the middle leaves whole. [`RememberingPlayer`] is any player with such a memory: it is told what is known when it
//! takes a seat, and what it found out is kept when the match is over.
#![forbid(unsafe_code)]

mod error;
mod game;
mod memory;
mod overview;
mod player;
mod schema;
mod searches;

pub use error::MemoryError;
pub use game::KnownGame;
pub use memory::{Forgotten, MatchNote, Memory, Subject};
pub use overview::{GameOverview, MoveCount, OpponentOverview, Overview};
pub use player::RememberingPlayer;
pub use searches::{Place, SearchedMove};
