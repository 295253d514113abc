//! A game with its rules, its findings and its engine.

mod batches;
mod choosing;
mod drawing;
mod error;
mod position;
mod questions;
mod reading;
mod upgrade;

use std::fmt::Write;
use std::io::Read;
use std::sync::{Arc, OnceLock};

use ludex_analysis::Structure;
use ludex_engine::{LaneOptions, NetMachine};
use ludex_game::{Machine, RoleId, Signature};
use ludex_gdl::{Checked, Diagnostic, Dialect, GameProgram, LoadOptions, Notation, Rulesheet, Source, load};
use ludex_logic::{Budget, TermId};
use ludex_propnet::passes::PassSet;
use sha2::{Digest, Sha256};

use crate::engine::{Engine, EngineChoice};
use crate::library;
pub use batches::PlayoutOptions;
pub use error::{LoadError, MoveError, TextError};
use ludex_players::{Seat, Upgrade};
pub use position::Position;
pub use questions::Successor;
pub(crate) use questions::legal_terms;
use upgrade::NetUpgrade;

/// How to read and run a game.
#[derive(Clone, Debug, Default)]
pub struct GameOptions {
    /// How to read the rulesheet: notation and dialect where they are not to be detected, and which
    /// findings are errors.
    pub load: LoadOptions,
    /// What runs the game.
    pub engine: Engine,
    /// Limits on preparing the game to run.
    pub budget: Budget,
    /// Limits on each single question about a state: its legal moves, its successor...
    pub question_budget: Budget,
    /// For whoever asks only a few questions: leaves out the random games that the rule machine
    /// otherwise plays to find good join orders, and [`Engine::Auto`] is the rule machine.
    pub hasty: bool,
    /// The limits within which [`Engine::Auto`] tries to make a net; see [`GameOptions::auto_budget`].
    pub net_budget: Option<Budget>,
    /// The passes that shrink the circuit of a net.
    pub passes: PassSet,
    /// How many lanes [`Engine::Lanes`] has, and what computes them.
    pub lanes: LaneOptions,
}

/// A game, ready to run: cheap to clone, shared by threads.
///
/// Moves, facts and percepts are ground terms ([`TermId`]) of the game; [`Game::text`] writes them as
/// the rulesheet does, and [`Game::find_term`] reads them in either notation. States are opaque
/// ([`State`](ludex_game::State)) and have [facts](Game::facts). [`Game::start`] gives a [`Position`] to walk about in.
#[derive(Clone, Debug)]
pub struct Game(Arc<Parts>);

struct Parts {
    name: String,
    checked: Checked,
    program: Arc<GameProgram>,
    machine: Arc<dyn Machine>,
    net: Option<Arc<NetMachine>>,
    choice: EngineChoice,
    question_budget: Budget,
    sha256: String,
    structure: OnceLock<Structure>,
    /// Where a net does not run the game, what may make one.
    upgrade: Option<Arc<dyn Upgrade>>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Game")
            .field("name", &self.name)
            .field("dialect", &self.checked.dialect)
            .field("engine", &self.choice.engine)
            .field("sha256", &self.sha256)
            .finish_non_exhaustive()
    }
}

impl Game {
    /// The game of a rulesheet. `name` is what messages and records call it, usually a file name; its
    /// ending helps to tell the notation of a text that could be either.
    ///
    /// # Errors
    /// [`LoadError::Rejected`] with all findings where one of them is an error;
    /// [`LoadError::Machine`] where the rules cannot be run within the budget; [`LoadError::Net`] where
    /// an engine was asked for that needs a net, and there is none.
    pub fn parse(name: &str, text: &str, options: &GameOptions) -> Result<Self, LoadError> {
        let source = Arc::new(Source::new(name, text));
        Self::from_checked(load(source, &options.load), options)
    }

    /// As [`Game::parse`], from any reader; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// As [`Game::parse`], and [`LoadError::Read`].
    pub fn load(name: &str, mut reader: impl Read, options: &GameOptions) -> Result<Self, LoadError> {
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes);
        read.map_err(|cause| LoadError::Read { name: name.to_owned(), cause })?;
        Self::parse(name, &String::from_utf8_lossy(&bytes), options)
    }

    /// A game that comes with Ludex ([`library::all`]), in prefix notation where there are both and
    /// the options do not ask for infix.
    ///
    /// # Errors
    /// As [`Game::parse`], and [`LoadError::NotBundled`].
    pub fn bundled(name: &str, options: &GameOptions) -> Result<Self, LoadError> {
        let found = match options.load.notation {
            Some(notation) => library::find_in(name, notation),
            None => library::find(name),
        };
        let game = found.ok_or_else(|| LoadError::NotBundled { name: name.to_owned() })?;
        let mut options = options.clone();
        options.load.notation = Some(game.notation);
        Self::parse(name, game.text, &options)
    }

    /// The game of a rulesheet that was read before ([`ludex_gdl::load`]).
    ///
    /// # Errors
    /// As [`Game::parse`].
    pub fn from_checked(mut checked: Checked, options: &GameOptions) -> Result<Self, LoadError> {
        if checked.has_errors() {
            return Err(LoadError::Rejected(Box::new(checked)));
        }
        let Some(program) = checked.game.take() else {
            return Err(LoadError::Rejected(Box::new(checked)));
        };
        let name = checked.rulesheet.source.name().to_owned();
        let source = Arc::clone(&checked.rulesheet.source);
        let read_again = || load(source, &options.load).game;
        let notation = checked.rulesheet.notation;
        let chosen = choosing::choose(&name, &program, notation, options, read_again)?;
        let sha256 = hexadecimal(&Sha256::digest(checked.rulesheet.source.text()));
        let program = Arc::new(chosen.program.unwrap_or(program));
        let upgrade = chosen.net.is_none().then(|| NetUpgrade::new(&program, options, notation));
        Ok(Self(Arc::new(Parts {
            name,
            upgrade: upgrade.map(|upgrade| Arc::new(upgrade) as Arc<dyn Upgrade>),
            program,
            machine: chosen.machine,
            net: chosen.net,
            choice: chosen.choice,
            question_budget: options.question_budget.clone(),
            sha256,
            structure: OnceLock::new(),
            checked,
        })))
    }

    /// What messages and records call the game.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The name without folders and the ending of a rulesheet.
    pub fn short_name(&self) -> &str {
        let file = self.0.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = [".kif", ".gdl"].iter().find_map(|ending| file.strip_suffix(ending));
        stem.unwrap_or(file)
    }

    /// The rulesheet as it was written.
    pub fn rulesheet(&self) -> &Rulesheet {
        &self.0.checked.rulesheet
    }

    /// The text of the rulesheet with its lines.
    pub fn source(&self) -> &Arc<Source> {
        &self.0.checked.rulesheet.source
    }

    /// The SHA-256 of the rulesheet's text, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.0.sha256
    }

    /// How the rulesheet is written, and how terms are written for people.
    pub fn notation(&self) -> Notation {
        self.0.checked.rulesheet.notation
    }

    /// The language of the rulesheet.
    pub fn dialect(&self) -> Dialect {
        self.0.checked.dialect
    }

    /// What was found out about the rulesheet: warnings and notes.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.checked.diagnostics
    }

    /// The rules as a logic program.
    pub fn program(&self) -> &Arc<GameProgram> {
        &self.0.program
    }

    /// What runs the game.
    pub fn machine(&self) -> &Arc<dyn Machine> {
        &self.0.machine
    }

    /// The engine in use; never [`Engine::Auto`]. See [`Game::choice`].
    pub fn engine(&self) -> Engine {
        self.0.choice.engine
    }

    /// Roles, moves and propositions as terms.
    pub fn signature(&self) -> &Arc<Signature> {
        self.0.machine.signature()
    }

    /// The limits on each single question.
    pub fn question_budget(&self) -> &Budget {
        &self.0.question_budget
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

    /// The roles that somebody has to play: all but [`Game::random_role`].
    pub fn seats(&self) -> Vec<RoleId> {
        let random = self.random_role();
        self.roles().filter(|&role| Some(role) != random).collect()
    }

    /// What a player of this role is given.
    pub fn seat(&self, role: RoleId) -> Seat {
        Seat {
            program: Arc::clone(&self.0.program),
            machine: Arc::clone(&self.0.machine),
            upgrade: self.0.upgrade.clone(),
            role,
        }
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

fn hexadecimal(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}
