//! Each role makes exactly one move: its inputs exclude each other, and one of them is true.
//!
//! This holds when a step is made, so it serves the next state and the percepts only.

use ludex_logic::{LimitError, Meter};

use super::cones::read_of_state;
use super::facts::Knowledge;
use super::families::Families;
use super::other_moves::OtherMoves;
use super::rebuild::Site;
use super::simplify::simplify;
use crate::{Circuit, Edge, Gate};

/// Simplifies by what the moves of one role say about each other.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    let untouched = read_of_state(circuit, meter)?;
    let mut families = Families::default();
    for (role, legal) in circuit.legal.iter().enumerate() {
        let possible = legal.iter().enumerate().filter(|(_, edge)| **edge != Edge::FALSE);
        families.add(possible.map(|(action, _)| Gate::Input(role as u32, action as u32)), true);
    }
    let knowledge = OneMove { families, others: OtherMoves::new(circuit) };
    simplify(circuit, knowledge, untouched, share, meter)
}

struct OneMove {
    families: Families,
    others: OtherMoves,
}

impl Knowledge for OneMove {
    fn groups(&self, gate: &Gate) -> &[u32] {
        self.families.groups(gate)
    }

    fn regroup(
        &mut self,
        site: &mut Site<'_>,
        uses: &dyn Fn(Edge) -> u32,
        edges: &mut Vec<Edge>,
    ) -> Result<(), LimitError> {
        self.families.regroup(site, uses, edges)?;
        self.others.regroup(site, edges)
    }
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;

    /// A circuit with one role of five moves, one of them never legal, after the pass.
    fn after(make: impl Fn(&mut CircuitSketch, Edge, &[Edge]) -> Edge) -> Circuit {
        let mut sketch = CircuitSketch::new(true);
        let base = sketch.base(false);
        let inputs = sketch.role(vec![Edge::TRUE, base, !base, base, Edge::FALSE]);
        let next = make(&mut sketch, base, &inputs);
        sketch.next(0, next);
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        circuit
    }

    #[test]
    fn two_moves_exclude_each_other() {
        let circuit = after(|d, base, i| d.and(&[i[0], i[1], base]));
        assert_eq!(circuit.bases[0].next, Edge::FALSE);
        let circuit = after(|d, base, i| d.and(&[i[0], !i[1], !i[2], base]));
        assert_eq!(circuit.operation_count(), 1);
    }

    #[test]
    fn one_of_all_moves_is_made() {
        let circuit = after(|d, _, i| d.or(&[i[0], i[1], i[2], i[3]]));
        assert_eq!(circuit.bases[0].next, Edge::TRUE);
        let circuit = after(|d, _, i| d.or(&[i[0], i[1], i[3]]));
        assert_eq!(circuit.operation_count(), 0);
        assert!(circuit.bases[0].next.is_complemented());
        let circuit = after(|d, base, i| d.and(&[!i[0], !i[1], !i[3], base]));
        assert_eq!(circuit.operation_count(), 1);
    }

    #[test]
    fn what_is_read_of_a_state_is_left_alone() {
        let mut sketch = CircuitSketch::new(true);
        let base = sketch.base(false);
        let inputs = sketch.role(vec![Edge::TRUE, base]);
        let terminal = sketch.and(&[!inputs[0], !inputs[1]]);
        sketch.circuit.terminal = terminal;
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.operation_count(), 1);
    }
}
