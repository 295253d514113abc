//! Choosing by counting equals choosing lane by lane.

use ludex_game::Rng;

use super::reference::{Masks, bit, choose, choose_plainly};
use crate::kernel::{Block, InstructionSet};
use crate::lanes::random::LaneRandom;

const SETS: [InstructionSet; 3] = [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512];

fn some_lanes<const N: usize>(rng: &mut Rng) -> Block<N> {
    let mut block = Block::ONES;
    if rng.below(3) > 0 {
        block.0.iter_mut().for_each(|word| *word = rng.bits() | rng.bits());
    }
    block
}

fn agree<const N: usize>(moves: &[usize], density: u64, seed: u64) {
    let mut rng = Rng::from_seed(seed);
    let masks = Masks::<N>::random(moves, density, &mut rng);
    let active = some_lanes(&mut rng);
    let random = LaneRandom::from_seed(rng.bits());
    let mut plain_random = random.clone();
    let expected = choose_plainly(&masks, active, &mut plain_random);
    for set in SETS {
        let mut drawn = random.clone();
        let found = choose(&masks, active, &mut drawn, set);
        assert_eq!(found, expected, "{moves:?} moves, density {density}, seed {seed}, {set:?}, {N} words");
        assert_eq!(drawn.state, plain_random.state);
        assert_eq!(drawn.repeat, plain_random.repeat);
    }
}

#[test]
fn counting_agrees_with_choosing_lane_by_lane() {
    let mut rng = Rng::from_seed(20);
    for seed in 0..400 {
        let roles = rng.below(3) + 1;
        let largest = [4, 9, 17, 40, 130][rng.below(5) as usize];
        let moves: Vec<usize> = (0..roles).map(|_| rng.below(largest) as usize).collect();
        let density = [2, 20, 128, 250, 256][rng.below(5) as usize];
        match seed % 3 {
            0 => agree::<1>(&moves, density, seed),
            1 => agree::<4>(&moves, density, seed),
            _ => agree::<8>(&moves, density, seed),
        }
    }
}

#[test]
fn thousands_of_moves_agree_too() {
    for (seed, density) in [(1, 256), (2, 100), (3, 2), (4, 0)] {
        agree::<4>(&[2500, 1], density, seed);
        agree::<8>(&[1200], density, seed);
    }
}

#[test]
fn lanes_that_wait_choose_nothing() {
    let mut rng = Rng::from_seed(4);
    for moves in [1, 7, 16, 50] {
        let masks = Masks::<8>::random(&[moves], 200, &mut rng);
        let mut active = Block::ONES;
        active.0[3] = 0;
        active.0[5] = 0xF0;
        let chosen = choose(&masks, active, &mut LaneRandom::from_seed(1), InstructionSet::Avx512);
        let made = |lane| {
            masks.inputs[0].iter().flatten().filter(|s| bit(&chosen.slots[s.0 as usize], lane)).count()
        };
        assert!((0..512).filter(|&lane| !bit(&active, lane)).all(|lane| made(lane) == 0));
        assert!((0..512).all(|lane| made(lane) <= 1));
    }
}

#[test]
fn a_role_without_moves_is_stuck_in_every_lane_that_plays() {
    let masks = Masks::<1>::random(&[2, 0], 256, &mut Rng::from_seed(5));
    let active = Block([0b1011]);
    let chosen = choose(&masks, active, &mut LaneRandom::from_seed(1), InstructionSet::Portable);
    assert_eq!(chosen.active, Block::ZERO);
    assert_eq!(chosen.stuck, [(ludex_game::RoleId(1), active)]);
}
