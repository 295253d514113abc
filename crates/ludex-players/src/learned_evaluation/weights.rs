//! The weights of facts.

/// How large the first steps of learning are.
const STEP: f32 = 0.02;
/// What is added to the sum of squares, so that the first steps are not the largest.
const CALM: f32 = 0.1;

/// What each fact that holds in a state says of what the state is worth to each role: the logistic function of the
/// sum of their weights.
///
/// States are words in which each bit is a fact, as those of machines that play in lanes.
#[derive(Clone, Debug)]
pub(crate) struct FactWeights {
    roles: usize,
    /// Whether two roles have 1 together, so that the weights for the first one are enough.
    is_shared: bool,
    /// Per fact, and for each role that has weights of its own, the weight. The last row holds always.
    weights: Vec<f32>,
    /// How much each weight was changed already: the sum of the squares of the slopes.
    squares: Vec<f32>,
}

impl FactWeights {
    /// One that knows nothing: each role is expected to get one half. `is_shared` says that what two roles get is
    /// 1 together.
    pub fn new(roles: usize, words: usize, is_shared: bool) -> Self {
        let count = (64 * words + 1) * if is_shared { 1 } else { roles };
        Self { roles, is_shared, weights: vec![0.0; count], squares: vec![CALM; count] }
    }

    /// The number of roles that have weights of their own.
    pub fn width(&self) -> usize {
        if self.is_shared { 1 } else { self.roles }
    }

    /// What a state is worth to a role, 0 to 1.
    pub fn evaluate(&self, words: &[u64], role: usize) -> f32 {
        let width = self.width();
        let column = if self.is_shared { 0 } else { role };
        let sum: f32 = places(words).map(|place| self.weights[place * width + column]).sum();
        let value = logistic(sum + self.weights[self.weights.len() - width + column]);
        if self.is_shared && role == 1 { 1.0 - value } else { value }
    }

    /// What a state is worth to each role.
    pub fn evaluate_all(&self, words: &[u64], values: &mut [f64]) {
        for (role, value) in values.iter_mut().enumerate() {
            *value = f64::from(self.evaluate(words, role));
        }
    }

    /// Draws what is said of a state towards what it turned out to be worth to a role: a step along the slope of
    /// the logarithmic loss, with a size of its own for each weight (AdaGrad: Duchi, Hazan and Singer, 2011).
    pub fn learn(&mut self, words: &[u64], role: usize, error: f32) {
        let width = self.width();
        let (column, error) = match role {
            1 if self.is_shared => (0, -error),
            0 if self.is_shared => (0, error),
            _ => (role, error),
        };
        let always = self.weights.len() / width - 1;
        for place in places(words).chain([always]) {
            let at = place * width + column;
            self.squares[at] += error * error;
            self.weights[at] += STEP * error / self.squares[at].sqrt();
        }
    }
}

fn logistic(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

/// The numbers of the bits that are set.
fn places(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(number, &word)| {
        std::iter::successors((word != 0).then_some(word), |&rest| {
            let rest = rest & (rest - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |rest| 64 * number + rest.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_set_bits_are_found() {
        assert_eq!(places(&[]).count(), 0);
        assert_eq!(places(&[0, 0]).count(), 0);
        let words = [0b1001, 0, u64::MAX];
        let expected: Vec<usize> = [0, 3].into_iter().chain(128..192).collect();
        assert_eq!(places(&words).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_fact_that_decides_is_found_among_others() {
        // Bit 2 wins, bit 5 loses, the others say nothing.
        let worth = |word: u64| match (word >> 2 & 1, word >> 5 & 1) {
            (1, 0) => 1.0,
            (0, 1) => 0.0,
            _ => 0.5,
        };
        let mut learned = FactWeights::new(2, 1, true);
        assert_eq!((learned.evaluate(&[0b100], 0), learned.evaluate(&[0b100], 1)), (0.5, 0.5));
        for round in 0..20_000u64 {
            let word = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
            let said = learned.evaluate(&[word], 0);
            learned.learn(&[word], 0, worth(word) - said);
        }
        for word in 0..256 {
            let said = learned.evaluate(&[word], 0);
            assert!((said - worth(word)).abs() < 0.15, "{word:b}: {said}");
            assert!((learned.evaluate(&[word], 1) - (1.0 - said)).abs() < 1e-6);
        }
    }

    #[test]
    fn roles_that_share_nothing_have_weights_of_their_own() {
        let mut learned = FactWeights::new(3, 1, false);
        for _ in 0..1000 {
            for (role, worth) in [0.9, 0.9, 0.1].into_iter().enumerate() {
                let said = learned.evaluate(&[1], role);
                learned.learn(&[1], role, worth - said);
            }
        }
        let mut values = [0.0; 3];
        learned.evaluate_all(&[1], &mut values);
        assert!(values[0] > 0.8 && values[1] > 0.8 && values[2] < 0.2, "{values:?}");
    }
}
