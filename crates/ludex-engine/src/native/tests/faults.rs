//! Planted faults: code that differs from the stream is refused before it runs.

use std::ops::Range;

use super::execute::agrees;
use super::random::{Knobs, Numbers, stream};
use crate::native::allocate::{Allocator, Instruction, Place};
use crate::native::compiled::{format, write};
use crate::native::encode::{Format, Writer};
use crate::native::pieces::pieces;
use crate::native::verify::Checked;
use crate::native::{Fault, NativeError};
use crate::{Block, InstructionSet, Slot, Step, Stream};

/// The formats there are; writing and reading code needs no processor that runs it.
fn formats() -> [(usize, InstructionSet, Format); 3] {
    let format = |lanes, set, operand| {
        let stride = if lanes == 256 { size_of::<Block<4>>() } else { size_of::<Block<8>>() };
        (lanes, set, Format::new(set, operand, stride).expect("there is one"))
    };
    [
        format(256, InstructionSet::Avx2, 32),
        format(256, InstructionSet::Avx512, 32),
        format(512, InstructionSet::Avx512, 64),
    ]
}

fn small_stream(numbers: &mut Numbers) -> Stream {
    let knobs = Knobs { bases: 30, moves: 10, scratch: 60, operations: 120, locality: 40, fixpoints: 1 };
    stream(numbers, &knobs)
}

fn verdict(code: Vec<u8>, functions: &[Range<usize>], format: Format, stream: &Stream) -> Result<(), Fault> {
    match Checked::new(code, functions.to_vec(), format, 512, stream) {
        Ok(_) => Ok(()),
        Err(NativeError::Rejected { fault, .. }) => Err(fault),
        Err(error) => panic!("{error}"),
    }
}

/// The code of functions, and where each lies.
fn encode(functions: &[Vec<Instruction>], format: Format) -> (Vec<u8>, Vec<Range<usize>>) {
    let mut writer = Writer::new(format).expect("64 bits are known");
    let ranges = functions.iter().map(|f| writer.function(f).expect("encodes")).collect();
    (writer.finish(), ranges)
}

/// The instructions of all functions of a stream. Of what the compiler would keep in memory only some is.
fn instructions(stream: &Stream, format: Format, is_kept: impl Fn(&Slot) -> bool) -> Vec<Vec<Instruction>> {
    let ternary = format.opcodes.ternary.is_some();
    let mut allocator = Allocator::new(stream.slots, format.registers, ternary);
    let mut functions = Vec::new();
    for mut piece in pieces(stream).expect("the slots exist").into_iter().flatten() {
        piece.keep.retain(&is_kept);
        if !piece.operations.is_empty() {
            functions.push(allocator.allocate(&piece).to_vec());
        }
    }
    functions
}

/// Calls with some random streams and the instructions of their functions.
fn for_each_stream(seed: u64, mut visit: impl FnMut(&mut Numbers, Format, &Stream, &[Vec<Instruction>])) {
    let mut numbers = Numbers(seed);
    for _ in 0..12 {
        let stream = small_stream(&mut numbers);
        for (_, _, format) in formats() {
            let functions = instructions(&stream, format, |_| true);
            visit(&mut numbers, format, &stream, &functions);
        }
    }
}

#[test]
fn written_code_agrees_with_the_stream() {
    for_each_stream(11, |numbers, format, stream, functions| {
        let (code, ranges) = encode(functions, format);
        assert!(agrees(&code, &ranges, &format, stream, numbers));
        assert_eq!(verdict(code, &ranges, format, stream), Ok(()));
    });
}

/// Changes one instruction at random. What the check lets pass must still agree with the stream (a
/// value loaded or stored twice, for example), and little may pass.
#[test]
fn changed_instructions_are_refused() {
    let (mut refused, mut passed) = (0, 0);
    for_each_stream(12, |numbers, format, stream, functions| {
        for _ in 0..60 {
            let mut changed = functions.to_vec();
            let function = numbers.below(changed.len());
            let changing = &mut changed[function];
            let at = numbers.below(changing.len());
            match numbers.below(4) {
                0 => drop(changing.remove(at)),
                1 => changing.insert(at, changing[numbers.below(changing.len())]),
                2 => changing[at] = another_place(changing[at], numbers, &format, stream.slots),
                _ => changing[at] = another_operator(changing[at]),
            }
            if changed == functions {
                continue;
            }
            let (code, ranges) = encode(&changed, format);
            match verdict(code.clone(), &ranges, format, stream) {
                Ok(()) => {
                    passed += 1;
                    let instruction = functions[function][at];
                    assert!(agrees(&code, &ranges, &format, stream, numbers), "{instruction:?}");
                }
                Err(_) => refused += 1,
            }
        }
    });
    assert!(refused > 1000 && passed * 10 < refused, "{refused} refused, {passed} passed");
}

/// What the compiler believes of what is read later is not believed: values that other steps, other
/// phases or the next round read, and outputs, must be in memory whatever it says.
#[test]
fn values_that_the_compiler_forgets_to_store_are_missed() {
    let (mut refused, mut passed) = (0, 0);
    for_each_stream(15, |numbers, format, stream, _| {
        for _ in 0..20 {
            let (kept, dropped) = (numbers.below(4), numbers.word() as u32);
            let is_kept = |slot: &Slot| (slot.0 ^ dropped) % 4 < kept as u32;
            let functions = instructions(stream, format, is_kept);
            let (code, ranges) = encode(&functions, format);
            match verdict(code.clone(), &ranges, format, stream) {
                Ok(()) => {
                    passed += 1;
                    assert!(agrees(&code, &ranges, &format, stream, numbers));
                }
                Err(_) => refused += 1,
            }
        }
    });
    assert!(refused > 500, "{refused} refused, {passed} passed");
}

/// Functions that are exchanged, or left out, or too many.
#[test]
fn functions_of_other_steps_are_refused() {
    for_each_stream(16, |_, format, stream, functions| {
        let (code, ranges) = encode(functions, format);
        let last = ranges.len() - 1;
        assert_eq!(verdict(code.clone(), &ranges[..last], format, stream), Err(Fault::Count));
        let more = [&ranges[..], &ranges[last..]].concat();
        assert_eq!(verdict(code.clone(), &more, format, stream), Err(Fault::Count));
        let mut exchanged = ranges.clone();
        exchanged.swap(0, last);
        assert!(last == 0 || verdict(code, &exchanged, format, stream).is_err());
    });
}

/// The instruction with another register or slot.
fn another_place(
    instruction: Instruction,
    numbers: &mut Numbers,
    format: &Format,
    slots: u32,
) -> Instruction {
    let register = numbers.below(usize::from(format.registers)) as u8;
    let slot = Slot(numbers.below(slots as usize) as u32);
    let first = numbers.percent(50);
    let other = |place| match place {
        Place::Register(_) => Place::Register(register),
        Place::Memory(_) => Place::Memory(slot),
    };
    match instruction {
        Instruction::Load { from, .. } if first => Instruction::Load { to: register, from },
        Instruction::Load { to, .. } => Instruction::Load { to, from: slot },
        Instruction::Store { from, .. } if first => Instruction::Store { to: slot, from },
        Instruction::Store { to, .. } => Instruction::Store { to, from: register },
        Instruction::And { a, b, .. } if first => Instruction::And { to: register, a, b },
        Instruction::And { to, a, b } => Instruction::And { to, a, b: other(b) },
        Instruction::Or { to, b, .. } if first => Instruction::Or { to, a: register, b },
        Instruction::Or { to, a, b } => Instruction::Or { to, a, b: other(b) },
        Instruction::NotAnd { to, b, .. } if first => Instruction::NotAnd { to, a: register, b },
        Instruction::NotAnd { to, a, b } => Instruction::NotAnd { to, a, b: other(b) },
        Instruction::AndNotMemory { b, .. } if first => Instruction::AndNotMemory { to: register, b },
        Instruction::AndNotMemory { to, .. } => Instruction::AndNotMemory { to, b: slot },
    }
}

/// The instruction with another operator, or with its operands exchanged.
fn another_operator(instruction: Instruction) -> Instruction {
    match instruction {
        Instruction::And { to, a, b } => Instruction::Or { to, a, b },
        Instruction::Or { to, a, b } => Instruction::NotAnd { to, a, b },
        Instruction::NotAnd { to, a, b: Place::Register(b) } => {
            Instruction::NotAnd { to, a: b, b: Place::Register(a) }
        }
        Instruction::NotAnd { to, a, b } => Instruction::And { to, a, b },
        other => other,
    }
}

/// Single bits of the bytes turned over: refused, or still what the stream says.
#[test]
fn changed_bits_are_refused() {
    let (mut refused, mut passed) = (0, 0);
    for_each_stream(13, |numbers, format, stream, functions| {
        let (original, ranges) = encode(functions, format);
        for _ in 0..80 {
            let mut code = original.clone();
            let at = numbers.below(code.len());
            code[at] ^= 1 << numbers.below(8);
            match verdict(code.clone(), &ranges, format, stream) {
                Ok(()) => {
                    passed += 1;
                    assert!(agrees(&code, &ranges, &format, stream, numbers));
                }
                Err(_) => refused += 1,
            }
        }
    });
    assert!(refused > 1000 && passed * 10 < refused, "{refused} refused, {passed} passed");
}

/// The faults that could reach memory outside of the slots, or code after the end.
#[test]
fn each_rule_refuses_its_fault() {
    let mut numbers = Numbers(14);
    let mut stream = small_stream(&mut numbers);
    stream.decide.steps.retain(|step| matches!(step, Step::Straight(operations) if !operations.is_empty()));
    stream.decide.steps.truncate(1);
    (stream.advance.steps, stream.assess.steps) = (Vec::new(), Vec::new());
    let parts = pieces(&stream).expect("the slots exist");
    for (_, _, format) in formats() {
        let (code, _) = write(&parts, format, stream.slots).expect("encodes");
        let judge = |code: Vec<u8>| {
            let length = code.len();
            verdict(code, std::slice::from_ref(&(0..length)), format, &stream)
        };
        assert_eq!(judge(code.clone()), Ok(()));
        assert_eq!(judge(Vec::new()), Err(Fault::Return));
        assert_eq!(judge(code[..code.len() - 1].to_vec()), Err(Fault::Return));
        assert_eq!(judge([&code[..], &[0xc3]].concat()), Err(Fault::Return));
        let body = &code[..code.len() - 4];
        assert_eq!(judge([body, &[0xc3]].concat()), Err(Fault::Opcode), "a return without clearing");
        for fault in [
            &[0xcc][..],                           // int3
            &[0xeb, 0xfe],                         // jmp to itself
            &[0x48, 0x89, 0x07],                   // mov [rdi], rax
            &[0x48, 0x83, 0xc7, 0x40],             // add rdi, 64
            &[0x0f, 0x05],                         // syscall
            &[0x62, 0xf1, 0xfd, 0x49, 0x6f, 0x07], // vmovdqa64 zmm0 {k1}, [rdi]
        ] {
            assert_eq!(judge([fault, &code].concat()), Err(Fault::Opcode), "{fault:x?}");
        }
        let beyond = Instruction::Load { to: 0, from: Slot(stream.slots) };
        let (load, _) = encode(&[vec![beyond]], format);
        assert_eq!(judge([&load[..load.len() - 4], &code].concat()), Err(Fault::Bounds));
        for (address, fault) in addresses(&format) {
            assert_eq!(judge([&address[..], &code].concat()), Err(fault), "{address:x?}");
        }
    }
}

/// Loads into register 0 from elsewhere than a slot.
fn addresses(format: &Format) -> Vec<(Vec<u8>, Fault)> {
    use iced_x86::{Encoder, Instruction as Encoded, MemoryOperand, Register as Name};
    let operand = |base, index, displacement, segment| {
        MemoryOperand::new(base, index, 1, displacement, 1, false, segment)
    };
    [
        (operand(Name::RSI, Name::None, 0, Name::None), Fault::Address),
        (operand(Name::RSP, Name::None, -64, Name::None), Fault::Address),
        (operand(Name::RDI, Name::RAX, 0, Name::None), Fault::Address),
        (operand(Name::EDI, Name::None, 0, Name::None), Fault::Address),
        (operand(Name::RDI, Name::None, 0, Name::FS), Fault::Address),
        (operand(Name::RDI, Name::None, -64, Name::None), Fault::Bounds),
        (operand(Name::RDI, Name::None, 32, Name::None), Fault::Bounds),
        (operand(Name::RDI, Name::None, 1, Name::None), Fault::Bounds),
    ]
    .into_iter()
    .map(|(memory, fault)| {
        let load = Encoded::with2(format.opcodes.load, format.first_register, memory).expect("encodes");
        let mut encoder = Encoder::new(64);
        encoder.encode(&load, 0).expect("encodes");
        (encoder.take_buffer(), fault)
    })
    .collect()
}

/// The choice of a format is the one the tests above take.
#[test]
fn formats_fit_their_lanes() {
    for (lanes, set, expected) in formats() {
        if set <= InstructionSet::detect() {
            let found = format(lanes, set).expect("the processor has it");
            assert_eq!((found.operand_bytes, found.stride), (expected.operand_bytes, expected.stride));
        }
    }
}
