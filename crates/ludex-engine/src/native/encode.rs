//! Instructions become bytes.

use iced_x86::{Code, Encoder, IcedError, Instruction as Encoded, MemoryOperand, Register as Name};

use super::NativeError;
use super::allocate::{Instruction, Place, Register};
use crate::{InstructionSet, Slot};

/// The table of a three-operand instruction for `first & !third`: bit `4 * first + 2 * second + third`.
pub(super) const AND_NOT_TABLE: u32 = (1 << 0b100) | (1 << 0b110);

/// The opcodes for one kind of register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opcodes {
    pub(super) load: Code,
    pub(super) store: Code,
    pub(super) and: Code,
    pub(super) or: Code,
    pub(super) not_and: Code,
    pub(super) ternary: Option<Code>,
}

/// What instructions are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// Whose instructions these are.
    pub(super) set: InstructionSet,
    pub(super) opcodes: Opcodes,
    /// The register with number 0.
    pub(super) first_register: Name,
    /// How many registers there are.
    pub(super) registers: u8,
    /// The bytes that an instruction reads or writes in memory.
    pub(super) operand_bytes: usize,
    /// The distance of two slots in bytes.
    pub(super) stride: usize,
}

impl Format {
    /// For vectors of this many bytes; `None` where the set has none such.
    pub(super) fn new(set: InstructionSet, operand_bytes: usize, stride: usize) -> Option<Self> {
        let (opcodes, first_register, registers) = match (set, operand_bytes) {
            (InstructionSet::Avx512, 64) => (
                Opcodes {
                    load: Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
                    store: Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm,
                    and: Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
                    or: Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
                    not_and: Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64,
                    ternary: Some(Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8),
                },
                Name::ZMM0,
                32,
            ),
            (InstructionSet::Avx512, 32) => (
                Opcodes {
                    load: Code::EVEX_Vmovdqa64_ymm_k1z_ymmm256,
                    store: Code::EVEX_Vmovdqa64_ymmm256_k1z_ymm,
                    and: Code::EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64,
                    or: Code::EVEX_Vporq_ymm_k1z_ymm_ymmm256b64,
                    not_and: Code::EVEX_Vpandnq_ymm_k1z_ymm_ymmm256b64,
                    ternary: Some(Code::EVEX_Vpternlogq_ymm_k1z_ymm_ymmm256b64_imm8),
                },
                Name::YMM0,
                32,
            ),
            (InstructionSet::Avx2, 32) => (
                Opcodes {
                    load: Code::VEX_Vmovdqa_ymm_ymmm256,
                    store: Code::VEX_Vmovdqa_ymmm256_ymm,
                    and: Code::VEX_Vpand_ymm_ymm_ymmm256,
                    or: Code::VEX_Vpor_ymm_ymm_ymmm256,
                    not_and: Code::VEX_Vpandn_ymm_ymm_ymmm256,
                    ternary: None,
                },
                Name::YMM0,
                16,
            ),
            _ => return None,
        };
        Some(Self { set, opcodes, first_register, registers, operand_bytes, stride })
    }

    fn name(&self, register: Register) -> Name {
        self.first_register + u32::from(register)
    }

    fn memory(&self, slot: Slot) -> MemoryOperand {
        MemoryOperand::with_base_displ(Name::RDI, slot.0 as i64 * self.stride as i64)
    }

    fn encoded(&self, instruction: Instruction) -> Result<Encoded, IcedError> {
        let opcodes = &self.opcodes;
        match instruction {
            Instruction::Load { to, from } => Encoded::with2(opcodes.load, self.name(to), self.memory(from)),
            Instruction::Store { to, from } => {
                Encoded::with2(opcodes.store, self.memory(to), self.name(from))
            }
            Instruction::And { to, a, b } => self.binary(opcodes.and, to, a, b),
            Instruction::Or { to, a, b } => self.binary(opcodes.or, to, a, b),
            Instruction::NotAnd { to, a, b } => self.binary(opcodes.not_and, to, a, b),
            // Where there is no such instruction the invalid opcode is refused by the encoder.
            Instruction::AndNotMemory { to, b } => Encoded::with4(
                opcodes.ternary.unwrap_or(Code::INVALID),
                self.name(to),
                self.name(to),
                self.memory(b),
                AND_NOT_TABLE,
            ),
        }
    }

    fn binary(&self, code: Code, to: Register, a: Register, b: Place) -> Result<Encoded, IcedError> {
        match b {
            Place::Register(b) => Encoded::with3(code, self.name(to), self.name(a), self.name(b)),
            Place::Memory(slot) => Encoded::with3(code, self.name(to), self.name(a), self.memory(slot)),
        }
    }
}

/// Writes functions of one argument, the address of slot 0, one after the other.
pub(super) struct Writer {
    format: Format,
    encoder: Encoder,
    length: usize,
}

impl Writer {
    pub(super) fn new(format: Format) -> Result<Self, NativeError> {
        Ok(Self { format, encoder: Encoder::try_new(64).map_err(encode_error)?, length: 0 })
    }

    /// Writes a function; gives the range of its bytes.
    pub(super) fn function(
        &mut self,
        instructions: &[Instruction],
    ) -> Result<std::ops::Range<usize>, NativeError> {
        let start = self.length;
        for &instruction in instructions {
            let encoded = self.format.encoded(instruction).map_err(encode_error)?;
            self.write(&encoded)?;
        }
        // The upper halves are cleared for the caller's code, which may use older instructions.
        self.write(&Encoded::with(Code::VEX_Vzeroupper))?;
        self.write(&Encoded::with(Code::Retnq))?;
        Ok(start..self.length)
    }

    fn write(&mut self, encoded: &Encoded) -> Result<(), NativeError> {
        self.length += self.encoder.encode(encoded, self.length as u64).map_err(encode_error)?;
        Ok(())
    }

    /// All bytes written.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.encoder.take_buffer()
    }
}

fn encode_error(error: IcedError) -> NativeError {
    NativeError::Encode(error.to_string())
}
