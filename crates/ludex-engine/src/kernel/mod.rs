//! Words of many lanes, the instruction sets that work on them, and the interpreter of streams.

mod block;
mod code;
mod dispatch;
mod interpreter;
#[cfg(test)]
mod tests;

pub use block::{Block, InstructionSet, PhaseKind};
pub use interpreter::Interpreter;
