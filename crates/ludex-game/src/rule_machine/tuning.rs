//! Join orders from a sample of states.

use ludex_logic::{Budget, LimitError};

use super::RuleMachine;
use crate::error::{Answer, GameError};
use crate::machine::{Machine, Runner};
use crate::rng::Rng;
use crate::signature::RoleId;

/// Random games played to see how large relations are.
const GAMES: u64 = 4;
/// States looked at per game; they lie ever further apart.
const STATES: u32 = 12;
/// Steps of inference for one question of the sample; a question that takes more is given up.
const QUESTION: u64 = 3_000_000;

impl RuleMachine {
    /// Plays a few random games and plans again with what was seen. One state would not do: an order
    /// that is good at the beginning can be very bad later.
    pub(super) fn tune(&mut self, budget: &Budget) -> Answer<()> {
        let mut statistics = self.evaluator.statistics();
        let limited = budget.clone().with_work(QUESTION);
        for seed in 0..GAMES {
            match self.sample_game(seed, &limited, &mut statistics) {
                Ok(()) | Err(GameError::Limit(LimitError::Work { .. })) => {}
                // A stuck role or a move without effect is for whoever plays to find out.
                Err(GameError::NoLegalMove { .. } | GameError::UnknownAction { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let evaluator = self.evaluator.with_statistics(statistics, budget);
        let evaluator = evaluator.map_err(|e| match e {
            ludex_logic::evaluator::EvaluatorError::Limit(limit) => GameError::Limit(limit),
            other => GameError::Unrunnable { reason: other.to_string() },
        })?;
        self.set_evaluator(evaluator);
        Ok(())
    }

    fn sample_game(
        &self,
        seed: u64,
        budget: &Budget,
        statistics: &mut ludex_logic::evaluator::Statistics,
    ) -> Answer<()> {
        let mut rng = Rng::from_seed(seed);
        let mut runner = self.new_runner(budget);
        let roles = self.signature().roles().len() as u32;
        let (mut step, mut next_look, mut looks) = (0u32, 0u32, 0u32);
        while looks < STATES && !runner.terminal()? {
            let mut joint = Vec::with_capacity(roles as usize);
            for role in 0..roles {
                let list = runner.legal(RoleId(role))?;
                match rng.pick(list) {
                    Some(&action) => joint.push(action),
                    None => return Ok(()),
                }
            }
            if step == next_look {
                runner.prepare_step(&joint)?;
                runner.compute_all()?;
                self.evaluator.sample(runner.session(), statistics);
                looks += 1;
                next_look += 1 + step / 3;
            }
            runner.step(&joint)?;
            step += 1;
        }
        Ok(())
    }
}
