//! Written code is read back and must do what the stream says.
//!
//! The bytes are decoded anew, and run on names of values instead of vectors: name `s` is what slot
//! `s` holds when the piece starts, name `slots + k` is the result of operation `k`. The code has one
//! logic instruction for each operation, in the order of the stream, so each is compared with its
//! operation: the operands must have the names of the operation's operands. Loads and stores move
//! names. At the end each slot that is read later must have its name in memory. Code that passes
//! computes the stream, and touches no memory but the slots.

use std::ops::Range;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction as Decoded, OpKind, Register as Name};

use super::encode::{AND_NOT_TABLE, Format};
use super::pieces::Piece;
use super::{Fault, NativeError};
use crate::Operator;

/// A value's name.
type Value = u32;

/// A name no value has.
const UNKNOWN: Value = u32::MAX;

/// What code is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The number of lanes.
    pub(super) lanes: usize,
    /// The number of slots it may touch.
    pub(super) slots: u32,
}

/// Functions that compute pieces of a stream. Made only by [`Checked::new`].
#[derive(Debug)]
pub(super) struct Checked {
    bytes: Vec<u8>,
    functions: Vec<Range<usize>>,
    format: Format,
    shape: Shape,
}

impl Checked {
    /// Checks that the bytes at each range are a function that computes its piece on slots below
    /// `slots`.
    ///
    /// # Errors
    /// [`NativeError::Rejected`] with what is wrong and where.
    pub(super) fn new(
        bytes: Vec<u8>,
        functions: Vec<(Range<usize>, &Piece<'_>)>,
        format: Format,
        shape: Shape,
    ) -> Result<Self, NativeError> {
        let mut verifier = Verifier::new(format, shape.slots);
        for (range, piece) in &functions {
            let Some(code) = bytes.get(range.clone()) else {
                return Err(NativeError::Rejected { at: range.start, fault: Fault::Return });
            };
            verifier.check(code, piece)?;
        }
        let functions = functions.into_iter().map(|(range, _)| range).collect();
        Ok(Self { bytes, functions, format, shape })
    }

    /// All the code.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a function lies in the code.
    pub(super) fn function(&self, index: usize) -> Option<Range<usize>> {
        self.functions.get(index).cloned()
    }

    /// How it is written.
    pub(super) fn format(&self) -> &Format {
        &self.format
    }

    /// What it is for.
    pub(super) fn shape(&self) -> Shape {
        self.shape
    }
}

/// Checks pieces of code, one after the other. Holds what is as large as the slots.
#[derive(Debug)]
pub(super) struct Verifier {
    format: Format,
    slots: u32,
    /// Per slot the value it has in the stream.
    stream: Vec<Value>,
    /// Per slot the value it has in memory.
    memory: Vec<Value>,
    registers: [Value; 32],
}

/// An operand of a decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Register(usize),
    Memory(usize),
}

impl Verifier {
    /// For code over this many slots. Slots and operations together must be fewer than `u32::MAX`.
    pub(super) fn new(format: Format, slots: u32) -> Self {
        let initial: Vec<Value> = (0..slots).collect();
        Self { format, slots, stream: initial.clone(), memory: initial, registers: [UNKNOWN; 32] }
    }

    /// Checks that `code` is a function that computes `piece`.
    ///
    /// # Errors
    /// [`NativeError::Rejected`] with what is wrong and where.
    pub(super) fn check(&mut self, code: &[u8], piece: &Piece<'_>) -> Result<(), NativeError> {
        self.registers = [UNKNOWN; 32];
        let result = self.run(code, piece);
        for operation in piece.operations {
            for slot in [operation.to, operation.a, operation.b] {
                self.stream[slot.0 as usize] = slot.0;
                self.memory[slot.0 as usize] = slot.0;
            }
        }
        result.map_err(|(at, fault)| NativeError::Rejected { at, fault })
    }

    fn run(&mut self, code: &[u8], piece: &Piece<'_>) -> Result<(), (usize, Fault)> {
        let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
        let mut instruction = Decoded::default();
        let mut done = 0;
        while decoder.can_decode() {
            let at = decoder.position();
            decoder.decode_out(&mut instruction);
            if instruction.code() == Code::VEX_Vzeroupper {
                return self.end(&mut decoder, code.len(), done, piece);
            }
            self.step(&instruction, piece, &mut done).map_err(|fault| (at, fault))?;
        }
        Err((code.len(), Fault::Return))
    }

    /// After the clearing of the upper halves there must be one return, and nothing more.
    fn end(
        &self,
        decoder: &mut Decoder<'_>,
        length: usize,
        done: usize,
        piece: &Piece<'_>,
    ) -> Result<(), (usize, Fault)> {
        let at = decoder.position();
        if decoder.decode().code() != Code::Retnq || decoder.position() != length {
            return Err((at, Fault::Return));
        }
        if done != piece.operations.len() {
            return Err((at, Fault::Count));
        }
        if piece.keep.iter().any(|slot| self.memory[slot.0 as usize] != self.stream[slot.0 as usize]) {
            return Err((at, Fault::Missing));
        }
        Ok(())
    }

    fn step(&mut self, instruction: &Decoded, piece: &Piece<'_>, done: &mut usize) -> Result<(), Fault> {
        let opcodes = self.format.opcodes;
        let code = instruction.code();
        if instruction.has_op_mask()
            || instruction.zeroing_masking()
            || instruction.is_broadcast()
            || instruction.has_lock_prefix()
            || instruction.has_rep_prefix()
            || instruction.has_repne_prefix()
        {
            return Err(Fault::Opcode);
        }
        if code == opcodes.load {
            let (Operand::Register(to), Operand::Memory(from)) =
                (self.operand(instruction, 0)?, self.operand(instruction, 1)?)
            else {
                return Err(Fault::Opcode);
            };
            self.registers[to] = self.memory[from];
            return Ok(());
        }
        if code == opcodes.store {
            let (Operand::Memory(to), Operand::Register(from)) =
                (self.operand(instruction, 0)?, self.operand(instruction, 1)?)
            else {
                return Err(Fault::Opcode);
            };
            return self.store(to, from);
        }
        let operation = piece.operations.get(*done);
        let (to, operator, a, b) = self.logic(instruction)?;
        let operation = operation.ok_or(Fault::Count)?;
        let expected = [self.stream[operation.a.0 as usize], self.stream[operation.b.0 as usize]];
        let commutes = operator != Operator::AndNot;
        if operator != operation.operator || !([a, b] == expected || commutes && [b, a] == expected) {
            return Err(Fault::Operation);
        }
        let value = self.slots + *done as u32;
        self.stream[operation.to.0 as usize] = value;
        self.registers[to] = value;
        *done += 1;
        Ok(())
    }

    /// A slot may be given the value that it has in the stream, no other.
    fn store(&mut self, to: usize, from: usize) -> Result<(), Fault> {
        match self.registers[from] {
            UNKNOWN => Err(Fault::Register),
            value if value != self.stream[to] => Err(Fault::Store),
            value => {
                self.memory[to] = value;
                Ok(())
            }
        }
    }

    /// What a logic instruction computes: the register it writes, and the values it reads.
    fn logic(&self, instruction: &Decoded) -> Result<(usize, Operator, Value, Value), Fault> {
        let opcodes = &self.format.opcodes;
        let code = instruction.code();
        let known = code == opcodes.and || code == opcodes.or || code == opcodes.not_and;
        if !known && Some(code) != opcodes.ternary {
            return Err(Fault::Opcode);
        }
        let (Operand::Register(to), Operand::Register(first)) =
            (self.operand(instruction, 0)?, self.operand(instruction, 1)?)
        else {
            return Err(Fault::Opcode);
        };
        let second = self.value(self.operand(instruction, 2)?)?;
        if !known {
            // The middle operand does not matter to the table.
            if instruction.immediate8() != AND_NOT_TABLE as u8 {
                return Err(Fault::Opcode);
            }
            return Ok((to, Operator::AndNot, self.value(Operand::Register(to))?, second));
        }
        let first = self.value(Operand::Register(first))?;
        Ok(if code == opcodes.and {
            (to, Operator::And, first, second)
        } else if code == opcodes.or {
            (to, Operator::Or, first, second)
        } else {
            (to, Operator::AndNot, second, first)
        })
    }

    fn value(&self, operand: Operand) -> Result<Value, Fault> {
        match operand {
            Operand::Memory(slot) => Ok(self.memory[slot]),
            Operand::Register(register) => match self.registers[register] {
                UNKNOWN => Err(Fault::Register),
                value => Ok(value),
            },
        }
    }

    /// An operand as a register, or as a slot that exists.
    fn operand(&self, instruction: &Decoded, index: u32) -> Result<Operand, Fault> {
        match instruction.op_kind(index) {
            OpKind::Register => {
                let name = instruction.op_register(index);
                let number = (name as u32).wrapping_sub(self.format.first_register as u32);
                if number >= u32::from(self.format.registers) {
                    return Err(Fault::Opcode);
                }
                Ok(Operand::Register(number as usize))
            }
            OpKind::Memory => self.address(instruction),
            _ => Err(Fault::Opcode),
        }
    }

    fn address(&self, instruction: &Decoded) -> Result<Operand, Fault> {
        if instruction.memory_base() != Name::RDI
            || instruction.memory_index() != Name::None
            || instruction.segment_prefix() != Name::None
        {
            return Err(Fault::Address);
        }
        let displacement = instruction.memory_displacement64();
        let stride = self.format.stride as u64;
        if !displacement.is_multiple_of(stride) || displacement / stride >= u64::from(self.slots) {
            return Err(Fault::Bounds);
        }
        Ok(Operand::Memory((displacement / stride) as usize))
    }
}
