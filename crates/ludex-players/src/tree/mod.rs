//! Monte Carlo tree search for lanes: leaves are collected in batches with virtual loss, expanded together and
//! evaluated together; a solver proves values on the way.
//!
//! - [`graph`]: states in arenas, edges, transpositions, what is proven.
//! - [`tidy`]: making room, a little at a time; [`legacy`]: what another machine's tree leaves.
//! - [`descent`]: choosing edges, backing up values; [`deviation`]: how much exploration is worth.
//! - [`bounds`]: the solver; [`proving`]: a search for proofs beside it.
//! - [`resolved`]: what need not be searched although it is not proven.
//! - [`resistance`]: going on where a win is out of reach unless others err.
//! - [`profile`]: what random games show of a game before it is searched: [`utility`], are the roles opponents;
//!   [`objective`], what they play for; [`horizon`], when playouts end before the game does.
//! - [`leaf_batch`]: many descents at once; [`pace`] says how many; [`look_ahead`]: ends of the game behind leaves.
//! - [`evaluation`]: what leaves are worth, behind one trait; [`decisive_moves`]: whether playouts see one move ahead.
//! - [`training`]: learning beforehand.
//! - [`later_moves`]: which moves look good in random games that make them at any time.
//! - [`stopping`]: ending before the time is over, where that costs something.
//! - [`worker`]: batches on a thread, within a budget; [`search`]: what is kept from move to move; [`explain`]: what to
//!   say about it; [`root_value`]: what the state is worth to all roles.

mod bounds;
mod decisive_moves;
mod descent;
mod deviation;
mod evaluation;
mod explain;
mod graph;
mod horizon;
mod index;
mod later_moves;
mod leaf_batch;
mod legacy;
mod look_ahead;
mod objective;
mod options;
mod pace;
mod profile;
mod proving;
mod resistance;
mod resolved;
mod root_value;
mod search;
mod stopping;
#[cfg(test)]
mod tests;
mod tidy;
#[cfg(test)]
mod tidy_tests;
mod training;
mod utility;
mod ways;
mod worker;

pub(crate) use decisive_moves::see_ahead_cheaply;
pub(crate) use objective::{Objective, ObjectiveOption};
pub(crate) use options::{StepsOption, TreeOptions};
pub(crate) use profile::{PlayoutProfile, Profiler};
pub(crate) use root_value::role_to_ask;
pub(crate) use search::TreeSearch;
pub use training::{Trained, TrainingError, TrainingOptions, TrainingProgress, train};
