//! What states are worth at a glance: a weighted sum of the facts that hold, learned from games that the weights
//! plays with itself.
//!
//! - [`weights`]: the weights, and what they say of a state.
//! - [`self_play`]: the games that they are learned from, many at once in lanes.

mod self_play;
mod weights;

pub(crate) use self_play::{Example, Learned, TrainingGame, learn};
pub(crate) use weights::FactWeights;
