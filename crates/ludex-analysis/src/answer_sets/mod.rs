//! Answer sets: programs whose models are solutions (book chapter 15).
//!
//! 1. `program` has ground programs with choices and constraints, `text` reads programs, `ground` makes rules
//!    without variables of theirs, `solve` finds answer sets with a solver for formulas.
//! 2. `evolution` is the table of 15.2: what holds at which step of a course of moves.
//! 3. `translation` writes a game as an answer set program with time (15.2, 15.3), in the syntax of
//!    clingo; [`unroll`] makes the same program without variables, for `solve`. A [`Request`] says what
//!    either is to ask.

mod evolution;
mod ground;
mod program;
mod request;
mod solve;
#[cfg(test)]
mod tests;
mod text;
mod translation;
mod unrolled;

pub use evolution::{Evolution, Moment, evolution};
pub use program::{Atom, Choice as ChoiceRule, Head, Program, Rule};
pub use request::{PlanError, Request, Task, check_plan};
pub use solve::{AnswerSets, End};
pub use text::{Place, ProgramTextError};
pub use translation::{ReadPlanError, Translation, TranslationError, translate};
pub use unrolled::{Unrolled, unroll};
