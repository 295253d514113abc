//! Random games from new leaves.

use std::time::Duration;

use ludex_game::{Answer, Batch, Outcomes, Start, State};
use ludex_logic::Clock;

use super::{Evaluations, LeafEvaluation, Leaves, Playouts};

/// Plays from the leaves: a leaf is worth what playouts from it bring on average (chapter 8).
#[derive(Default)]
pub(in crate::tree) struct RandomGames<'c> {
    clock: Option<&'c dyn Clock>,
    pub(super) starts: Vec<Start>,
    pub(super) outcomes: Outcomes,
}

impl<'c> RandomGames<'c> {
    /// Random games whose time is taken, where there is a clock.
    pub fn new(clock: Option<&'c dyn Clock>) -> Self {
        Self { clock, ..Self::default() }
    }

    /// Plays from the starts.
    pub(super) fn play(
        &mut self,
        playouts: &Playouts,
        batch: &mut dyn Batch,
        found: &mut Evaluations,
    ) -> Answer<()> {
        let now = || self.clock.map_or(Duration::ZERO, Clock::now);
        let begun = now();
        batch.playouts(&self.starts, &playouts.policy, playouts.seed, &mut self.outcomes)?;
        found.playing += now().saturating_sub(begun);
        found.moves = std::mem::take(&mut self.outcomes.moves);
        for tally in &self.outcomes.tallies {
            found.playouts += u64::from(tally.playouts());
            found.steps += tally.steps;
        }
        Ok(())
    }
}

impl LeafEvaluation for RandomGames<'_> {
    fn evaluate(
        &mut self,
        leaves: &Leaves<'_>,
        playouts: &Playouts,
        batch: &mut dyn Batch,
        found: &mut Evaluations,
    ) -> Answer<()> {
        found.begin(leaves);
        let each = playouts.for_each_leaf(leaves.leaves.len());
        self.starts.clear();
        let start = |words| Start { state: State::new(leaves.tag, words), playouts: each };
        self.starts.extend(leaves.leaves.iter().map(|leaf| start(leaf.words)));
        self.play(playouts, batch, found)?;
        found.starts.extend((0..leaves.leaves.len()).map(|leaf| leaf..leaf + 1));
        for leaf in 0..self.outcomes.tallies.len() {
            leaves.objective.mean_values(&self.outcomes, leaf, found.values_mut(leaf));
        }
        Ok(())
    }
}
