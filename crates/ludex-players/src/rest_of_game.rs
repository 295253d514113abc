//! How much of a game is still to come, by random games.

use ludex_game::{ActionId, Answer, Machine, Rng, RoleId, Runner, State};
use ludex_logic::{Budget, Meter};

/// So many random games are played at most.
const GAMES: u32 = 12;
/// They end after so many steps.
const STEP_LIMIT: u32 = 400;
/// What a question to a machine counts as, in steps of inference.
const QUESTION_COST: u64 = 64;

/// What is to come of a game from a state on, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RestOfGame {
    /// Steps until it is over.
    pub steps: f64,
    /// Those among them in which the role has a choice.
    pub choices: f64,
}

impl RestOfGame {
    /// Plays random games from a state, in which a role has a choice: nothing where not even a step of one is made
    /// within the budget.
    pub fn of(
        machine: &dyn Machine,
        state: &State,
        role: RoleId,
        budget: &Budget,
        seed: u64,
    ) -> Option<Self> {
        let mut sample =
            Sample { runner: machine.runner(budget), rng: Rng::from_seed(seed), meter: budget.meter() };
        let roles = machine.signature().roles().len() as u32;
        let mut sum = Self { steps: 0.0, choices: 0.0 };
        let mut games = 0.0;
        for _ in 0..GAMES {
            let mut game = Self { steps: 0.0, choices: 0.0 };
            let is_whole = sample.play(state, role, roles, &mut game).is_ok();
            // What was seen of a game that took too long is better than nothing.
            if game.steps > 0.0 && (is_whole || games == 0.0) {
                (sum.steps, sum.choices) = (sum.steps + game.steps, sum.choices + game.choices);
                games += 1.0;
            }
            if !is_whole {
                break;
            }
        }
        (games > 0.0).then(|| Self { steps: sum.steps / games, choices: sum.choices / games })
    }

    /// The same after a step in which the role had a choice.
    pub fn after_choice(self) -> Self {
        Self { steps: (self.steps - 1.0).max(1.0), choices: (self.choices - 1.0).max(1.0) }
    }
}

/// What random games are played with.
struct Sample<'m> {
    runner: Box<dyn Runner + 'm>,
    rng: Rng,
    meter: Meter,
}

impl Sample<'_> {
    /// Plays a game from a state, and counts it as it goes along.
    fn play(&mut self, state: &State, role: RoleId, roles: u32, game: &mut RestOfGame) -> Answer<()> {
        self.runner.set(state)?;
        let mut joint: Vec<ActionId> = Vec::new();
        for _ in 0..STEP_LIMIT {
            self.meter.spend(u64::from(1 + roles) * QUESTION_COST)?;
            // So much at least is done in a time that is over.
            self.meter.check()?;
            if self.runner.terminal()? {
                break;
            }
            joint.clear();
            for mover in (0..roles).map(RoleId) {
                let legal = self.runner.legal(mover)?;
                let Some(&action) = self.rng.pick(legal) else { return Ok(()) };
                game.choices += f64::from(u8::from(mover == role && legal.len() > 1));
                joint.push(action);
            }
            game.steps += 1.0;
            self.runner.step_legal(&joint)?;
        }
        Ok(())
    }
}
