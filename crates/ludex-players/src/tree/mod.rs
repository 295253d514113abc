//! Monte Carlo tree search for lanes: leaves are collected in waves with virtual loss, expanded together
//! and played from together; a solver proves values on the way.
//!
//! - [`graph`]: states in arenas, arms, transpositions, what is proven.
//! - [`tidy`]: making room, a little at a time; [`legacy`]: what another machine's tree leaves.
//! - [`descent`]: choosing arms, backing up values.
//! - [`bounds`]: the solver.
//! - [`proving`]: a search for proofs beside it.
//! - [`deviation`]: how much exploration is worth.
//! - [`settle`]: what need not be searched although it is not proven.
//! - [`resistance`]: going on where a win is out of reach unless others err.
//! - [`aim`]: what the roles play for.
//! - [`wave`]: many descents at once; [`pace`] says how many.
//! - [`sighting`]: whether playouts see one move ahead.
//! - [`horizon`]: when playouts end before the game does.
//! - [`spread`]: playing from the successors of a leaf; [`judging`]: what facts promise, where there are too many.
//! - [`worker`]: waves on a thread, within a budget; [`search`]: what is kept from move to move; [`explain`]: what to
//!   say about it.

mod aim;
mod bounds;
mod descent;
mod deviation;
mod explain;
mod graph;
mod horizon;
mod index;
mod judging;
mod legacy;
mod nature;
mod options;
mod pace;
mod proving;
mod resistance;
mod search;
mod settle;
mod sighting;
mod spread;
#[cfg(test)]
mod tests;
mod tidy;
#[cfg(test)]
mod tidy_tests;
mod wave;
mod ways;
mod worker;

pub(crate) use options::TreeOptions;
pub(crate) use search::TreeSearch;
