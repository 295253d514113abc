//! Matches: a referee without clock or players, a table with players at it, and records.

mod record;
mod referee;
mod replay;
mod table;

pub use record::{MatchRecord, RecordError};
pub use referee::{Fault, Match, MatchSetup, MatchStatus, MatchStep, Reply};
pub use replay::{MatchMismatch, MatchReport, replay_match, verify_match};
pub use table::{Table, TableError};
