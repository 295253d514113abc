//! Features as horizons of the search.

use ludex_analysis::knowledge::Topics;
use ludex_game::{Answer, RoleId, State};
use ludex_logic::Budget;

use super::{Feature, LearnedFrom};
use crate::explorer::{Explorer, OpenedState};
use crate::minimax::{Horizon, HorizonNode};
use crate::strategy::Arena;

/// The value of states beyond the horizon by a feature, and how far the search goes where the value
/// changes (quiescence, book 7.4).
pub(crate) struct Evaluation {
    feature: Box<dyn Feature>,
    /// A state is looked beyond if its value differs from the one before it by more than this...
    threshold: f64,
    /// ...up to so many levels more.
    extra: u32,
    last: Option<(State, RoleId, f64)>,
}

impl Evaluation {
    /// The search stops at its limit.
    pub fn fixed(feature: Box<dyn Feature>) -> Self {
        Self::variable(feature, 0.0, 0)
    }

    /// The search goes up to `extra` levels beyond its limit while values change by more than
    /// `threshold` from one state to the next.
    pub fn variable(feature: Box<dyn Feature>, threshold: f64, extra: u32) -> Self {
        Self { feature, threshold, extra, last: None }
    }

    /// See [`Feature::sit`].
    pub fn sit(&mut self, arena: &Arena) {
        self.last = None;
        self.feature.sit(arena);
    }

    /// See [`Feature::wants`].
    pub fn wants(&self) -> Topics {
        self.feature.wants()
    }

    /// See [`Feature::inform`].
    pub fn inform(&mut self, arena: &Arena) {
        self.last = None;
        self.feature.inform(arena);
    }

    /// Lets the feature learn.
    pub fn learn(&mut self, arena: &Arena, budget: &Budget, seed: u64) -> Answer<LearnedFrom> {
        self.last = None;
        self.feature.learn(arena, budget, seed)
    }

    /// A state that is not terminal is worth neither nothing nor all: a sure win is better than what
    /// looks like one.
    fn value(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        if let Some((state, known, value)) = &self.last
            && *known == role
            && *state == position.state
        {
            return Ok(*value);
        }
        let value = 1.0 + 0.98 * self.feature.score(explorer, position, role)?;
        self.last = Some((position.state.clone(), role, value));
        Ok(value)
    }
}

impl Horizon for Evaluation {
    fn expands(&mut self, explorer: &mut Explorer<'_>, node: &HorizonNode<'_>) -> Answer<bool> {
        if node.level < node.limit {
            return Ok(true);
        }
        let Some(parent) = node.parent.filter(|_| node.level < node.limit.saturating_add(self.extra)) else {
            return Ok(false);
        };
        let role = explorer.role();
        let before = self.value(explorer, parent, role)?;
        let now = self.value(explorer, node.position, role)?;
        Ok((now - before).abs() > self.threshold)
    }

    fn evaluate(&mut self, explorer: &mut Explorer<'_>, node: &HorizonNode<'_>, role: RoleId) -> Answer<f64> {
        self.value(explorer, node.position, role)
    }

    fn is_by_depth(&self) -> bool {
        self.extra == 0
    }
}
