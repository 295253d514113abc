//! Flattening: an and-gate that only another and-gate reads, uncomplemented, is merged into it.
//!
//! Wide gates cost no more operations than trees of narrow ones, and show their operands to the other
//! passes.

use ludex_logic::{LimitError, Meter};

use super::cones::read_once;
use super::rebuild::{Rewrite, Site, rebuild};
use crate::{Circuit, Edge, Gate, GateId};

/// Merges and-gates into their only readers.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    let is_inlined = read_once(circuit, false, meter)?;
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

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;

    #[test]
    fn a_chain_becomes_one_gate_but_for_what_others_read() {
        let mut sketch = CircuitSketch::new(true);
        let bases = [false; 6].map(|initial| sketch.base(initial));
        let mut chain = bases[0];
        let mut shared = None;
        for (at, &base) in bases.iter().enumerate().skip(1) {
            chain = sketch.and(&[chain, base]);
            if at == 3 {
                shared = Some(chain);
            }
        }
        sketch.next(0, chain);
        sketch.next(1, !shared.unwrap());
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        let widths: Vec<usize> = circuit
            .gates
            .iter()
            .filter_map(|g| if let Gate::And(e) = g { Some(e.len()) } else { None })
            .collect();
        assert_eq!(widths, [4, 3]);
    }

    #[test]
    fn complemented_operands_stay() {
        let mut sketch = CircuitSketch::new(true);
        let [a, b, c] = [false; 3].map(|initial| sketch.base(initial));
        let inner = sketch.and(&[a, b]);
        let outer = sketch.and(&[!inner, c]);
        sketch.next(0, outer);
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.gate_count(), 2);
    }
}
