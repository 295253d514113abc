//! Each legal move is as likely as its weight says.

use ludex_game::Rng;

use super::reference::{Masks, bit, choose};
use crate::kernel::{Block, InstructionSet};
use crate::lanes::choose_weighted::Weights;
use crate::lanes::random::LaneRandom;

/// How often each of `moves` moves, all legal, is chosen in `rounds` draws of 512 lanes.
fn frequencies(moves: usize, rounds: usize, weights: Option<&[Vec<Weights>]>, seed: u64) -> Vec<u64> {
    let mut masks = Masks::<8>::random(&[moves], 256, &mut Rng::from_seed(seed));
    let first = masks.slots.len() as u32 - 1 - moves as u32;
    masks.inputs = vec![(0..moves as u32).map(|m| Some(crate::stream::Slot(first + m))).collect()];
    masks.roles = vec![super::super::role_moves::RoleMoves::new(
        &masks.legal[0],
        &masks.inputs[0],
        first + moves as u32,
    )];
    let mut random = LaneRandom::from_seed(seed);
    let mut counts = vec![0; moves];
    for _ in 0..rounds {
        let chosen = choose(&masks, weights, Block::ONES, &mut random, InstructionSet::Avx512);
        for (count, slot) in counts.iter_mut().zip(masks.inputs[0].iter().flatten()) {
            *count += u64::from(chosen.slots[slot.0 as usize].0.iter().map(|w| w.count_ones()).sum::<u32>());
        }
    }
    counts
}

/// Pearson's statistic as a multiple of standard deviations from what a fair draw gives (Wilson and
/// Hilferty's cube root transform).
fn deviation(counts: &[u64], shares: &[u64]) -> f64 {
    let draws: u64 = counts.iter().sum();
    let whole: u64 = shares.iter().sum();
    let mut statistic = 0.0;
    let mut degrees = -1.0;
    for (&count, &share) in counts.iter().zip(shares) {
        if share == 0 {
            assert_eq!(count, 0, "a move of weight 0 was made");
            continue;
        }
        let expected = draws as f64 * share as f64 / whole as f64;
        statistic += (count as f64 - expected).powi(2) / expected;
        degrees += 1.0;
    }
    if degrees < 1.0 {
        return 0.0;
    }
    let spread = 2.0 / (9.0 * degrees);
    ((statistic / degrees).cbrt() - (1.0 - spread)) / spread.sqrt()
}

#[test]
fn every_legal_move_is_equally_likely() {
    let sizes = (1..=40).chain([63, 64, 65, 100, 257, 600]);
    let deviations: Vec<f64> =
        sizes.map(|n| deviation(&frequencies(n, 40 + 2 * n, None, n as u64), &vec![1; n])).collect();
    assert!(deviations.iter().all(|d| d.abs() < 4.0), "{deviations:?}");
    let mean = deviations[1..].iter().sum::<f64>() / (deviations.len() - 1) as f64;
    assert!(mean.abs() < 0.6, "{mean}");
}

#[test]
fn three_moves_over_many_draws() {
    // A draw of 14 bits without repetition would prefer one move by one part in 5461.
    let counts = frequencies(3, 40_000, None, 9);
    assert!(deviation(&counts, &[1; 3]) < 3.0, "{counts:?}");
}

#[test]
fn weights_are_shares() {
    for (moves, seed) in [(2, 1), (5, 2), (16, 3), (17, 4), (40, 5), (300, 6)] {
        let mut rng = Rng::from_seed(seed);
        let weights: Vec<Vec<Weights>> =
            vec![(0..moves / 16 + 1).map(|_| std::array::from_fn(|_| rng.below(40) as u8)).collect()];
        let counts = frequencies(moves, 400 + 2 * moves, Some(&weights), seed);
        let masks = Masks::<8>::random(&[moves], 256, &mut Rng::from_seed(seed));
        let mut shares = vec![0; moves];
        for (group, weights) in masks.roles[0].groups.iter().zip(&weights[0]) {
            for (&m, &weight) in group.moves[..group.length].iter().zip(weights) {
                shares[m as usize] = u64::from(weight);
            }
        }
        let deviation = deviation(&counts, &shares);
        assert!(deviation.abs() < 4.0, "{moves} moves: {deviation}");
    }
}

#[test]
fn words_have_streams_of_their_own() {
    let masks = Masks::<8>::random(&[2], 256, &mut Rng::from_seed(1));
    let mut random = LaneRandom::from_seed(3);
    let first = masks.legal[0][0].slot.0 as usize + 2;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..10 {
        let chosen = choose(&masks, None, Block::ONES, &mut random, InstructionSet::Avx2);
        seen.extend(chosen.slots[first].0);
        assert!((0..512).any(|lane| bit(&chosen.slots[first], lane)));
    }
    assert_eq!(seen.len(), 80);
}
