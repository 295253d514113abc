//! Why work on rules came to nothing: it was too much, or there was too little time for it.

use ludex::game::{GameError, TimedError};
use ludex::logic::LimitError;
use ludex::{LoadError, PlayableError, TimedLoadError};

/// Why work on rules came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// More work or memory than there may be, or something that cannot be: in words. It is always so.
    TooMuch(String),
    /// Too little time, which depends on what else the machine does.
    Late,
}

/// Whether a limit is one on time.
fn is_time(limit: &LimitError) -> bool {
    matches!(limit, LimitError::Deadline | LimitError::Slow { .. } | LimitError::Cancelled)
}

/// Whether the clock ended a question.
pub(super) fn is_out_of_time(error: &GameError) -> bool {
    matches!(error, GameError::Limit(limit) if is_time(limit))
}

/// Whether a game cannot be prepared because there was too little time.
pub(crate) fn is_late(error: &PlayableError) -> bool {
    match error {
        PlayableError::InSteps(LoadError::Machine { cause: GameError::Limit(limit), .. })
        | PlayableError::InTime(TimedLoadError::Machine(TimedError::Game(GameError::Limit(limit)))) => {
            is_time(limit)
        }
        _ => false,
    }
}

impl From<GameError> for Trouble {
    fn from(error: GameError) -> Self {
        if is_out_of_time(&error) { Self::Late } else { Self::TooMuch(error.to_string()) }
    }
}

impl From<TimedError> for Trouble {
    fn from(error: TimedError) -> Self {
        match error {
            TimedError::Game(error) => error.into(),
            error => Self::TooMuch(error.to_string()),
        }
    }
}

impl From<PlayableError> for Trouble {
    fn from(error: PlayableError) -> Self {
        if is_late(&error) { Self::Late } else { Self::TooMuch(error.to_string()) }
    }
}
