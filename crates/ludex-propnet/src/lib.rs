//! Propositional nets (book chapters 9 and 10): the named net, its drawing and its plain simulators;
//! the circuit made of it, and the passes that shrink the circuit.
//!
//! This crate does not run games fast; it makes the circuit from which the engines do.
#![forbid(unsafe_code)]

mod circuit;
mod invariants;

pub use circuit::{Circuit, Edge, Feedback, Gate, GateId, Loop, StoredBase};
pub use invariants::{Effort, Equivalence, Invariants, Statistics as InvariantStatistics};
