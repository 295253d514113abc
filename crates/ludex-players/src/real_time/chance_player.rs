//! A player that moves at random, at random times.

use ludex_game::Rng;
use ludex_gdl::GameTime;
use ludex_logic::Budget;

use super::knowledge::{PresentKnowledge, legal_in_most};
use super::player::{AskAgain, Decision, TimedNews, TimedPlayer, TimedSeat};
use crate::player::PlayerError;

/// Makes a random legal move, after a random time.
///
/// As soon as it is asked, it draws a time, evenly from those up to twice the mean. When that has come, it draws one of the
/// moves that are legal then, makes it, and draws the next time.
pub struct TimedRandomPlayer {
    seed: u64,
    mean: GameTime,
    rng: Rng,
    due: Option<GameTime>,
    knowledge: Option<(TimedSeat, PresentKnowledge)>,
}

impl TimedRandomPlayer {
    /// A player that waits for `mean` on the average, in units of game time.
    pub fn new(seed: u64, mean: GameTime) -> Self {
        Self { seed, mean, rng: Rng::from_seed(seed), due: None, knowledge: None }
    }
}

impl TimedPlayer for TimedRandomPlayer {
    fn prepare(&mut self, seat: TimedSeat, budget: &Budget) -> Result<(), PlayerError> {
        self.rng = Rng::from_seed(self.seed);
        self.due = None;
        let knowledge = PresentKnowledge::new(&seat, self.seed, budget)?;
        self.knowledge = Some((seat, knowledge));
        Ok(())
    }

    fn observe(&mut self, news: &TimedNews) {
        let Some((_, knowledge)) = &mut self.knowledge else { return };
        // Who lost track goes on with what it knew: nothing that it does is illegal for long.
        let _ = knowledge.observe(news, &Budget::unlimited());
    }

    fn decide(&mut self, now: GameTime, budget: &Budget) -> Result<Decision, PlayerError> {
        let Some((seat, knowledge)) = &mut self.knowledge else { return Err(PlayerError::NotPrepared) };
        let mut action = None;
        if self.due.is_some_and(|due| due <= now) {
            knowledge.advance(now, budget)?;
            let mut runner = seat.machine.runner(budget);
            let legal = legal_in_most(knowledge.moments(), seat.role, &mut *runner)?;
            action = self.rng.pick(&legal).copied();
            self.due = None;
        }
        let due = match self.due {
            Some(due) => due,
            None => {
                let wait = 1 + self.rng.below(self.mean.units().saturating_mul(2));
                GameTime::from_units(now.units().saturating_add(wait)).unwrap_or(GameTime::MAX)
            }
        };
        self.due = Some(due);
        Ok(Decision { action, ..Decision::wait(AskAgain::At(due)) })
    }
}
