//! Which value is in which register: operations over slots become instructions over registers.
//!
//! Values stay in registers while there is room. When there is none, the value whose next use is
//! furthest away makes place (L. A. Belady, "A study of replacement algorithms for a virtual-storage
//! computer", IBM Systems Journal 5(2), 1966; straight code tells the future, so the rule can be
//! followed exactly). A value's place in memory is the slot the stream gives it: until the stream
//! overwrites the slot the value may be read there, and afterwards it is read no more. So there is
//! nothing to allocate in memory, and a value is stored at most once.

use super::pieces::Piece;
use crate::{Operation, Operator, Slot};

/// A vector register's number, below 32.
pub(super) type Register = u8;

/// An operand that an instruction may read from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Register(Register),
    Memory(Slot),
}

/// An instruction, before it becomes bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// `to = [from]`.
    Load { to: Register, from: Slot },
    /// `[to] = from`.
    Store { to: Slot, from: Register },
    /// `to = a & b`.
    And { to: Register, a: Register, b: Place },
    /// `to = a | b`.
    Or { to: Register, a: Register, b: Place },
    /// `to = !a & b`: the complement is of the first operand, as the processor has it.
    NotAnd { to: Register, a: Register, b: Place },
    /// `to = to & !b`, a three-operand table; what [`Instruction::NotAnd`] cannot do without a load.
    AndNotMemory { to: Register, b: Slot },
}

/// No operation reads the value any more.
const NEVER: u32 = u32::MAX;
/// The value is only to be stored at the end.
const END: u32 = u32::MAX - 1;
/// No register.
const NONE: u8 = u8::MAX;

/// When the values that an operation names are used next, after it.
#[derive(Clone, Copy, Debug)]
struct NextUses {
    to: u32,
    a: u32,
    b: u32,
}

/// What a register holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    slot: Slot,
    next: u32,
    /// Whether memory does not have the value yet.
    dirty: bool,
}

/// Allocates registers, one piece after the other. Holds what is as large as the slots.
#[derive(Debug)]
pub(super) struct Allocator {
    /// Per slot where its value is, [`NONE`] for memory.
    register_of: Vec<Register>,
    /// Per slot its next use, while going backwards.
    next_use: Vec<u32>,
    uses: Vec<NextUses>,
    held: Vec<Option<Held>>,
    /// A bit for each register that holds nothing.
    free: u32,
    /// Whether there is [`Instruction::AndNotMemory`].
    ternary: bool,
    code: Vec<Instruction>,
}

impl Allocator {
    /// For this many slots and registers (at most 32).
    pub(super) fn new(slots: u32, registers: u8, ternary: bool) -> Self {
        let registers = registers.min(32);
        Self {
            register_of: vec![NONE; slots as usize],
            next_use: vec![NEVER; slots as usize],
            uses: Vec::new(),
            held: vec![None; usize::from(registers)],
            free: if registers == 32 { u32::MAX } else { (1 << registers) - 1 },
            ternary,
            code: Vec::new(),
        }
    }

    /// The instructions of a piece. Slots must be below the number given to [`Allocator::new`], and
    /// there must be three registers or more.
    pub(super) fn allocate(&mut self, piece: &Piece<'_>) -> &[Instruction] {
        self.code.clear();
        self.find_uses(piece);
        for (index, operation) in piece.operations.iter().enumerate() {
            self.operation(operation, self.uses[index]);
        }
        self.store_rest();
        &self.code
    }

    /// Walks backwards and notes when each value is used next.
    fn find_uses(&mut self, piece: &Piece<'_>) {
        for slot in &piece.keep {
            self.next_use[slot.0 as usize] = END;
        }
        self.uses.clear();
        for (index, operation) in piece.operations.iter().enumerate().rev() {
            let (to, a, b) = (operation.to.0 as usize, operation.a.0 as usize, operation.b.0 as usize);
            let after = self.next_use[to];
            // What the slot held before is not read after this operation, but may be read by it.
            self.next_use[to] = NEVER;
            self.uses.push(NextUses { to: after, a: self.next_use[a], b: self.next_use[b] });
            self.next_use[a] = index as u32;
            self.next_use[b] = index as u32;
        }
        self.uses.reverse();
        for operation in piece.operations {
            for slot in [operation.to, operation.a, operation.b] {
                self.next_use[slot.0 as usize] = NEVER;
            }
        }
    }

    fn operation(&mut self, operation: &Operation, uses: NextUses) {
        let (a, b) = (operation.a, operation.b);
        self.note_use(a, uses.a);
        self.note_use(b, uses.b);
        let (first, second) = match operation.operator {
            // Either operand may be the one in memory.
            Operator::And | Operator::Or => match (self.register(a), self.register(b)) {
                (Some(a), Some(b)) => (a, Place::Register(b)),
                (Some(a), None) => (a, Place::Memory(b)),
                (None, Some(b)) => (b, Place::Memory(a)),
                (None, None) if uses.b < uses.a => (self.load(b, uses.b, NONE), self.place(a)),
                (None, None) => (self.load(a, uses.a, NONE), self.place(b)),
            },
            Operator::AndNot => match (self.register(a), self.register(b)) {
                (_, Some(b)) => (b, self.place(a)),
                (Some(register), None) if self.ternary && self.is_last(register) => {
                    self.release(register);
                    self.code.push(Instruction::AndNotMemory { to: register, b });
                    self.define(register, operation.to, uses.to);
                    return;
                }
                (pinned, None) => (self.load(b, uses.b, pinned.unwrap_or(NONE)), self.place(a)),
            },
        };
        self.release_last(first);
        if let Place::Register(second) = second {
            self.release_last(second);
        }
        let to = self.take(NONE);
        self.code.push(match operation.operator {
            Operator::And => Instruction::And { to, a: first, b: second },
            Operator::Or => Instruction::Or { to, a: first, b: second },
            Operator::AndNot => Instruction::NotAnd { to, a: first, b: second },
        });
        self.define(to, operation.to, uses.to);
    }

    fn register(&self, slot: Slot) -> Option<Register> {
        let register = self.register_of[slot.0 as usize];
        (register != NONE).then_some(register)
    }

    fn place(&self, slot: Slot) -> Place {
        self.register(slot).map_or(Place::Memory(slot), Place::Register)
    }

    fn note_use(&mut self, slot: Slot, next: u32) {
        if let Some(register) = self.register(slot)
            && let Some(held) = &mut self.held[usize::from(register)]
        {
            held.next = next;
        }
    }

    /// Whether the value in a register is not needed after the operation at hand.
    fn is_last(&self, register: Register) -> bool {
        match self.held[usize::from(register)] {
            Some(held) => held.next == NEVER || (held.next == END && !held.dirty),
            None => true,
        }
    }

    fn release_last(&mut self, register: Register) {
        if self.is_last(register) {
            self.release(register);
        }
    }

    fn release(&mut self, register: Register) {
        if let Some(held) = self.held[usize::from(register)].take() {
            self.register_of[held.slot.0 as usize] = NONE;
            self.free |= 1 << register;
        }
    }

    /// Loads a value; `pinned` stays where it is.
    fn load(&mut self, slot: Slot, next: u32, pinned: Register) -> Register {
        let to = self.take(pinned);
        self.code.push(Instruction::Load { to, from: slot });
        self.hold(to, Held { slot, next, dirty: false });
        to
    }

    /// Gives a register its new value.
    fn define(&mut self, register: Register, slot: Slot, next: u32) {
        // A value that nobody reads is computed all the same: the code follows the stream.
        if next != NEVER {
            self.hold(register, Held { slot, next, dirty: true });
        }
    }

    fn hold(&mut self, register: Register, held: Held) {
        self.free &= !(1 << register);
        self.held[usize::from(register)] = Some(held);
        self.register_of[held.slot.0 as usize] = register;
    }

    /// A register that holds nothing, if need be after storing what it held.
    fn take(&mut self, pinned: Register) -> Register {
        if self.free != 0 {
            return self.free.trailing_zeros() as Register;
        }
        let mut furthest = (0, NONE);
        for (register, held) in self.held.iter().enumerate() {
            let register = register as Register;
            if let Some(held) = held
                && register != pinned
                && (furthest.1 == NONE || held.next > furthest.0)
            {
                furthest = (held.next, register);
            }
        }
        // There is one: at most one register is pinned, and there are three.
        let register = furthest.1;
        self.store(register);
        self.release(register);
        register
    }

    /// Stores what a register holds, if memory does not have it.
    fn store(&mut self, register: Register) {
        if let Some(held) = &mut self.held[usize::from(register)]
            && held.dirty
        {
            held.dirty = false;
            self.code.push(Instruction::Store { to: held.slot, from: register });
        }
    }

    /// Stores what must be in memory at the end, and forgets all.
    fn store_rest(&mut self) {
        for register in 0..self.held.len() as Register {
            if self.held[usize::from(register)].is_some_and(|held| held.next == END) {
                self.store(register);
            }
            self.release(register);
        }
    }
}
