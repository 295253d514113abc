//! Bases that equal another base or its complement in every reachable state, or never change, leave the
//! state: their propositions get the value of the other one.

use ludex_logic::{LimitError, Meter};

use super::rebuild::{BaseNumbers, Rewrite, rebuild};
use crate::{Circuit, Edge, Gate, GateId, Invariants};

/// Drops the bases that others tell.
pub(super) fn run(
    circuit: &mut Circuit,
    invariants: &Invariants,
    share: bool,
    meter: &mut Meter,
) -> Result<BaseNumbers, LimitError> {
    let mut gates = vec![None; circuit.bases.len()];
    for (index, gate) in circuit.gates.iter().enumerate() {
        if let Gate::Base(base) = gate
            && let Some(place) = gates.get_mut(*base as usize)
        {
            *place = Some(GateId(index as u32));
        }
    }
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
    let mut instead = vec![None; circuit.gates.len()];
    for (index, gate) in circuit.gates.iter().enumerate() {
        if let Gate::Base(base) = gate {
            instead[index] = told.get(*base as usize).copied().flatten();
        }
    }
    rebuild(circuit, &mut EqualBases { instead, told }, share, meter)
}

struct EqualBases {
    /// Per gate the edge that stands for it.
    instead: Vec<Option<Edge>>,
    /// Per base the same.
    told: Vec<Option<Edge>>,
}

impl Rewrite for EqualBases {
    fn instead(&self, gate: GateId) -> Option<Edge> {
        self.instead[gate.index()]
    }

    fn drops_base(&self, base: u32) -> bool {
        self.told[base as usize].is_some()
    }
}
