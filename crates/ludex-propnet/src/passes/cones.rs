//! Which gates depend on what, and who reads them.

use ludex_logic::{Csr, LimitError, Meter};

use crate::{Circuit, Edge, Gate, GateId};

/// For each gate the number of its readers: operands, outputs and definitions.
pub(super) fn readers(circuit: &Circuit) -> Vec<u32> {
    let mut count = vec![0u32; circuit.gates.len()];
    let mut read = |edge: Edge| count[edge.gate().index()] += 1;
    circuit.outputs().for_each(&mut read);
    circuit.loops.iter().flat_map(|l| &l.feedback).for_each(|f| read(f.definition));
    circuit.gates.iter().flat_map(Gate::operands).copied().for_each(read);
    count
}

/// For each gate whether it is an and-gate with one reader, which is an and-gate that reads it, or its
/// complement if `complemented`.
pub(super) fn read_once(
    circuit: &Circuit,
    complemented: bool,
    meter: &mut Meter,
) -> Result<Vec<bool>, LimitError> {
    meter.spend(circuit.operand_count() as u64)?;
    let readers = readers(circuit);
    let mut found = vec![false; circuit.gates.len()];
    for edge in circuit.gates.iter().flat_map(Gate::operands) {
        let operand = edge.gate().index();
        found[operand] |= edge.is_complemented() == complemented
            && readers[operand] == 1
            && matches!(circuit.gates[operand], Gate::And(_));
    }
    Ok(found)
}

/// For each gate whether what is read of a state depends on it.
///
/// What only holds when a step is made must not be used to simplify these gates. (Where the rules are
/// well formed, none of them reads an input.)
pub(super) fn read_of_state(circuit: &Circuit, meter: &mut Meter) -> Result<Vec<bool>, LimitError> {
    meter.spend((circuit.gates.len() + circuit.operand_count()) as u64)?;
    Ok(circuit.cone(circuit.state_outputs()))
}

/// The sources with the edges they follow: a base its next value, an input its legality, a variable its
/// definition.
pub(crate) fn followed(circuit: &Circuit) -> Vec<(GateId, Edge)> {
    let definitions = circuit.definitions();
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
pub(crate) fn readers_of(circuit: &Circuit) -> Csr<Reader> {
    let reader = |edge: Edge, gate: GateId, is_and: bool| {
        (edge.gate().index(), Reader { gate, complemented: edge.is_complemented(), is_and })
    };
    let sources = followed(circuit);
    Csr::from_pairs(circuit.gates.len(), || {
        let gates = (0..).map(GateId).zip(&circuit.gates);
        let of_gates = gates.flat_map(|(id, gate)| gate.operands().iter().map(move |&e| reader(e, id, true)));
        of_gates.chain(sources.iter().map(|&(source, edge)| reader(edge, source, false)))
    })
}
