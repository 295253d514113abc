//! Why there is no term, no step.

use ludex_gdl::Diagnostic;

use crate::GameError;

/// Why a text is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// It is written wrongly. Spans count from the start of the text.
    #[error("`{text}`: {}", .diagnostics.first().map_or("not a term", |d| &d.message))]
    Syntax {
        /// The text.
        text: String,
        /// What is wrong with it.
        diagnostics: Vec<Diagnostic>,
    },
    /// It has a variable where there must be none.
    #[error("`{text}` has the variable `{variable}`")]
    Variable {
        /// The text.
        text: String,
        /// The variable.
        variable: String,
    },
    /// It is not one of the game's.
    #[error("`{text}` means nothing in this game: {cause}")]
    Unknown {
        /// The text.
        text: String,
        /// What the machine says to it.
        cause: GameError,
    },
    /// It has a term that the game never met, and the table of terms is full.
    #[error("`{text}` means nothing in this game: no room for more terms")]
    Full {
        /// The text.
        text: String,
    },
}

/// Why a joint move was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The state is terminal.
    #[error("the game is over")]
    Over,
    /// Not one move for each role.
    #[error("there are {roles} roles, but {moves} moves")]
    Count {
        /// How many roles there are.
        roles: usize,
        /// How many moves were given.
        moves: usize,
    },
    /// No such role.
    #[error("there is no role `{role}`")]
    UnknownRole {
        /// The name.
        role: String,
    },
    /// A role with a choice was given no move.
    #[error("`{role}` has {choices} legal moves, but none was given")]
    Missing {
        /// The role.
        role: String,
        /// How many moves it can choose from.
        choices: usize,
    },
    /// The move is not legal.
    #[error("`{action}` is not a legal move of `{role}`")]
    Illegal {
        /// The role.
        role: String,
        /// The move as it was given.
        action: String,
    },
    /// The move could not be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The engine has no answer.
    #[error(transparent)]
    Game(#[from] GameError),
}
