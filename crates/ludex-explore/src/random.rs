//! Actions at random.

use ludex_game::Rng;
use ludex_logic::Budget;
use ludex_match::blind::Structure;

use crate::player::BlindPlayer;

/// One of its actions, whatever it perceives.
#[derive(Debug)]
pub struct RandomBlindPlayer {
    actions: Vec<String>,
    rng: Rng,
}

impl RandomBlindPlayer {
    /// A player of a role.
    pub fn new(structure: &Structure, role: usize, seed: u64) -> Self {
        Self { actions: structure.actions.get(role).cloned().unwrap_or_default(), rng: Rng::from_seed(seed) }
    }
}

impl BlindPlayer for RandomBlindPlayer {
    fn begin(&mut self, _: &[String]) {}

    fn choose(&mut self, _: &Budget) -> String {
        match self.actions.len() {
            0 => String::new(),
            count => self.actions[self.rng.below(count as u64) as usize].clone(),
        }
    }

    fn observe(&mut self, _: &str, _: &[String]) {}

    fn end(&mut self) {}
}
