//! Which gates depend on what, and who reads them.

use ludex_logic::{LimitError, Meter};

use super::rebuild::{definitions, outputs, state_outputs};
use crate::{Circuit, Edge, Gate, GateId};

/// For each gate the number of its readers: operands, outputs and definitions.
pub(super) fn readers(circuit: &Circuit) -> Vec<u32> {
    let mut count = vec![0u32; circuit.gates.len()];
    let mut read = |edge: Edge| count[edge.gate().index()] += 1;
    outputs(circuit).for_each(&mut read);
    circuit.loops.iter().flat_map(|l| &l.feedback).for_each(|f| read(f.definition));
    for gate in &circuit.gates {
        if let Gate::And(edges) = gate {
            edges.iter().copied().for_each(&mut read);
        }
    }
    count
}

/// For each gate whether what is read of a state depends on it.
///
/// What only holds when a step is made must not be used to simplify these gates. (Where the rules are
/// well formed, none of them reads an input.)
pub(super) fn read_of_state(circuit: &Circuit, meter: &mut Meter) -> Result<Vec<bool>, LimitError> {
    let definitions = definitions(circuit);
    let mut inside = vec![false; circuit.gates.len()];
    let mut stack: Vec<GateId> = state_outputs(circuit).map(Edge::gate).collect();
    while let Some(gate) = stack.pop() {
        if std::mem::replace(&mut inside[gate.index()], true) {
            continue;
        }
        meter.spend(1)?;
        if let Gate::And(edges) = &circuit.gates[gate.index()] {
            meter.spend(edges.len() as u64)?;
            stack.extend(edges.iter().map(|e| e.gate()).filter(|g| !inside[g.index()]));
        }
        stack.extend(definitions[gate.index()].map(Edge::gate));
    }
    Ok(inside)
}


/// For each gate whether it depends on an input, through variables of loops, too.
pub(super) fn depends_on_inputs(circuit: &Circuit, meter: &mut Meter) -> Result<Vec<bool>, LimitError> {
    let mut depends = vec![false; circuit.gates.len()];
    // Each turn but the last finds another variable; loops that read inputs are few and shallow.
    loop {
        meter.spend(circuit.gates.len() as u64)?;
        for (index, gate) in circuit.gates.iter().enumerate() {
            match gate {
                Gate::Input(..) => depends[index] = true,
                Gate::And(edges) => depends[index] = edges.iter().any(|e| depends[e.gate().index()]),
                Gate::False | Gate::Base(_) | Gate::Feedback(_) => {}
            }
        }
        let mut changed = false;
        for feedback in circuit.loops.iter().flat_map(|l| &l.feedback) {
            if depends[feedback.definition.gate().index()] && !depends[feedback.gate.index()] {
                depends[feedback.gate.index()] = true;
                changed = true;
            }
        }
        if !changed {
            return Ok(depends);
        }
    }
}
