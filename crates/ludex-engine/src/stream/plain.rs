//! A stream run on one lane, statement by statement: what everything faster is compared with.

use super::{Operation, Operator, Output, Phase, Slot, Step, Stream};

/// One lane of a stream.
pub(crate) struct Plain {
    pub slots: Vec<bool>,
}

impl Plain {
    /// A lane in the initial state, with scratch full of ones.
    pub fn new(stream: &Stream) -> Self {
        let mut plain = Self { slots: vec![true; stream.slots as usize] };
        plain.set(Stream::ZERO, false);
        plain.set(Stream::ONES, true);
        for (&slot, &value) in stream.bases.iter().zip(&stream.initial) {
            plain.set(slot, value);
        }
        plain
    }

    pub fn get(&self, slot: Slot) -> bool {
        self.slots[slot.0 as usize]
    }

    pub fn set(&mut self, slot: Slot, value: bool) {
        self.slots[slot.0 as usize] = value;
    }

    pub fn output(&self, output: Output) -> bool {
        self.get(output.slot) != output.complemented
    }

    pub fn phase(&mut self, phase: &Phase) {
        for step in &phase.steps {
            match step {
                Step::Straight(operations) => self.operations(operations),
                Step::Fixpoint(fixpoint) => {
                    for &(variable, _) in &fixpoint.feedback {
                        self.set(variable, false);
                    }
                    loop {
                        self.operations(&fixpoint.body);
                        let definitions: Vec<bool> = fixpoint
                            .feedback
                            .iter()
                            .map(|&(_, definition)| self.output(definition))
                            .collect();
                        let mut changed = false;
                        for (&(variable, _), value) in fixpoint.feedback.iter().zip(definitions) {
                            changed |= self.get(variable) != value;
                            self.set(variable, value);
                        }
                        if !changed {
                            break;
                        }
                    }
                }
            }
        }
    }

    fn operations(&mut self, operations: &[Operation]) {
        for operation in operations {
            let (a, b) = (self.get(operation.a), self.get(operation.b));
            let value = match operation.operator {
                Operator::And => a & b,
                Operator::Or => a | b,
                Operator::AndNot => a & !b,
            };
            self.set(operation.to, value);
        }
    }
}
