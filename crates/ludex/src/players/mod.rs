//! Players: what they are told, what they answer, and those that are built in.
//!
//! A [`Player`] speaks ground terms, the one identity of moves and percepts, so it may run the game
//! on any engine. In a game of complete information it is told the joint move of each step; in
//! GDL-II only its own move and what it saw ([`News`]). [`Belief`] keeps the states that fit.

mod belief;
mod legal;
mod random;

use std::fmt;
use std::sync::Arc;

use ludex_game::{Goal, Machine, RoleId, Signature};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, TermId};

pub use belief::{Belief, BeliefError, BeliefOptions};
pub use legal::LegalPlayer;
pub use random::RandomPlayer;

/// What a player is given before a match: the game and its role in it.
#[derive(Clone)]
pub struct Seat {
    /// The rules.
    pub program: Arc<GameProgram>,
    /// A machine that runs them; a player may make one of its own.
    pub machine: Arc<dyn Machine>,
    /// The player's role.
    pub role: RoleId,
}

impl Seat {
    /// Roles, moves and propositions as terms.
    pub fn signature(&self) -> &Arc<Signature> {
        self.machine.signature()
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat").field("role", &self.role).finish_non_exhaustive()
    }
}

/// A move with what the player says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub action: TermId,
    /// Why, for whoever watches.
    pub report: Report,
}

/// What a player says about a move: names with values, for people and statistics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The entries in the order of their making.
    pub entries: Vec<(&'static str, String)>,
}

impl Report {
    /// Adds an entry.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.entries.push((name, value.to_string()));
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.entries.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{name} {value}")?;
        }
        Ok(())
    }
}

/// What a player learns after each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The moves of all roles in order: in games of complete information.
    Joint(Vec<TermId>),
    /// In GDL-II.
    Percepts {
        /// The player's own move, as it was made: the referee's, where the player's was not legal.
        action: TermId,
        /// What the player saw.
        percepts: Vec<TermId>,
    },
}

/// How a match ended for a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether a terminal state was reached.
    pub completed: bool,
    /// What the last state is worth to the player, where the rules say exactly one value.
    pub goal: Option<Goal>,
}

/// Why a player has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// It was asked before it was prepared.
    #[error("the player was not prepared")]
    NotPrepared,
    /// It lost track of the match, or a limit was reached.
    #[error(transparent)]
    Belief(#[from] BeliefError),
    /// It has left, or cannot be reached.
    #[error("{0}")]
    Gone(String),
}

impl From<ludex_game::GameError> for PlayerError {
    fn from(error: ludex_game::GameError) -> Self {
        Self::Belief(BeliefError::Game(error))
    }
}

/// Somebody who plays one role of one match at a time.
pub trait Player: Send {
    /// Takes a seat and gets ready (start clock). Forgets any match before.
    ///
    /// # Errors
    /// [`PlayerError`]; the player may still be asked for moves.
    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError>;
    /// Chooses a move in the current state (play clock).
    ///
    /// # Errors
    /// [`PlayerError`]; the referee then moves instead.
    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError>;
    /// Hears what happened in the last step. Work that takes time belongs to [`Player::choose`].
    fn observe(&mut self, news: &News);
    /// May use time that is nobody's turn.
    fn ponder(&mut self, _budget: &Budget) {}
    /// Hears that the match is over.
    fn finish(&mut self, _outcome: &Outcome) {}
}

/// A built-in strategy.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    /// The name that options take.
    pub name: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    make: fn(u64) -> Box<dyn Player>,
}

impl Strategy {
    /// A player of this strategy; equal seeds play equally.
    pub fn create(&self, seed: u64) -> Box<dyn Player> {
        (self.make)(seed)
    }
}

/// All built-in strategies, by name.
pub fn strategies() -> &'static [Strategy] {
    &[
        Strategy {
            name: "legal",
            description: "the first legal move in canonical order",
            make: |seed| Box::new(LegalPlayer::new(seed)),
        },
        Strategy {
            name: "random",
            description: "any legal move, with equal likelihood",
            make: |seed| Box::new(RandomPlayer::new(seed)),
        },
    ]
}

/// There is no such strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no strategy `{0}`")]
pub struct UnknownStrategy(pub String);

/// A player of the strategy with this name; equal seeds play equally.
///
/// # Errors
/// [`UnknownStrategy`].
pub fn create(name: &str, seed: u64) -> Result<Box<dyn Player>, UnknownStrategy> {
    let found = strategies().iter().find(|strategy| strategy.name == name);
    found.map(|strategy| strategy.create(seed)).ok_or_else(|| UnknownStrategy(name.to_owned()))
}

/// The moves a player may choose from: those legal in all states that it holds possible, or where
/// there is no such move, those legal in most of them. Also says how much the player knows.
fn moves_to_choose_from(
    belief: &mut Option<Belief>,
    budget: &Budget,
) -> Result<(Vec<TermId>, Report), PlayerError> {
    let belief = belief.as_mut().ok_or(PlayerError::NotPrepared)?;
    let mut moves = belief.legal_in_all(budget)?;
    let mut report = Report::default();
    if belief.states().len() != 1 || !belief.is_exact() {
        report = report.with("possible states", belief.states().len());
        report = report.with("all of them", if belief.is_exact() { "yes" } else { "no" });
    }
    if moves.is_empty() {
        moves = belief.legal_in_most(budget)?;
        report = report.with("no move is surely legal", "the likeliest is taken");
    }
    Ok((moves, report))
}
