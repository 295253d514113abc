//! Gates with few enough operands to be counted in a byte.

use ludex_propnet::{Circuit, Edge, Gate, GateId};

/// No gate has more operands than this: operands that are not satisfied are counted in one byte.
const WIDEST: usize = 255;

/// The circuit with trees of gates in the place of wider ones. A gate of a tree may be left with one operand;
/// [`Circuit::fold`] drops it.
pub(super) fn narrow(circuit: &Circuit) -> Circuit {
    let mut narrowed = circuit.clone();
    narrowed.gates.clear();
    let mut push = |gate: Gate| {
        narrowed.gates.push(gate);
        Edge::new(GateId(narrowed.gates.len() as u32 - 1), false)
    };
    let mut map: Vec<Edge> = Vec::with_capacity(circuit.gates.len());
    for gate in &circuit.gates {
        let mut operands: Vec<Edge> = gate.operands().iter().map(|edge| edge.mapped(&map)).collect();
        while operands.len() > WIDEST {
            operands = operands.chunks(WIDEST).map(|part| push(Gate::And(part.into()))).collect();
        }
        map.push(push(match gate {
            Gate::And(_) => Gate::And(operands.into()),
            source => source.clone(),
        }));
    }
    narrowed.redirect(&map);
    narrowed
}
