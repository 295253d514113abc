//! What may happen from a moment on: joint decisions, and playouts.

use std::hash::{Hash, Hasher};

use ludex_game::{Moment, Rng, RoleId, TimedAnswer, TimedError, TimedMachine, TimedRunner};
use ludex_gdl::GameTime;
use ludex_logic::TermId;
use rustc_hash::FxHasher;

use super::instants::Instants;

/// So many decisions make a playout, at most.
const LONGEST: u32 = 400;
/// Where a playout is cut off and the rules give no value yet.
const UNKNOWN: f64 = 0.5;

/// What it takes to go on from a moment.
pub(super) struct Course<'c> {
    pub machine: &'c dyn TimedMachine,
    pub runner: &'c mut dyn TimedRunner,
    pub rng: &'c mut Rng,
    pub instants: &'c Instants,
}

impl<'c> Course<'c> {
    pub fn new(
        machine: &'c dyn TimedMachine,
        runner: &'c mut dyn TimedRunner,
        rng: &'c mut Rng,
        instants: &'c Instants,
    ) -> Self {
        Self { machine, runner, rng, instants }
    }

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

    /// Random decisions from a moment on, to the end or until it is too long. The value for each role, from 0 to 1.
    /// `times` is given how long it was, in units, from each update to what expired next.
    pub fn playout(&mut self, mut moment: Moment, mut times: Option<&mut Vec<u64>>) -> TimedAnswer<Vec<f64>> {
        self.runner.set(moment.state())?;
        let mut since_root = GameTime::ZERO;
        let hearer = RoleId(0);
        for _ in 0..LONGEST {
            if moment.is_over() {
                break;
            }
            let mut moves = Vec::new();
            let mut may_move = false;
            for role in self.machine.seats() {
                let legal = self.runner.legal(role)?;
                may_move |= !legal.is_empty();
                // To wait is as likely as to move.
                if self.rng.below(2) == 0
                    && let Some(&action) = self.rng.pick(legal)
                {
                    moves.push((role, action));
                }
            }
            let wait = if may_move {
                self.instants.after(&moment, since_root)
            } else {
                match moment.next_event() {
                    Some(next) => next,
                    None => break,
                }
            };
            let expiry = moment.state().time_to_expiry();
            if moves.is_empty() {
                if let Some(times) = &mut times
                    && moment.next_event() == Some(wait)
                    && let Some(expiry) = expiry
                {
                    times.push(expiry.units());
                }
                since_root = since_root.checked_add(wait).ok_or(TimedError::TooLate)?;
            }
            self.step(&mut moment, &moves, wait, hearer)?;
        }
        self.values()
    }

    /// What the runner's state is worth to each role, from 0 to 1.
    pub fn values(&mut self) -> TimedAnswer<Vec<f64>> {
        let roles = self.machine.roles().len() as u32;
        (0..roles)
            .map(|place| Ok(self.runner.goal(RoleId(place))?.map_or(UNKNOWN, |goal| f64::from(goal) / 100.0)))
            .collect()
    }
}
