//! Which values must lie in memory when a piece of straight code ends.
//!
//! A piece is a straight step, or the body of a recursion. Inside of it a value may live in a
//! register only; afterwards only memory remains. What is read after a piece: by later pieces of its
//! phase, by whoever looks at the outputs of the phase, by other phases that find what they read in
//! scratch, and, in a recursion, by the next round.

use super::NativeError;
use crate::{Fixpoint, Operation, Output, Phase, PhaseKind, Slot, Step, Stream};

/// The phases in the order in which they are laid out.
pub(super) const PHASES: [PhaseKind; 3] = [PhaseKind::Decide, PhaseKind::Advance, PhaseKind::Assess];

/// A piece of straight code: its operations, and the slots it writes whose last value is read later.
#[derive(Clone, Debug)]
pub(super) struct Piece<'a> {
    /// What to compute, in order.
    pub(super) operations: &'a [Operation],
    /// Slots that `operations` write and whose value must be in memory at the end, in ascending order.
    pub(super) keep: Vec<Slot>,
}

/// A part of a phase, as it is run.
#[derive(Clone, Debug)]
pub(super) enum Part<'a> {
    /// Run once.
    Straight(Piece<'a>),
    /// Run until the variables no longer change.
    Fixpoint(Piece<'a>, &'a [(Slot, Output)]),
}

/// The parts of the phases, in the order of [`PHASES`].
///
/// # Errors
/// A slot that the stream does not have.
pub(super) fn pieces(stream: &Stream) -> Result<[Vec<Part<'_>>; 3], NativeError> {
    check_slots(stream)?;
    let mut needed = SlotSet::new(stream.slots);
    for slot in stream.bases.iter().copied().chain(stream.inputs.iter().flatten().filter_map(|slot| *slot)) {
        needed.insert(slot);
    }
    for kind in PHASES {
        add_needs(stream, kind, &mut needed);
    }
    Ok(PHASES.map(|kind| phase_parts(stream, kind, &needed)))
}

/// The phase of this kind.
fn phase(stream: &Stream, kind: PhaseKind) -> &Phase {
    match kind {
        PhaseKind::Decide => &stream.decide,
        PhaseKind::Advance => &stream.advance,
        PhaseKind::Assess => &stream.assess,
    }
}

/// Where the values lie that are looked at after a phase.
fn outputs(stream: &Stream, kind: PhaseKind) -> Vec<Slot> {
    match kind {
        PhaseKind::Decide => {
            stream.legal.iter().flatten().chain([&stream.terminal]).map(|output| output.slot).collect()
        }
        PhaseKind::Advance => {
            let percepts = stream.percepts.iter().flatten().map(|(_, output)| output);
            stream.next.iter().chain(percepts).map(|output| output.slot).collect()
        }
        PhaseKind::Assess => stream.goals.iter().flatten().map(|(_, output)| output.slot).collect(),
    }
}

/// Adds what a phase finds in memory: what it reads before it writes it, and outputs it never writes.
fn add_needs(stream: &Stream, kind: PhaseKind, needed: &mut SlotSet) {
    let mut written = SlotSet::new(stream.slots);
    for step in &phase(stream, kind).steps {
        let operations = match step {
            Step::Straight(operations) => operations,
            Step::Fixpoint(fixpoint) => {
                for &(variable, _) in &fixpoint.feedback {
                    written.insert(variable);
                }
                &fixpoint.body
            }
        };
        add_reads_before_writes(operations, &mut written, needed);
        if let Step::Fixpoint(fixpoint) = step {
            for (_, definition) in &fixpoint.feedback {
                if !written.contains(definition.slot) {
                    needed.insert(definition.slot);
                }
            }
        }
    }
    for slot in outputs(stream, kind) {
        if !written.contains(slot) {
            needed.insert(slot);
        }
    }
}

fn add_reads_before_writes(operations: &[Operation], written: &mut SlotSet, reads: &mut SlotSet) {
    for operation in operations {
        for slot in [operation.a, operation.b] {
            if !written.contains(slot) {
                reads.insert(slot);
            }
        }
        written.insert(operation.to);
    }
}

/// The parts of one phase; `needed` is what any phase finds in memory.
fn phase_parts<'a>(stream: &'a Stream, kind: PhaseKind, needed: &SlotSet) -> Vec<Part<'a>> {
    let mut live = needed.clone();
    for slot in outputs(stream, kind) {
        live.insert(slot);
    }
    let mut written = SlotSet::new(stream.slots);
    let mut parts: Vec<Part<'a>> = Vec::new();
    for step in phase(stream, kind).steps.iter().rev() {
        parts.push(match step {
            Step::Straight(operations) => Part::Straight(straight(operations, &mut live)),
            Step::Fixpoint(fixpoint) => {
                Part::Fixpoint(body(fixpoint, &mut live, &mut written), &fixpoint.feedback)
            }
        });
    }
    parts.reverse();
    parts
}

/// Makes a piece of operations after which `live` is read, and turns `live` into what is read before.
fn straight<'a>(operations: &'a [Operation], live: &mut SlotSet) -> Piece<'a> {
    let mut keep: Vec<Slot> =
        operations.iter().map(|operation| operation.to).filter(|&slot| live.contains(slot)).collect();
    keep.sort_unstable();
    keep.dedup();
    for operation in operations.iter().rev() {
        live.remove(operation.to);
        live.insert(operation.a);
        live.insert(operation.b);
    }
    Piece { operations, keep }
}

/// The same for a recursion: the variables, their definitions and what a round reads must be in memory
/// after each round. The variables are set to false before the first. `written` is empty scratch.
fn body<'a>(fixpoint: &'a Fixpoint, live: &mut SlotSet, written: &mut SlotSet) -> Piece<'a> {
    add_reads_before_writes(&fixpoint.body, written, live);
    for operation in &fixpoint.body {
        written.remove(operation.to);
    }
    for &(variable, definition) in &fixpoint.feedback {
        live.insert(variable);
        live.insert(definition.slot);
    }
    let piece = straight(&fixpoint.body, live);
    for &(variable, _) in &fixpoint.feedback {
        live.remove(variable);
    }
    piece
}

/// Every slot the stream names must exist: all later steps index by slot.
fn check_slots(stream: &Stream) -> Result<(), NativeError> {
    let check = |slot: Slot| if slot.0 < stream.slots { Ok(()) } else { Err(NativeError::Slot(slot)) };
    stream.bases.iter().try_for_each(|&slot| check(slot))?;
    stream.inputs.iter().flatten().flatten().try_for_each(|&slot| check(slot))?;
    for kind in PHASES {
        outputs(stream, kind).into_iter().try_for_each(check)?;
        for step in &phase(stream, kind).steps {
            let operations = match step {
                Step::Straight(operations) => operations,
                Step::Fixpoint(fixpoint) => {
                    for &(variable, definition) in &fixpoint.feedback {
                        check(variable)?;
                        check(definition.slot)?;
                    }
                    &fixpoint.body
                }
            };
            for operation in operations {
                check(operation.to)?;
                check(operation.a)?;
                check(operation.b)?;
            }
        }
    }
    Ok(())
}

/// A set of slots.
#[derive(Clone, Debug)]
struct SlotSet(Vec<bool>);

impl SlotSet {
    fn new(slots: u32) -> Self {
        Self(vec![false; slots as usize])
    }

    fn contains(&self, slot: Slot) -> bool {
        self.0[slot.0 as usize]
    }

    fn insert(&mut self, slot: Slot) {
        self.0[slot.0 as usize] = true;
    }

    fn remove(&mut self, slot: Slot) {
        self.0[slot.0 as usize] = false;
    }
}
