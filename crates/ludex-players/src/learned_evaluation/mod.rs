//! What states are worth at a glance: a small network over the facts that hold, learned from games that it plays with
//! itself.
//!
//! - [`network`]: the network, and what it says of a state.
//! - [`self_play`]: the games that it is learned from, many at once in lanes.

mod network;
mod self_play;

pub(crate) use network::{Network, Sums};
pub(crate) use self_play::{Example, Learned, TrainingGame, learn};
