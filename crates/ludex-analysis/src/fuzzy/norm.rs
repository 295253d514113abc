//! How fuzzy values are put together: t-norms and what belongs to them.

/// How the values of parts become the value of a conjunction or a disjunction (book 16.3 and 16.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// T(x,y) = x·y and S(x,y) = 1 - (1-x)·(1-y).
    Product,
    /// Of Yager's family: S(x,y) = min(1, (x^q + y^q)^(1/q)) and T(x,y) = 1 - S(1-x, 1-y). Book 16.5
    /// prints S without the minimum; values would leave 0 to 1.
    Yager {
        /// Over 0; infinite for the smallest and the greatest part.
        q: f64,
    },
}

/// Truth of conjunctions and disjunctions: a norm, perhaps with a threshold.
///
/// Both take all parts at once. The norms are associative and symmetric, so this is what any nesting of
/// two-part formulas gives; and the threshold, which as printed in book 16.5 depends on the order of
/// the parts, is applied to the set of them.
pub(super) trait Connectives {
    /// The t-norm of all parts; 1 without any.
    fn all(&self, parts: impl Iterator<Item = f64> + Clone) -> f64;
    /// The s-norm of all parts; 0 without any.
    fn any(&self, parts: impl Iterator<Item = f64> + Clone) -> f64;

    /// The truth of a conjunction: where there are several parts, those over 0.5 count for `threshold`
    /// at least, all of them together.
    fn conjunction(&self, threshold: Option<f64>, parts: impl ExactSizeIterator<Item = f64> + Clone) -> f64 {
        let Some(threshold) = threshold.filter(|_| parts.len() > 1) else { return self.all(parts) };
        let over = self.all(parts.clone().filter(|part| is_over(*part))).max(threshold);
        self.all(std::iter::once(over).chain(parts.filter(|part| !is_over(*part))))
    }
}

fn is_over(part: f64) -> bool {
    part > 0.5
}

/// [`Norm::Product`].
pub(super) struct Product;

impl Connectives for Product {
    fn all(&self, parts: impl Iterator<Item = f64> + Clone) -> f64 {
        parts.product()
    }

    /// Written so that small values are not lost in the difference to 1.
    fn any(&self, parts: impl Iterator<Item = f64> + Clone) -> f64 {
        parts.fold(0.0, |sum, part| sum + (1.0 - sum) * part)
    }
}

/// [`Norm::Yager`].
pub(super) struct Yager {
    pub q: f64,
}

impl Connectives for Yager {
    fn all(&self, parts: impl Iterator<Item = f64> + Clone) -> f64 {
        1.0 - self.any(parts.map(|part| 1.0 - part))
    }

    /// Relative to the greatest part, so that high powers of small numbers do not vanish.
    fn any(&self, parts: impl Iterator<Item = f64> + Clone) -> f64 {
        let greatest = parts.clone().fold(0.0, f64::max);
        if greatest == 0.0 {
            return 0.0;
        }
        let sum: f64 = parts.map(|part| (part / greatest).powf(self.q)).sum();
        (greatest * sum.powf(self.q.recip())).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts in all orders of a few rotations and a reversal.
    fn orders(parts: &[f64]) -> Vec<Vec<f64>> {
        let rotations = (0..parts.len()).map(|by| {
            let mut turned = parts.to_vec();
            turned.rotate_left(by);
            turned
        });
        rotations.flat_map(|turned| [turned.clone(), turned.into_iter().rev().collect()]).collect()
    }

    /// The threshold rule as printed in book 16.5, two parts at a time from the left.
    fn as_printed(parts: &[f64], threshold: f64) -> f64 {
        parts
            .iter()
            .copied()
            .reduce(|a, b| if a > 0.5 && b > 0.5 { (a * b).max(threshold) } else { a * b })
            .unwrap()
    }

    #[test]
    fn norms_stay_in_range_and_have_their_neutral_elements() {
        let yager = |q| Yager { q };
        for q in [0.01, 0.5, 1.0, 2.0, 7.5, 64.0, 1e6, f64::INFINITY] {
            for x in [0.0, 1e-9, 0.1, 0.5, 0.9, 1.0] {
                for y in [0.0, 1e-9, 0.1, 0.5, 0.9, 1.0] {
                    let both = yager(q).all([x, y].into_iter());
                    let either = yager(q).any([x, y].into_iter());
                    assert!((0.0..=x.min(y) + 1e-12).contains(&both), "T({x},{y}) = {both} for q = {q}");
                    assert!((x.max(y) - 1e-12..=1.0).contains(&either), "S({x},{y}) = {either} for q = {q}");
                }
                assert!((yager(q).all([x, 1.0].into_iter()) - x).abs() < 1e-12);
                assert!((yager(q).any([x, 0.0].into_iter()) - x).abs() < 1e-12);
            }
        }
        assert_eq!(Product.all(std::iter::empty()), 1.0);
        assert_eq!(Product.any(std::iter::empty()), 0.0);
        assert_eq!(yager(2.0).all(std::iter::empty()), 1.0);
        assert_eq!(yager(2.0).any(std::iter::empty()), 0.0);
    }

    #[test]
    fn some_members_of_yagers_family() {
        // q = 1: bounded sum and difference.
        assert!((Yager { q: 1.0 }.any([0.3, 0.4].into_iter()) - 0.7).abs() < 1e-12);
        assert!((Yager { q: 1.0 }.all([0.3, 0.8].into_iter()) - 0.1).abs() < 1e-12);
        // q = 2: 0.6 and 0.8 are a right angle's sides; without the clip 0.9 and 0.9 would give 1.27.
        assert!((Yager { q: 2.0 }.any([0.6, 0.8].into_iter()) - 1.0).abs() < 1e-12);
        assert_eq!(Yager { q: 2.0 }.any([0.9, 0.9].into_iter()), 1.0);
        assert_eq!(Yager { q: 2.0 }.all([0.1, 0.1].into_iter()), 0.0);
        // No power at all: the greatest and the smallest.
        assert_eq!(Yager { q: f64::INFINITY }.any([0.3, 0.4, 0.4].into_iter()), 0.4);
        assert!((Yager { q: f64::INFINITY }.all([0.3, 0.4].into_iter()) - 0.3).abs() < 1e-12);
    }

    #[test]
    fn the_threshold_does_not_depend_on_the_order() {
        let parts = [0.9, 0.9, 0.1, 0.9, 0.7, 0.9, 0.3, 0.9];
        for order in orders(&parts) {
            let truth = Product.conjunction(Some(0.6), order.iter().copied());
            assert!((truth - 0.6 * 0.1 * 0.3).abs() < 1e-15, "{order:?}: {truth}");
        }
        // As printed it does.
        let printed: Vec<f64> = orders(&parts).iter().map(|order| as_printed(order, 0.6)).collect();
        assert!(printed.iter().any(|value| (value - printed[0]).abs() > 1e-4), "{printed:?}");
        // Of two parts both are the same, if one of them is not between 0.5 and the threshold.
        for [a, b] in [[0.9, 0.9], [0.9, 0.1], [0.7, 0.6], [0.2, 0.3], [0.6, 0.5]] {
            let truth = Product.conjunction(Some(0.6), [a, b].into_iter());
            assert!((truth - as_printed(&[a, b], 0.6)).abs() < 1e-15);
        }
    }

    #[test]
    fn with_a_threshold_what_is_true_is_more_than_half_true() {
        for count in 1..200 {
            let parts = vec![0.9; count];
            assert!(Product.conjunction(Some(0.6), parts.iter().copied()) > 0.5);
            assert!(Yager { q: 2.0 }.conjunction(Some(0.6), parts.iter().copied()) > 0.5);
        }
    }
}
