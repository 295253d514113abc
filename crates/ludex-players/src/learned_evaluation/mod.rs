//! What states are worth at a glance: a small network over the facts that hold, learned from games that it plays with
//! itself.
//!
//! - [`network`]: the network, and what it says of a state; [`features`]: what one sees that goes by moves alone.
//! - [`correlation`]: how what it says goes with what comes of states.
//! - [`tuples`]: what it knows of what stands on several cells of a board together; [`boards`] finds these cells.
//! - [`self_play`]: the games that it is learned from, many at once in lanes.
//! - [`trained`]: what was learned beforehand, kept for later matches.

mod boards;
mod correlation;
mod features;
mod network;
mod self_play;
mod trained;
mod tuples;

pub(crate) use correlation::{Covariances, HeldOut, Moments, correlation_of_examples};
pub(crate) use network::{Network, Sums};
pub(crate) use self_play::{Example, Learned, SelfPlay, Stop, TrainingGame, Values, learn};
pub(crate) use trained::{Fitted, Told, Training};
pub use trained::{TrainedEvaluation, TrainedEvaluationError};
