//! Ratings that change with every match: how strong players are, as far as their matches tell.
//!
//! [`Skill`] is what is known of a player; [`rate`] says what a match between two or more changes in it. Ratings of a
//! closed set of results, as those of a tournament, are another question: [`crate::tournament::Comparisons`].
//!
//! No clock is read: how long players have been away is passed in. The same matches in the same order give the same
//! ratings to the last bit on every machine: only operations that IEEE 754 defines are used, and the exponential and the
//! logarithm of a library that is made of those.

mod glicko;
mod meeting;

pub use glicko::{Comparison, PERIOD_MILLISECONDS, Skill};
pub use meeting::{Rated, Seat, periods_between, rate};
