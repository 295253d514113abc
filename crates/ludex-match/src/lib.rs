//! Matches: what a referee does, as pure state machines, and what is kept of it.
//!
//! A [`Match`] makes steps of what players answer. A [`MatchRecord`] says how a match went, and
//! [`verify_match`] whether the rules bear it out. This crate does no input or output, reads no clock and
//! draws random numbers only from seeds it is given.
#![forbid(unsafe_code)]

pub mod blind;
mod course;
pub mod message;
pub mod ratings;
mod record;
pub mod records;
pub mod referee;
mod rewards;
pub mod service;
mod setting;
mod settlement;
pub mod tournament;
pub mod view;

pub use course::{Fault, MATCH_TEXT_LIMIT, Match, MatchSetup, MatchStatus, MatchStep, MoveNote, Reply, Told};
pub use ludex_game::{TimeBank, TimeTerms};
pub use record::{
    AnyRecord, MatchMismatch, MatchRecord, MatchReport, MoveReport, RatedMove, RecordContradiction,
    RecordError, RecordKind, RecordLineError, TimedRecord, TimedRecordEvent, TimedRecordTerms, TimedReplay,
    TimedReplayError, check_shape, replay_match, verify_match, verify_timed_match,
};
pub use rewards::reward;
pub use setting::{MatchSetting, PlayerInSetting, Worth, players_told};
pub use settlement::Settlement;
