//! Games in real time: Definition 1 of the rtGDL paper by enumeration, and random games to ask it about.

mod definition;
mod generator;

pub use definition::{Atom, Facts, Literal, ROLES, Rule, Rules, State, Term, symbol};
pub use generator::{TimedKnobs, random_rules};
