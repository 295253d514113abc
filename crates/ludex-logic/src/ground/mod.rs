//! Grounding: from a program with variables to one without (book 14.1 to 14.4).
//!
//! The relaxed model says which atoms can hold at some time: negation of changing relations is
//! dropped, and what feeds a given relation (`next` feeds `true`, `legal` feeds `does`) is taken to
//! hold at once. The rules are then instantiated over that model; static literals and `distinct`
//! are evaluated away.

mod grounding;

pub use grounding::{GroundLiteral, GroundRule, Grounding};
