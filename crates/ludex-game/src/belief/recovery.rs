//! Finding states again where none of a sample fits any longer: the match is played through anew, with steps back.

use ludex_logic::{Budget, LimitError};

use super::joints::{Joints, Numbers, legal_here};
use super::told::ToldByRole;
use super::{Belief, BeliefError, FEW, News};
use crate::batch::Observation;
use crate::error::Answer;
use crate::machine::Runner;
use crate::signature::ActionId;
use crate::state::State;

/// A state on the way through a match, with the numbers of the joint moves still to try.
struct Branch {
    state: State,
    told: ToldByRole,
    joints: Joints,
    numbers: Numbers,
}

impl Belief {
    /// What a state counts that was found again: nothing is known of how likely it is beside others.
    pub(super) fn weight_of_new(&self) -> f64 {
        let weights = self.possible.weights();
        if weights.is_empty() { 1.0 } else { weights.iter().sum::<f64>() / weights.len() as f64 }
    }

    /// Plays the match through again, depth first with random moves of the others, until some more
    /// states were found that fit all news or enough was tried.
    pub(super) fn recover(
        &mut self,
        runner: &mut dyn Runner,
        tries: usize,
        budget: &Budget,
    ) -> Result<(), BeliefError> {
        let mut meter = budget.meter();
        let wanted = self.options.limit.min(2 * FEW);
        let mut left = if self.news.is_empty() { 0 } else { tries };
        while left > 0 && self.possible.len() < wanted {
            let begun = left;
            if let Some((state, told)) = self.find_course(runner, &mut left, || meter.check())? {
                let weight = self.weight_of_new();
                self.possible.add(state.tag(), state.words(), &told, weight);
            }
            // A course without any choice is found again at no cost but this.
            left = left.min(begun - 1);
        }
        self.possible.normalise();
        Ok(())
    }

    /// A state at the end of a course that fits, if one was found before there was nothing left to try.
    fn find_course(
        &mut self,
        runner: &mut dyn Runner,
        left: &mut usize,
        mut check: impl FnMut() -> Result<(), LimitError>,
    ) -> Result<Option<(State, ToldByRole)>, BeliefError> {
        let initial = self.machine.initial().clone();
        let mut path = vec![self.branch(runner, (initial, self.nothing_told()), 0)?];
        let mut joint = Vec::new();
        while let Some(top) = path.last_mut() {
            let Some(number) = top.numbers.next() else {
                path.pop();
                continue;
            };
            if *left == 0 {
                break;
            }
            *left -= 1;
            self.steps_made += 1;
            check()?;
            top.joints.get(number, &mut joint);
            runner.set(&top.state)?;
            let mut told = top.told.clone();
            let depth = path.len();
            if !self.makes(runner, depth - 1, &joint)? {
                continue;
            }
            self.tell_roles(&mut told, &joint, runner);
            let mut state = State::default();
            runner.save(&mut state);
            if depth < self.news.len() {
                path.push(self.branch(runner, (state, told), depth)?);
            } else if !runner.terminal()? {
                return Ok(Some((state, told)));
            }
        }
        Ok(None)
    }

    /// Makes the joint move of a step; whether it could be made, and what it shows fits what was told.
    fn makes(&self, runner: &mut dyn Runner, step: usize, joint: &[ActionId]) -> Answer<bool> {
        match &self.news[step] {
            // It was told, and not asked for.
            News::Joint(_) => match runner.step(joint) {
                Err(error) if error.is_about_moves() => Ok(false),
                made => made.map(|()| true),
            },
            News::Percepts { percepts, .. } => {
                runner.step_legal(joint)?;
                let observed = Observation { role: self.role, action: joint[self.role.index()], percepts };
                Ok(self.passed_over.contains(&step) || observed.fits(runner.percepts(self.role)))
            }
        }
    }

    /// The joint moves to try from a state on the way, in random order.
    fn branch(
        &mut self,
        runner: &mut dyn Runner,
        (state, told): (State, ToldByRole),
        step: usize,
    ) -> Result<Branch, BeliefError> {
        runner.set(&state)?;
        let news = &self.news[step];
        let joints = match (legal_here(runner)?, news) {
            (None, _) => Joints::default(),
            (Some(legal), _) if self.passed_over.contains(&step) => {
                Joints::forgiving(legal, self.machine.signature(), self.role, news)
            }
            (Some(_), News::Joint(joint)) => {
                let known = joint.iter().map(|&term| self.action_id(term)).collect::<Result<_, _>>();
                match known {
                    // The step was not looked at before: it may contradict the rules.
                    Err(_) if self.options.forgiving => Joints::default(),
                    known => Joints::only(known?),
                }
            }
            (Some(legal), News::Percepts { action, .. }) => match self.action_id(*action) {
                Err(_) if self.options.forgiving => Joints::default(),
                own => Joints::with_move(legal, self.role, own?),
            },
        };
        let numbers = Numbers::all(joints.count, &mut self.rng);
        Ok(Branch { state, told, joints, numbers })
    }
}
