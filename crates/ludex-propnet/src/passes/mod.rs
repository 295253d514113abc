//! The passes that shrink a [`Circuit`](crate::Circuit), one file each.
//!
//! A pass keeps the value of every output (next state, legality, terminal, goals, percepts,
//! propositions) in every reachable state and, for what is read of a step, for every joint move in
//! which each role makes one legal move. In other states the outputs may differ: a state that cannot
//! be reached may not even have bits any more.

mod absorption;
mod common_pairs;
pub(crate) mod cones;
mod constants;
mod dead_cones;
mod equal_bases;
mod exclusive;
mod factors;
mod facts;
mod families;
mod flatten;
mod hash_consing;
mod legal_moves;
mod one_move;
mod optimise;
mod other_moves;
mod rebuild;
mod report;
mod set;
mod simplify;
mod spare_bases;
#[cfg(test)]
pub(crate) mod tests;
mod waiting_moves;

pub(crate) use dead_cones::run as drop_dead_cones;
pub use optimise::{optimise, optimise_with};
pub use report::{PassReport, PassRun, Size};
pub use set::{Pass, PassSet, UnknownPass};
