//! Why a manager does not do something.

use ludex::matches::referee::RefereeError;
use ludex::matches::tournament::TournamentError;

use crate::driver::AddressError;
use crate::model::{GameCheck, StoreError};
use crate::preparation::PreparationFailure;

/// Why a manager does not do something. The texts can be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// What is kept cannot be read or written.
    #[error(transparent)]
    Store(StoreError),
    /// There is no such thing.
    #[error("there is no {what} `{name}`")]
    NotFound {
        /// `game`, `player`, `match`, `tournament`, `seat`, `step`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// There is such a thing already.
    #[error("there is a {what} `{name}` already")]
    Exists {
        /// `game`, `player`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A name cannot be one.
    #[error("`{name}` is no name for a {what}: {rule}")]
    Name {
        /// `game`, `player`.
        what: &'static str,
        /// The name.
        name: String,
        /// What names are like.
        rule: &'static str,
    },
    /// A rulesheet has errors, or nobody can play it. All findings are there.
    #[error("{}", .0.refusal())]
    Rejected(Box<GameCheck>),
    /// A game cannot be prepared within its limits.
    #[error("{0}")]
    Heavy(String),
    /// There was too little time, because the server is at other work. It may be tried again.
    #[error("the server is too busy to work on these rules at present; try again in a minute")]
    Busy,
    /// A game that is not offered to be played.
    #[error("the game `{name}` cannot be played: {why}")]
    NotOffered {
        /// The game.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// A rulesheet does not fit a role of the game.
    #[error("{0}")]
    Rulesheet(String),
    /// A player's address is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// There is no such built-in player, or there are none at all.
    #[error("{0}")]
    Strategy(String),
    /// What was agreed makes no match.
    #[error(transparent)]
    Referee(#[from] RefereeError),
    /// What was agreed makes no tournament.
    #[error(transparent)]
    Tournament(#[from] TournamentError),
    /// Something is not as it should be for a match or tournament: what.
    #[error("{0}")]
    Invalid(String),
    /// More than there may be.
    #[error("no more than {limit} {what} are possible")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        limit: u64,
    },
    /// A move cannot be made: it is not this seat's turn, it was made already, it is not legal.
    #[error("{0}")]
    Move(String),
    /// What was asked for is hidden until the match is over.
    #[error("players do not see everything in this game: the record is shown when the match is over")]
    Hidden,
    /// A seat was asked for without its key.
    #[error("this seat is opened by its own link only: whoever made the match has it")]
    Key,
    /// The seat of a person is taken: only its key opens it.
    #[error("the seat is taken; whoever has it has its key")]
    Taken,
    /// It is used by matches or tournaments that are not over.
    #[error("the {what} `{name}` is needed by {by}")]
    InUse {
        /// `player`, `game`, `account`.
        what: &'static str,
        /// Its name.
        name: String,
        /// By what.
        by: String,
    },
    /// What is done with matches that are over was wanted of one that is not.
    #[error("the match is not over, and nobody gets help while it is played")]
    NotOver,
    /// Others wait for the same kind of work already; that passes by itself.
    #[error("the server is busy with {what}: try again in a little while")]
    Crowded {
        /// With what.
        what: &'static str,
    },
    /// Whoever asks may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// What was given to sign in by does not fit. It says nothing of which part.
    #[error("name and password do not fit together")]
    SignIn,
    /// A sign-in link is none, or none any more.
    #[error("this link does not sign anybody in any more: each can be used once, and not for long")]
    Link,
    /// An account that is banned, and why.
    #[error("this account is banned{}{}", if .0.is_empty() { "" } else { ": " }, .0)]
    Banned(String),
    /// The server has no accounts.
    #[error("this server has no accounts")]
    NoAccounts,
    /// It is over already.
    #[error("the {what} is over")]
    Over {
        /// `match`, `tournament`.
        what: &'static str,
    },
    /// The system has no threads or sockets to give.
    #[error("the manager cannot run: {0}")]
    System(#[from] std::io::Error),
    /// The manager is being shut down.
    #[error("the manager is being shut down")]
    Stopped,
}

impl From<StoreError> for ManagerError {
    /// What is not in the store is not there.
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { what, name } => Self::NotFound { what, name },
            StoreError::Exists { what, name } => Self::Exists { what, name },
            error => Self::Store(error),
        }
    }
}

impl From<PreparationFailure> for ManagerError {
    fn from(failure: PreparationFailure) -> Self {
        match failure {
            PreparationFailure::Heavy(why) | PreparationFailure::Unbearable(why) => Self::Heavy(why),
            PreparationFailure::Late => Self::Busy,
            PreparationFailure::Crowded(limit) => {
                Self::TooMany { what: "games that wait to be prepared", limit }
            }
        }
    }
}

impl ManagerError {
    /// What everybody may be told. What that leaves out is logged.
    pub(super) fn in_general(&self) -> String {
        let told = match self {
            Self::Store(error) => error.in_general(),
            Self::System(_) => "the system has no threads or sockets to give".to_owned(),
            error => return error.to_string(),
        };
        tracing::error!(error = %self, "the manager cannot go on");
        told
    }
}
