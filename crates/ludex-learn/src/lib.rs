//! The rules of games from records of their matches: inductive general game playing (book 20.3).
//!
//! What was seen of a game ([`Observations`]: states, the moves in them, what was legal, what came next, what ended
//! and what it was worth) is explained by rules. There is one [`Target`] for each relation that is to be learned, such
//! as `(next (cell _ _ _))`; [`learn_game`] finds rules for all of them, and [`rulesheet`] writes them as GDL.
#![forbid(unsafe_code)]

mod background;
mod bits;
mod columns;
mod cover;
mod evidence;
mod examples;
mod game;
mod hypothesis;
mod iggp;
mod language;
mod learn;
mod moves_made;
mod observations;
mod rulesheet;
mod table;
mod traces;
mod vocabulary;

pub use evidence::Contradiction;
pub use game::learn_game;
pub use hypothesis::{Learned, Score};
pub use iggp::{IggpError, read_iggp};
pub use learn::{Fit, LearnOptions};
pub use observations::{Facts, Observations, Target};
pub use rulesheet::rulesheet;
pub use traces::{ObservationError, add_possible, deny, observe, observe_others};
pub use vocabulary::{Constant, Part, Relation, RelationId, Shape, Tuple, Vocabulary};
