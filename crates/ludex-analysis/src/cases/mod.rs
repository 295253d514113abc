//! Tests for rulesheets: a file of cases that says what is so in positions of a game.
//!
//! A case is a few lines under a name. They are gone through from top to bottom: some lead to a position,
//! the others say what holds there.
//!
//! ```text
//! # A comment is a line of its own.
//! case a row of crosses wins
//!   moves mark(1,1) noop; noop mark(2,1)
//!   legal white mark(3,3) mark(2,2)
//!   not legal white mark(1,1)
//!   wins white mark(1,2); mark(2,2); mark(1,3)
//!
//! case nobody marks a cell twice
//!   never legal(W,mark(M,N)) & ~true(cell(M,N,b))
//! ```
//!
//! | line | what it says |
//! |---|---|
//! | `moves JOINT; JOINT...` | these joint moves are made, as in `Position::play_joint` |
//! | `facts FACT...` | the position is the one in which exactly these facts hold |
//! | `does JOINT` | the joint move that `next` and `sees` are about; it is not made |
//! | `legal ROLE MOVE...` | these moves are legal |
//! | `true FACT...` | these facts hold |
//! | `next FACT...` | these facts hold after the move of `does` |
//! | `sees ROLE PERCEPT...` | the role is told this by the move of `does`, else by the last move |
//! | `not`, `all` before one of these four | none of them; they and no others |
//! | `terminal`, `not terminal` | the game is over, or not |
//! | `goal ROLE VALUE` | what the position is worth to the role: a number, or `none` |
//! | `perft DEPTH COUNT` | so many sequences of so many joint moves there are |
//! | `wins ROLE JOINT; JOINT...` | these joint moves end the game, and the role gets 100 |
//! | `always FORMULA`, `never FORMULA` | holds in all positions that can come, or in none |
//! | `after FORMULA : FORMULA` | the second holds after every move for which the first does |
//! | `ends`, `playable` | the game always ends; until then all roles have legal moves |
//!
//! Terms are written in either notation, formulas in that of the rulesheet. A line goes on where a bracket is
//! open and after `,`, `;` and `:`. `?` stands for a value that [`blessed`] is to fill in.
//!
//! [`CaseFile::read`] reads the text, [`run_case`] asks the rules, and [`blessed`] corrects what is expected.

mod bless;
mod expectation;
mod read;
mod run;

use std::sync::Arc;

use ludex_gdl::{Source, Span};

pub use bless::blessed;
pub use run::{CaseOptions, CaseReport, Outcome, Verdict, run_case};

/// A word of a case file with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// The joint moves of a line: the moves of each as they are written.
pub type Joints = Vec<Vec<Word>>;

/// What terms a line is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The legal moves of a role.
    Legal(Word),
    /// The facts of the position.
    Facts,
    /// The facts of the next position.
    Next,
    /// The percepts of a role.
    Percepts(Word),
}

/// How the terms of a line relate to those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// They are among them.
    Some,
    /// None of them is.
    None,
    /// They are all.
    All,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Joint moves are made.
    Moves(Joints),
    /// The position is the one in which exactly these facts hold.
    Facts(Vec<Word>),
    /// A joint move is looked at.
    Does(Vec<Word>),
    /// Terms, and how they relate to those there are.
    Terms(Subject, Quantity, Vec<Word>),
    /// Whether the game is over.
    Terminal(bool),
    /// What the position is worth to a role.
    Goal {
        /// The role.
        role: Word,
        /// A number, `none` or `?`.
        value: Word,
    },
    /// How many sequences of joint moves there are.
    Perft {
        /// How many joint moves each has.
        depth: u32,
        /// A number or `?`.
        count: Word,
    },
    /// Joint moves that end the game with 100 for a role.
    Wins(Word, Joints),
    /// What holds in every position that can come.
    Always(Word),
    /// What holds in no position that can come.
    Never(Word),
    /// What holds after each move for which something holds.
    After {
        /// About the position and the move.
        when: Word,
        /// About the next position.
        then: Word,
    },
    /// The game always ends.
    Ends,
    /// Every role has a legal move until the game is over.
    Playable,
}

/// A line with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it says.
    pub line: Line,
    /// Where it is written, without the blanks before and after it.
    pub span: Span,
}

/// A case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Where its first line is written.
    pub span: Span,
    /// Its lines.
    pub statements: Vec<Statement>,
}

/// The cases of a rulesheet, as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFile {
    /// The text.
    pub source: Arc<Source>,
    /// The cases in the order of the text.
    pub cases: Vec<Case>,
}

/// A value that is still to be filled in.
const OPEN: &str = "?";
