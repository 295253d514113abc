//! What random games from a state show of a game before it is searched.

use std::time::Duration;

use ludex_game::{
    Answer, AtLimit, Batch, BatchOptions, DecisiveMoves, GameError, Outcomes, PlayoutRecord, Policy, RoleId,
    Stakes, Start,
};
use ludex_logic::{Budget, LimitError};

use super::graph::BEST;
use super::horizon;
use super::objective::{Objective, ObjectiveOption, Parties};
use super::options::{StepsOption, TreeOptions};
use super::proving;
use super::search::Root;
use super::utility::{ENOUGH, UtilityType, mean_steps};
use crate::explorer::Explorer;
use crate::learned_evaluation::{TrainingGame, Values};
use crate::proof_number::Prizes;
use crate::strategy::Turn;

/// So many random games are played.
const PLAYOUTS: u32 = 512;
/// The part of a turn that they may take.
const SHARE: f64 = 0.2;
/// How often a role takes a move back at one state, where playouts see one move ahead.
const RETRIES: u32 = 8;

/// What random games show of a game.
#[derive(Clone, Debug)]
pub(crate) struct PlayoutProfile {
    /// What the goals of the roles have to do with each other.
    pub(super) utility: UtilityType,
    /// What is played for.
    pub(super) objective: Objective,
    /// Playouts had better end after so many steps, where that is before the game does.
    pub horizon: Option<u32>,
    /// What roles win and lose. Nothing where they are partners, who have no reason to prevent each other's wins.
    pub stakes: Option<DecisiveMoves>,
    /// How many steps random games have.
    pub length: f64,
    /// What the player can get, where that is little enough to prove what it can force.
    pub prizes: Option<Prizes>,
}

impl PlayoutProfile {
    /// What the roles are to each other when all play for the objective.
    pub fn utility_of_objective(&self) -> UtilityType {
        self.objective.utility(self.utility)
    }

    /// The game that begins in the state of a turn, to learn from. The values are those of the objective.
    pub(super) fn training_game<'g>(
        &self,
        turn: &'g Turn<'_>,
        root: &'g Root,
        values: &'g Values<'g>,
    ) -> TrainingGame<'g> {
        let is_shared = self.utility_of_objective() == UtilityType::ConstantSum { sum: BEST };
        TrainingGame {
            start: turn.state.words(),
            legal: &root.legal,
            random: turn.arena.signature().random().map(RoleId::index),
            is_shared: root.legal.len() == 2 && is_shared,
            length: self.length,
            seed: turn.seed,
            tuples: None,
            turn: Vec::new(),
            values,
        }
    }
}

/// Plays random games until there are enough for a profile, over several turns where they are slow.
#[derive(Debug, Default)]
pub(crate) struct Profiler {
    /// The ends of random games so far.
    ends: Vec<PlayoutRecord>,
    /// So much time was not enough to see a single end.
    in_vain: Duration,
}

impl Profiler {
    /// Plays in a part of the time of a turn; `None` where that is not enough yet, or would only be in vain again.
    ///
    /// # Errors
    /// That the turn is called off, or what the machine answers.
    pub fn profile(&mut self, options: &TreeOptions, turn: &Turn<'_>) -> Answer<Option<PlayoutProfile>> {
        let time = turn.budget.time_left().map(|left| left.mul_f64(SHARE));
        if time.is_some_and(|time| time < 2 * self.in_vain) {
            return Ok(None);
        }
        let budget = turn.budget.clone().with_share_of_time(SHARE);
        let mut batch = turn.arena.machine.batch(&BatchOptions { budget: budget.clone(), records: true });
        self.play(options.steps.limit(), turn, &mut *batch)?;
        if let (Some(time), true) = (time, self.ends.is_empty()) {
            self.in_vain = time;
        }
        if self.ends.len() < ENOUGH {
            return Ok(None);
        }
        let (utility, objective) = self.utility(options, turn)?;
        // Without a clock nothing says what playouts cost.
        let finds = options.steps == StepsOption::Auto && budget.clock().is_some() && batch.width() > 1;
        let horizon = match finds {
            true => self.horizon(objective, options.steps.limit(), turn, (&mut *batch, &budget))?,
            false => None,
        };
        let ends = std::mem::take(&mut self.ends);
        let signature = turn.arena.signature();
        Ok(Some(PlayoutProfile {
            utility,
            objective,
            horizon,
            stakes: stakes(&ends, utility, signature.roles().len(), signature.random()),
            length: mean_steps(&ends),
            prizes: proving::prizes(&ends, objective, utility, turn.arena.role.index()),
        }))
    }

    /// Plays in parts, so that a slow game shows something in time.
    fn play(&mut self, step_limit: u32, turn: &Turn<'_>, batch: &mut dyn Batch) -> Answer<()> {
        let part = (batch.width() as u32).min(PLAYOUTS).max(ENOUGH as u32 / 4);
        let policy = Policy { at_limit: AtLimit::Goals, ..Policy::uniform(step_limit) };
        let mut outcomes = Outcomes::default();
        while self.ends.len() < PLAYOUTS as usize {
            let start = Start { state: turn.state.clone(), playouts: part };
            let seed = turn.seed.wrapping_add(self.ends.len() as u64);
            let played = batch.playouts(&[start], &policy, seed, &mut outcomes);
            if unless_called_off(played)?.is_none() {
                break;
            }
            self.ends.append(&mut outcomes.records);
        }
        Ok(())
    }

    /// What the ends say of the roles.
    fn utility(&self, options: &TreeOptions, turn: &Turn<'_>) -> Answer<(UtilityType, Objective)> {
        let signature = turn.arena.signature();
        let (roles, random) = (signature.roles().len(), signature.random().map(RoleId::index));
        let utility = UtilityType::of(&self.ends, roles, random);
        let parties = Parties { roles, random, is_simultaneous: is_simultaneous(turn)? };
        let objective = match (options.objective, turn.arena.introduction.aim) {
            (ObjectiveOption::Auto, Some(aim)) if options.setting => {
                Objective::of_aim(aim, turn.arena.role.index(), &self.ends, utility, parties)
            }
            (option, _) => Objective::of(option, &self.ends, utility, parties),
        };
        Ok((utility, objective))
    }

    /// When playouts are to end.
    fn horizon(
        &self,
        objective: Objective,
        step_limit: u32,
        turn: &Turn<'_>,
        (batch, budget): (&mut dyn Batch, &Budget),
    ) -> Answer<Option<u32>> {
        let found = horizon::find(turn, batch, budget, &self.ends, objective, step_limit);
        Ok(unless_called_off(found)?.flatten())
    }
}

/// What was found within the limits; who is called off has not found out that there is no time.
fn unless_called_off<T>(found: Answer<T>) -> Answer<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(GameError::Limit(limit)) if limit != LimitError::Cancelled => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether several roles have a choice in the state of a turn.
fn is_simultaneous(turn: &Turn<'_>) -> Answer<bool> {
    let patient = turn.budget.clone().without_deadline();
    let position = Explorer::within(turn.arena, &patient).open(turn.state)?;
    Ok(position.legal.iter().filter(|moves| moves.len() > 1).count() > 1)
}

/// What the roles win and lose, as far as the ends of some playouts show.
fn stakes(
    records: &[PlayoutRecord],
    utility: UtilityType,
    roles: usize,
    random: Option<RoleId>,
) -> Option<DecisiveMoves> {
    if utility == UtilityType::Cooperative {
        return None;
    }
    let stakes = |role: usize| {
        if random.is_some_and(|random| random.index() == role) {
            return None;
        }
        let ends = records.iter().filter(|record| record.fault.is_none());
        let goals = ends.filter_map(|record| record.goals.get(role).copied().flatten());
        let (loss, win) = (goals.clone().min()?, goals.max()?);
        Some(if loss < win { Stakes { win, loss } } else { Stakes { win: 100, loss: 0 } })
    };
    Some(DecisiveMoves { stakes: (0..roles).map(stakes).collect(), retries: RETRIES })
}
