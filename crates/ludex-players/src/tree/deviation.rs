//! How much the values of leaves differ, and with that, how much exploration is worth.

/// The mean and the variance of the last values, about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deviation {
    count: f64,
    mean: f64,
    variance: f64,
}

/// So many values count, the last ones most.
const MEMORY: f64 = 4096.0;
/// Fewer say nothing.
const ENOUGH: f64 = 64.0;
/// The standard deviation for which the weights of exploration are made: where games are won or lost, leaves of some
/// random games each have 0.15 to 0.3.
const USUAL: f64 = 0.2;
/// Exploration never counts less than this.
const LEAST: f64 = 0.1;

impl Deviation {
    /// Notes a value, 0 to 1.
    pub fn note(&mut self, value: f64) {
        self.count = (self.count + 1.0).min(MEMORY);
        let off = value - self.mean;
        self.mean += off / self.count;
        self.variance += (off * off - self.variance) / self.count;
    }

    /// How much exploration counts, 0 to 1: where all values are much the same, a small difference says as much as a
    /// large one does elsewhere.
    pub fn scale(&self) -> f64 {
        if self.count < ENOUGH { 1.0 } else { (self.variance.max(0.0).sqrt() / USUAL).clamp(LEAST, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: impl Iterator<Item = f64>) -> f64 {
        let mut deviation = Deviation::default();
        values.for_each(|value| deviation.note(value));
        deviation.scale()
    }

    #[test]
    fn small_differences_count_as_much_as_large_ones() {
        let values =
            |reach: f64| (0..10_000).map(move |n| if n % 2 == 0 { 0.5 + reach } else { 0.5 - reach });
        assert_eq!(scale(values(0.5)), 1.0);
        assert!((scale(values(0.1)) - 0.5).abs() < 0.02, "{}", scale(values(0.1)));
        assert_eq!(scale(values(0.0)), LEAST);
        assert_eq!(scale(values(0.1).take(10)), 1.0, "a few values say nothing");
        // What was long ago is forgotten.
        let later = scale(values(0.5).chain(values(0.1)).chain(values(0.1)));
        assert!((later - 0.5).abs() < 0.1, "{later}");
    }
}
