//! Games whose rules may leave things open (book 19): IGDL, IGDL-II and ISDL.
//!
//! The rules are sentences, and a game is whatever satisfies them at every step ([`IncompleteGame`]). What they say of a
//! course, step after step, is asked of a [`Course`]: facts, legal moves, percepts, results and the end are *entailed*,
//! *refuted* or *unknown*. [`Worlds`] are the states that are possible, one by one, with what can come of each:
//! plans are made with them.
//!
//! Beside the sentences this holds ([`Axiom`]): facts, moves and percepts are declared ones, where `base`, `input` and
//! `percept` say anything; at each step before the end every role makes one move, which is legal, and none at the end;
//! what holds first is what `init` says, what holds next what `next` says. A relation that does not depend on facts or
//! moves is the same at all steps.

mod course;
mod game;
mod sheet;
mod step_edges;
mod worlds;

pub use course::{Course, Example, ExampleStep};
pub use game::{Axiom, IncompleteError, IncompleteGame};
pub use sheet::{SheetOptions, SheetReport, Wrong, check_sheet};
pub use step_edges::StepEdges;
pub use worlds::{Aspect, Development, WorldId, Worlds};
