//! Why a message cannot be understood.

use std::fmt;

use ludex_gdl::{Diagnostic, LineColumn, Source};

/// How much of a wrong text an error shows.
const LONGEST_EXCERPT: usize = 60;

/// Why a message or an answer cannot be understood, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct MessageError {
    /// What is wrong.
    pub problem: MessageProblem,
    /// Where in the text.
    pub position: LineColumn,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {}): {}", self.problem, self.position, self.hint)
    }
}

/// What is wrong with a message or an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageProblem {
    /// There is nothing in it.
    #[error("there is no message")]
    Empty,
    /// It is not text.
    #[error("this is not UTF-8 text")]
    NotText,
    /// It is longer than any sensible message.
    #[error("{length} bytes are too many")]
    TooLong {
        /// Its length.
        length: usize,
        /// The longest that is read.
        limit: usize,
    },
    /// Brackets do not match, or a term is broken.
    #[error("{0}")]
    Syntax(String),
    /// There is more than one message, or more than one move.
    #[error("something follows the message")]
    Trailing,
    /// The message begins with another word than messages do.
    #[error("`{0}` is not a message")]
    Keyword(String),
    /// A message has too many or too few parts.
    #[error("`{keyword}` with {found} arguments")]
    Arguments {
        /// Which message.
        keyword: &'static str,
        /// The number of its arguments.
        found: usize,
    },
    /// No name of a match.
    #[error("`{0}` cannot be the name of a match")]
    Id(String),
    /// No number of seconds.
    #[error("`{0}` is not a number of seconds")]
    Clock(String),
    /// No point in time.
    #[error("`{0}` is not a time")]
    Time(String),
    /// No number of steps.
    #[error("`{0}` is not a number of turns")]
    Turn(String),
    /// No list.
    #[error("`{0}` is not a list")]
    List(String),
    /// No pair.
    #[error("`{0}` is not a name with its value")]
    Pair(String),
    /// A term with a variable.
    #[error("`{0}` has a variable in it")]
    Variable(String),
    /// Another answer than the message asks for.
    #[error("`{found}` does not answer the message")]
    Unexpected {
        /// What came.
        found: String,
    },
}

/// What is wrong at a byte of a text. Lines are counted only for the error that is told in the end: on
/// the way there may be very many, in a text that is very long.
#[derive(Debug)]
pub(super) struct Flaw {
    pub(super) problem: MessageProblem,
    pub(super) offset: usize,
    pub(super) hint: String,
}

impl Flaw {
    pub(super) fn new(offset: usize, problem: MessageProblem, hint: impl Into<String>) -> Self {
        Self { problem, offset, hint: hint.into() }
    }

    /// What a parser found wrong with the part of a text that starts at `offset`.
    pub(super) fn syntax(offset: usize, diagnostics: &[Diagnostic]) -> Self {
        let (at, message, hint) = match diagnostics.first() {
            Some(first) => (first.span.start as usize, first.message.as_str(), first.hint.as_deref()),
            None => (0, "this cannot be read", None),
        };
        let hint = hint.unwrap_or("a term is written as `(mark 1 2)` or as `mark(1,2)`");
        Self::new(offset + at, MessageProblem::Syntax(message.to_owned()), hint)
    }

    /// As an error of the whole text.
    pub(super) fn in_text(self, text: &str) -> MessageError {
        let position = Source::new("", text).position(self.offset);
        MessageError { problem: self.problem, position, hint: self.hint }
    }
}

/// The start of a text, for errors.
pub(super) fn excerpt(text: &str) -> String {
    let mut excerpt: String = text.chars().take(LONGEST_EXCERPT).collect();
    if excerpt.len() < text.len() {
        excerpt.push_str("...");
    }
    excerpt
}
