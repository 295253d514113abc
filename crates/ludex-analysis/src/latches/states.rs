//! All states of a small game.

use ludex_game::{Goal, State, StateNumber};
use ludex_logic::Budget;

use super::Latches;
use crate::finding::Reason;
use crate::well_formed::{Space, reason_of};

/// All states of a game that can be reached, numbered as they were found: the initial state is the first.
#[derive(Debug)]
pub struct AllStates {
    space: Space,
    /// Per role and state what it is worth where the game ends in it.
    pub(super) goals: Vec<Vec<Option<Goal>>>,
}

impl AllStates {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.space.table.len()
    }

    /// All of them, in their order.
    pub(super) fn states(&self) -> impl Iterator<Item = State> {
        (0..self.len() as StateNumber).map(|number| self.state(number))
    }

    /// A state.
    pub(super) fn state(&self, number: StateNumber) -> State {
        self.space.state(number)
    }

    /// The states that follow a state, as often as steps lead there; none after a terminal state, or where a role
    /// has no legal move.
    pub(super) fn next(&self, number: StateNumber) -> &[StateNumber] {
        self.space.children(number)
    }

    /// What follows each state, in their order.
    pub(super) fn all_next(&self) -> impl Iterator<Item = &[StateNumber]> {
        (0..self.len() as StateNumber).map(|number| self.next(number))
    }
}

impl Latches {
    /// Visits all states of the game.
    ///
    /// # Errors
    /// [`Reason::States`] where there are more than `limit` states; when the budget is spent, or the
    /// game cannot be run.
    pub fn all_states(&self, limit: u64, budget: &Budget) -> Result<AllStates, Reason> {
        let mut space = Space::search(&self.rules, limit as usize, 1, budget).map_err(reason_of)?;
        if let Some(stopped) = space.stopped.take() {
            return Err(stopped);
        }
        let mut meter = budget.meter();
        let goals = self.rules.roles().map(|role| space.goals(role, &mut meter)).collect::<Result<_, _>>()?;
        Ok(AllStates { space, goals })
    }
}
