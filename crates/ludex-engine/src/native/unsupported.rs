//! Processors without machine code.

use super::NativeError;
use crate::{Block, InstructionSet, PhaseKind, Stream};

/// A stream as machine code; there is none on this processor.
#[derive(Debug)]
pub enum NativeStream {}

impl NativeStream {
    /// Translates a stream, which this processor has no translation for.
    ///
    /// # Errors
    /// Always [`NativeError::Unsupported`].
    pub fn compile(_: &Stream, _: usize, _: InstructionSet) -> Result<Self, NativeError> {
        Err(NativeError::Unsupported)
    }

    /// Whether machine code can be expected to run faster than the interpreter: there is none.
    pub fn pays_for(_: &Stream) -> bool {
        false
    }

    /// Runs a phase on the slots.
    ///
    /// # Errors
    /// Never called: there is no such value.
    pub fn run<const N: usize>(&self, _: PhaseKind, _: &mut [Block<N>]) -> Result<(), NativeError> {
        match *self {}
    }

    /// The size of the code in bytes.
    pub fn code_bytes(&self) -> usize {
        match *self {}
    }
}
