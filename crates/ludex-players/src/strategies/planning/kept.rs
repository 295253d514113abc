//! The plan that a player keeps and follows, and how it is mended after a move that was not its own.

use ludex_game::{ActionId, Answer, RoleId, State};

use super::{HIGHEST_GOAL, JointPlan, is_contested};
use crate::explorer::{Explorer, Joints};

/// A plan that is being played.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    plan: JointPlan,
    /// The number of the step that comes next.
    at: usize,
    /// Whether no plan is better.
    pub is_optimal: bool,
}

impl Kept {
    /// A plan to play from its beginning.
    pub fn new(plan: JointPlan, is_optimal: bool) -> Self {
        Self { plan, at: 0, is_optimal }
    }

    /// Looks for a state on the way of the plan and goes there; whether it has a step from there on.
    pub fn find(&mut self, state: &State) -> bool {
        let before_each_step = &self.plan.states[..self.plan.joints.len()];
        let found = before_each_step.iter().position(|known| known == state);
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    /// What is left of the plan.
    pub fn rest(&self) -> JointPlan {
        self.plan.after(self.at)
    }

    /// The joint move that comes next.
    pub fn step(&self) -> &[ActionId] {
        &self.plan.joints[self.at]
    }

    /// The state that the next step leads to.
    pub fn next_state(&self) -> &State {
        &self.plan.states[self.at + 1]
    }

    /// A plan from a state that the plan does not pass, without a search: a move back to its way, or its
    /// moves from the step that was to be made or the one after it; whichever leads to the highest goal.
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    pub fn mend(&self, explorer: &mut Explorer<'_>, role: RoleId, state: &State) -> Answer<Option<Self>> {
        let mut mended = self.way_back(explorer, role, state)?;
        for from in [self.at, self.at + 1] {
            let Some(steps) = self.plan.joints.get(from..) else { continue };
            if let Some(plan) = replay(explorer, role, state, steps)?
                && mended.as_ref().is_none_or(|known| plan.is_better_than(known))
            {
                mended = Some(plan);
            }
        }
        // The bound of a search holds only below its root, and states may be no more than possible
        // ones (GDL-II): so only the highest goal needs no proof.
        Ok(mended.map(|plan| {
            let is_optimal = plan.complete && plan.goal >= HIGHEST_GOAL;
            Self::new(plan, is_optimal)
        }))
    }

    /// A move to a state on the plan's way, and the rest of the plan.
    fn way_back(
        &self,
        explorer: &mut Explorer<'_>,
        role: RoleId,
        state: &State,
    ) -> Answer<Option<JointPlan>> {
        let position = explorer.open(state)?;
        if position.terminal || is_contested(&position, role) {
            return Ok(None);
        }
        // The later on the way, the fewer steps are left.
        let mut latest: Option<(usize, Vec<ActionId>)> = None;
        let mut joints = Joints::all(&position);
        while let Some(joint) = joints.next() {
            let next = explorer.successor(state, joint)?;
            let at = self.plan.states.iter().rposition(|known| *known == next);
            if let Some(at) = at.filter(|&at| latest.as_ref().is_none_or(|(known, _)| at > *known)) {
                latest = Some((at, joint.to_vec()));
            }
        }
        Ok(latest.map(|(at, joint)| {
            let mut plan = self.plan.after(at);
            plan.joints.insert(0, joint);
            plan.states.insert(0, state.clone());
            plan
        }))
    }
}

/// Plays steps from a state to see where they lead. `None` if one of them is not legal, or if none is
/// left before the game is over.
fn replay(
    explorer: &mut Explorer<'_>,
    role: RoleId,
    state: &State,
    steps: &[Vec<ActionId>],
) -> Answer<Option<JointPlan>> {
    let mut plan = JointPlan { joints: Vec::new(), states: vec![state.clone()], goal: 0, complete: false };
    let mut steps = steps.iter();
    let mut at = state.clone();
    loop {
        let position = explorer.open(&at)?;
        if position.terminal {
            plan.complete = true;
            break;
        }
        let Some(joint) = steps.next() else { break };
        let is_legal = joint.iter().zip(&position.legal).all(|(action, legal)| legal.contains(action));
        if !is_legal || is_contested(&position, role) {
            return Ok(None);
        }
        at = explorer.successor(&at, joint)?;
        plan.joints.push(joint.clone());
        plan.states.push(at.clone());
    }
    plan.goal = explorer.goal(&at, role)?;
    Ok(Some(plan).filter(|plan| !plan.joints.is_empty()))
}
