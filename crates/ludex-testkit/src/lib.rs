//! What tests are made of: the corpus, oracles, random games, and one question put to all engines.
//!
//! For development only; no other crate depends on it.
#![forbid(unsafe_code)]

pub mod generate;
pub mod oracle;
mod reference;
mod rules;

pub use reference::{Enumeration, ReferenceMachine, Semantics, oracle_machine};
pub use rules::{Expression, Rules};
