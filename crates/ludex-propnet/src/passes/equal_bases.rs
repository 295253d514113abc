//! Bases that equal another base or its complement in every reachable state, or never change, leave the
//! state: their propositions get the value of the other one.

use ludex_logic::{LimitError, Meter};

use super::rebuild::{BaseNumbers, Replacement, rebuild};
use crate::{Circuit, Edge, Gate, GateId, Invariants};

/// Drops the bases that others tell.
pub(super) fn run(
    circuit: &mut Circuit,
    invariants: &Invariants,
    share: bool,
    meter: &mut Meter,
) -> Result<BaseNumbers, LimitError> {
    let gates = base_gates(circuit);
    let mut told = vec![None; circuit.bases.len()];
    for &(base, value) in &invariants.constants {
        if let Some(told) = told.get_mut(base as usize) {
            *told = Some(Edge::FALSE.complement_if(value));
        }
    }
    for equal in &invariants.equivalences {
        let same_as = gates.get(equal.same_as as usize).copied().flatten();
        if let (Some(told), Some(gate)) = (told.get_mut(equal.base as usize), same_as) {
            *told = Some(Edge::new(gate, equal.complemented));
        }
    }
    replace(circuit, &told, share, meter)
}

/// Drops the bases that the edges of `told`, one entry for each base, stand for.
pub(super) fn replace(
    circuit: &mut Circuit,
    told: &[Option<Edge>],
    share: bool,
    meter: &mut Meter,
) -> Result<BaseNumbers, LimitError> {
    let mut instead = vec![None; circuit.gates.len()];
    for (index, gate) in circuit.gates.iter().enumerate() {
        if let Gate::Base(base) = gate {
            instead[index] = told.get(*base as usize).copied().flatten();
        }
    }
    rebuild(circuit, &mut Replacement { instead }, share, meter)
}

/// The gate of each base.
pub(super) fn base_gates(circuit: &Circuit) -> Vec<Option<GateId>> {
    let mut gates = vec![None; circuit.bases.len()];
    for (index, gate) in circuit.gates.iter().enumerate() {
        if let Gate::Base(base) = gate
            && let Some(place) = gates.get_mut(*base as usize)
        {
            *place = Some(GateId(index as u32));
        }
    }
    gates
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::Equivalence;
    use crate::passes::tests::random::CircuitSketch;

    #[test]
    fn bases_that_others_tell_leave_the_state() {
        let mut sketch = CircuitSketch::new(true);
        let [a, b, c] = [false, true, true].map(|initial| sketch.base(initial));
        let next = sketch.and(&[!a, b, c]);
        sketch.next(0, next);
        sketch.next(1, !next);
        let mut circuit = sketch.finish();
        let invariants = Invariants {
            constants: vec![(2, true)],
            equivalences: vec![Equivalence { base: 1, same_as: 0, complemented: true }],
            ..Invariants::default()
        };
        let numbers = run(&mut circuit, &invariants, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(numbers, [Some(0), None, None]);
        assert_eq!(circuit.bases.len(), 1);
        assert_eq!(circuit.values[1], !circuit.values[0]);
        assert_eq!(circuit.values[2], Edge::TRUE);
        assert_eq!(circuit.bases[0].next, !circuit.values[0]);
        assert_eq!(circuit.check(), Ok(()));
    }

    #[test]
    fn numbers_of_other_circuits_do_no_harm() {
        let mut sketch = CircuitSketch::new(true);
        sketch.base(false);
        let mut circuit = sketch.finish();
        let invariants = Invariants {
            constants: vec![(7, true)],
            equivalences: vec![Equivalence { base: 0, same_as: 9, complemented: false }],
            ..Invariants::default()
        };
        run(&mut circuit, &invariants, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.bases.len(), 1);
    }
}
