//! Random games from a state to the end (book 8.2: depth charges).

use ludex_game::{Answer, GameError, Rng, RoleId, Runner};
use ludex_logic::{Budget, Meter};

/// What a question to a machine counts as, in steps of inference.
const STEP_COST: u64 = 64;

/// Plays games at random, one after the other, within a budget, and counts them.
///
/// A game that is stuck, because a role has no legal move, or that is not over at the step limit,
/// counts what its last state is worth. Where the rules give a role no single value, it counts 0.
pub(crate) struct Simulation {
    /// What each role got in the last game, 0 to 100.
    pub goals: Vec<f64>,
    /// How many games were played.
    pub playouts: u64,
    rng: Rng,
    step_limit: u32,
    meter: Meter,
}

impl Simulation {
    /// No game yet.
    pub fn new(roles: usize, seed: u64, step_limit: u32, budget: &Budget) -> Self {
        Self {
            goals: vec![0.0; roles],
            playouts: 0,
            rng: Rng::from_seed(seed),
            step_limit,
            meter: budget.meter(),
        }
    }

    /// The source of chances, for choices outside the random games.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Spends work outside the random games.
    pub fn spend(&mut self, questions: u64) -> Answer<()> {
        Ok(self.meter.spend(questions * STEP_COST)?)
    }

    /// Plays on from the runner's current state to the end.
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    pub fn play(&mut self, runner: &mut dyn Runner) -> Answer<()> {
        match runner.playout(&mut self.rng, self.step_limit) {
            Ok(playout) => {
                self.meter.spend((1 + u64::from(playout.steps)) * STEP_COST)?;
                for (goal, found) in self.goals.iter_mut().zip(playout.goals) {
                    *goal = f64::from(found.unwrap_or(0));
                }
            }
            Err(GameError::NoLegalMove { .. }) => {
                self.meter.spend(STEP_COST)?;
                self.read_goals(runner)?;
            }
            Err(error) => return Err(error),
        }
        self.playouts += 1;
        Ok(())
    }

    /// Takes what the runner's current state is worth for the result of a game.
    pub fn read_goals(&mut self, runner: &mut dyn Runner) -> Answer<()> {
        for (role, goal) in (0..).map(RoleId).zip(&mut self.goals) {
            *goal = f64::from(runner.goal(role)?.unwrap_or(0));
        }
        Ok(())
    }
}
