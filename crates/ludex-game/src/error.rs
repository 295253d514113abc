//! What can go wrong while a game runs.

use ludex_gdl::Dialect;
use ludex_logic::LimitError;

/// The result of a question to a machine.
pub type Answer<T> = Result<T, GameError>;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// A limit on work, time or memory.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A state that another machine made.
    #[error("the state is one of another machine")]
    ForeignState,
    /// A fact that no state of the game can hold.
    #[error("`{fact}` cannot hold in any state of this game")]
    UnknownFact {
        /// The fact in prefix notation.
        fact: String,
    },
    /// A joint move in a terminal state.
    #[error("the game is over")]
    Over,
    /// Not one move for each role.
    #[error("there are {roles} roles, but {moves} moves")]
    MoveCount {
        /// How many roles there are.
        roles: usize,
        /// How many moves were given.
        moves: usize,
    },
    /// A move that no role of the game has.
    #[error("`{action}` is not a move of this game")]
    UnknownAction {
        /// The move in prefix notation.
        action: String,
    },
    /// A move of the game that is not legal for the role in this state.
    #[error("`{action}` is not legal for `{role}` in this state")]
    IllegalMove {
        /// The role.
        role: String,
        /// The move in prefix notation.
        action: String,
    },
    /// A role without a legal move in a state that is not terminal (specification Def. 22).
    #[error("`{role}` has no legal move in a state that is not terminal")]
    NoLegalMove {
        /// The role.
        role: String,
    },
    /// A fault of the program: what was at work panicked, and what it left half done is not to be used.
    #[error("{what} broke down: {cause}")]
    BrokeDown {
        /// What was at work.
        what: String,
        /// What the panic said.
        cause: String,
    },
    /// A game in real time where one is needed that goes step by step; see [`TimedMachine`](crate::TimedMachine).
    #[error(
        "this is {dialect}: a game in real time, which does not go step by step, so this cannot be done with it"
    )]
    RealTime {
        /// The language.
        dialect: String,
    },
    /// The program cannot be run.
    #[error("the rules cannot be run: {reason}")]
    Unrunnable {
        /// Why.
        reason: String,
    },
}

impl GameError {
    /// Refuses a game in real time where one is needed that goes step by step.
    ///
    /// # Errors
    /// [`GameError::RealTime`].
    pub fn refuse_real_time(dialect: Dialect) -> Answer<()> {
        if dialect.is_timed() { Err(Self::RealTime { dialect: dialect.to_string() }) } else { Ok(()) }
    }

    /// Whether moves are wrong, as against limits and faults.
    pub(crate) fn is_about_moves(&self) -> bool {
        matches!(
            self,
            Self::Over | Self::MoveCount { .. } | Self::UnknownAction { .. } | Self::IllegalMove { .. }
        )
    }
}
