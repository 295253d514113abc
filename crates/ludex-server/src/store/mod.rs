//! Where a game manager keeps games, players, matches and tournaments.

mod error;

pub use error::StoreError;
