//! Flattening: an and-gate that only another and-gate reads, uncomplemented, is merged into it.
//!
//! Wide gates cost no more operations than trees of narrow ones, and show their operands to the other
//! passes.

use ludex_logic::{LimitError, Meter};

use super::cones::readers;
use super::rebuild::{Rewrite, Site, rebuild};
use crate::{Circuit, Edge, Gate, GateId};

/// Merges and-gates into their only readers.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    let readers = readers(circuit);
    let mut is_inlined = vec![false; circuit.gates.len()];
    for gate in &circuit.gates {
        let Gate::And(edges) = gate else { continue };
        meter.spend(edges.len() as u64)?;
        for edge in edges {
            let operand = edge.gate().index();
            is_inlined[operand] |= !edge.is_complemented()
                && readers[operand] == 1
                && matches!(circuit.gates[operand], Gate::And(_));
        }
    }
    rebuild(circuit, &mut Flatten { is_inlined, stack: Vec::new() }, share, meter).map(drop)
}

struct Flatten {
    is_inlined: Vec<bool>,
    stack: Vec<Edge>,
}

impl Rewrite for Flatten {
    fn is_inlined(&self, gate: GateId) -> bool {
        self.is_inlined[gate.index()]
    }

    fn and(&mut self, site: &mut Site<'_>, gate: GateId, edges: &mut Vec<Edge>) -> Result<Edge, LimitError> {
        let Gate::And(operands) = &site.old.gates[gate.index()] else { return Ok(Edge::FALSE) };
        edges.clear();
        self.stack.extend(operands);
        while let Some(edge) = self.stack.pop() {
            site.meter.spend(1)?;
            match &site.old.gates[edge.gate().index()] {
                Gate::And(operands) if self.is_inlined(edge.gate()) => self.stack.extend(operands),
                _ => edges.push(site.mapped(edge)),
            }
        }
        Ok(site.builder.and(edges))
    }
}
