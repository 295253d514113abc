//! What always holds in the reachable states of a game, proved by induction over its circuit.

mod types;

pub use types::{Effort, Equivalence, Invariants, Statistics};
