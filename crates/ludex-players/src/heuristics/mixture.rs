//! Several heuristics as one.

use ludex_analysis::knowledge::Topics;
use ludex_game::{Answer, Goal, RoleId, State};
use ludex_logic::Budget;

use super::{Feature, LearnedFrom};
use crate::explorer::{Explorer, OpenedState};
use crate::strategy::Arena;

/// The mean of some features, each with a weight that was given.
pub struct Mixture {
    parts: Vec<(f64, Box<dyn Feature>)>,
}

impl std::fmt::Debug for Mixture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let weights: Vec<f64> = self.parts.iter().map(|(weight, _)| *weight).collect();
        f.debug_struct("Mixture").field("weights", &weights).finish_non_exhaustive()
    }
}

impl Mixture {
    /// A mixture of features with their weights; `None` unless all weights are over 0 and finite.
    pub fn new(parts: Vec<(f64, Box<dyn Feature>)>) -> Option<Self> {
        let is_good =
            !parts.is_empty() && parts.iter().all(|(weight, _)| *weight > 0.0 && weight.is_finite());
        is_good.then_some(Self { parts })
    }

    fn features(&mut self) -> impl Iterator<Item = &mut Box<dyn Feature>> {
        self.parts.iter_mut().map(|(_, feature)| feature)
    }
}

impl Feature for Mixture {
    fn wants(&self) -> Topics {
        self.parts.iter().fold(Topics::NONE, |all, (_, feature)| all.and(feature.wants()))
    }

    fn sit(&mut self, arena: &Arena) {
        self.features().for_each(|feature| feature.sit(arena));
    }

    fn inform(&mut self, arena: &Arena) {
        self.features().for_each(|feature| feature.inform(arena));
    }

    fn score(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (weight, feature) in &mut self.parts {
            sum += *weight * feature.score(explorer, position, role)?;
            weights += *weight;
        }
        Ok(sum / weights)
    }

    /// Each in its share of the time.
    fn learn(&mut self, arena: &Arena, budget: &Budget, seed: u64) -> Answer<LearnedFrom> {
        let count = self.parts.len();
        let mut all = LearnedFrom::default();
        for (done, feature) in self.features().enumerate() {
            let share = budget.clone().with_share_of_time(1.0 / (count - done) as f64);
            let from = feature.learn(arena, &share, seed)?;
            all = LearnedFrom { games: all.games + from.games, examples: all.examples + from.examples };
        }
        Ok(all)
    }

    fn analysis(&mut self, end: &State, goals: &[Goal]) {
        self.features().for_each(|feature| feature.analysis(end, goals));
    }
}
