//! Matches with real players: a referee for each, and around it time, network and journal.
//!
//! A [`Driver`] has one thread for the network and the clocks, which does nothing that takes long; a
//! thread that writes the journal ([`crate::journal`]); and some for the referees, of which matches of one game
//! have half at most (`turns`), so that rules that take long to work out keep few other matches waiting. Each match is a task on
//! the first of them, which owns its referee, its timers and its open connections, and hears of all
//! events through one channel. Thousands of connections are open at once and cost some kilobytes each,
//! which is why they are no threads.
//!
//! When something happened is noted when it happened and not when the referee gets round to it. Only
//! what starts a clock, the news that an entry is written, has the time at which the referee hears of it:
//! so a player is never late through a fault of this side.

mod address;
mod clock;
mod correspondent;
mod http;
mod match_referee;
mod match_task;
mod outbox;
mod running;
mod turns;

pub use crate::clock::unix_milliseconds;
pub use crate::http::{AnswerError, AnswerLimits, AnswerReader};
pub use address::{AddressError, AddressPolicy, DEFAULT_PORT, PlayerAddress};
pub use clock::DriverClock;
pub use correspondent::{Asking, Correspondent, NoAnswer};
pub(crate) use http::signed_headers;
pub use http::{HttpClient, HttpError, HttpLimits, HttpPlayer};
pub use match_referee::MatchReferee;
pub use running::{
    Driver, DriverOptions, MatchFailure, MatchJob, MatchStop, RunningMatch, SendWatch, Watcher,
};
