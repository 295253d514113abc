//! A move that is made was legal: next to an input, what its legality demands need not be tested.
//!
//! Legality is about the state in which the move is made, the same one that the next state and the
//! percepts are computed from. Only these are simplified.

use ludex_logic::{LimitError, Meter};

use super::cones::read_of_state;
use super::facts::Knowledge;
use super::rebuild::Site;
use super::simplify::simplify;
use crate::{Circuit, Edge, Gate};

/// Drops what the legality of a move already says.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    let untouched = read_of_state(circuit, meter)?;
    meter.spend(circuit.operand_count() as u64)?;
    let depends = circuit.depends_on_moves();
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

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;

    #[test]
    fn what_legality_demands_is_not_tested_again() {
        let mut sketch = CircuitSketch::new(true);
        let [a, b, c] = [false, true, true].map(|initial| sketch.base(initial));
        let both = sketch.and(&[a, !b]);
        let legal = sketch.and(&[both, c]);
        let inputs = sketch.role(vec![Edge::TRUE, legal]);
        let same = sketch.and(&[inputs[1], a, !b]);
        let never = sketch.and(&[inputs[1], b]);
        let other = sketch.and(&[inputs[0], a]);
        for (base, next) in [same, never, other].into_iter().enumerate() {
            sketch.next(base, next);
        }
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        let input = circuit.bases[0].next;
        assert_eq!(circuit.gates[input.gate().index()], Gate::Input(0, 1));
        assert_eq!(circuit.bases[1].next, Edge::FALSE);
        assert!(matches!(circuit.gates[circuit.bases[2].next.gate().index()], Gate::And(_)));
    }

    #[test]
    fn legality_that_reads_moves_says_nothing() {
        let mut sketch = CircuitSketch::new(true);
        let a = sketch.base(false);
        let first = sketch.builder.source(Gate::Input(0, 0));
        let legal = sketch.and(&[first, a]);
        let inputs = sketch.role(vec![Edge::TRUE, legal]);
        let next = sketch.and(&[inputs[1], a]);
        sketch.next(0, next);
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.operation_count(), 2);
    }
}
