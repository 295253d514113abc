//! Goal proximity by fuzzy logic (book chapter 16).

use std::sync::Arc;

use ludex_analysis::knowledge::{Topic, Topics};
use ludex_game::{Answer, RoleId};

use super::{Feature, Whose};
use crate::explorer::{Explorer, OpenedState};
use crate::machine_knowledge::KnowledgeReader;
use crate::strategy::Arena;

/// What a state is worth where the goals are not known as formulas, or not yet: the middle.
const NEUTRAL: f64 = 50.0;

/// Whose goals count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// Those of one side.
    Of(Whose),
    /// The role's own against the others'.
    Difference,
}

/// To what degree the state satisfies the goal formulas, 0 to 100. Where they are not known, all states
/// are worth the same.
#[derive(Debug)]
pub struct Fuzzy {
    view: View,
    reader: Option<KnowledgeReader>,
}

impl Fuzzy {
    /// The goals of the role itself or of the others.
    pub fn new(whose: Whose) -> Self {
        Self { view: View::Of(whose), reader: None }
    }

    /// By how much the role's own goals are satisfied better than the others' are in the mean: 50 where
    /// there is no difference.
    pub fn difference() -> Self {
        Self { view: View::Difference, reader: None }
    }

    fn look(&mut self, arena: &Arena) {
        let knows = |knowledge_of_states: &&Arc<crate::machine_knowledge::MachineKnowledge>| {
            knowledge_of_states.knows_worth()
        };
        self.reader = arena
            .knowledge_of_states
            .as_ref()
            .filter(knows)
            .map(|knowledge_of_states| knowledge_of_states.reader());
    }
}

impl Feature for Fuzzy {
    fn wants(&self) -> Topics {
        [Topic::Fuzzy, Topic::Latches].into_iter().collect()
    }

    fn sit(&mut self, arena: &Arena) {
        self.look(arena);
    }

    fn inform(&mut self, arena: &Arena) {
        self.look(arena);
    }

    fn score(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        let Some(reader) = &mut self.reader else { return Ok(NEUTRAL) };
        let mut of = |whose: Whose| {
            whose.mean(explorer, role, |_, role| Ok(reader.worth(&position.state, role).unwrap_or(NEUTRAL)))
        };
        match self.view {
            View::Of(whose) => of(whose),
            View::Difference => Ok(NEUTRAL + (of(Whose::Own)? - of(Whose::Opponents)?) / 2.0),
        }
    }
}
