//! The strategies of the book, one file each.

mod legal;
mod random;

pub use legal::LegalPlayer;
pub use random::RandomPlayer;

use crate::registry::StrategyInfo;

/// All of them, in the order of the book's chapters.
pub(crate) const ALL: &[StrategyInfo] = &[legal::INFO, random::INFO];
