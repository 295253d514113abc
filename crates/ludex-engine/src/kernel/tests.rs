//! The interpreter against the plain executor, bit for bit.

use ludex_game::Rng;

use super::{Block, InstructionSet, Interpreter, PhaseKind};
use crate::stream::plain::Plain;
use crate::stream::sample::{Size, random_circuit};
use crate::stream::{Phase, Stream};

const SETS: [InstructionSet; 3] = [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512];

/// Random blocks in all slots, constants aside.
fn random_slots<const N: usize>(stream: &Stream, rng: &mut Rng) -> Vec<Block<N>> {
    let mut slots: Vec<Block<N>> =
        (0..stream.slots).map(|_| Block([0; N].map(|_: u64| rng.bits()))).collect();
    slots[Stream::ZERO.0 as usize] = Block::ZERO;
    slots[Stream::ONES.0 as usize] = Block::ONES;
    slots
}

fn lane<const N: usize>(slots: &[Block<N>], lane: usize) -> Vec<bool> {
    slots.iter().map(|block| block.0[lane / 64] >> (lane % 64) & 1 == 1).collect()
}

/// Runs a phase with every set; each lane has to end with the same bits in all slots as it has plainly.
fn compare<const N: usize>(stream: &Stream, interpreter: &Interpreter, kind: PhaseKind, rng: &mut Rng) {
    let phase: &Phase = match kind {
        PhaseKind::Decide => &stream.decide,
        PhaseKind::Advance => &stream.advance,
        PhaseKind::Assess => &stream.assess,
    };
    let before = random_slots::<N>(stream, rng);
    let plain: Vec<Vec<bool>> = (0..Block::<N>::LANES)
        .map(|at| {
            let mut one = Plain { slots: lane(&before, at) };
            one.phase(phase);
            one.slots
        })
        .collect();
    for set in SETS {
        let mut slots = before.clone();
        interpreter.run(set, kind, &mut slots);
        for (at, plain) in plain.iter().enumerate() {
            assert_eq!(&lane(&slots, at), plain, "lane {at} of {} with {set:?}, {kind:?}", Block::<N>::LANES);
        }
    }
}

#[test]
fn every_width_and_set_equals_the_plain_executor() {
    for seed in 0..60 {
        let mut rng = Rng::from_seed(seed);
        let size = Size {
            bases: 1 + rng.below(12) as u32,
            moves: rng.below(5) as u32,
            gates: rng.below(120) as u32,
            loops: rng.below(4) as u32,
            operands: 2 + rng.below(6),
        };
        let stream = Stream::new(&random_circuit(&mut rng, size));
        let interpreter = Interpreter::new(&stream);
        for kind in [PhaseKind::Decide, PhaseKind::Advance, PhaseKind::Assess] {
            compare::<1>(&stream, &interpreter, kind, &mut rng);
            compare::<4>(&stream, &interpreter, kind, &mut rng);
            compare::<8>(&stream, &interpreter, kind, &mut rng);
        }
    }
}

#[test]
#[should_panic(expected = "slots")]
fn too_few_slots_are_refused() {
    let size = Size { bases: 20, moves: 3, gates: 50, loops: 0, operands: 3 };
    let stream = Stream::new(&random_circuit(&mut Rng::from_seed(5), size));
    let mut slots = vec![Block::<1>::ZERO; stream.slots as usize - 1];
    Interpreter::new(&stream).run(InstructionSet::Portable, PhaseKind::Advance, &mut slots);
}
