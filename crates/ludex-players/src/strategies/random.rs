//! The strategy `random`.

use ludex_game::{Belief, BeliefError, BeliefOptions, News, Rng};
use ludex_logic::Budget;

use crate::known_moves::moves_to_choose_from;
use crate::player::{Choice, Player, PlayerError, Seat};
use crate::registry::BuiltIn;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "random",
    description: "any legal move, with equal likelihood (4.4)",
    options: &[],
    make: |_, resources| Ok(Box::new(RandomPlayer::new(resources.seed))),
};

/// Plays any legal move, with equal likelihood (book 4.4).
#[derive(Debug)]
pub struct RandomPlayer {
    seed: u64,
    rng: Rng,
    belief: Option<Belief>,
}

impl RandomPlayer {
    /// A player that plays equally for equal seeds.
    pub fn new(seed: u64) -> Self {
        Self { seed, rng: Rng::from_seed(seed), belief: None }
    }
}

impl Player for RandomPlayer {
    fn prepare(&mut self, seat: Seat, _budget: &Budget) -> Result<(), PlayerError> {
        self.rng = Rng::from_seed(self.seed);
        let options = BeliefOptions::of_player(self.rng.bits());
        self.belief = Some(seat.belief(options));
        Ok(())
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let (moves, mut report) =
            moves_to_choose_from(self.belief.as_mut().ok_or(PlayerError::NotPrepared)?, None, budget)?;
        let action = *self.rng.pick(&moves).ok_or(BeliefError::NoMove)?;
        report.policy = moves.iter().map(|&action| (action, 1.0 / moves.len() as f64)).collect();
        Ok(Choice { action, report })
    }

    fn observe(&mut self, news: &News) {
        if let Some(belief) = &mut self.belief {
            belief.observe(news);
        }
    }
}
