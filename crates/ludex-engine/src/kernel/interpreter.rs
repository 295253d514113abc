//! The interpreter: phases of a stream over blocks of lanes.

use super::block::{Block, InstructionSet, PhaseKind};
use super::code::Code;
use super::dispatch;
use crate::stream::{Fixpoint, Output, Phase, Slot, Step, Stream};

/// A stream encoded for running, for any number of lanes.
///
/// It is fastest with streams in [`Order::Runs`](crate::Order::Runs).
#[derive(Clone, Debug)]
pub struct Interpreter {
    decide: Vec<Part>,
    advance: Vec<Part>,
    assess: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Straight(Code),
    Recursion { feedback: Vec<(Slot, Output)>, body: Code },
}

impl Interpreter {
    /// Encodes a stream.
    ///
    /// # Panics
    /// If the stream names a slot that it does not have, which streams of circuits never do.
    pub fn new(stream: &Stream) -> Self {
        let phase = |phase: &Phase| phase.steps.iter().map(|step| Part::new(step, stream.slots)).collect();
        Self { decide: phase(&stream.decide), advance: phase(&stream.advance), assess: phase(&stream.assess) }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let parts = [&self.decide, &self.advance, &self.assess].into_iter().flatten();
        parts
            .map(|part| match part {
                Part::Straight(code) => code.bytes(),
                Part::Recursion { feedback, body } => {
                    feedback.capacity() * size_of::<(Slot, Output)>() + body.bytes()
                }
            })
            .sum()
    }

    /// Runs a phase with the instructions of a set, or of a smaller one if the processor has no more.
    ///
    /// # Panics
    /// If there are fewer slots than the stream has.
    pub fn run<const N: usize>(&self, set: InstructionSet, phase: PhaseKind, slots: &mut [Block<N>]) {
        dispatch::run(self, set, phase, slots);
    }

    /// Runs a phase with the instructions of the function this is inlined into.
    ///
    /// # Panics
    /// If there are fewer slots than the stream has.
    #[inline(always)]
    pub fn run_inline<const N: usize>(&self, phase: PhaseKind, slots: &mut [Block<N>]) {
        let parts = match phase {
            PhaseKind::Decide => &self.decide,
            PhaseKind::Advance => &self.advance,
            PhaseKind::Assess => &self.assess,
        };
        for part in parts {
            match part {
                Part::Straight(code) => code.run(slots),
                Part::Recursion { feedback, body } => {
                    feedback.iter().for_each(|&(variable, _)| slots[variable.0 as usize] = Block::ZERO);
                    // Definitions are monotone: in each lane every round but the last sets a variable.
                    for _ in 0..=feedback.len() {
                        body.run(slots);
                        if !update(feedback, slots) {
                            break;
                        }
                    }
                }
            }
        }
    }
}

impl Part {
    fn new(step: &Step, slots: u32) -> Self {
        // The builder numbers slots below `Stream::slots`.
        let code = |operations: &[_]| {
            Code::new(operations, slots).expect("slots of a stream are below its number of slots")
        };
        match step {
            Step::Straight(operations) => Self::Straight(code(operations)),
            Step::Fixpoint(Fixpoint { feedback, body }) => {
                Self::Recursion { feedback: feedback.clone(), body: code(body) }
            }
        }
    }
}

/// Sets every variable to its definition; says whether one has changed in some lane.
#[inline(always)]
fn update<const N: usize>(feedback: &[(Slot, Output)], slots: &mut [Block<N>]) -> bool {
    let mut changed = [0; N];
    for &(variable, definition) in feedback {
        let mask = if definition.complemented { u64::MAX } else { 0 };
        let new = slots[definition.slot.0 as usize].0.map(|word| word ^ mask);
        let old = std::mem::replace(&mut slots[variable.0 as usize].0, new);
        for word in 0..N {
            changed[word] |= old[word] ^ new[word];
        }
    }
    changed.iter().any(|&word| word != 0)
}
