//! What a network sees of a state: its facts, or how many moves each role has or would have if it was its turn. The second
//! is little, but it is learned from few games.

use super::network::Network;

/// The words that say how many moves a role has.
pub(super) const WORDS: usize = 2;
/// Their bits.
pub(super) const LEVELS: usize = WORDS * u64::BITS as usize;
/// So many numbers of moves are told apart by one.
const FEW: usize = 16;
/// Beyond, so many are told apart between a number and twice as many.
const STEPS: f32 = 13.0;
/// Neighbouring numbers of moves have all but one of so many features in common, so that what is learned of one counts for
/// its neighbours (coarse coding: Sutton and Barto, 1998).
const ALIKE: u32 = 8;

/// Appends what says how many moves each role has: words for each.
pub(super) fn add_move_counts(counts: impl Iterator<Item = usize>, features: &mut Vec<u64>) {
    let alike = |count: usize| ((1u128 << ALIKE) - 1) << level(count);
    features.extend(counts.map(alike).flat_map(|bits| [bits as u64, (bits >> 64) as u64]));
}

/// Which number of moves it is, of those that are told apart.
fn level(count: usize) -> u32 {
    let level = match count {
        0..=FEW => count as u32,
        _ => FEW as u32 + (STEPS * (count as f32 / FEW as f32).log2()) as u32,
    };
    level.min(LEVELS as u32 - ALIKE)
}

impl Network {
    /// What it sees of a state of these words in which each role has so many moves.
    pub fn see<'s>(
        &self,
        words: &'s [u64],
        count: impl Fn(usize) -> usize,
        features: &'s mut Vec<u64>,
    ) -> &'s [u64] {
        if !self.goes_by_moves() {
            return words;
        }
        features.clear();
        add_move_counts((0..self.roles()).map(count), features);
        features
    }

    /// What it sees of a state of which everything is known that a network can see: its words, then those for each role.
    pub(super) fn part_of<'s>(&self, features: &'s [u64]) -> &'s [u64] {
        let (words, counts) = features.split_at(features.len() - WORDS * self.roles());
        if self.goes_by_moves() { counts } else { words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_moves_are_told_apart_the_better_the_fewer_they_are() {
        assert!((0..=FEW).all(|count| level(count) == count as u32));
        assert!((1..5000).all(|count| (0..=1).contains(&(level(count + 1) - level(count)))));
        assert!(level(32) - level(16) == 13 && level(3000) < level(3200));
        assert_eq!(level(usize::MAX), 120);
        let mut features = vec![7, 8];
        add_move_counts([0, 2, 1 << 40].into_iter(), &mut features);
        assert_eq!(features, [7, 8, 0xff, 0, 0xff << 2, 0, 0, 0xff << 56]);
    }

    #[test]
    fn a_network_sees_facts_or_moves() {
        let (facts, moves) = (Network::new(2, 1, true, 1), Network::of_moves(2, true, &[1], 1));
        let (features, mut room) = ([9, 0xff << 3, 0, 0xff << 5, 0], Vec::new());
        for network in [facts, moves] {
            let part = network.part_of(&features).to_vec();
            assert_eq!(network.see(&[9], |role| 3 + 2 * role, &mut room), part);
            assert_eq!(part.len(), if network.goes_by_moves() { 4 } else { 1 });
        }
    }
}
