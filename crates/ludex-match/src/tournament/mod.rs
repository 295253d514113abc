//! Tournaments: who plays whom next, and what results say about players.
//!
//! A [`RunningTournament`] is a state machine: results and what else happens come in as [`TournamentEvent`]s,
//! and it says which matches to begin, how it stands, and when it is over, for each [`Format`]. A
//! [`Tournament`] says who plays what and how often; its [`Fixture`]s are matches to be played, each of
//! which gives a [`MatchResult`], a line of JSON. [`Standings`] and [`rating_history`] are computed from
//! results alone, however many there are so far.
//!
//! Reads no files and no clock: whoever plays keeps the events.

mod bracket;
mod elimination;
mod encounter;
mod event;
mod field;
mod history;
mod ladder;
mod listed;
mod matching;
mod open;
mod pairing_system;
mod ranking;
mod rating;
mod result;
mod running;
mod schedule;
mod sequential;
mod setup;
mod share;
mod standings;
mod swiss;

pub use encounter::{Decided, Decision, EncounterReport, Origin, Side};
pub use event::{EventError, ResumeError, TournamentEvent};
pub use field::Ongoing;
pub use history::{RatingPoint, rating_history};
pub use ranking::RankedPlayer;
pub use rating::{Comparisons, Rating};
pub use result::{FaultCounts, MatchResult};
pub use running::RunningTournament;
pub use schedule::{Fixture, Tournament, TournamentError, TournamentGame};
pub use sequential::{
    RunningTest, SequentialReport, SequentialTest, SequentialTestError, Verdict, elo_of_share, expected_share,
};
pub use setup::{Format, TournamentSetup, UnknownFormat};
pub use share::{Share, share, share_of_rewards};
pub use standings::{GameStandings, Pairing, PlayerStanding, Standings};
