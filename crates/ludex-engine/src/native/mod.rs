//! Machine code for a stream.
//!
//! A stream is straight-line code already: its operations become one vector instruction each. What
//! is left to do is to keep values in registers ([`allocate`]), to leave in memory what is read later
//! ([`pieces`]), and to write the bytes ([`encode`]). The bytes are then read back and compared with
//! the stream, instruction by instruction ([`verify`]); only what passes is made executable and
//! called ([`call`], the one file here with `unsafe`). Whoever gets an error runs the interpreter
//! instead and can say why.

use std::io;

use crate::Slot;

#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod allocate;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod call;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod compiled;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod encode;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod pieces;
#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
mod unsupported;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod verify;

#[cfg(all(feature = "native", target_arch = "x86_64"))]
pub use compiled::NativeStream;
#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
pub use unsupported::NativeStream;

/// Why there is no machine code, or why it did not run.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// The processor has no instructions that this code could use, or fewer than it was asked for.
    #[error("this processor lacks the vector instructions that machine code needs")]
    Unsupported,
    /// The number of lanes is not 256 or 512.
    #[error("machine code has 256 or 512 lanes, not {0}")]
    Lanes(usize),
    /// The stream names a slot that it does not have.
    #[error("the stream uses slot {} but has fewer", .0.0)]
    Slot(Slot),
    /// The slots lie further apart than an instruction can address, or there are too many operations.
    #[error("the stream is too large for machine code")]
    TooLarge,
    /// An instruction could not be written.
    #[error("an instruction could not be encoded: {0}")]
    Encode(String),
    /// The code that was written does not do what the stream says. A fault of this crate; the code is
    /// thrown away.
    #[error("the code at byte {at} is not what the stream says: {fault}")]
    Rejected {
        /// Where in the code of its piece.
        at: usize,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The system does not let a program make its own code executable.
    #[error("the system refuses executable memory: {0}")]
    Memory(#[source] io::Error),
    /// The slots that code was to run on are not those it was made for.
    #[error("the code was made for {lanes} lanes and {blocks} blocks")]
    Shape {
        /// The number of lanes.
        lanes: usize,
        /// The least number of blocks.
        blocks: u32,
    },
}

/// What the check of written code can find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Fault {
    /// Not one of the few instructions that are used.
    #[error("an instruction that does not belong here")]
    Opcode,
    /// A memory operand that is not the base register with a displacement.
    #[error("an address other than a slot's")]
    Address,
    /// A displacement outside of the slots, or between two.
    #[error("an address outside of the slots")]
    Bounds,
    /// A register that holds nothing yet is read.
    #[error("a register is read before it is written")]
    Register,
    /// An operand is not the value that the stream's operation reads, or the operator is another.
    #[error("an operation differs from the stream's")]
    Operation,
    /// A slot is given a value that it does not have in the stream.
    #[error("a value is stored in a slot that is not its own")]
    Store,
    /// There are fewer operations than in the stream, or more.
    #[error("the number of operations differs from the stream's")]
    Count,
    /// A value that is read later is not in memory at the end.
    #[error("a value that is read later is not stored")]
    Missing,
    /// The code does not end with its only return.
    #[error("the code does not end with its only return")]
    Return,
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
