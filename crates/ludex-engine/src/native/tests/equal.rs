//! Machine code leaves what plain execution leaves.

use super::plain;
use ludex_game::Rng;

use super::random::{Knobs, Numbers, stream};
use crate::native::{NativeError, NativeStream};
use crate::stream::Order;
use crate::stream::sample::{Size, random_circuit};
use crate::{Block, InstructionSet, Operation, Operator, Phase, PhaseKind, Slot, Step, Stream};

/// Every choice of lanes and instructions that this processor can run.
pub(super) fn choices() -> Vec<(usize, InstructionSet)> {
    let all = [
        (256, InstructionSet::Avx2),
        (512, InstructionSet::Avx2),
        (256, InstructionSet::Avx512),
        (512, InstructionSet::Avx512),
    ];
    let able = InstructionSet::detect();
    let found: Vec<_> = all.into_iter().filter(|&(_, set)| set <= able).collect();
    if found.len() < all.len() {
        eprintln!(
            "skipped: {} kinds of machine code, which this processor cannot run",
            all.len() - found.len()
        );
    }
    found
}

fn random_block<const N: usize>(numbers: &mut Numbers) -> Block<N> {
    Block(std::array::from_fn(|_| numbers.word()))
}

/// Compares what may be looked at after a phase: its outputs, the bases, the inputs, the constants.
fn compare<const N: usize>(stream: &Stream, kind: PhaseKind, plain: &[Block<N>], native: &[Block<N>]) {
    for slot in stream.outputs(kind).into_iter().chain(stream.given()).chain([Slot(0), Slot(1)]) {
        assert_eq!(plain[slot.0 as usize], native[slot.0 as usize], "{slot:?} after {kind:?}");
    }
}

/// Runs a few steps both ways. Where goals may be asked for in between (random operations keep no such
/// promise), what was decided must still be there.
fn check<const N: usize>(stream: &Stream, set: InstructionSet, spared: bool, numbers: &mut Numbers) {
    let code = match NativeStream::compile(stream, Block::<N>::LANES, set) {
        Err(NativeError::Memory(error)) => {
            eprintln!("skipped: the system refuses executable memory: {error}");
            return;
        }
        code => code.expect("compiles"),
    };
    let mut expected: Vec<Block<N>> = (0..stream.slots).map(|_| random_block(numbers)).collect();
    expected[0] = Block::ZERO;
    expected[1] = Block::ONES;
    let mut slots = expected.clone();
    let mut advanced = false;
    for round in 0..4 {
        for kind in [PhaseKind::Decide, PhaseKind::Assess, PhaseKind::Advance, PhaseKind::Assess] {
            if kind == PhaseKind::Assess && round % 2 == 0 {
                continue;
            }
            if kind == PhaseKind::Advance {
                for slot in stream.inputs.iter().flatten().flatten() {
                    expected[slot.0 as usize] = random_block(numbers);
                    slots[slot.0 as usize] = expected[slot.0 as usize];
                }
            }
            plain::run(stream, kind, &mut expected);
            code.run(kind, &mut slots).expect("the slots fit");
            compare(stream, kind, &expected, &slots);
            if spared && kind == PhaseKind::Assess && !advanced {
                compare(stream, PhaseKind::Decide, &expected, &slots);
            }
            advanced = kind == PhaseKind::Advance;
        }
    }
}

fn check_all(stream: &Stream, numbers: &mut Numbers) {
    check_each(stream, false, numbers);
}

fn check_each(stream: &Stream, spared: bool, numbers: &mut Numbers) {
    for (lanes, set) in choices() {
        match lanes {
            256 => check::<4>(stream, set, spared, numbers),
            _ => check::<8>(stream, set, spared, numbers),
        }
    }
}

#[test]
fn random_streams_run_alike() {
    let mut numbers = Numbers(1);
    for case in 0..400 {
        let knobs = Knobs {
            bases: numbers.below(20),
            moves: numbers.below(10),
            scratch: 1 + numbers.below([4, 40, 200][case % 3]),
            operations: [3, 30, 300][case / 3 % 3],
            locality: numbers.below(100),
            fixpoints: numbers.below(4),
        };
        let stream = stream(&mut numbers, &knobs);
        check_all(&stream, &mut numbers);
    }
}

#[test]
fn streams_of_circuits_run_alike() {
    for seed in 0..150 {
        let mut rng = Rng::from_seed(seed);
        let size = Size {
            bases: 1 + rng.below(40) as u32,
            moves: rng.below(10) as u32,
            gates: rng.below(400) as u32,
            loops: rng.below(4) as u32,
            operands: 2 + rng.below(6),
        };
        let circuit = random_circuit(&mut rng, size);
        for order in [Order::Runs, Order::DepthFirst] {
            check_each(&Stream::with_order(&circuit, order), true, &mut Numbers(seed));
        }
    }
}

#[test]
fn large_streams_run_alike() {
    let mut numbers = Numbers(2);
    for locality in [20, 90] {
        let knobs =
            Knobs { bases: 1000, moves: 500, scratch: 6000, operations: 50_000, locality, fixpoints: 2 };
        let stream = stream(&mut numbers, &knobs);
        check_all(&stream, &mut numbers);
    }
}

#[test]
fn a_stream_of_nothing_runs() {
    let mut numbers = Numbers(3);
    let knobs = Knobs { bases: 3, moves: 2, scratch: 1, operations: 0, locality: 0, fixpoints: 0 };
    let mut stream = stream(&mut numbers, &knobs);
    check_all(&stream, &mut numbers);
    for phase in [&mut stream.decide, &mut stream.advance, &mut stream.assess] {
        *phase = Phase::default();
    }
    check_all(&stream, &mut numbers);
}

/// More values alive than registers, each read once more in the order that hurts most.
#[test]
fn values_that_find_no_register_are_stored() {
    let mut numbers = Numbers(4);
    let knobs = Knobs { bases: 100, moves: 1, scratch: 300, operations: 0, locality: 0, fixpoints: 0 };
    let mut stream = stream(&mut numbers, &knobs);
    let scratch = |index: u32| Slot(103 + index);
    for (first, second) in [
        (Operator::And, Operator::AndNot),
        (Operator::AndNot, Operator::AndNot),
        (Operator::Or, Operator::And),
    ] {
        let mut operations = Vec::new();
        for index in 0..99 {
            let (a, b) = (Slot(2 + index), Slot(3 + index));
            operations.push(Operation { operator: first, to: scratch(index), a, b });
        }
        for index in 0..98 {
            let (a, b) = (scratch(97 - index), scratch(index));
            operations.push(Operation { operator: second, to: scratch(100 + index), a, b });
        }
        stream.decide.steps = vec![Step::Straight(operations)];
        stream.legal = vec![(100..198).map(|index| plain_output(scratch(index))).collect()];
        check_all(&stream, &mut numbers);
    }
}

fn plain_output(slot: Slot) -> crate::Output {
    crate::Output { slot, complemented: false }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut numbers = Numbers(5);
    let knobs = Knobs { bases: 3, moves: 2, scratch: 5, operations: 9, locality: 50, fixpoints: 1 };
    let stream = stream(&mut numbers, &knobs);
    let refuse =
        |stream: &Stream, lanes, set| NativeStream::compile(stream, lanes, set).expect_err("refused");
    assert!(matches!(refuse(&stream, 512, InstructionSet::Portable), NativeError::Unsupported));
    let set = InstructionSet::detect();
    if set == InstructionSet::Portable {
        return;
    }
    assert!(matches!(refuse(&stream, 128, set), NativeError::Lanes(128)));
    let code = match NativeStream::compile(&stream, 512, set) {
        Err(NativeError::Memory(_)) => return,
        code => code.expect("compiles"),
    };
    let mut few = vec![Block::<8>::ZERO; stream.slots as usize - 1];
    assert!(matches!(code.run(PhaseKind::Decide, &mut few), Err(NativeError::Shape { lanes: 512, .. })));
    let mut narrow = vec![Block::<4>::ZERO; stream.slots as usize];
    assert!(matches!(code.run(PhaseKind::Decide, &mut narrow), Err(NativeError::Shape { .. })));

    let mut outside = stream.clone();
    outside.decide.steps.push(Step::Straight(vec![Operation {
        operator: Operator::Or,
        to: Slot(3),
        a: Slot(stream.slots),
        b: Slot(1),
    }]));
    assert!(matches!(refuse(&outside, 512, set), NativeError::Slot(slot) if slot.0 == stream.slots));
    let mut huge = stream;
    huge.slots = u32::MAX / 64;
    assert!(matches!(refuse(&huge, 512, set), NativeError::TooLarge));
}

#[test]
fn only_huge_streams_are_left_to_the_interpreter() {
    let knobs = Knobs { bases: 3, moves: 2, scratch: 5, operations: 9, locality: 50, fixpoints: 0 };
    let mut stream = stream(&mut Numbers(6), &knobs);
    assert!(NativeStream::pays_for(&stream));
    let operation = Operation { operator: Operator::Or, to: Slot(8), a: Slot(2), b: Slot(3) };
    stream.advance.steps.push(Step::Straight(vec![operation; 400_000]));
    assert!(!NativeStream::pays_for(&stream));
}
