//! Written code run by a small reader of its own, on 64 lanes: a second opinion that shares nothing
//! with the check but the decoder.

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

use super::plain;
use super::random::Numbers;
use crate::native::encode::Format;
use crate::native::pieces::Piece;
use crate::{Block, Slot};

/// Runs code on a word for each slot; `None` where it does something this reader does not know.
pub(super) fn execute(code: &[u8], stride: usize, slots: &mut [u64]) -> Option<()> {
    let mut registers = [0x5555_5555_5555_5555u64; 32];
    let number = |instruction: &Instruction, index| {
        let name = instruction.op_register(index) as usize;
        let first = if name >= Register::ZMM0 as usize { Register::ZMM0 } else { Register::YMM0 };
        (name - first as usize) % 32
    };
    for instruction in &mut Decoder::new(64, code, DecoderOptions::NONE) {
        let slot = (instruction.memory_displacement64() as usize) / stride;
        let last = instruction.op_count().saturating_sub(1);
        let read = |registers: &[u64; 32], slots: &[u64], index| match instruction.op_kind(index) {
            OpKind::Register => Some(registers[number(&instruction, index)]),
            OpKind::Memory => slots.get(slot).copied(),
            _ => None,
        };
        let value = match instruction.mnemonic() {
            Mnemonic::Ret => return Some(()),
            Mnemonic::Vzeroupper => continue,
            Mnemonic::Vmovdqa | Mnemonic::Vmovdqa64 => read(&registers, slots, last)?,
            Mnemonic::Vpand | Mnemonic::Vpandq => read(&registers, slots, 1)? & read(&registers, slots, 2)?,
            Mnemonic::Vpor | Mnemonic::Vporq => read(&registers, slots, 1)? | read(&registers, slots, 2)?,
            Mnemonic::Vpandn | Mnemonic::Vpandnq => {
                !read(&registers, slots, 1)? & read(&registers, slots, 2)?
            }
            Mnemonic::Vpternlogq => {
                let operands = [0, 1, 2].map(|index| read(&registers, slots, index));
                let [first, second, third] = [operands[0]?, operands[1]?, operands[2]?];
                let table = instruction.immediate8();
                let bit = |lane: u32| {
                    let at = |word: u64| (word >> lane & 1) as u8;
                    let row = at(first) << 2 | at(second) << 1 | at(third);
                    u64::from(table >> row & 1) << lane
                };
                (0..64).map(bit).fold(0, |word, bit| word | bit)
            }
            _ => return None,
        };
        match instruction.op_kind(0) {
            OpKind::Register => registers[number(&instruction, 0)] = value,
            OpKind::Memory => *slots.get_mut(slot)? = value,
            _ => return None,
        }
    }
    None
}

/// Whether code leaves what the piece leaves, on a few random states: the slots to be kept, and those
/// that the piece does not write.
pub(super) fn agrees(
    code: &[u8],
    format: &Format,
    slots: u32,
    piece: &Piece<'_>,
    numbers: &mut Numbers,
) -> bool {
    let mut compared = vec![true; slots as usize];
    for operation in piece.operations {
        compared[operation.to.0 as usize] = false;
    }
    for &Slot(slot) in &piece.keep {
        compared[slot as usize] = true;
    }
    (0..3).all(|_| {
        let mut expected: Vec<Block<1>> = (0..slots).map(|_| Block([numbers.word()])).collect();
        let mut found: Vec<u64> = expected.iter().map(|block| block.0[0]).collect();
        plain::straight(piece.operations, &mut expected);
        execute(code, format.stride, &mut found).is_some()
            && (0..slots as usize).all(|slot| !compared[slot] || expected[slot].0[0] == found[slot])
    })
}
