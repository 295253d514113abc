//! What all ways to search for a plan have in common.

use ludex_game::{ActionId, Answer, Goal, StateNumber, StateTable};

use super::space::Space;

/// The best plan so far: it leads from the root to a terminal state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Incumbent {
    /// What the terminal state is worth; `None` where no plan is known.
    pub(super) goal: Option<Goal>,
    /// The moves from the root.
    pub(super) plan: Vec<ActionId>,
    /// What found it.
    pub(super) method: &'static str,
    /// Whether no plan is worth more.
    pub(super) proven: bool,
    /// Whether another role had a choice somewhere: the plan need not come about.
    pub(super) others_choose: bool,
}

impl Incumbent {
    /// The most that any plan can be worth.
    pub(super) const MOST: Goal = 100;

    /// Whether a plan of this worth would be better than the one so far.
    pub(super) fn is_beaten_by(&self, goal: Goal) -> bool {
        self.goal.is_none_or(|known| goal > known)
    }

    /// Takes a plan in place of the one so far, if it is better.
    pub(super) fn offer(&mut self, goal: Goal, method: &'static str, plan: impl FnOnce() -> Vec<ActionId>) {
        if self.is_beaten_by(goal) {
            let (proven, others_choose) = (goal >= Self::MOST, self.others_choose);
            *self = Self { goal: Some(goal), plan: plan(), method, proven, others_choose };
        }
    }

    /// Plays a plan, and takes it if it leads to the end of the game and is better. One that is not
    /// legal, or does not lead to an end, is left.
    ///
    /// # Errors
    /// The end of the budget, or what the machine answers.
    pub(super) fn try_plan(
        &mut self,
        root: &[u64],
        plan: &[ActionId],
        method: &'static str,
        space: &mut Space<'_>,
    ) -> Answer<()> {
        space.go_to(root)?;
        for (at, &action) in plan.iter().enumerate() {
            if !space.legal().contains(&action) {
                break;
            }
            let look = space.make(action)?;
            if look.terminal {
                self.offer(look.goal, method, || plan[..=at].to_vec());
            }
        }
        Ok(())
    }
}

/// How far a method has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// There is more to do.
    Open,
    /// It has nothing more to look at, which proves nothing.
    GaveUp,
    /// It looked at everything: no plan is better than the best one it met.
    Complete,
}

/// A way to search for a plan, which can be stopped and goes on where it was.
pub(super) trait Method: Send {
    /// Looks at about so many more states, and offers the plans it finds.
    ///
    /// # Errors
    /// The end of the budget, or what the machine answers. The method goes on as if it had not begun what
    /// was stopped.
    fn work(&mut self, space: &mut Space<'_>, found: &mut Incumbent, states: u64) -> Answer<Progress>;
}

/// The moves that lead to a state of the table, and one more.
pub(super) fn plan(table: &StateTable, state: StateNumber, last: ActionId) -> Vec<ActionId> {
    table.path(state).into_iter().map(|(_, number)| ActionId(number)).chain([last]).collect()
}
