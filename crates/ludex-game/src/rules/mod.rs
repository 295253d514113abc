//! A rulesheet with the machine that runs it: questions and answers in terms and texts.

mod error;
mod moves_text;
mod position;
mod questions;
mod reading;

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use ludex_gdl::{Checked, Diagnostic, Dialect, GameProgram, Notation, Rulesheet, Source};
use ludex_logic::{Budget, TermId};
use sha2::{Digest, Sha256};

pub use error::{MoveError, TextError};
pub use moves_text::{split_moves, split_outside, split_words};
pub use position::Position;
pub use questions::Successor;
pub(crate) use reading::{find_timed_term, make_timed_term};

use crate::{Machine, RoleId, Signature};

/// The rules of a game with a machine that runs them: cheap to clone, shared by threads.
///
/// Moves, facts and percepts are ground terms ([`TermId`]) of the game; [`Rules::text`] writes them as
/// the rulesheet does, and [`Rules::find_term`] reads them in either notation. States are opaque
/// ([`State`](crate::State)) and have [facts](Rules::facts).
///
/// ```
/// use std::sync::Arc;
/// use ludex_game::{RuleMachine, Rules};
///
/// # let text = "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (true (at 1)))
/// #     (<= (next (at 3)) (true (at 2))) (<= terminal (true (at 3))) (goal you 50)";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// let mut checked = ludex_gdl::load(source, &Default::default());
/// let program = Arc::new(checked.game.take().expect("no errors"));
/// let machine = Arc::new(RuleMachine::new(&program, &Default::default())?);
/// let rules = Rules::new(checked, program, machine, "rules", Default::default());
///
/// let you = rules.find_role("you").expect("a role");
/// assert_eq!(rules.legal_texts(rules.initial(), you)?, ["go"]);
/// let next = rules.successor(rules.initial(), &[rules.read_term("go")?])?.state;
/// assert_eq!((rules.fact_texts(&next), rules.terminal(&next)?), (vec!["(at 2)".to_owned()], false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Rules {
    parts: Arc<Parts>,
    question_budget: Budget,
}

struct Parts {
    name: String,
    checked: Checked,
    program: Arc<GameProgram>,
    machine: Arc<dyn Machine>,
    engine: String,
    sha256: String,
}

// What a panic may leave half done stands behind locks, which are taken over as they are, or belongs to a runner.
impl UnwindSafe for Rules {}
impl RefUnwindSafe for Rules {}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("name", &self.parts.name)
            .field("dialect", &self.parts.checked.dialect)
            .field("engine", &self.parts.engine)
            .field("sha256", &self.parts.sha256)
            .finish_non_exhaustive()
    }
}

impl Rules {
    /// A rulesheet that was read, lowered to a program, and a machine that runs the program; `engine` is
    /// what records call the machine. Each single question is answered within `question_budget`.
    pub fn new(
        checked: Checked,
        program: Arc<GameProgram>,
        machine: Arc<dyn Machine>,
        engine: impl Into<String>,
        question_budget: Budget,
    ) -> Self {
        let parts = Parts {
            name: checked.rulesheet.source.name().to_owned(),
            sha256: sha256(checked.rulesheet.source.text()),
            checked,
            program,
            machine,
            engine: engine.into(),
        };
        Self { parts: Arc::new(parts), question_budget }
    }

    /// The same rules, asked within other limits.
    #[must_use]
    pub fn within(&self, question_budget: Budget) -> Self {
        Self { parts: Arc::clone(&self.parts), question_budget }
    }

    /// What messages and records call the game.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// The name without folders and the ending of a rulesheet.
    pub fn short_name(&self) -> &str {
        self.source().short_name()
    }

    /// The rulesheet as it was written.
    pub fn rulesheet(&self) -> &Rulesheet {
        &self.parts.checked.rulesheet
    }

    /// The text of the rulesheet with its lines.
    pub fn source(&self) -> &Arc<Source> {
        &self.parts.checked.rulesheet.source
    }

    /// The SHA-256 of the rulesheet's text, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.parts.sha256
    }

    /// How the rulesheet is written, and how terms are written for people.
    pub fn notation(&self) -> Notation {
        self.parts.checked.rulesheet.notation
    }

    /// The language of the rulesheet.
    pub fn dialect(&self) -> Dialect {
        self.parts.program.dialect
    }

    /// Whether all roles know the state at all times; see [`GameProgram::has_perfect_information`].
    pub fn has_perfect_information(&self) -> bool {
        self.parts.program.has_perfect_information()
    }

    /// What was found out about the rulesheet: warnings and notes.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.parts.checked.diagnostics
    }

    /// The rules as a logic program.
    pub fn program(&self) -> &Arc<GameProgram> {
        &self.parts.program
    }

    /// What runs the game.
    pub fn machine(&self) -> &Arc<dyn Machine> {
        &self.parts.machine
    }

    /// What records call the machine.
    pub fn engine_name(&self) -> &str {
        &self.parts.engine
    }

    /// Roles, moves and propositions as terms.
    pub fn signature(&self) -> &Arc<Signature> {
        self.parts.machine.signature()
    }

    /// The limits on each single question.
    pub fn question_budget(&self) -> &Budget {
        &self.question_budget
    }

    /// The roles in the order of the rulesheet.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = RoleId> + use<> {
        self.signature().role_ids()
    }

    /// The name of a role.
    pub fn role_name(&self, role: RoleId) -> String {
        self.text(self.signature().roles()[role.index()])
    }

    /// The names of all roles, in order.
    pub fn role_names(&self) -> Vec<String> {
        self.roles().map(|role| self.role_name(role)).collect()
    }

    /// The role that moves at random (GDL-II, book 17.2): the referee draws its moves.
    pub fn random_role(&self) -> Option<RoleId> {
        self.signature().random()
    }

    /// The roles that somebody has to play: all but [`Rules::random_role`].
    pub fn seats(&self) -> Vec<RoleId> {
        let random = self.random_role();
        self.roles().filter(|&role| Some(role) != random).collect()
    }

    /// A term as the rulesheet would write it.
    pub fn text(&self, term: TermId) -> String {
        self.signature().text(term)
    }

    /// Terms as the rulesheet would write them.
    pub fn texts(&self, terms: &[TermId]) -> Vec<String> {
        terms.iter().map(|&term| self.text(term)).collect()
    }

    /// The initial position, to walk about from.
    pub fn start(&self) -> Position {
        Position::new(self.clone())
    }
}

/// The SHA-256 of a text, in hexadecimal: what records and traces name rulesheets by.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
