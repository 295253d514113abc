//! Batches for machines that run one state at a time.

mod decisive;

use std::sync::Arc;

use ludex_logic::Meter;

use super::{
    AtLimit, Batch, BatchOptions, Expansion, Jobs, Outcomes, PlayoutFault, PlayoutRecord, Policy, Start,
    Wanted,
};
use crate::error::Answer;
use crate::machine::{Machine, Runner};
use crate::rng::Rng;
use crate::signature::{ActionId, Goal, RoleId, Signature};
use crate::state::State;

/// What plays and expands one state after the other, on any machine: [`Machine::batch`] takes this where the
/// machine has no faster way. Few playouts are made sooner so than in lanes, which end all at once.
pub fn one_by_one<'m>(machine: &'m dyn Machine, options: &BatchOptions) -> Box<dyn Batch + 'm> {
    let runner = machine.runner(&options.budget);
    Box::new(OneByOne::new(runner, Arc::clone(machine.signature()), options))
}

/// Plays and expands one state after the other.
pub(crate) struct OneByOne<'m> {
    runner: Box<dyn Runner + 'm>,
    signature: Arc<Signature>,
    options: BatchOptions,
    joint: Vec<ActionId>,
}

impl<'m> OneByOne<'m> {
    /// A batch over a runner whose limits are those of the options.
    pub(crate) fn new(
        runner: Box<dyn Runner + 'm>,
        signature: Arc<Signature>,
        options: &BatchOptions,
    ) -> Self {
        Self { runner, signature, options: options.clone(), joint: Vec::new() }
    }

    /// Plays on from the current state: the steps made, and why it did not end if it did not.
    fn play(
        &mut self,
        policy: &Policy,
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> Answer<(u32, Option<PlayoutFault>)> {
        if let Some(decisive_moves) = &policy.decisive_moves {
            return self.play_decisively((policy, decisive_moves), rng, meter);
        }
        let mut steps = 0;
        while !self.runner.terminal()? {
            if steps >= policy.step_limit {
                return Ok((steps, Some(PlayoutFault::OverLimit)));
            }
            meter.spend(1)?;
            if let Some(role) = self.draw_joint(rng)? {
                return Ok((steps, Some(PlayoutFault::Stuck(role))));
            }
            self.runner.step_legal(&self.joint)?;
            steps += 1;
        }
        Ok((steps, None))
    }

    /// Draws a legal move for each role; the role that has none, if there is one.
    fn draw_joint(&mut self, rng: &mut Rng) -> Answer<Option<RoleId>> {
        self.joint.clear();
        for role in self.signature.role_ids() {
            match rng.pick(self.runner.legal(role)?) {
                Some(&action) => self.joint.push(action),
                None => return Ok(Some(role)),
            }
        }
        Ok(None)
    }

    fn goals(&mut self) -> Answer<Vec<Option<Goal>>> {
        self.signature.role_ids().map(|role| self.runner.goal(role)).collect()
    }

    fn play_all(&mut self, from: &[Start], policy: &Policy, seed: u64, out: &mut Outcomes) -> Answer<()> {
        let mut rng = Rng::from_seed(seed);
        let mut meter = self.options.budget.meter();
        meter.check()?;
        for (number, start) in (0u32..).zip(from) {
            for _ in 0..start.playouts {
                self.runner.set(&start.state)?;
                let (steps, fault) = self.play(policy, &mut rng, &mut meter)?;
                let counts = match fault {
                    None => true,
                    Some(PlayoutFault::OverLimit) => policy.at_limit == AtLimit::Goals,
                    Some(PlayoutFault::Stuck(_)) => false,
                };
                let goals = if counts { self.goals()? } else { Vec::new() };
                // There is one tally for each start.
                if let Some(tally) = out.tallies.get_mut(number as usize) {
                    tally.add(steps, fault, &goals);
                }
                if self.options.records {
                    out.records.push(PlayoutRecord { start: number, steps, goals, fault });
                }
            }
        }
        Ok(())
    }

    fn expand_all(&mut self, jobs: &Jobs, out: &mut Expansion) -> Answer<()> {
        let mut meter = self.options.budget.meter();
        meter.check()?;
        let mut parent = State::new(self.signature.tag(), &[]);
        let mut state = State::default();
        for job in 0..jobs.len() {
            meter.spend(1)?;
            if job > 0 && jobs.state_number(job) == jobs.state_number(job - 1) {
                self.runner.set(&parent)?;
            } else {
                parent.set_words(jobs.state(job));
                self.runner.set(&parent)?;
            }
            self.runner.step(jobs.joint(job))?;
            self.runner.save(&mut state);
            if jobs.percepts() {
                for role in self.signature.role_ids() {
                    out.add_percepts(self.runner.percepts(role).iter().copied());
                }
            }
            self.describe(&state, (jobs.goals(), jobs.moves()), out)?;
        }
        Ok(())
    }

    /// Adds the current state, and of its goals and moves what is wanted.
    fn describe(&mut self, state: &State, (goals, moves): (Wanted, bool), out: &mut Expansion) -> Answer<()> {
        let terminal = self.runner.terminal()?;
        out.add_state(state.words(), terminal);
        for role in self.signature.role_ids() {
            let wanted = terminal || goals == Wanted::All;
            out.add_goal(if wanted { self.runner.goal(role)? } else { None });
            if !terminal && moves {
                self.runner.legal(role)?.iter().for_each(|&action| out.add_legal(action));
            }
            out.end_legal();
        }
        Ok(())
    }

    fn look_all(&mut self, states: &[&State], out: &mut Expansion) -> Answer<()> {
        let mut meter = self.options.budget.meter();
        meter.check()?;
        for &state in states {
            meter.spend(1)?;
            self.runner.set(state)?;
            self.describe(state, (Wanted::All, true), out)?;
        }
        Ok(())
    }
}

impl Batch for OneByOne<'_> {
    fn playouts(&mut self, from: &[Start], policy: &Policy, seed: u64, out: &mut Outcomes) -> Answer<()> {
        *out = Outcomes::default();
        out.tallies.resize(from.len(), Default::default());
        let played = self.play_all(from, policy, seed, out);
        if played.is_err() {
            *out = Outcomes::default();
        }
        played
    }

    fn expand(&mut self, jobs: &Jobs, out: &mut Expansion) -> Answer<()> {
        out.clear(&self.signature);
        let expanded = self.expand_all(jobs, out);
        if expanded.is_err() {
            out.clear(&self.signature);
        }
        expanded
    }

    fn look(&mut self, states: &[&State], out: &mut Expansion) -> Answer<()> {
        out.clear(&self.signature);
        let looked = self.look_all(states, out);
        if looked.is_err() {
            out.clear(&self.signature);
        }
        looked
    }
}

#[cfg(test)]
mod tests;
