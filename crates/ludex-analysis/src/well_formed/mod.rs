//! Whether a game is well formed: it ends, everybody can move until then, and everybody can win
//! (specification 6.11, Definitions 21 to 24; book 2.7); whether its goals are what the specification
//! and other authors ask of them.
//!
//! 1. `sample`: random games, and walks that batches of random games lead towards a win, show what a
//!    course of the game can show.
//! 2. `space`: breadth-first search of all states, on several threads; `graph` looks for ways around
//!    and for winning strategies in what it found.
//! 3. `induction` proves what always holds, with a solver for formulas over the faithful circuit and
//!    its invariants; `ranking` proves that a game ends by propositions that only change one way.
//!
//! `driver` calls them, cheap ones first. Each course that is given out was replayed on the rules
//! (`claim`).

mod bits;
mod claim;
mod driver;
mod expand;
mod goal_values;
mod graph;
mod induction;
mod ranking;
mod report;
mod sample;
mod space;
#[cfg(test)]
mod tests;

pub(crate) use claim::Claim;
pub(crate) use goal_values::goal_values;
pub(crate) use graph::WaysBack;
pub(crate) use induction::{Induction, Proof};
pub use report::{
    ConstantSum, Judged, Method, Never, PlayerReport, Possibility, Seen, Strategy, Termination, WellFormed,
};
pub(crate) use space::{Explored, Space, reason as reason_of};

use ludex_game::Rules;
use ludex_logic::Budget;

use crate::finding::Witness;
use crate::subject::Subject;

/// How to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WellFormedOptions {
    /// How many threads search. The answers do not depend on it, unless a limit ends the search.
    pub threads: usize,
    /// The seed of random games.
    pub seed: u64,
    /// The most states that are searched.
    pub most_states: usize,
    /// The longest courses that are looked at with the solver.
    pub most_steps: usize,
}

impl Default for WellFormedOptions {
    fn default() -> Self {
        Self { threads: 1, seed: 1, most_states: 50_000_000, most_steps: 64 }
    }
}

impl WellFormed {
    /// Finds out what can be found out within the budget. A budget with a deadline is shared out among
    /// the methods; without one, each goes on until it has an answer or reaches the limits of the
    /// options.
    pub fn find(subject: &Subject, options: &WellFormedOptions, budget: &Budget) -> Self {
        driver::Driver::new(subject, options, budget).run()
    }
}

/// The step of a course at which the state of its end was there before: where the way around begins
/// that refutes that a game ends. None if there is no such step, or the course does not replay.
pub fn loop_begin(witness: &Witness, rules: &Rules) -> Option<usize> {
    claim::loop_start(&witness.replay(rules).ok()?)
}
