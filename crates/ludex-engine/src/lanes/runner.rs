//! One lane among others, for verifying lanes move by move.

use std::sync::Arc;

use ludex_game::{ActionId, Answer, GameError, Goal, Joint, Playout, Rng, RoleId, Runner, Signature, State};
use ludex_logic::{Budget, Meter, TermId};

use super::choose::ChooseUniform;
use super::program::LaneProgram;
use super::random::LaneRandom;
use super::states::{LaneStates, has, or, without};
use super::vector::dispatch;
use crate::kernel::{Block, PhaseKind};
use crate::stream::Output;

/// A [`Runner`] in lane 0. The other lanes start in the same state and then play at random, so that a
/// fault that lets lanes touch each other shows.
pub(super) struct LaneRunner<const N: usize> {
    program: Arc<LaneProgram>,
    states: LaneStates<N>,
    random: LaneRandom<N>,
    decided: bool,
    assessed: bool,
    legal: Vec<Vec<ActionId>>,
    percepts: Vec<Vec<TermId>>,
    joint: Vec<usize>,
    meter: Meter,
}

/// Lane 0.
fn own<const N: usize>() -> Block<N> {
    let mut block = Block::ZERO;
    block.0[0] = 1;
    block
}

impl<const N: usize> LaneRunner<N> {
    pub(super) fn new(program: Arc<LaneProgram>, budget: &Budget, seed: u64) -> Self {
        let mut runner = Self {
            states: LaneStates::new(&program),
            random: LaneRandom::from_seed(seed),
            decided: false,
            assessed: false,
            legal: vec![Vec::new(); program.stream.legal.len()],
            percepts: vec![Vec::new(); program.stream.percepts.len()],
            joint: Vec::new(),
            meter: budget.meter(),
            program,
        };
        let initial = runner.program.initial_words();
        runner.states.load_same(&runner.program, Block::ONES, &initial);
        runner
    }

    fn holds(&self, output: Output) -> bool {
        has(&self.states.output(output), 0)
    }

    fn decide(&mut self) {
        if self.decided {
            return;
        }
        self.states.run(&self.program, PhaseKind::Decide);
        let stream = &self.program.stream;
        for (list, (legal, actions)) in
            self.legal.iter_mut().zip(stream.legal.iter().zip(&self.program.actions))
        {
            list.clear();
            let held = legal.iter().zip(actions).filter(|&(&output, _)| has(&self.states.output(output), 0));
            list.extend(held.map(|(_, &action)| action));
        }
        self.decided = true;
    }

    /// Makes the moves in `joint` in lane 0 and random ones elsewhere; lanes whose game was over go on
    /// from the state of lane 0.
    fn advance(&mut self) {
        let stream = &self.program.stream;
        let others = without(Block::ONES, or(own(), self.states.output(stream.terminal)));
        let mut active = others;
        let kernel = ChooseUniform {
            roles: &self.program.roles,
            first: 0,
            slots: &mut self.states.slots,
            active: &mut active,
            random: &mut self.random,
            scratch: &mut self.states.choice,
            stuck: &mut Vec::new(),
        };
        dispatch::<N, _>(self.program.set, kernel);
        for (inputs, &at) in stream.inputs.iter().zip(&self.joint) {
            if let Some(slot) = inputs[at] {
                self.states.slots[slot.0 as usize].0[0] |= 1;
            }
        }
        self.states.choice.mark_dirty();
        self.states.run(&self.program, PhaseKind::Advance);
        for (list, percepts) in self.percepts.iter_mut().zip(&stream.percepts) {
            list.clear();
            let seen = percepts.iter().filter(|&&(_, output)| has(&self.states.output(output), 0));
            list.extend(seen.map(|&(term, _)| term));
        }
        let mut words = Vec::new();
        self.states.save(&self.program, 1, &mut words);
        self.states.load_same(&self.program, without(Block::ONES, or(own(), active)), &words);
        self.decided = false;
        self.assessed = false;
    }
}

impl<const N: usize> Runner for LaneRunner<N> {
    fn signature(&self) -> &Signature {
        &self.program.signature
    }

    fn set(&mut self, state: &State) -> Answer<()> {
        let words = self.program.words(state)?;
        self.states.load_same(&self.program, Block::ONES, words);
        self.percepts.iter_mut().for_each(Vec::clear);
        self.decided = false;
        self.assessed = false;
        Ok(())
    }

    fn save(&self, out: &mut State) {
        let mut words = Vec::new();
        self.states.save(&self.program, 1, &mut words);
        *out = State::new(self.program.signature.tag(), &words);
    }

    fn terminal(&mut self) -> Answer<bool> {
        self.decide();
        Ok(self.holds(self.program.stream.terminal))
    }

    fn legal(&mut self, role: RoleId) -> Answer<&[ActionId]> {
        self.decide();
        Ok(self.legal.get(role.index()).map_or(&[], Vec::as_slice))
    }

    fn goal(&mut self, role: RoleId) -> Answer<Option<Goal>> {
        self.decide();
        if !self.assessed {
            self.states.run(&self.program, PhaseKind::Assess);
            self.assessed = true;
        }
        let goals = self.program.stream.goals.get(role.index()).map_or(&[][..], Vec::as_slice);
        let mut held = goals.iter().filter(|&&(_, output)| self.holds(output));
        let first = held.next();
        Ok(first.filter(|_| held.next().is_none()).map(|&(goal, _)| goal))
    }

    fn step_legal(&mut self, joint: Joint<'_>) -> Answer<()> {
        self.meter.restart();
        self.meter.check()?;
        self.decide();
        self.program.positions_of(joint, &mut self.joint)?;
        self.advance();
        Ok(())
    }

    fn percepts(&self, role: RoleId) -> &[TermId] {
        self.percepts.get(role.index()).map_or(&[], Vec::as_slice)
    }

    fn playout(&mut self, rng: &mut Rng, limit: u32) -> Answer<Playout> {
        self.meter.restart();
        self.meter.check()?;
        let mut joint = Vec::new();
        let mut steps = 0;
        let mut terminal = self.terminal()?;
        while !terminal && steps < limit {
            self.meter.spend(1)?;
            joint.clear();
            for (role, list) in self.legal.iter().enumerate() {
                let Some(&action) = rng.pick(list) else {
                    let role = self.program.role_text(RoleId(role as u32));
                    return Err(GameError::NoLegalMove { role });
                };
                joint.push(action);
            }
            self.program.positions_of(&joint, &mut self.joint)?;
            self.advance();
            steps += 1;
            terminal = self.terminal()?;
        }
        self.percepts.iter_mut().for_each(Vec::clear);
        let roles = self.program.stream.goals.len() as u32;
        let goals = (0..roles).map(|role| self.goal(RoleId(role))).collect::<Answer<_>>()?;
        Ok(Playout { steps, terminal, goals })
    }
}
