//! Tournaments: an instrument that measures how strong players are.
//!
//! Who plays whom, and what results say, is [`ludex_match::tournament`]'s, and stands here again; this
//! module seats players for a match at a table ([`play_fixture`]). Whoever plays brings a clock.

mod fixture_play;
mod timed_fixture;

pub use fixture_play::{FixtureError, FixtureOptions, play_fixture};
pub use ludex_match::tournament::*;
pub use timed_fixture::play_timed_fixture;
