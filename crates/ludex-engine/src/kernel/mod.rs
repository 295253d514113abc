//! Words of many lanes, and the instruction sets that work on them.

mod block;

pub use block::{Block, InstructionSet, PhaseKind};
