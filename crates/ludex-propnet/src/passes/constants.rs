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

use super::cones::{Readers, followed};
use super::rebuild::{BaseNumbers, Rewrite, rebuild};
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
    readers: Readers,
    /// Per and-gate the operands known to be false.
    false_operands: Vec<u32>,
    /// Gates that have become unknown and whose readers do not know it yet, with their former value.
    news: Vec<(GateId, Value)>,
}

impl Propagation {
    fn new(circuit: &Circuit) -> Self {
        let readers = Readers::new(circuit);
        let count = circuit.gates.len();
        let value = vec![Value::False; count];
        let mut this = Self { value, readers, false_operands: vec![0; count], news: Vec::new() };
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
            meter.spend(1 + self.readers.of(gate).len() as u64)?;
            for at in 0..self.readers.of(gate).len() {
                let reader = self.readers.of(gate)[at];
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

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::Draft;
    use crate::{Feedback, Loop};

    #[test]
    fn bases_that_keep_each_other_constant_go() {
        let mut draft = Draft::new(true);
        let [a, b, free] = [false, true, false].map(|initial| draft.base(initial));
        let inputs = draft.role(vec![Edge::TRUE, a]);
        // Both keep their values as long as both have them; the second move is never legal.
        let to_a = draft.and(&[a, free]);
        let to_b = draft.or(&[b, inputs[1]]);
        let to_free = draft.or(&[inputs[1], !free]);
        for (base, next) in [to_a, to_b, to_free].into_iter().enumerate() {
            draft.next(base, next);
        }
        let mut circuit = draft.finish();
        let numbers = run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(numbers, [None, None, Some(0)]);
        assert_eq!(circuit.values[..2], [Edge::FALSE, Edge::TRUE]);
        assert_eq!(circuit.legal[0][1], Edge::FALSE);
        assert_eq!((circuit.gate_count(), circuit.bases.len()), (0, 1));
        assert_eq!(circuit.bases[0].next, !circuit.values[2]);
    }

    #[test]
    fn a_base_that_can_change_stays() {
        let mut draft = Draft::new(true);
        let [a, b] = [false; 2].map(|initial| draft.base(initial));
        draft.next(0, b);
        draft.next(1, Edge::TRUE);
        let mut circuit = draft.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.bases.len(), 2);
        assert_ne!(a, b);
    }

    #[test]
    fn loops_without_a_start_are_false_and_started_ones_are_true() {
        let mut draft = Draft::new(true);
        let a = draft.base(false);
        draft.next(0, !a);
        let variables = [0, 1].map(|number| draft.builder.feedback(number));
        let unfounded = draft.and(&[variables[0], a]);
        for (variable, definition) in variables.into_iter().zip([unfounded, Edge::TRUE]) {
            draft.circuit.loops.push(Loop { feedback: vec![Feedback { gate: variable.gate(), definition }] });
            draft.proposition(variable);
        }
        let mut circuit = draft.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.values[1..], [Edge::FALSE, Edge::TRUE]);
        assert!(circuit.loops.is_empty());
    }
}
