//! What players are told, and what they answer.

use std::fmt;
use std::sync::Arc;

use ludex_game::{Belief, BeliefError, BeliefOptions, Goal, Machine, News, RoleId, Signature, TimeTerms};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, TermId};

use crate::background_analysis::BackgroundAnalysis;
use crate::introduction::Introduction;
use crate::learned_evaluation::TrainedEvaluation;
use crate::report::Report;

/// Makes a faster machine of a game. It is asked by players, since they are the ones who know how much
/// time there is, and it remembers what it made, so that all who play a game share it.
pub trait Upgrade: Send + Sync {
    /// A machine whose terms are those of the seat's machine, or why there is none. A machine that was
    /// made before is given at once.
    ///
    /// # Errors
    /// Why there is none, for people. After a limit it may be asked again.
    fn make(&self, budget: &Budget) -> Result<Arc<dyn Machine>, String>;
}

/// What a player is given before a match: the game and its role in it.
#[derive(Clone)]
pub struct Seat {
    /// The rules.
    pub program: Arc<GameProgram>,
    /// A machine that runs them.
    pub machine: Arc<dyn Machine>,
    /// How to come by a faster one, if there is a way.
    pub upgrade: Option<Arc<dyn Upgrade>>,
    /// How to find out what can be known of the game, if there is a way.
    pub analysis: Option<Arc<BackgroundAnalysis>>,
    /// The player's role.
    pub role: RoleId,
}

impl Seat {
    /// Roles, moves and propositions as terms.
    pub fn signature(&self) -> &Arc<Signature> {
        self.machine.signature()
    }

    /// What who sits here knows of the state: at first, the initial state.
    pub fn belief(&self, options: BeliefOptions) -> Belief {
        Belief::new(Arc::clone(&self.machine), self.role, options)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat").field("role", &self.role).finish_non_exhaustive()
    }
}

/// A move with what the player says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The move.
    pub action: TermId,
    /// Why, for whoever watches.
    pub report: Report,
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
#[non_exhaustive]
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

/// Somebody who plays one role of one match at a time. Most players are a [`Strategy`](crate::Strategy) in a
/// [`StrategyPlayer`](crate::StrategyPlayer); this is for those that keep track of the match themselves.
///
/// ```
/// use ludex_logic::Budget;
/// use ludex_players::{Belief, BeliefOptions, Choice, News, Player, PlayerError, Report, Seat};
///
/// /// Makes the last of its legal moves.
/// #[derive(Default)]
/// struct Last(Option<Belief>);
///
/// impl Player for Last {
///     fn prepare(&mut self, seat: Seat, _: &Budget) -> Result<(), PlayerError> {
///         self.0 = Some(seat.belief(BeliefOptions::default()));
///         Ok(())
///     }
///
///     fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
///         let moves = self.0.as_mut().ok_or(PlayerError::NotPrepared)?.legal_in_all(budget)?;
///         let action = *moves.last().ok_or(PlayerError::Gone("nothing is legal".into()))?;
///         Ok(Choice { action, report: Report::default() })
///     }
///
///     fn observe(&mut self, news: &News) {
///         if let Some(belief) = &mut self.0 {
///             belief.observe(news);
///         }
///     }
/// }
/// # assert_eq!(Last::default().choose(&Budget::unlimited()).unwrap_err(), PlayerError::NotPrepared);
/// ```
pub trait Player: Send {
    /// Hears who plays and what for, before it takes the seat ([`Player::prepare`]) that this is about. Nobody says so
    /// where nothing is known.
    fn introduce(&mut self, _introduction: &Introduction) {}
    /// Takes a seat and gets ready (start clock). Forgets any match before.
    ///
    /// # Errors
    /// [`PlayerError`]; the player may still be asked for moves.
    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError>;
    /// Hears, before it is asked for a move, what time is worth from there on, where it is limited for all moves together
    /// or costs something. The budget of the question is the limit of that move nevertheless.
    fn hear_time(&mut self, _terms: &TimeTerms) {}
    /// Chooses a move in the current state (play clock).
    ///
    /// # Errors
    /// [`PlayerError`]; the referee then moves instead.
    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError>;
    /// The move that it would make without any thought, by what it knows already; `None` where it knows nothing. For
    /// who has to answer whatever becomes of [`Player::choose`], which is asked next. Quick.
    fn first_thought(&mut self, _budget: &Budget) -> Option<TermId> {
        None
    }
    /// Hears what happened in the last step. Work that takes time belongs to [`Player::choose`].
    fn observe(&mut self, news: &News);
    /// May use time that is nobody's turn.
    fn ponder(&mut self, _budget: &Budget) {}
    /// The top of the tree of the last search as a graph in the language of Graphviz, with at most
    /// `nodes` nodes; `None` from players without one.
    fn tree_dot(&self, _nodes: usize) -> Option<String> {
        None
    }
    /// What it has learned of the game in this match that is of use in others; `None` from players that learn nothing.
    fn learned(&self) -> Option<TrainedEvaluation> {
        None
    }
    /// Hears that the match is over.
    fn finish(&mut self, _outcome: &Outcome) {}
}
