//! The one source of random numbers.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A seeded generator (xoshiro256++): the same seed gives the same game everywhere.
///
/// ```
/// use ludex_game::Rng;
///
/// let (mut one, mut other) = (Rng::from_seed(7), Rng::from_seed(7));
/// assert_eq!(one.bits(), other.bits());
/// assert!(one.below(6) < 6 && [2, 3, 5].contains(one.pick(&[2, 3, 5]).unwrap()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// A generator that gives the same numbers for the same seed.
    pub fn from_seed(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, each equally likely; 0 when `bound` is 0.
    ///
    /// Lemire's method with rejection, so there is no bias.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.bits()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.bits()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// A number of at least 0 and below 1.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The place of one of the weights, each as likely as it is large; `None` where there are none.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> Option<usize> {
        let mut left = self.fraction() * weights.clone().sum::<f64>();
        let last = weights.clone().count().checked_sub(1)?;
        let drawn = weights.into_iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a little behind the last one.
        Some(drawn.unwrap_or(last))
    }

    /// A random element, or `None` of an empty slice.
    #[inline]
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len() as u64) as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_one_sequence() {
        let draw = |seed| {
            let mut rng = Rng::from_seed(seed);
            (0..50).map(|_| rng.below(10)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn weights_are_what_is_drawn_by() {
        let mut rng = Rng::from_seed(2);
        let mut counts = [0.0_f64; 3];
        for _ in 0..20_000 {
            counts[rng.weighted([1.0, 0.0, 3.0].into_iter()).unwrap()] += 1.0 / 20_000.0;
        }
        assert!((counts[0] - 0.25).abs() < 0.02 && counts[1] == 0.0, "{counts:?}");
        assert_eq!(rng.weighted(std::iter::empty()), None);
    }

    #[test]
    fn every_value_is_about_equally_likely() {
        let mut rng = Rng::from_seed(1);
        let mut counts = [0u32; 3];
        for _ in 0..30_000 {
            counts[rng.below(3) as usize] += 1;
        }
        assert!(counts.iter().all(|c| (9_600..10_400).contains(c)), "{counts:?}");
        assert_eq!(rng.below(0), 0);
    }
}
