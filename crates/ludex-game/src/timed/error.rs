//! What can go wrong in real time.

use ludex_gdl::{GameTime, LifetimeError};
use ludex_logic::LimitError;

use crate::{GameError, TextError};

/// The result of a question to a game in real time.
pub type TimedAnswer<T> = Result<T, TimedError>;

/// Within what time updates are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateLimit {
    /// At one point in time.
    Instant,
    /// In one unit of game time.
    Unit,
}

/// Why a question to a game in real time has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedError {
    /// What can go wrong in any game.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A text that is no term.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The rules are in a language without lifetimes.
    #[error("this is {dialect}, where facts have no lifetimes")]
    NotTimed {
        /// The language.
        dialect: String,
    },
    /// More time than until something expires: there is an update in between.
    #[error("{elapsed} cannot have passed without an update: something expires after {expiry}")]
    BeyondExpiry {
        /// The time that was said to have passed since the last update.
        elapsed: GameTime,
        /// When the first fact expires.
        expiry: GameTime,
    },
    /// An update without any cause.
    #[error("there is no update where nobody moves and nothing expires")]
    NoEvent,
    /// A role with two moves in one update.
    #[error("`{role}` cannot make two moves in one update")]
    TwoMoves {
        /// The role.
        role: String,
    },
    /// A move of the role that moves at random, from outside.
    #[error("the moves of `random` are drawn: `{action}` cannot be made for it")]
    OfChance {
        /// The move.
        action: String,
    },
    /// `init` or `next` with a lifetime that is none.
    #[error("the rules give `{fact}` the lifetime `{lifetime}`, which {cause}{}", place(.rule))]
    Lifetime {
        /// The fact in prefix notation.
        fact: String,
        /// The lifetime in prefix notation.
        lifetime: String,
        /// Why it is none.
        cause: LifetimeError,
        /// The line and column of the rule, where it was found.
        rule: Option<String>,
    },
    /// More updates than are allowed: the rules may go on for ever while hardly any time passes.
    #[error(
        "more than {limit} updates {} at the time {time}: {cause}{}",
        match .within { UpdateLimit::Instant => "while no time passes", UpdateLimit::Unit => "in one unit of time" },
        place(.rule)
    )]
    TooManyUpdates {
        /// The time since the start.
        time: GameTime,
        /// How many are allowed.
        limit: u32,
        /// Within what time.
        within: UpdateLimit,
        /// What happens again.
        cause: String,
        /// The line and column of the rule that lets it happen, where it was found.
        rule: Option<String>,
    },
    /// A time before the present.
    #[error("time does not go back from {now} to {time}")]
    Past {
        /// The present.
        now: GameTime,
        /// The time that was asked for.
        time: GameTime,
    },
    /// A time above [`GameTime::MAX`].
    #[error("the game has lasted as long as a game can last, {}", GameTime::MAX)]
    TooLate,
}

fn place(rule: &Option<String>) -> String {
    rule.as_ref().map_or_else(String::new, |rule| format!(" (the rule at {rule})"))
}

impl From<LimitError> for TimedError {
    fn from(error: LimitError) -> Self {
        Self::Game(error.into())
    }
}
