//! Reads answer set programs.

mod lexer;
mod reader;
pub(super) mod syntax;

use ludex_logic::{Budget, LimitError};

use super::ground::ground;
use super::program::Program;
use reader::Reader;
pub use syntax::Place;

/// Why a text is no answer set program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramTextError {
    /// Something stands where something else must.
    #[error("{place}: expected {expected}, found `{found}`")]
    Unexpected {
        /// Where.
        place: Place,
        /// What could stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// The text ends too early.
    #[error("expected {expected} at the end")]
    End {
        /// What is missing.
        expected: &'static str,
    },
    /// Nothing says which values a variable has.
    #[error("{place}: no positive atom of the body has the variable `{name}`")]
    Unbound {
        /// Where the rule begins.
        place: Place,
        /// The variable.
        name: String,
    },
    /// Something is reckoned with that is no number, or with too large numbers, or divided by zero.
    #[error("{place}: only numbers can be reckoned with, and none that are too large")]
    Arithmetic {
        /// Where the rule begins.
        place: Place,
    },
    /// A bound of a choice is no number.
    #[error("{place}: a bound of a choice must be a number from 0")]
    Bound {
        /// Where the rule begins.
        place: Place,
    },
    /// A directive that is not read.
    #[error("{place}: `#{name}` is not read, only `#const`, `#show` and `#defined`")]
    Directive {
        /// Where.
        place: Place,
        /// Its name.
        name: String,
    },
    /// A body with variables that is too long.
    #[error("{place}: a rule with variables has at most {most} literals in its body")]
    Long {
        /// Where the rule begins.
        place: Place,
        /// The most literals.
        most: usize,
    },
    /// Terms in terms in terms.
    #[error("{place}: terms are nested too deep")]
    Deep {
        /// Where.
        place: Place,
    },
    /// The rules without variables are more than the budget allows.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// The work, and the bytes, that the rules without variables may take where nothing is said.
const WORK: u64 = 200_000_000;
const MEMORY: usize = 1 << 30;

impl Program {
    /// Reads a program as the book prints it (`p2 :- b1 & ~p1`) or as answer set solvers do
    /// (`p2 :- b1, not p1.`), and makes rules without variables of it. Choices are `1 {a; b} 1 :- c.`, and
    /// `{does(M) : legal(M)}` for each that holds; constraints are `:- a.`; `%` begins a comment. The period
    /// at the end of a rule may be left out. There are comparisons (`X != Y`, `X < 3`, `Y = X+1`), sums and
    /// products of numbers, intervals (`1..3`), `#const n = 3.`, and `#show p/2.`.
    ///
    /// # Errors
    /// [`ProgramTextError`]; also when there are too many rules without variables, as
    /// [`Program::read_within`] lets set.
    pub fn read(text: &str) -> Result<Self, ProgramTextError> {
        Self::read_within(text, &Budget::unlimited().with_work(WORK).with_memory(MEMORY))
    }

    /// The same within a budget.
    ///
    /// # Errors
    /// [`ProgramTextError`].
    pub fn read_within(text: &str, budget: &Budget) -> Result<Self, ProgramTextError> {
        let text = Reader::new(lexer::tokens(text)).program()?;
        ground(&text, budget)
    }
}
