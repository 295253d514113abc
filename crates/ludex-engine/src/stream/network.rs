//! A circuit prepared for the builder: in normal form, operands in the order in which they are computed,
//! loops with what they read.

use std::cmp::Reverse;

use ludex_propnet::{Circuit, Gate, GateId, LoopMembers};

/// A circuit in normal form whose loops are known.
pub(super) struct Network {
    /// The operands of each and-gate are in order: those that need most slots first.
    pub circuit: Circuit,
    pub loops: LoopMembers,
    /// Per loop the gates that have to be known before: each once.
    pub outside: Vec<Vec<GateId>>,
}

impl Network {
    /// Prepares a circuit.
    pub fn new(circuit: &Circuit) -> Self {
        let mut circuit = circuit.clone();
        circuit.fold();
        let loops = LoopMembers::new(&circuit);
        let outside = |number: usize| {
            let mut gates: Vec<GateId> = loops.reads(&circuit, number).collect();
            gates.sort_unstable();
            gates.dedup();
            gates
        };
        let outside = (0..circuit.loops.len()).map(outside).collect();
        order_operands(&mut circuit);
        Self { circuit, loops, outside }
    }
}

/// Orders operands by how many slots it takes to compute them, if nothing is shared (Sethi and Ullman's
/// numbers).
fn order_operands(circuit: &mut Circuit) {
    let mut needs: Vec<u32> = Vec::with_capacity(circuit.gates.len());
    for gate in &mut circuit.gates {
        let mut need = 0;
        if let Gate::And(edges) = gate {
            edges.sort_by_key(|edge| Reverse(needs[edge.gate().index()]));
            let first = edges.iter().take(2).map(|edge| needs[edge.gate().index()]);
            need = first.zip(0..).map(|(need, held)| need + held).max().unwrap_or(0);
        }
        needs.push(need);
    }
}
