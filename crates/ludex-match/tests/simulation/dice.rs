//! The chances of a world.

use std::time::Duration;

use ludex_game::Rng;

/// Chances that one seed decides.
pub(crate) struct Dice(Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Rng::from_seed(seed))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    /// Whether something happens that happens so many times in a thousand.
    pub(crate) fn in_thousand(&mut self, times: u64) -> bool {
        self.0.below(1_000) < times
    }

    /// A number of milliseconds, both ends possible.
    pub(crate) fn time(&mut self, (least, most): (u64, u64)) -> Duration {
        Duration::from_millis(least + self.0.below(most.saturating_sub(least) + 1))
    }

    /// One of some things, of which there is one at least.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        self.0.pick(items).expect("there is something to choose from")
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.bits()
    }
}
