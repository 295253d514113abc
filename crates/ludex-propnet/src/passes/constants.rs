//! Constants: what has the same value in all reachable states.
//!
//! All bases start with their initial value, all inputs and variables of loops as false. Whatever can
//! get another value becomes unknown, and so does what depends on it, until nothing changes: an
//! input once its legality is not constantly false, a base once its next value is not constantly its
//! initial one, a variable once its definition is not constantly false. What is then still known is
//! so in every reachable state, by induction over the steps of a match. (This is constant propagation
//! as compilers do it, see Wegman and Zadeck, "Constant propagation with conditional branches", 1991,
//! over three values.)

use ludex_logic::{LimitError, Meter};

use super::rebuild::{BaseNumbers, Rewrite, definitions, rebuild};
use crate::{Circuit, Edge, Gate, GateId};

/// Replaces what is constant, bases included.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<BaseNumbers, LimitError> {
    let known = Propagation::new(circuit).run(circuit, meter)?;
    let mut drops_base = vec![false; circuit.bases.len()];
    for (gate, value) in circuit.gates.iter().zip(&known) {
        if let Gate::Base(base) = gate
            && let Some(drops) = drops_base.get_mut(*base as usize)
        {
            *drops = *value != Value::Unknown;
        }
    }
    rebuild(circuit, &mut Constants { known, drops_base }, share, meter)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    False,
    True,
    Unknown,
}

impl Value {
    fn of(value: bool) -> Self {
        if value { Value::True } else { Value::False }
    }

    fn complement_if(self, complemented: bool) -> Self {
        match self {
            Value::False => Value::of(complemented),
            Value::True => Value::of(!complemented),
            Value::Unknown => Value::Unknown,
        }
    }
}

struct Constants {
    known: Vec<Value>,
    drops_base: Vec<bool>,
}

impl Rewrite for Constants {
    fn instead(&self, gate: GateId) -> Option<Edge> {
        match self.known[gate.index()] {
            Value::False => (gate != GateId(0)).then_some(Edge::FALSE),
            Value::True => Some(Edge::TRUE),
            Value::Unknown => None,
        }
    }

    fn drops_base(&self, base: u32) -> bool {
        self.drops_base[base as usize]
    }
}

/// Spreads the word that gates have become unknown.
struct Propagation {
    value: Vec<Value>,
    /// Who reads gate `g`: `readers[first[g]..first[g + 1]]`.
    first: Vec<u32>,
    readers: Vec<Reader>,
    /// Per and-gate the operands known to be false.
    false_operands: Vec<u32>,
    /// Gates that have become unknown and whose readers do not know it yet, with their former value.
    news: Vec<(GateId, Value)>,
}

#[derive(Clone, Copy)]
struct Reader {
    gate: GateId,
    complemented: bool,
    /// Whether the reader is an and-gate; else it is a source that follows this gate.
    is_and: bool,
}

impl Propagation {
    fn new(circuit: &Circuit) -> Self {
        let (first, readers) = readers(circuit);
        let count = circuit.gates.len();
        let value = vec![Value::False; count];
        let mut this = Self { value, first, readers, false_operands: vec![0; count], news: Vec::new() };
        for (index, gate) in circuit.gates.iter().enumerate() {
            this.value[index] = match gate {
                Gate::False | Gate::Input(..) | Gate::Feedback(_) => Value::False,
                Gate::Base(base) => Value::of(circuit.bases.get(*base as usize).is_some_and(|b| b.initial)),
                Gate::And(edges) => {
                    let count = edges.iter().filter(|e| this.of(**e) == Value::False).count() as u32;
                    this.false_operands[index] = count;
                    Value::of(count == 0)
                }
            };
        }
        this
    }

    fn of(&self, edge: Edge) -> Value {
        self.value[edge.gate().index()].complement_if(edge.is_complemented())
    }

    fn raise(&mut self, gate: GateId) {
        let value = &mut self.value[gate.index()];
        if *value != Value::Unknown {
            self.news.push((gate, *value));
            *value = Value::Unknown;
        }
    }

    /// The values when nothing changes any more.
    fn run(mut self, circuit: &Circuit, meter: &mut Meter) -> Result<Vec<Value>, LimitError> {
        let sources = followed(circuit);
        for &(source, edge) in &sources {
            if self.of(edge) != self.value[source.index()] {
                self.raise(source);
            }
        }
        while let Some((gate, former)) = self.news.pop() {
            let range = self.first[gate.index()] as usize..self.first[gate.index() + 1] as usize;
            meter.spend(1 + range.len() as u64)?;
            for at in range {
                let reader = self.readers[at];
                let count = &mut self.false_operands[reader.gate.index()];
                if reader.is_and && former.complement_if(reader.complemented) == Value::False {
                    *count -= 1;
                }
                if *count == 0 {
                    self.raise(reader.gate);
                }
            }
        }
        // A variable starts as false, and is true in the end if its definition always is.
        for feedback in circuit.loops.iter().flat_map(|l| &l.feedback) {
            if self.of(feedback.definition) == Value::True {
                self.value[feedback.gate.index()] = Value::True;
            }
        }
        Ok(self.value)
    }
}

/// The sources with the edges that can make them unknown: of a base its next value, of an input its
/// legality, of a variable its definition.
fn followed(circuit: &Circuit) -> Vec<(GateId, Edge)> {
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

/// Who reads each gate, sources included.
fn readers(circuit: &Circuit) -> (Vec<u32>, Vec<Reader>) {
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
    (first, readers)
}
