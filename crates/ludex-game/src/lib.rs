//! Games as machines: states, moves and percepts over any engine.
//!
//! [`Machine`] and [`Runner`] mirror the subroutines of the book's section 4.2. This crate does no
//! input or output, reads no clock and draws random numbers only from an [`Rng`] it is given.
#![forbid(unsafe_code)]

mod error;
mod machine;
mod rng;
mod signature;
mod state;

pub use error::{Answer, GameError};
pub use machine::{Joint, Machine, Playout, Runner};
pub use rng::Rng;
pub use signature::{ActionId, Goal, PropositionId, RoleId, Signature};
pub use state::State;
