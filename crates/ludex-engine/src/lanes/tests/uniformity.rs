//! Each legal move is as likely as any other.

use ludex_game::Rng;

use super::reference::{Masks, bit, choose};
use crate::kernel::{Block, InstructionSet};
use crate::lanes::random::LaneRandom;

/// How often each of `moves` moves, all legal, is chosen in `rounds` draws of 512 lanes.
fn frequencies(moves: usize, rounds: usize, seed: u64) -> Vec<u64> {
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
        let chosen = choose(&masks, Block::ONES, &mut random, InstructionSet::Avx512);
        for (count, slot) in counts.iter_mut().zip(masks.inputs[0].iter().flatten()) {
            *count += u64::from(chosen.slots[slot.0 as usize].0.iter().map(|w| w.count_ones()).sum::<u32>());
        }
    }
    counts
}

/// Pearson's statistic as a multiple of standard deviations from what a fair draw gives (Wilson and
/// Hilferty's cube root transform).
fn deviation(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let statistic: f64 = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    let degrees = counts.len() as f64 - 1.0;
    if degrees < 1.0 {
        return 0.0;
    }
    let spread = 2.0 / (9.0 * degrees);
    ((statistic / degrees).cbrt() - (1.0 - spread)) / spread.sqrt()
}

#[test]
fn every_legal_move_is_equally_likely() {
    let sizes = (1..=40).chain([63, 64, 65, 100, 257, 600]);
    let deviations: Vec<f64> = sizes.map(|n| deviation(&frequencies(n, 40 + 2 * n, n as u64))).collect();
    assert!(deviations.iter().all(|d| d.abs() < 4.0), "{deviations:?}");
    let mean = deviations[1..].iter().sum::<f64>() / (deviations.len() - 1) as f64;
    assert!(mean.abs() < 0.6, "{mean}");
}

#[test]
fn three_moves_over_many_draws() {
    // A draw of 14 bits without repetition would prefer one move by one part in 5461.
    let counts = frequencies(3, 40_000, 9);
    assert!(deviation(&counts) < 3.0, "{counts:?}");
}

#[test]
fn words_have_streams_of_their_own() {
    let masks = Masks::<8>::random(&[2], 256, &mut Rng::from_seed(1));
    let mut random = LaneRandom::from_seed(3);
    let first = masks.legal[0][0].slot.0 as usize + 2;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..10 {
        let chosen = choose(&masks, Block::ONES, &mut random, InstructionSet::Avx2);
        seen.extend(chosen.slots[first].0);
        assert!((0..512).any(|lane| bit(&chosen.slots[first], lane)));
    }
    assert_eq!(seen.len(), 80);
}
