//! How what is said of states goes with what comes of them.

use super::self_play::Example;
use super::trained::Told;

/// What is said of states beside what came of them, state by state and role by role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeldOut {
    /// How what was learned goes with what came: Pearson's coefficient, -1 to 1.
    pub said: f64,
    /// The same of what playouts brought.
    pub played: f64,
    /// In the mixture of the two that comes nearest to what came (least squares), the part of what was learned, 0 to 1.
    pub share: f64,
}

impl HeldOut {
    /// With the mean number of moves of a role that chooses.
    pub fn among(self, moves: f64) -> Told {
        let Self { said, played, share } = self;
        Told { said, played, share, moves }
    }
}

/// How what the network of this number said of states goes with what came of them: Pearson's coefficient, -1 to 1.
pub(crate) fn correlation_of_examples<'e>(
    examples: impl Iterator<Item = &'e Example>,
    network: usize,
) -> f64 {
    let mut moments: Vec<Moments> = Vec::new();
    for example in examples {
        let roles = example.value.len();
        moments.resize_with(roles, Moments::default);
        for (role, moments) in moments.iter_mut().enumerate() {
            moments.note(0.0, example.said[network * roles + role], example.value[role]);
        }
    }
    let all = moments.iter().fold(Covariances::default(), |all, moments| all.plus(moments.covariances()));
    all.held_out().said
}

/// Sums of what playouts brought, what was said and what came, and of their products.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    count: f64,
    sums: [f64; 3],
    products: [[f64; 3]; 3],
}

impl Moments {
    /// Takes note of a state.
    pub fn note(&mut self, played: f64, said: f64, came: f64) {
        let values = [played, said, came];
        self.count += 1.0;
        for (at, value) in values.iter().enumerate() {
            self.sums[at] += value;
            for (other, product) in values.iter().zip(&mut self.products[at]) {
                *product += value * other;
            }
        }
    }

    /// Without the means.
    pub fn covariances(&self) -> Covariances {
        let of = |a: usize, b: usize| self.products[a][b] - self.sums[a] * self.sums[b] / self.count.max(1.0);
        Covariances([0, 1, 2].map(|a| [0, 1, 2].map(|b| of(a, b))))
    }
}

/// Of what playouts brought, what was said and what came; times the number of examples.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Covariances([[f64; 3]; 3]);

impl Covariances {
    /// Those of both, each about its own mean: that a role wins more often than another is nothing that a state tells.
    pub fn plus(mut self, other: Self) -> Self {
        self.0.as_flattened_mut().iter_mut().zip(other.0.as_flattened()).for_each(|(sum, more)| *sum += more);
        self
    }

    /// What they say.
    pub fn held_out(&self) -> HeldOut {
        const PLAYED: usize = 0;
        const SAID: usize = 1;
        const CAME: usize = 2;
        let of = |a: usize, b: usize| self.0[a][b];
        let correlation = |a: usize, b: usize| {
            let spread = of(a, a) * of(b, b);
            if spread > 0.0 { of(a, b) / spread.sqrt() } else { 0.0 }
        };
        // The slopes of the plane of least squares, without what both have in common.
        let played = of(PLAYED, CAME) * of(SAID, SAID) - of(SAID, CAME) * of(PLAYED, SAID);
        let said = of(SAID, CAME) * of(PLAYED, PLAYED) - of(PLAYED, CAME) * of(PLAYED, SAID);
        let share = match (played > 0.0, said > 0.0) {
            (true, true) => said / (said + played),
            (false, true) => 1.0,
            _ => 0.0,
        };
        HeldOut { said: correlation(SAID, CAME), played: correlation(PLAYED, CAME), share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_out(examples: impl IntoIterator<Item = [f64; 3]>) -> HeldOut {
        let mut moments = Moments::default();
        examples.into_iter().for_each(|[played, said, came]| moments.note(played, said, came));
        moments.covariances().held_out()
    }

    /// All combinations of two numbers, 0, 0.1, 0.2 and so on each.
    fn pairs() -> impl Iterator<Item = (f64, f64)> {
        (0..100).map(|n| (f64::from(n / 10) / 10.0, f64::from(n % 10) / 10.0))
    }

    #[test]
    fn the_mixture_is_found_that_comes_nearest() {
        let found = held_out(pairs().map(|(played, said)| [played, said, 0.25 * played + 0.75 * said]));
        assert!((found.share - 0.75).abs() < 1e-9, "{found:?}");
        // One is as good as the other by itself where they share the variance of what came: 1 to 9.
        assert!((found.said - 0.9f64.sqrt()).abs() < 1e-9 && (found.played - 0.1f64.sqrt()).abs() < 1e-9);
        let twice = held_out(pairs().map(|(played, said)| [played, said, 0.5 * played + 1.5 * said]));
        assert!((twice.share - 0.75).abs() < 1e-9, "by how much they count does not matter: {twice:?}");
    }

    #[test]
    fn what_misleads_has_no_share() {
        let wrong = held_out(pairs().map(|(played, said)| [played, said, played - 0.5 * said]));
        assert_eq!(wrong.share, 0.0, "{wrong:?}");
        let alone = held_out(pairs().map(|(played, said)| [played, said, said - 0.5 * played]));
        assert_eq!(alone.share, 1.0, "{alone:?}");
        let nothing = held_out(pairs().map(|(played, _)| [played, 0.5, played]));
        assert_eq!((nothing.share, nothing.said), (0.0, 0.0));
        assert!((nothing.played - 1.0).abs() < 1e-9);
    }

    #[test]
    fn that_a_role_usually_wins_tells_nothing() {
        let (mut first, mut second) = (Moments::default(), Moments::default());
        for (played, said) in pairs() {
            first.note(played, 0.9, 0.9);
            second.note(played, 0.1 + 0.01 * said, 0.1 + 0.01 * said);
        }
        let both = first.covariances().plus(second.covariances()).held_out();
        assert!((both.said - 1.0).abs() < 1e-6 && both.played.abs() < 1e-6, "{both:?}");
        assert!((both.share - 1.0).abs() < 1e-6, "{both:?}");
    }
}
