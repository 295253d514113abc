//! A player that keeps a clock of its own, where the match has none.

use std::sync::Arc;
use std::time::Duration;

use ludex::game::TimeTerms;
use ludex::logic::{Budget, Clock, TermId};
use ludex::players::{Choice, Introduction, News, Outcome, Player, PlayerError, Seat, TrainedEvaluation};

/// Gives a player a deadline for everything it is asked. It stands between a person, who may take all
/// the time in the world, and a program that would take it, too.
pub struct OwnClock {
    /// Who plays.
    pub player: Box<dyn Player>,
    /// What the deadlines are measured with.
    pub clock: Arc<dyn Clock>,
    /// The time to get ready.
    pub start: Duration,
    /// The time for each move.
    pub play: Duration,
}

impl Player for OwnClock {
    fn introduce(&mut self, introduction: &Introduction) {
        self.player.introduce(introduction);
    }

    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        self.player.prepare(seat, &budget.clone().with_time(Arc::clone(&self.clock), self.start))
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.player.hear_time(terms);
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        self.player.choose(&budget.clone().with_time(Arc::clone(&self.clock), self.play))
    }

    fn first_thought(&mut self, budget: &Budget) -> Option<TermId> {
        self.player.first_thought(budget)
    }

    fn observe(&mut self, news: &News) {
        self.player.observe(news);
    }

    fn ponder(&mut self, budget: &Budget) {
        self.player.ponder(budget);
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.player.tree_dot(nodes)
    }

    fn learned(&self) -> Option<TrainedEvaluation> {
        self.player.learned()
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.player.finish(outcome);
    }
}
