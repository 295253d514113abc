//! Games as circuits, run: one state at a time (the net machine), or one bit per state
//! and hundreds of states at a time (lanes).

mod kernel;
mod stream;

pub use kernel::{Block, InstructionSet, PhaseKind};
pub use stream::{Fixpoint, Operation, Operator, Output, Phase, Slot, Step, Stream};
