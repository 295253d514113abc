//! Questions to a solver for propositional formulas (BatSat, a MiniSat in Rust): clauses and counts
//! ([`Solver`]), and the game as a formula, step by step ([`Unrolling`]).

mod solver;
#[cfg(test)]
mod tests;
mod unrolling;

pub use solver::{Literal, Solver, Verdict};
pub use unrolling::{Origin, UnrollError, Unrolling};
