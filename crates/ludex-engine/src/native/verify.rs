//! Written code is read back and must do what the stream says.
//!
//! Nothing is taken from whoever wrote the code but where its functions lie: the steps, what is read after
//! them, and which function belongs to which step come from the stream itself. The bytes are decoded
//! anew, and run on names of values instead of vectors: name `s` is what slot `s` holds when the phase
//! begins, and each operation has a new name for its result. Names are carried from step to step, once
//! for the slots as the stream leaves them and once for memory as the code leaves it. The code has one
//! logic instruction for each operation, in the order of the stream, so each is compared with its
//! operation: the operands must have the names of the operation's operands. Loads and stores move names.
//!
//! Where a phase ends, its outputs must be in memory, and so must be whatever any phase was seen to use
//! of what it finds: then each phase begins with what it needs, in whatever order they are run. A
//! recursion is treated alike, with its rounds for phases. Code that passes computes the stream, and
//! touches no memory but the slots.

use std::ops::Range;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction as Decoded, OpKind, Register as Name};
use rustc_hash::FxHashMap;

use super::encode::{AND_NOT_TABLE, Format};
use super::pieces::{PHASES, check_slots};
use super::{Fault, NativeError};
use crate::{Operation, Operator, Output, PhaseKind, Slot, Step, Stream};

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

/// A part of a phase; numbers are of functions.
#[derive(Debug)]
pub(super) enum Run {
    /// Run a function.
    Straight(usize),
    /// Repeat a function until the variables no longer change.
    Fixpoint { feedback: Vec<(Slot, Output)>, body: Option<usize> },
}

/// The operations of each step of a stream, phase by phase, with the variables if it is a recursion.
pub(super) fn steps(stream: &Stream) -> impl Iterator<Item = StepParts<'_>> {
    PHASES.into_iter().flat_map(|kind| stream.phase(kind).steps.iter().map(step_parts))
}

/// The operations of a step, and the variables if it is a recursion.
type StepParts<'s> = (&'s [Operation], Option<&'s [(Slot, Output)]>);

fn step_parts(step: &Step) -> StepParts<'_> {
    match step {
        Step::Straight(operations) => (operations, None),
        Step::Fixpoint(fixpoint) => (&fixpoint.body, Some(&fixpoint.feedback)),
    }
}

/// More names than the check of a stream's code takes.
pub(super) fn most_names(stream: &Stream) -> u64 {
    let names = |(operations, feedback): StepParts<'_>| {
        2 * (operations.len() + feedback.map_or(0, <[_]>::len)) as u64
    };
    u64::from(stream.slots) + steps(stream).map(names).sum::<u64>()
}

/// Functions that compute a stream. Made only by [`Checked::new`].
#[derive(Debug)]
pub(super) struct Checked {
    bytes: Vec<u8>,
    functions: Vec<Range<usize>>,
    /// In the order of [`PHASES`].
    phases: [Vec<Run>; 3],
    format: Format,
    shape: Shape,
}

impl Checked {
    /// Checks that the bytes at each range are a function, and that these compute the steps of the
    /// stream that have operations, in order, and touch no slots but the stream's.
    ///
    /// # Errors
    /// [`NativeError::Rejected`] with what is wrong and where; a slot that the stream does not have, or
    /// too many operations.
    pub(super) fn new(
        bytes: Vec<u8>,
        functions: Vec<Range<usize>>,
        format: Format,
        lanes: usize,
        stream: &Stream,
    ) -> Result<Self, NativeError> {
        check_slots(stream)?;
        if most_names(stream) >= u64::from(UNKNOWN) {
            return Err(NativeError::TooLarge);
        }
        let mut verifier = Verifier::new(format, stream.slots);
        let mut phases = [const { Vec::new() }; 3];
        let mut written = 0;
        for (kind, runs) in PHASES.into_iter().zip(&mut phases) {
            verifier.begin_phase();
            for (operations, feedback) in stream.phase(kind).steps.iter().map(step_parts) {
                let function = (!operations.is_empty()).then_some(written);
                written += usize::from(function.is_some());
                let code = function.map(|number| code_of(&bytes, functions.get(number))).transpose()?;
                let checked = match feedback {
                    Some(feedback) => verifier.recursion(code, operations, feedback),
                    None => code.map_or(Ok(()), |code| verifier.run(code, operations)),
                };
                checked.map_err(|(at, fault)| NativeError::Rejected { at, fault })?;
                match feedback {
                    Some(feedback) => {
                        runs.push(Run::Fixpoint { feedback: feedback.to_vec(), body: function });
                    }
                    None => runs.extend(function.map(Run::Straight)),
                }
            }
            let at = bytes.len();
            let ended = verifier.end_phase(stream.outputs(kind).into_iter().chain(stream.given()));
            ended.map_err(|fault| NativeError::Rejected { at, fault })?;
        }
        if written != functions.len() {
            return Err(NativeError::Rejected { at: bytes.len(), fault: Fault::Count });
        }
        verifier.end().map_err(|fault| NativeError::Rejected { at: bytes.len(), fault })?;
        let shape = Shape { lanes, slots: stream.slots };
        Ok(Self { bytes, functions, phases, format, shape })
    }

    /// All the code.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a function lies in the code.
    pub(super) fn function(&self, index: usize) -> Option<Range<usize>> {
        self.functions.get(index).cloned()
    }

    /// What a phase runs, in order.
    pub(super) fn runs(&self, phase: PhaseKind) -> &[Run] {
        let index = PHASES.iter().position(|&kind| kind == phase);
        index.map_or(&[], |index| &self.phases[index])
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

/// The bytes of a function, if there are such.
fn code_of<'b>(bytes: &'b [u8], range: Option<&Range<usize>>) -> Result<&'b [u8], NativeError> {
    let range = range.ok_or(NativeError::Rejected { at: bytes.len(), fault: Fault::Count })?;
    let missing = NativeError::Rejected { at: range.start, fault: Fault::Return };
    bytes.get(range.clone()).ok_or(missing)
}

/// Checks the functions of a stream, one after the other.
#[derive(Debug)]
struct Verifier {
    format: Format,
    slots: u32,
    /// Per slot the value it has in the stream.
    stream: Vec<Value>,
    /// Per slot the value it has in memory.
    memory: Vec<Value>,
    registers: [Value; 32],
    /// The next value's name.
    next: Value,
    /// Per slot whether a phase uses what it finds there.
    used: Vec<bool>,
    /// Per slot whether a phase leaves something else in memory than the stream says.
    stale: Vec<bool>,
    /// In a recursion: the slot that has this value when a round begins, and what it had before the first.
    carried: FxHashMap<Value, (Slot, Value)>,
    /// In a recursion: slots of which a round uses what the round before left.
    used_by_round: Vec<Slot>,
}

/// An operand of a decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Register(usize),
    Memory(usize),
}

impl Verifier {
    fn new(format: Format, slots: u32) -> Self {
        let count = slots as usize;
        Self {
            format,
            slots,
            stream: vec![UNKNOWN; count],
            memory: vec![UNKNOWN; count],
            registers: [UNKNOWN; 32],
            next: slots,
            used: vec![false; count],
            stale: vec![false; count],
            carried: FxHashMap::default(),
            used_by_round: Vec::new(),
        }
    }

    /// A value without a name yet.
    fn name(&mut self) -> Value {
        self.next += 1;
        self.next - 1
    }

    /// Memory is what the stream says, as far as the phase uses it.
    fn begin_phase(&mut self) {
        for (slot, (stream, memory)) in (0..).zip(self.stream.iter_mut().zip(&mut self.memory)) {
            (*stream, *memory) = (slot, slot);
        }
        self.next = self.slots;
    }

    /// After a phase its outputs must be in memory.
    fn end_phase(&mut self, outputs: impl Iterator<Item = Slot>) -> Result<(), Fault> {
        for slot in outputs {
            self.look_at(slot)?;
        }
        let both = self.stream.iter().zip(&self.memory);
        self.stale.iter_mut().zip(both).for_each(|(stale, (stream, memory))| *stale |= stream != memory);
        Ok(())
    }

    /// What any phase uses, every phase must leave in memory.
    fn end(&self) -> Result<(), Fault> {
        let missing = self.used.iter().zip(&self.stale).any(|(&used, &stale)| used && stale);
        if missing { Err(Fault::Missing) } else { Ok(()) }
    }

    /// A slot is read from outside of the code.
    fn look_at(&mut self, slot: Slot) -> Result<(), Fault> {
        let value = self.stream[slot.0 as usize];
        self.note_use(value);
        if self.memory[slot.0 as usize] == value { Ok(()) } else { Err(Fault::Missing) }
    }

    /// Notes what is used of that which a phase, or a round, finds in memory.
    fn note_use(&mut self, mut value: Value) {
        while value >= self.slots {
            let Some(&(slot, before)) = self.carried.get(&value) else { return };
            self.used_by_round.push(slot);
            value = before;
        }
        self.used[value as usize] = true;
    }

    /// Checks the body of a recursion for every round at once: what a round writes has one name when any
    /// round begins, and what a round uses of that, the round before must have left in memory. The
    /// variables are written and read between rounds.
    fn recursion(
        &mut self,
        code: Option<&[u8]>,
        operations: &[Operation],
        feedback: &[(Slot, Output)],
    ) -> Result<(), (usize, Fault)> {
        for to in operations.iter().map(|operation| operation.to) {
            let (at, value) = (to.0 as usize, self.name());
            let before = std::mem::replace(&mut self.stream[at], value);
            self.memory[at] = if self.memory[at] == before { value } else { UNKNOWN };
            self.carried.insert(value, (to, before));
        }
        self.set_variables(feedback);
        if let Some(code) = code {
            self.run(code, operations)?;
        }
        let end = code.map_or(0, <[u8]>::len);
        for &(variable, definition) in feedback {
            self.look_at(definition.slot).map_err(|fault| (end, fault))?;
            self.look_at(variable).map_err(|fault| (end, fault))?;
        }
        let is_stale = |slot: &Slot| self.stream[slot.0 as usize] != self.memory[slot.0 as usize];
        if self.used_by_round.iter().any(is_stale) {
            return Err((end, Fault::Missing));
        }
        self.carried.clear();
        self.used_by_round.clear();
        self.set_variables(feedback);
        Ok(())
    }

    /// Variables are given values, in memory and in the stream alike.
    fn set_variables(&mut self, feedback: &[(Slot, Output)]) {
        for &(variable, _) in feedback {
            let value = self.name();
            self.stream[variable.0 as usize] = value;
            self.memory[variable.0 as usize] = value;
        }
    }

    /// Checks that `code` is a function that computes the operations.
    fn run(&mut self, code: &[u8], operations: &[Operation]) -> Result<(), (usize, Fault)> {
        self.registers = [UNKNOWN; 32];
        let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
        let mut instruction = Decoded::default();
        let mut left = operations;
        while decoder.can_decode() {
            let at = decoder.position();
            decoder.decode_out(&mut instruction);
            if instruction.code() == Code::VEX_Vzeroupper {
                let at = decoder.position();
                // There must be one return, and nothing more.
                if decoder.decode().code() != Code::Retnq || decoder.position() != code.len() {
                    return Err((at, Fault::Return));
                }
                return if left.is_empty() { Ok(()) } else { Err((at, Fault::Count)) };
            }
            self.step(&instruction, &mut left).map_err(|fault| (at, fault))?;
        }
        Err((code.len(), Fault::Return))
    }

    fn step(&mut self, instruction: &Decoded, left: &mut &[Operation]) -> Result<(), Fault> {
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
        let (to, operator, a, b) = self.logic(instruction)?;
        let (operation, rest) = left.split_first().ok_or(Fault::Count)?;
        let expected = [self.stream[operation.a.0 as usize], self.stream[operation.b.0 as usize]];
        let commutes = operator != Operator::AndNot;
        if operator != operation.operator || !([a, b] == expected || commutes && [b, a] == expected) {
            return Err(Fault::Operation);
        }
        expected.into_iter().for_each(|value| self.note_use(value));
        let value = self.name();
        self.stream[operation.to.0 as usize] = value;
        self.registers[to] = value;
        *left = rest;
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
