//! Executable memory, and calls into it. The only `unsafe` of the machine code.
#![allow(unsafe_code, reason = "calling machine code that was checked is the purpose")]

use memmap2::{Mmap, MmapMut};

use super::NativeError;
use super::verify::{Checked, Run};
use crate::{Block, InstructionSet, PhaseKind};

/// Checked code in memory that is executable and not writable.
#[derive(Debug)]
pub(super) struct Executable {
    /// The bytes of `checked`, at its positions.
    memory: Mmap,
    checked: Checked,
}

impl Executable {
    /// Copies code into new memory, which is then made executable and can no longer be written.
    ///
    /// # Errors
    /// [`NativeError::Unsupported`] where the processor lacks instructions of the code;
    /// [`NativeError::Memory`] where the system refuses.
    pub(super) fn new(checked: Checked) -> Result<Self, NativeError> {
        if checked.format().set > InstructionSet::detect() {
            return Err(NativeError::Unsupported);
        }
        let bytes = checked.bytes();
        // A mapping of no bytes is refused by systems.
        let mut memory = MmapMut::map_anon(bytes.len().max(1)).map_err(NativeError::Memory)?;
        memory[..bytes.len()].copy_from_slice(bytes);
        let memory = memory.make_exec().map_err(NativeError::Memory)?;
        Ok(Self { memory, checked })
    }

    /// Whether the code can run on these slots.
    ///
    /// # Errors
    /// [`NativeError::Shape`] where they are too few or have other lanes than the code.
    pub(super) fn check_shape<const N: usize>(&self, slots: &[Block<N>]) -> Result<(), NativeError> {
        let (format, shape) = (self.checked.format(), self.checked.shape());
        let fits = Block::<N>::LANES == shape.lanes
            && size_of::<Block<N>>() == format.stride
            && align_of::<Block<N>>() >= format.operand_bytes
            && (shape.lanes / 8).is_multiple_of(format.operand_bytes)
            && slots.len() >= shape.slots as usize;
        if fits { Ok(()) } else { Err(NativeError::Shape { lanes: shape.lanes, blocks: shape.slots }) }
    }

    /// What a phase runs, in order.
    pub(super) fn runs(&self, phase: PhaseKind) -> &[Run] {
        self.checked.runs(phase)
    }

    /// Runs the function with this index on the slots; nothing where there is no such function.
    ///
    /// # Errors
    /// As [`Executable::check_shape`].
    pub(super) fn call<const N: usize>(
        &self,
        function: usize,
        slots: &mut [Block<N>],
    ) -> Result<(), NativeError> {
        self.check_shape(slots)?;
        let format = self.checked.format();
        let Some(range) = self.checked.function(function) else { return Ok(()) };
        let base = slots.as_mut_ptr().cast::<u8>();
        for offset in (0..Block::<N>::LANES / 8).step_by(format.operand_bytes) {
            // SAFETY: `range` lies within the code, and `memory` begins with a copy of it, so the first
            // pointer is in bounds of the mapping. It is where a function begins: `Checked` exists only for
            // bytes of which `verify` decoded every instruction from there up to the one return. They are
            // vector instructions of a set that the processor has (`new`), with no effect but on vector
            // registers, which the System V convention lets a function change, and on memory at the
            // argument plus `slot * stride`, where `slot` is below the number of slots; such an access is
            // of `operand_bytes` bytes. The second pointer is `offset` bytes after the start of `slots`,
            // and `offset + operand_bytes` is at most the bytes of the lanes, of which `operand_bytes` is a
            // divisor, and so at most the size of a block, which is `stride`. So all accesses lie within
            // `slots`, which are borrowed mutably, and are aligned, as a block is aligned to
            // `operand_bytes` at least and `offset` is a multiple of it. Any bits are a valid block.
            unsafe {
                let code = self.memory.as_ptr().add(range.start);
                let code: unsafe extern "sysv64" fn(*mut u8) = std::mem::transmute(code);
                code(base.add(offset));
            }
        }
        Ok(())
    }
}
