//! Written code run by a small reader of its own, on 64 lanes: a second opinion that shares nothing
//! with the check but the decoder.

use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

use super::plain;
use super::random::Numbers;
use crate::native::encode::Format;
use crate::native::pieces::PHASES;
use crate::{Block, Operation, Output, PhaseKind, Step, Stream};

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

/// Whether the functions leave what the stream leaves, phase after phase, on a few random states: the
/// outputs, the bases and the inputs.
pub(super) fn agrees(
    code: &[u8],
    functions: &[Range<usize>],
    format: &Format,
    stream: &Stream,
    numbers: &mut Numbers,
) -> bool {
    let mut expected: Vec<Block<1>> = (0..stream.slots).map(|_| Block([numbers.word()])).collect();
    (expected[0], expected[1]) = (Block::ZERO, Block::ONES);
    let mut found: Vec<u64> = expected.iter().map(|block| block.0[0]).collect();
    let kinds = [PhaseKind::Decide, PhaseKind::Assess, PhaseKind::Advance, PhaseKind::Decide];
    kinds.into_iter().chain([PhaseKind::Advance, PhaseKind::Assess]).all(|kind| {
        if kind == PhaseKind::Advance {
            for slot in stream.inputs.iter().flatten().flatten() {
                let word = numbers.word();
                (expected[slot.0 as usize], found[slot.0 as usize]) = (Block([word]), word);
            }
        }
        plain::run(stream, kind, &mut expected);
        run(code, functions, format, stream, kind, &mut found).is_some()
            && (stream.outputs(kind).into_iter().chain(stream.given()))
                .all(|slot| expected[slot.0 as usize].0[0] == found[slot.0 as usize])
    })
}

/// Runs the functions of a phase.
fn run(
    code: &[u8],
    functions: &[Range<usize>],
    format: &Format,
    stream: &Stream,
    kind: PhaseKind,
    slots: &mut [u64],
) -> Option<()> {
    let before = PHASES.into_iter().take_while(|&other| other != kind);
    let steps = before.flat_map(|other| &stream.phase(other).steps);
    let mut number = steps.filter(|step| !operations(step).is_empty()).count();
    for step in &stream.phase(kind).steps {
        let function = if operations(step).is_empty() { None } else { functions.get(number) };
        number += usize::from(!operations(step).is_empty());
        let call = |slots: &mut [u64]| match function {
            Some(range) => execute(&code[range.clone()], format.stride, slots),
            None => Some(()),
        };
        let Step::Fixpoint(fixpoint) = step else {
            call(slots)?;
            continue;
        };
        fixpoint.feedback.iter().for_each(|(variable, _)| slots[variable.0 as usize] = 0);
        for _ in 0..=fixpoint.feedback.len() * 64 {
            call(slots)?;
            let mut changed = false;
            let value = |definition: &Output, slots: &[u64]| {
                slots[definition.slot.0 as usize] ^ if definition.complemented { u64::MAX } else { 0 }
            };
            let values: Vec<u64> = fixpoint.feedback.iter().map(|(_, d)| value(d, slots)).collect();
            for ((variable, _), value) in fixpoint.feedback.iter().zip(values) {
                changed |= std::mem::replace(&mut slots[variable.0 as usize], value) != value;
            }
            if !changed {
                break;
            }
        }
    }
    Some(())
}

fn operations(step: &Step) -> &[Operation] {
    match step {
        Step::Straight(operations) => operations,
        Step::Fixpoint(fixpoint) => &fixpoint.body,
    }
}
