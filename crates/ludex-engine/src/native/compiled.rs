//! A stream as machine code.

use std::ops::Range;

use super::NativeError;
use super::allocate::Allocator;
use super::call::Executable;
use super::encode::{Format, Writer};
use super::pieces::{Piece, pieces};
use super::verify::{Checked, Run, most_names, steps};
use crate::{Block, InstructionSet, Output, PhaseKind, Slot, Stream};

/// The most operations of a stream for which machine code is recommended; see
/// [`NativeStream::pays_for`].
const MOST_THAT_PAY: usize = 300_000;

/// A stream as machine code: for each phase what the interpreter would do.
///
/// After a phase everything that anyone may read is in the slots as if the interpreter had run:
/// bases, inputs, the outputs of the phase, and what other phases find in scratch. Scratch that nobody
/// reads may hold anything.
///
/// Translating takes about as long as one or two hundred runs of the interpreter;
/// [`NativeStream::pays_for`] says where machine code is the faster one from then on. It gains most from
/// operations in the order [`crate::Order::DepthFirst`].
#[derive(Debug)]
pub struct NativeStream {
    executable: Executable,
    code_bytes: usize,
}

impl NativeStream {
    /// Translates a stream for 256 or 512 lanes with the instructions of `set`. On AVX2 512 lanes are
    /// two runs over halves of the slots.
    ///
    /// # Errors
    /// Why the interpreter must be used instead: see [`NativeError`].
    pub fn compile(stream: &Stream, lanes: usize, set: InstructionSet) -> Result<Self, NativeError> {
        let format = format(lanes, set)?;
        check_size(stream, &format)?;
        let phases = pieces(stream)?;
        let (code, functions) = write(&phases, format, stream.slots)?;
        let code_bytes = code.len();
        let executable = Executable::new(Checked::new(code, functions, format, lanes, stream)?)?;
        Ok(Self { executable, code_bytes })
    }

    /// Whether machine code can be expected to run faster than the interpreter.
    ///
    /// Measured on an AMD Zen 5, at 512 lanes: ten times as fast for 500 operations, five times for
    /// 5 000, two to three times from 50 000 up to 310 000, where the code has 4.3 million bytes. With
    /// 360 000 operations, 5 million bytes, it was slower than the interpreter all at once, and so at 256
    /// lanes (the pages of code may be too many for the processor to keep track of).
    pub fn pays_for(stream: &Stream) -> bool {
        operations(stream) <= MOST_THAT_PAY
    }

    /// Runs a phase on the slots.
    ///
    /// # Errors
    /// [`NativeError::Shape`] where the blocks have other lanes than the code, or are fewer than the
    /// stream's slots; nothing was run then.
    pub fn run<const N: usize>(&self, phase: PhaseKind, slots: &mut [Block<N>]) -> Result<(), NativeError> {
        self.executable.check_shape(slots)?;
        for run in self.executable.runs(phase) {
            match run {
                Run::Straight(function) => self.executable.call(*function, slots)?,
                Run::Fixpoint { feedback, body } => self.fixpoint(feedback, *body, slots)?,
            }
        }
        Ok(())
    }

    /// The size of the code in bytes.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// Repeats a recursion's body until no variable changes.
    fn fixpoint<const N: usize>(
        &self,
        feedback: &[(Slot, Output)],
        body: Option<usize>,
        slots: &mut [Block<N>],
    ) -> Result<(), NativeError> {
        for &(variable, _) in feedback {
            slots[variable.0 as usize] = Block::ZERO;
        }
        // Recursion is monotone: in every lane each round but the last makes a variable true. So there
        // is one round more than there are variables at most.
        for _ in 0..=feedback.len() {
            if let Some(body) = body {
                self.executable.call(body, slots)?;
            }
            let mut changed = 0;
            for &(variable, definition) in feedback {
                let complement = if definition.complemented { u64::MAX } else { 0 };
                let value = slots[definition.slot.0 as usize];
                for (word, new) in slots[variable.0 as usize].0.iter_mut().zip(value.0) {
                    changed |= *word ^ new ^ complement;
                    *word = new ^ complement;
                }
            }
            if changed == 0 {
                break;
            }
        }
        Ok(())
    }
}

/// Code, and where in it the functions lie.
pub(super) type Written = (Vec<u8>, Vec<Range<usize>>);

/// Writes a function for each piece that has operations.
pub(super) fn write(
    phases: &[Vec<Piece<'_>>; 3],
    format: Format,
    slots: u32,
) -> Result<Written, NativeError> {
    let mut allocator = Allocator::new(slots, format.registers, format.opcodes.ternary.is_some());
    let mut writer = Writer::new(format)?;
    let mut functions = Vec::new();
    for piece in phases.iter().flatten() {
        if !piece.operations.is_empty() {
            functions.push(writer.function(allocator.allocate(piece))?);
        }
    }
    Ok((writer.finish(), functions))
}

/// What instructions look like for so many lanes.
pub(super) fn format(lanes: usize, set: InstructionSet) -> Result<Format, NativeError> {
    if set > InstructionSet::detect() {
        return Err(NativeError::Unsupported);
    }
    let stride = match lanes {
        256 => size_of::<Block<4>>(),
        512 => size_of::<Block<8>>(),
        _ => return Err(NativeError::Lanes(lanes)),
    };
    let operand_bytes = if set == InstructionSet::Avx512 { lanes / 8 } else { 32 };
    Format::new(set, operand_bytes, stride).ok_or(NativeError::Unsupported)
}

/// Displacements are signed numbers of 32 bits; the check names values with 32 bits.
fn check_size(stream: &Stream, format: &Format) -> Result<(), NativeError> {
    let bytes = u64::from(stream.slots) * format.stride as u64;
    let fits = bytes <= i32::MAX as u64 && most_names(stream) < u64::from(u32::MAX);
    if fits { Ok(()) } else { Err(NativeError::TooLarge) }
}

/// The operations of all phases.
fn operations(stream: &Stream) -> usize {
    steps(stream).map(|(operations, _)| operations.len()).sum()
}
