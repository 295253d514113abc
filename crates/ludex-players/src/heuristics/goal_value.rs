//! Goal proximity by the value of the state itself (book 7.3).

use ludex_game::{Answer, RoleId};

use super::{Feature, Whose};
use crate::explorer::{Explorer, OpenedState};

/// What the state is worth now, as if the game ended here; 0 where the rules give no single value.
///
/// Good in games whose goals grow on the way (monotonic games).
#[derive(Clone, Debug)]
pub struct GoalValue {
    whose: Whose,
}

impl GoalValue {
    /// The value for the role itself or for the others.
    pub fn new(whose: Whose) -> Self {
        Self { whose }
    }
}

impl Feature for GoalValue {
    fn score(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        self.whose.mean(explorer, role, |explorer, role| {
            Ok(f64::from(explorer.goal(&position.state, role)?.min(100)))
        })
    }
}
