//! What may happen from a moment on: joint decisions, and playouts.

use std::hash::{Hash, Hasher};

use ludex_game::{
    DecisionMoments, Goal, Moment, Pace, Rng, RoleId, TimedAnswer, TimedMachine, TimedPlayoutOptions,
    TimedRunner,
};
use ludex_gdl::GameTime;
use ludex_logic::TermId;
use rustc_hash::FxHasher;

/// So many events make a playout, at most.
pub(super) const LONGEST: u32 = 400;
/// Where a playout is cut off and the rules give no value yet.
const UNKNOWN: f64 = 0.5;

/// What it takes to go on from a moment.
pub(super) struct Course<'c> {
    pub machine: &'c dyn TimedMachine,
    pub runner: &'c mut dyn TimedRunner,
    pub rng: &'c mut Rng,
    pub decisions: &'c DecisionMoments,
}

impl Course<'_> {
    /// Goes on from a moment, of which the runner has the state: these roles move, or all wait for so long. Says what a role
    /// is told meanwhile, as a number that is different where something else is told.
    pub fn step(
        &mut self,
        moment: &mut Moment,
        moves: &[(RoleId, TermId)],
        wait: GameTime,
        hearer: RoleId,
    ) -> TimedAnswer<u64> {
        let mut told = FxHasher::default();
        let mut hear = |runner: &dyn TimedRunner| runner.percepts(hearer).hash(&mut told);
        if moves.is_empty() {
            moment.wait(self.machine, self.runner, self.rng, wait, &mut hear)?;
        } else {
            moment.act(self.machine, self.runner, self.rng, moves, &mut hear)?;
        }
        Ok(told.finish())
    }

    /// Random decisions from a moment on, of which the runner has the state, to the end or until it is too long. The value
    /// for each role, from 0 to 1.
    pub fn playout(&mut self, moment: &Moment) -> TimedAnswer<Vec<f64>> {
        let pace = Pace::Decisions(*self.decisions);
        let options = TimedPlayoutOptions { pace, events: LONGEST, time: GameTime::MAX };
        let played = self.runner.playout(moment.into(), &options, self.rng)?;
        Ok(played.goals.into_iter().map(value).collect())
    }

    /// What the runner's state is worth to each role, from 0 to 1.
    pub fn values(&mut self) -> TimedAnswer<Vec<f64>> {
        let roles = self.machine.roles().len() as u32;
        (0..roles).map(|place| Ok(value(self.runner.goal(RoleId(place))?))).collect()
    }
}

fn value(goal: Option<Goal>) -> f64 {
    goal.map_or(UNKNOWN, |goal| f64::from(goal) / 100.0)
}
