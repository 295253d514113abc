//! The strategy `legal`.

use ludex_logic::Budget;

use super::{Belief, BeliefError, BeliefOptions, Choice, News, Player, PlayerError, Seat};

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
        let options = BeliefOptions { seed: self.seed, ..BeliefOptions::default() };
        self.belief = Some(Belief::new(seat, options));
        Ok(())
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let (moves, report) = super::moves_to_choose_from(&mut self.belief, budget)?;
        let action = *moves.first().ok_or(BeliefError::NoMove)?;
        Ok(Choice { action, report })
    }

    fn observe(&mut self, news: &News) {
        if let Some(belief) = &mut self.belief {
            belief.observe(news);
        }
    }
}
