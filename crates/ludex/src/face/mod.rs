//! A game with its rules, its findings and its engine.

mod batches;
mod choosing;
mod delegation;
#[cfg(feature = "analysis")]
mod drawing;
mod error;
#[cfg(feature = "players")]
mod upgrade;

use std::io::Read;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

#[cfg(feature = "analysis")]
use ludex_analysis::{Structure, Subject};
use ludex_engine::{LaneOptions, NetMachine};
#[cfg(feature = "players")]
use ludex_game::RoleId;
use ludex_game::{Answer, Rules, Turns};
use ludex_gdl::{Checked, LoadOptions, Source, load};
use ludex_logic::Budget;
use ludex_propnet::passes::PassSet;

use crate::clock::SystemClock;
use crate::engine::{Engine, EngineChoice};
use crate::library;
pub use batches::PlayoutOptions;
pub use error::LoadError;
#[cfg(feature = "players")]
use ludex_players::{BackgroundAnalysis, Seat, Upgrade};
#[cfg(feature = "players")]
use upgrade::NetUpgrade;

/// How to read and run a game.
///
/// ```
/// use ludex::logic::Budget;
/// use ludex::{Engine, Game, GameOptions, LoadError};
///
/// // The rule machine, with as little to prepare as possible, and counted work for each question.
/// let question_budget = Budget::unlimited().with_work(1_000_000);
/// let options = GameOptions { engine: Engine::Rules, hasty: true, question_budget, ..GameOptions::default() };
/// assert_eq!(Game::bundled("reversi", &options)?.engine(), Engine::Rules);
///
/// // A net that may cost nothing is none.
/// let budget = Budget::unlimited().with_work(10);
/// let net = GameOptions { engine: Engine::Net, budget, ..GameOptions::default() };
/// assert!(Game::bundled("reversi", &net).is_err());
/// # Ok::<(), LoadError>(())
/// ```
#[derive(Clone, Debug)]
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
    /// The part of the time of [`GameOptions::budget`] that [`Engine::Auto`] spends on a net at most, where that is
    /// limited: what the game is wanted for gets the rest.
    pub net_share: f64,
    /// The passes that shrink the circuit of a net.
    pub passes: PassSet,
    /// How many lanes [`Engine::Lanes`] has, and what computes them.
    pub lanes: LaneOptions,
}

impl Default for GameOptions {
    /// No limits; three tenths of the time for a net, where time is limited.
    fn default() -> Self {
        Self {
            load: LoadOptions::default(),
            engine: Engine::Auto,
            budget: Budget::unlimited(),
            question_budget: Budget::unlimited(),
            hasty: false,
            net_budget: None,
            net_share: 0.3,
            passes: PassSet::default(),
            lanes: LaneOptions::default(),
        }
    }
}

impl GameOptions {
    /// The default options with this much time to prepare the game.
    pub fn within(limit: Duration) -> Self {
        Self { budget: SystemClock::limit(limit), ..Self::default() }
    }
}

/// A game, ready to run: cheap to clone, shared by threads.
///
/// It has [`Rules`] with a machine, and answers what those answer; [`Game::start`] gives a
/// [`Position`](ludex_game::Position) to walk about in.
///
/// ```
/// use ludex::{Engine, Game, GameOptions};
///
/// let game = Game::bundled("tic-tac-toe", &GameOptions::default())?;
/// assert_eq!((game.engine(), game.role_names()), (Engine::Net, vec!["white".into(), "black".into()]));
/// let white = game.find_role("white").expect("a role");
/// let centre = game.read_term("(mark 2 2)")?;
/// assert!(game.legal(game.initial(), white)?.contains(&centre));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game(Arc<Parts>);

struct Parts {
    rules: Rules,
    net: Option<Arc<NetMachine>>,
    choice: EngineChoice,
    turns: OnceLock<Turns>,
    #[cfg(feature = "analysis")]
    structure: OnceLock<Structure>,
    #[cfg(feature = "analysis")]
    subject: OnceLock<Subject>,
    #[cfg(feature = "players")]
    analysis: OnceLock<Arc<BackgroundAnalysis>>,
    /// Where a net does not run the game, what may make one.
    #[cfg(feature = "players")]
    upgrade: Option<Arc<dyn Upgrade>>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Game").field("rules", &self.rules).finish_non_exhaustive()
    }
}

// What a panic may leave half done stands behind locks, which are taken over as they are, or belongs to a runner.
impl UnwindSafe for Game {}
impl RefUnwindSafe for Game {}

impl Game {
    /// The game of a rulesheet. `name` is what messages and records call it, usually a file name; its
    /// ending helps to tell the notation of a text that could be either.
    ///
    /// ```
    /// use ludex::{Game, GameOptions, LoadError};
    ///
    /// let rules = "(role you) (init (at 1)) (legal you go) (next (at 2)) (<= terminal (true (at 2))) (goal you 50)";
    /// let game = Game::parse("walk.kif", rules, &GameOptions::default())?;
    /// assert_eq!(game.start().fact_texts(), ["(at 1)"]);
    ///
    /// let wrong = Game::parse("walk.kif", "(role you) (legal you ?x)", &GameOptions::default()).unwrap_err();
    /// assert!(matches!(&wrong, LoadError::Rejected(checked) if checked.has_errors()));
    /// assert!(wrong.to_string().contains("walk.kif:1:"), "where it is: {wrong}");
    /// # Ok::<(), LoadError>(())
    /// ```
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
    /// As [`Game::parse`], and [`LoadError::Read`], also where there are more bytes than the memory of
    /// [`GameOptions::budget`].
    pub fn load(name: &str, reader: impl Read, options: &GameOptions) -> Result<Self, LoadError> {
        let unread = |cause| LoadError::Read { name: name.to_owned(), cause };
        let most = options.budget.memory() as u64;
        let mut bytes = Vec::new();
        reader.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(unread)?;
        if bytes.len() as u64 > most {
            return Err(unread(std::io::ErrorKind::FileTooLarge.into()));
        }
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
            checked.diagnostics.extend(checked.not_runnable.take());
            return Err(LoadError::Rejected(Box::new(checked)));
        };
        let name = checked.rulesheet.source.name().to_owned();
        let notation = checked.rulesheet.notation;
        let chosen = choosing::choose(&name, &program, notation, options)?;
        let program = Arc::new(program);
        #[cfg(feature = "players")]
        let upgrade = chosen.net.is_none().then(|| NetUpgrade::new(&program, options, notation));
        let (engine, budget) = (chosen.choice.engine.name(), options.question_budget.clone());
        Ok(Self(Arc::new(Parts {
            rules: Rules::new(checked, program, chosen.machine, engine, budget),
            #[cfg(feature = "players")]
            upgrade: upgrade.map(|upgrade| Arc::new(upgrade) as Arc<dyn Upgrade>),
            net: chosen.net,
            choice: chosen.choice,
            turns: OnceLock::new(),
            #[cfg(feature = "analysis")]
            structure: OnceLock::new(),
            #[cfg(feature = "analysis")]
            subject: OnceLock::new(),
            #[cfg(feature = "players")]
            analysis: OnceLock::new(),
        })))
    }

    /// The engine in use; never [`Engine::Auto`]. See [`Game::choice`].
    pub fn engine(&self) -> Engine {
        self.0.choice.engine
    }

    /// The rules with their machine: what the referee needs.
    pub fn rules(&self) -> &Rules {
        &self.0.rules
    }

    /// The net that has the game's states, where there is one.
    pub fn net(&self) -> Option<&Arc<NetMachine>> {
        self.0.net.as_ref()
    }

    /// How the game is played in turns; found out once.
    ///
    /// # Errors
    /// As [`Turns::of`].
    pub fn turns(&self) -> Answer<&Turns> {
        if let Some(known) = self.0.turns.get() {
            return Ok(known);
        }
        let found = Turns::of(self.rules())?;
        Ok(self.0.turns.get_or_init(|| found))
    }

    /// The game as something to analyse; its net for proofs is made once.
    #[cfg(feature = "analysis")]
    pub fn subject(&self) -> &Subject {
        self.0.subject.get_or_init(|| Subject::new(self.rules()))
    }

    /// What is known of the game by those who play it; found out while they do.
    #[cfg(feature = "players")]
    pub fn analysis(&self) -> &Arc<BackgroundAnalysis> {
        self.0.analysis.get_or_init(|| Arc::new(BackgroundAnalysis::new(self.subject())))
    }

    /// What a player of this role is given.
    #[cfg(feature = "players")]
    pub fn seat(&self, role: RoleId) -> Seat {
        Seat {
            program: Arc::clone(self.program()),
            machine: Arc::clone(self.machine()),
            upgrade: self.0.upgrade.clone(),
            analysis: Some(Arc::clone(self.analysis())),
            role,
        }
    }
}
