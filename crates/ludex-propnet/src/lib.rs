//! Propositional nets (book chapters 9 and 10): the named net, its drawing and its plain simulators;
//! the circuit made of it, and the passes that shrink the circuit; circuits of games in real time.
//!
//! This crate does not run games fast; it makes the circuit from which the engines do.
#![forbid(unsafe_code)]

mod circuit;
mod decisive_moves;
mod draw;
mod invariants;
mod lasting;
mod net;
pub mod passes;
mod random_games;
mod real_time;
mod rounds;
pub mod sat;
mod simulate;

pub use circuit::{
    Circuit, CircuitEvaluator, CircuitFault, Edge, Feedback, Gate, GateBuilder, GateId, GateValues, Loop,
    LoopMembers, Stage, StoredBase, TernaryValues, Truth, normalise, ternary_and,
};
pub use draw::{DRAWING_LIMIT, DrawError};
pub use invariants::{Effort, Equivalence, Invariants, Statistics as InvariantStatistics};
pub use lasting::Lasting;
pub use net::{NetError, NetStatistics, NodeId, NodeKind, Propnet};
pub use random_games::RandomGames;
pub use real_time::{Clock, TimedBase, TimedCircuit, TimedNetError};
pub use rounds::{Live, RoundFacts, RoundStart, Rounds};
pub use simulate::{Marking, NetOracle, Propagation, Simulator};
