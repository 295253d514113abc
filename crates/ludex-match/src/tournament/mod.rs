//! Tournaments: an instrument that measures how strong players are.
//!
//! A [`Tournament`] says who plays what and how often; its [`Fixture`]s may be played in any order and on
//! any number of threads, and each gives a [`MatchResult`], a line of JSON. [`Standings`] are computed
//! from results alone, however many there are so far.
//!
//! Reads no files and no clock: whoever plays keeps the results.

mod rating;
mod result;
mod schedule;
mod setup;
mod share;
mod standings;

pub use rating::{Comparisons, Rating};
pub use result::{FaultCounts, MatchResult};
pub use schedule::{Fixture, Tournament, TournamentError, TournamentGame};
pub use setup::{CompetitionSetup, Format, UnknownFormat};
pub use share::{Share, share};
pub use standings::{GameStandings, Pairing, PlayerStanding, Standings};
