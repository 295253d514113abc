//! How a command ends when it does not end well.

use std::io;
use std::process::ExitCode;

use ludex::engines::NetMachineError;
use ludex::game::{GameError, TimedError};
use ludex::logic::LimitError;
use ludex::logic::derive::DeriveError;

/// The exit code of a question that was not decided within the limits.
pub const UNDECIDED: u8 = 3;
/// The exit code of a match that was played to its end although a player failed.
#[cfg(feature = "server")]
pub const FAULTY: u8 = 3;
/// The exit code of rulesheets that are no translations of each other.
pub const DIFFERENT: u8 = 4;
/// The exit code of a plan that is not legal.
pub const ILLEGAL: u8 = 4;
/// The exit code of a question for something of which it is proved that it is not there.
pub const NONE: u8 = 4;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The input is bad, or a limit was reached: exit code 1.
    Input {
        /// What is wrong, in one sentence without a full stop.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// The command line is bad in a way that no input could mend: exit code 2.
    Usage(String),
    /// Exit code 1, and everything was already said.
    Reported,
    /// The answer was given, and it has an exit code of its own.
    Code(u8),
    /// Nothing more can be written.
    Output(io::Error),
}

impl Failure {
    /// The input is bad.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input { message: message.into(), hint: None }
    }

    /// Says what to do about bad input.
    #[must_use]
    pub fn hint(self, text: impl Into<String>) -> Self {
        match self {
            Self::Input { message, .. } => Self::Input { message, hint: Some(text.into()) },
            other => other,
        }
    }

    /// Says what was wrong on standard error and chooses the exit code.
    pub fn report(self, color: bool) -> ExitCode {
        let red = if color { "\x1b[1;31merror\x1b[0m" } else { "error" };
        match self {
            Self::Input { message, hint } => {
                say(&format!("{red}: {message}"));
                if let Some(hint) = hint {
                    say(&format!("  hint: {hint}"));
                }
                ExitCode::from(1)
            }
            Self::Usage(message) => {
                say(&format!("{red}: {message}"));
                say("  hint: `--help` shows how the command is used");
                ExitCode::from(2)
            }
            Self::Reported => ExitCode::from(1),
            Self::Code(code) => ExitCode::from(code),
            // Whoever reads has read enough, as `head` does.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => {
                say(&format!("{red}: cannot write: {error}"));
                ExitCode::from(1)
            }
        }
    }
}

/// One line on standard error; when that is closed there is nobody to tell.
pub fn say(line: &str) {
    use io::Write;
    let _ = writeln!(io::stderr(), "{line}");
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<GameError> for Failure {
    fn from(error: GameError) -> Self {
        match error {
            GameError::Limit(limit) => limit.into(),
            GameError::RealTime { .. } => Self::input(error.to_string())
                .hint("`play`, `tournament`, `step` and `perft` run games in real time; `show`, `why` and `query` look into them; `check`, `fmt`, `convert` and `same` read them"),
            other => Self::input(other.to_string()),
        }
    }
}

impl From<TimedError> for Failure {
    fn from(error: TimedError) -> Self {
        match error {
            TimedError::Game(error) => error.into(),
            other => Self::input(other.to_string()),
        }
    }
}

impl From<LimitError> for Failure {
    fn from(error: LimitError) -> Self {
        let hint = match &error {
            LimitError::Memory { .. } => Some("`--max-memory` allows more, such as `--max-memory 8G`"),
            LimitError::Deadline => Some("`--max-time` allows more, such as `--max-time 10m`"),
            LimitError::Work { .. }
            | LimitError::Slow { .. }
            | LimitError::Text { .. }
            | LimitError::Cancelled => None,
        };
        let failure = Self::input(error.to_string());
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<NetMachineError> for Failure {
    fn from(error: NetMachineError) -> Self {
        Self::input(error.to_string()).hint("`--engine rules` runs the game without a net")
    }
}

impl From<DeriveError> for Failure {
    fn from(error: DeriveError) -> Self {
        match error {
            DeriveError::Limit(limit) => limit.into(),
            DeriveError::Floundering { clause: None, .. } => Self::input(error.to_string())
                .hint("a query needs an atom that gives the variable its values"),
            DeriveError::Malformed => Self::input(error.to_string()),
            other => Self::input(other.to_string()).hint("`ludex check FILE` says where the rules are wrong"),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::input(format!("cannot write JSON: {error}"))
    }
}
