//! A match so far, with steps forward and back.

use ludex_logic::TermId;

use crate::error::Answer;
use crate::machine::{Joint, Machine, Runner};
use crate::signature::{ActionId, RoleId};
use crate::state::State;

/// What one joint move led to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    joint: Vec<ActionId>,
    state: State,
    percepts: Vec<Vec<TermId>>,
}

/// The states of a match, from the first to the last one reached, and a place in it.
///
/// Stepping back keeps the states after the place, so that one can step forward again; making a move
/// that is not the recorded one drops them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    start: State,
    steps: Vec<Step>,
    at: usize,
}

impl History {
    /// A match that begins in this state.
    pub fn new(start: State) -> Self {
        Self { start, steps: Vec::new(), at: 0 }
    }

    /// The number of joint moves made before the current state.
    pub fn step(&self) -> usize {
        self.at
    }

    /// The number of joint moves recorded, those after the current state included.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no move was made.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The current state.
    pub fn state(&self) -> &State {
        // `at` is never more than the number of states.
        self.state_at(self.at).unwrap_or(&self.start)
    }

    /// The state after this many joint moves.
    pub fn state_at(&self, step: usize) -> Option<&State> {
        if step == 0 { Some(&self.start) } else { self.steps.get(step - 1).map(|s| &s.state) }
    }

    /// The joint moves that led to the current state, from the first.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = Joint<'_>> {
        self.steps[..self.at].iter().map(|s| s.joint.as_slice())
    }

    /// The joint move that led to the state after this many moves.
    pub fn joint_at(&self, step: usize) -> Option<Joint<'_>> {
        self.steps.get(step.checked_sub(1)?).map(|s| s.joint.as_slice())
    }

    /// What the role saw on the way to the current state.
    pub fn percepts(&self, role: RoleId) -> &[TermId] {
        let step = self.at.checked_sub(1).and_then(|i| self.steps.get(i));
        step.and_then(|s| s.percepts.get(role.index())).map_or(&[], Vec::as_slice)
    }

    /// Makes a joint move of legal moves from the current state. The runner ends in the new state.
    ///
    /// # Errors
    /// What the runner answers; the history is then as before.
    pub fn advance(&mut self, runner: &mut dyn Runner, joint: Joint<'_>) -> Answer<()> {
        runner.set(self.state())?;
        runner.step_legal(joint)?;
        let mut state = State::default();
        runner.save(&mut state);
        let roles = 0..joint.len() as u32;
        let percepts = roles.map(|r| runner.percepts(RoleId(r)).to_vec()).collect();
        let step = Step { joint: joint.to_vec(), state, percepts };
        if self.steps.get(self.at) != Some(&step) {
            self.steps.truncate(self.at);
            self.steps.push(step);
        }
        self.at += 1;
        Ok(())
    }

    /// One move back; false at the start.
    pub fn back(&mut self) -> bool {
        self.at.checked_sub(1).is_some_and(|step| self.jump(step))
    }

    /// One recorded move forward; false at the end.
    pub fn forward(&mut self) -> bool {
        self.jump(self.at + 1)
    }

    /// To the state after this many moves; false (and no change) where there is none.
    pub fn jump(&mut self, step: usize) -> bool {
        let exists = step <= self.steps.len();
        if exists {
            self.at = step;
        }
        exists
    }

    /// Forgets the moves after the current state.
    pub fn truncate(&mut self) {
        self.steps.truncate(self.at);
    }

    /// Replays the joint moves from the initial state of a machine.
    ///
    /// # Errors
    /// What the runner answers to a move.
    pub fn replay(machine: &dyn Machine, runner: &mut dyn Runner, joints: &[Vec<ActionId>]) -> Answer<Self> {
        let mut history = Self::new(machine.initial().clone());
        for joint in joints {
            history.advance(runner, joint)?;
        }
        Ok(history)
    }
}
