//! Batches for machines that run one state at a time.

mod decisive;

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_logic::Meter;

use super::{
    AtLimit, Batch, BatchOptions, Expansion, Jobs, MovesMade, Outcomes, PlayoutFault, PlayoutRecord, Policy,
    Start, Wanted,
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

/// The moves of a playout from a start, each once, and what this gave to the roles.
type NotedMoves = (usize, BTreeSet<(RoleId, ActionId)>, Vec<Goal>);

/// Plays and expands one state after the other.
pub(crate) struct OneByOne<'m> {
    runner: Box<dyn Runner + 'm>,
    signature: Arc<Signature>,
    options: BatchOptions,
    joint: Vec<ActionId>,
    /// The joint moves of a playout, one after the other, where they are noted.
    made: Vec<ActionId>,
}

impl<'m> OneByOne<'m> {
    /// A batch over a runner whose limits are those of the options.
    pub(crate) fn new(
        runner: Box<dyn Runner + 'm>,
        signature: Arc<Signature>,
        options: &BatchOptions,
    ) -> Self {
        Self { runner, signature, options: options.clone(), joint: Vec::new(), made: Vec::new() }
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
            if policy.notes_moves {
                self.made.extend_from_slice(&self.joint);
            }
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
        let mut noted = Vec::new();
        for (number, start) in (0u32..).zip(from) {
            for _ in 0..start.playouts {
                self.runner.set(&start.state)?;
                self.made.clear();
                let (steps, fault) = self.play(policy, &mut rng, &mut meter)?;
                let counts = match fault {
                    None => true,
                    Some(PlayoutFault::OverLimit) => policy.at_limit == AtLimit::Goals,
                    Some(PlayoutFault::Stuck(_)) => false,
                };
                let goals = if counts { self.goals()? } else { Vec::new() };
                if policy.notes_moves {
                    self.note_moves(number as usize, &goals, &mut noted);
                }
                // There is one tally for each start.
                if let Some(tally) = out.tallies.get_mut(number as usize) {
                    tally.add(steps, fault, &goals);
                }
                if self.options.records {
                    out.records.push(PlayoutRecord { start: number, steps, goals, fault });
                }
            }
        }
        if policy.notes_moves {
            out.moves = self.moves_made(from.len(), &noted);
        }
        Ok(())
    }

    /// Notes each move of a playout once, where each role has a goal.
    fn note_moves(&self, start: usize, goals: &[Option<Goal>], noted: &mut Vec<NotedMoves>) {
        let Some(goals) = goals.iter().copied().collect::<Option<Vec<Goal>>>() else { return };
        let roles = self.signature.roles().len();
        if goals.len() < roles {
            return;
        }
        let moves = self
            .made
            .chunks_exact(roles)
            .flat_map(|joint| self.signature.role_ids().zip(joint.iter().copied()));
        noted.push((start, moves.collect(), goals));
    }

    /// What was noted, once it is known which actions there are.
    fn moves_made(&self, starts: usize, noted: &[NotedMoves]) -> MovesMade {
        let all = noted.iter().flat_map(|(_, moves, _)| moves);
        let actions = all.map(|(_, action)| 1 + action.index()).max().unwrap_or(0);
        let mut made = MovesMade::new(starts, self.signature.roles().len(), actions);
        for (start, moves, goals) in noted {
            made.add_playout(*start);
            moves.iter().for_each(|&(role, action)| made.add(*start, role, action, goals));
        }
        made
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
            self.describe(&state, (jobs.goals(), jobs.moves(), jobs.turn()), out)?;
        }
        Ok(())
    }

    /// Adds the current state, and of its goals and moves what is wanted.
    fn describe(
        &mut self,
        state: &State,
        (goals, moves, turn): (Wanted, bool, &[u64]),
        out: &mut Expansion,
    ) -> Answer<()> {
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
        if turn.is_empty() { Ok(()) } else { self.count_moves(state, (turn, terminal), out) }
    }

    /// Counts the moves of each role as if it was its turn.
    fn count_moves(
        &mut self,
        state: &State,
        (turn, terminal): (&[u64], bool),
        out: &mut Expansion,
    ) -> Answer<()> {
        let turned: Vec<u64> = state.words().iter().zip(turn).map(|(word, turn)| word ^ turn).collect();
        let mut counts = vec![0; self.signature.roles().len()];
        for words in [state.words(), &turned[..]] {
            self.runner.set(&State::new(self.signature.tag(), words))?;
            for role in self.signature.role_ids().filter(|_| !terminal) {
                counts[role.index()] = self.runner.legal(role)?.len().max(counts[role.index()]);
            }
        }
        counts.into_iter().for_each(|count| out.add_move_count(count));
        self.runner.set(state)
    }

    fn look_all(&mut self, states: &[&State], out: &mut Expansion) -> Answer<()> {
        let mut meter = self.options.budget.meter();
        meter.check()?;
        for &state in states {
            meter.spend(1)?;
            self.runner.set(state)?;
            self.describe(state, (Wanted::All, true, &[]), out)?;
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
