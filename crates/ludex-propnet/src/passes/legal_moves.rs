//! A move that is made was legal: next to an input, what its legality demands need not be tested.
//!
//! Legality is about the state in which the move is made, the same one that the next state and the
//! percepts are computed from. Only these are simplified.

use ludex_logic::{LimitError, Meter};

use super::cones::{depends_on_inputs, read_of_state};
use super::facts::Knowledge;
use super::rebuild::Site;
use super::simplify::simplify;
use crate::{Circuit, Edge, Gate};

/// Drops what the legality of a move already says.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    let untouched = read_of_state(circuit, meter)?;
    let depends = depends_on_inputs(circuit, meter)?;
    let of_state = |&edge: &Edge| (!depends[edge.gate().index()]).then_some(edge);
    let legal = circuit.legal.iter().map(|moves| moves.iter().map(of_state).collect()).collect();
    simplify(circuit, LegalMoves { legal }, untouched, share, meter)
}

struct LegalMoves {
    /// The legality in the old circuit, where it depends on the state alone.
    legal: Vec<Vec<Option<Edge>>>,
}

impl Knowledge for LegalMoves {
    fn implies(&self, gate: &Gate, site: &Site<'_>) -> Option<Edge> {
        let Gate::Input(role, action) = gate else { return None };
        let legal = (*self.legal.get(*role as usize)?.get(*action as usize)?)?;
        // What is read of a state is written before what is read of a step.
        Some(site.mapped(legal))
    }
}
