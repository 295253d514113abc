//! The strategy `legal`.

use ludex_game::{Belief, BeliefError, BeliefOptions, News};
use ludex_logic::Budget;

use crate::known_moves::moves_to_choose_from;
use crate::player::{Choice, Player, PlayerError, Seat};
use crate::registry::BuiltIn;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "legal",
    description: "the first legal move in canonical order (4.3)",
    options: &[],
    make: |_, resources| Ok(Box::new(LegalPlayer::new(resources.seed))),
};

/// Plays the first legal move in canonical order (book 4.3).
#[derive(Debug)]
pub struct LegalPlayer {
    seed: u64,
    belief: Option<Belief>,
}

impl LegalPlayer {
    /// A player; the seed is for the states it samples in GDL-II.
    pub fn new(seed: u64) -> Self {
        Self { seed, belief: None }
    }
}

impl Player for LegalPlayer {
    fn prepare(&mut self, seat: Seat, _budget: &Budget) -> Result<(), PlayerError> {
        let options = BeliefOptions::of_player(self.seed);
        self.belief = Some(seat.belief(options));
        Ok(())
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let (moves, mut report) =
            moves_to_choose_from(self.belief.as_mut().ok_or(PlayerError::NotPrepared)?, None, budget)?;
        let action = *moves.first().ok_or(BeliefError::NoMove)?;
        report.policy = vec![(action, 1.0)];
        Ok(Choice { action, report })
    }

    fn observe(&mut self, news: &News) {
        if let Some(belief) = &mut self.belief {
            belief.observe(news);
        }
    }
}
