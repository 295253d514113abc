//! A rulesheet in real time with the machine that runs it.

use std::fmt;
use std::sync::Arc;

use ludex_gdl::{Checked, Dialect, GameProgram, Rulesheet};
use ludex_logic::{Budget, TermId};

use super::machine::TimedMachine;
use crate::rules::sha256;
use crate::signature::RoleId;

/// The rules of a game in real time with a machine that runs them: cheap to clone, shared by threads. What
/// [`Rules`](crate::Rules) are for other games.
#[derive(Clone)]
pub struct TimedRules {
    parts: Arc<Parts>,
    question_budget: Budget,
}

struct Parts {
    rulesheet: Rulesheet,
    program: Option<Arc<GameProgram>>,
    dialect: Dialect,
    machine: Arc<dyn TimedMachine>,
    engine: String,
    sha256: String,
}

impl fmt::Debug for TimedRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimedRules")
            .field("name", &self.rulesheet().source.name())
            .field("dialect", &self.parts.dialect)
            .field("engine", &self.parts.engine)
            .field("sha256", &self.parts.sha256)
            .finish_non_exhaustive()
    }
}

impl TimedRules {
    /// A rulesheet that was read, and a machine that runs its program; `engine` is what records call the machine. Each
    /// single question is answered within `question_budget`.
    pub fn new(
        checked: Checked,
        machine: Arc<dyn TimedMachine>,
        engine: impl Into<String>,
        question_budget: Budget,
    ) -> Self {
        let Checked { rulesheet, dialect, game: program, .. } = checked;
        let sha256 = sha256(rulesheet.source.text());
        let program = program.map(Arc::new);
        let parts = Parts { rulesheet, program, dialect, machine, engine: engine.into(), sha256 };
        Self { parts: Arc::new(parts), question_budget }
    }

    /// The rulesheet as it was written.
    pub fn rulesheet(&self) -> &Rulesheet {
        &self.parts.rulesheet
    }

    /// The program of the rulesheet; `None` where it had errors, so that the machine is not made of it.
    pub fn program(&self) -> Option<&Arc<GameProgram>> {
        self.parts.program.as_ref()
    }

    /// The same rules, asked within other limits.
    #[must_use]
    pub fn within(&self, question_budget: Budget) -> Self {
        Self { parts: Arc::clone(&self.parts), question_budget }
    }

    /// The name of the game without folders and the ending of a rulesheet.
    pub fn short_name(&self) -> &str {
        self.parts.rulesheet.source.short_name()
    }

    /// The SHA-256 of the rulesheet's text, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.parts.sha256
    }

    /// The language of the rulesheet.
    pub fn dialect(&self) -> Dialect {
        self.parts.dialect
    }

    /// What runs the game.
    pub fn machine(&self) -> &Arc<dyn TimedMachine> {
        &self.parts.machine
    }

    /// What records call the machine.
    pub fn engine_name(&self) -> &str {
        &self.parts.engine
    }

    /// The limits on each single question.
    pub fn question_budget(&self) -> &Budget {
        &self.question_budget
    }

    /// The roles as terms, in the order of the rulesheet.
    pub fn role_terms(&self) -> &[TermId] {
        self.parts.machine.roles()
    }

    /// The roles that somebody has to play: all but `random`.
    pub fn seats(&self) -> Vec<RoleId> {
        self.parts.machine.seats().collect()
    }
}
