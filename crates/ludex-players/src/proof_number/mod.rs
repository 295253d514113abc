//! Proof-number search (Allis, van der Meulen and van den Herik, 1994) for games of two roles that move in turn and
//! whose goals have a constant sum: which goal can one of them force?
//!
//! The search goes where fewest states have to be worked out for an answer, and estimates nothing else. So it finds
//! forced wins at depths at which no other search does, where the loser has few moves to choose from. States are
//! packed, and looked at in lanes: many descents are under way at once.
//!
//! - [`graph`]: the states with their numbers, going down to the state that is wanted most, and up again.
//! - [`numbers`]: prizes, questions about them, and the numbers of a state.
//! - [`sweep`]: making room, by forgetting what costs least to find out again.
//! - [`batch`]: many descents at once.

mod batch;
mod graph;
mod numbers;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use batch::{Found, ProofBatch};
pub(crate) use graph::{ProofGraph, ProofId};
pub(crate) use numbers::{Prizes, Range};
pub(crate) use sweep::SWEEP_TIME;
