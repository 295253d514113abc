//! What always holds in the reachable states of a game, proved by induction over its circuit.
//!
//! 1. `sample`: random playouts, 64 at a time, give states.
//! 2. `guess`: the names of the propositions and equal columns of the samples propose facts; those
//!    that no sample refutes are left.
//! 3. `induction`: facts that a step from a state with all facts left may break are dropped until
//!    none does. What a step may do is answered by `step`.
//! 4. `assemble` puts the proved facts together.

mod assemble;
mod fact;
mod guess;
mod induction;
mod sample;
mod step;
#[cfg(test)]
mod tests;
mod types;

use ludex_logic::{Budget, LimitError};

pub(crate) use fact::Fact;
pub use types::{Effort, Equivalence, Invariants, Statistics};

use crate::Circuit;
use guess::Guesses;
use induction::Induction;
use sample::Samples;

impl Invariants {
    /// Finds and proves what always holds. `effort` says how hard to look, and more effort finds more;
    /// `budget` is a limit that stops the search with an error, at which nothing is known.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn find(circuit: &Circuit, effort: &Effort, budget: &Budget) -> Result<Self, LimitError> {
        let mut meter = budget.meter();
        meter.spend(circuit.gates.len() as u64)?;
        let samples = Samples::draw(circuit, effort, &mut meter)?;
        let guesses = Guesses::new(circuit, &samples);
        let induction = Induction::new(circuit, effort, guesses, budget, &mut meter)?;
        let (facts, mut statistics) = induction.run(&mut meter)?;
        statistics.sampled_states = samples.states();
        Ok(assemble::assemble(&facts, statistics))
    }
}
