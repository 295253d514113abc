//! Which values must lie in memory when a piece of straight code ends.
//!
//! A piece is a straight step, or the body of a recursion. Inside of it a value may live in a
//! register only; afterwards only memory remains. What is read after a piece: by later pieces of its
//! phase, by whoever looks at the outputs of the phase, by other phases that find what they read in
//! scratch, and, in a recursion, by the next round.

use super::NativeError;
use crate::{Fixpoint, Operation, PhaseKind, Slot, Step, Stream};

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

/// The pieces of the phases, in the order of [`PHASES`].
///
/// # Errors
/// A slot that the stream does not have.
pub(super) fn pieces(stream: &Stream) -> Result<[Vec<Piece<'_>>; 3], NativeError> {
    check_slots(stream)?;
    let mut needed = SlotSet::new(stream.slots);
    stream.given().for_each(|slot| needed.insert(slot));
    for kind in PHASES {
        add_needs(stream, kind, &mut needed);
    }
    Ok(PHASES.map(|kind| phase_pieces(stream, kind, &needed)))
}

/// Adds what a phase finds in memory: what it reads before it writes it, and outputs it never writes.
fn add_needs(stream: &Stream, kind: PhaseKind, needed: &mut SlotSet) {
    let mut written = SlotSet::new(stream.slots);
    for step in &stream.phase(kind).steps {
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
    for slot in stream.outputs(kind) {
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

/// The pieces of one phase; `needed` is what any phase finds in memory.
fn phase_pieces<'a>(stream: &'a Stream, kind: PhaseKind, needed: &SlotSet) -> Vec<Piece<'a>> {
    let mut live = needed.clone();
    for slot in stream.outputs(kind) {
        live.insert(slot);
    }
    let mut written = SlotSet::new(stream.slots);
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    for step in stream.phase(kind).steps.iter().rev() {
        pieces.push(match step {
            Step::Straight(operations) => straight(operations, &mut live),
            Step::Fixpoint(fixpoint) => body(fixpoint, &mut live, &mut written),
        });
    }
    pieces.reverse();
    pieces
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
pub(super) fn check_slots(stream: &Stream) -> Result<(), NativeError> {
    let check = |slot: Slot| if slot.0 < stream.slots { Ok(()) } else { Err(NativeError::Slot(slot)) };
    stream.given().try_for_each(check)?;
    for kind in PHASES {
        stream.outputs(kind).into_iter().try_for_each(check)?;
        for step in &stream.phase(kind).steps {
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
