//! A stream run word by word, as its documentation says.

use crate::{Block, Operation, Operator, PhaseKind, Step, Stream};

/// Runs a phase.
pub(super) fn run<const N: usize>(stream: &Stream, kind: PhaseKind, slots: &mut [Block<N>]) {
    for step in &stream.phase(kind).steps {
        match step {
            Step::Straight(operations) => straight(operations, slots),
            Step::Fixpoint(fixpoint) => {
                for (variable, _) in &fixpoint.feedback {
                    slots[variable.0 as usize] = Block::ZERO;
                }
                loop {
                    straight(&fixpoint.body, slots);
                    let values: Vec<Block<N>> = fixpoint
                        .feedback
                        .iter()
                        .map(|(_, definition)| {
                            let value = slots[definition.slot.0 as usize];
                            if definition.complemented { Block(value.0.map(|word| !word)) } else { value }
                        })
                        .collect();
                    let mut changed = false;
                    for ((variable, _), value) in fixpoint.feedback.iter().zip(values) {
                        changed |= slots[variable.0 as usize] != value;
                        slots[variable.0 as usize] = value;
                    }
                    if !changed {
                        break;
                    }
                }
            }
        }
    }
}

/// Runs operations.
pub(super) fn straight<const N: usize>(operations: &[Operation], slots: &mut [Block<N>]) {
    for operation in operations {
        let (a, b) = (slots[operation.a.0 as usize].0, slots[operation.b.0 as usize].0);
        let combine = |index: usize| match operation.operator {
            Operator::And => a[index] & b[index],
            Operator::Or => a[index] | b[index],
            Operator::AndNot => a[index] & !b[index],
        };
        slots[operation.to.0 as usize] = Block(std::array::from_fn(combine));
    }
}
