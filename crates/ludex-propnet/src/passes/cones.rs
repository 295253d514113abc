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

/// The sources with the edges they follow: a base its next value, an input its legality, a variable its
/// definition.
pub(crate) fn followed(circuit: &Circuit) -> Vec<(GateId, Edge)> {
    let definitions = definitions(circuit);
    let follows = |(index, gate): (usize, &Gate)| {
        let edge = match *gate {
            Gate::Base(base) => circuit.bases.get(base as usize)?.next,
            Gate::Input(role, action) => *circuit.legal.get(role as usize)?.get(action as usize)?,
            Gate::Feedback(_) => definitions[index]?,
            Gate::False | Gate::And(_) => return None,
        };
        Some((GateId(index as u32), edge))
    };
    circuit.gates.iter().enumerate().filter_map(follows).collect()
}

/// One gate that reads another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    /// The gate that reads.
    pub(crate) gate: GateId,
    /// Whether it reads the complement.
    pub(crate) complemented: bool,
    /// Whether it is an and-gate; else it is a source that follows what it reads.
    pub(crate) is_and: bool,
}

/// Who reads each gate, sources included.
#[derive(Debug)]
pub(crate) struct Readers {
    first: Vec<u32>,
    readers: Vec<Reader>,
}

impl Readers {
    /// Collects the readers of all gates.
    pub(crate) fn new(circuit: &Circuit) -> Self {
        let sources = followed(circuit);
        let each_read = |read: &mut dyn FnMut(Edge, GateId, bool)| {
            for (index, gate) in circuit.gates.iter().enumerate() {
                if let Gate::And(edges) = gate {
                    edges.iter().for_each(|&edge| read(edge, GateId(index as u32), true));
                }
            }
            sources.iter().for_each(|&(source, edge)| read(edge, source, false));
        };
        let mut first = vec![0u32; circuit.gates.len() + 1];
        each_read(&mut |edge, _, _| first[edge.gate().index() + 1] += 1);
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let nobody = Reader { gate: GateId(0), complemented: false, is_and: false };
        let mut readers = vec![nobody; first[circuit.gates.len()] as usize];
        let mut place = first.clone();
        each_read(&mut |edge, gate, is_and| {
            let at = &mut place[edge.gate().index()];
            readers[*at as usize] = Reader { gate, complemented: edge.is_complemented(), is_and };
            *at += 1;
        });
        Self { first, readers }
    }

    /// The readers of a gate.
    pub(crate) fn of(&self, gate: GateId) -> &[Reader] {
        let index = gate.index();
        &self.readers[self.first[index] as usize..self.first[index + 1] as usize]
    }
}

/// For each gate whether it depends on an input, through variables of loops, too.
pub(super) fn depends_on_inputs(circuit: &Circuit, meter: &mut Meter) -> Result<Vec<bool>, LimitError> {
    let readers = Readers::new(circuit);
    let mut depends = vec![false; circuit.gates.len()];
    let is_input = |(_, gate): &(usize, &Gate)| matches!(gate, Gate::Input(..));
    let mut stack: Vec<GateId> =
        circuit.gates.iter().enumerate().filter(is_input).map(|(index, _)| GateId(index as u32)).collect();
    while let Some(gate) = stack.pop() {
        if std::mem::replace(&mut depends[gate.index()], true) {
            continue;
        }
        let readers = readers.of(gate);
        meter.spend(1 + readers.len() as u64)?;
        // A base or an input that follows the gate does so in the next state, or before the move.
        let now = |r: &&Reader| r.is_and || matches!(circuit.gates[r.gate.index()], Gate::Feedback(_));
        stack.extend(readers.iter().filter(now).map(|r| r.gate).filter(|g| !depends[g.index()]));
    }
    Ok(depends)
}
