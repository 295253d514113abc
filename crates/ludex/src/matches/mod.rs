//! Matches: a referee without clock or players, a table with players at it, and records.

mod record;
mod referee;
mod replay;
mod report;
mod table;

pub use record::{MatchRecord, RecordError};
pub use referee::{Fault, Match, MatchSetup, MatchStatus, MatchStep, MoveNote, Reply};
pub use replay::{MatchMismatch, MatchReport, replay_match, verify_match};
pub use report::{MoveReport, RatedMove};
pub use table::{Table, TableError};
