//! Questions to a solver for propositional formulas (BatSat, a MiniSat in Rust): clauses and counts
//! ([`Solver`]), and the game as a formula, step by step ([`Unrolling`]). Whatever is proved of a game by
//! a solver is proved here: invariants, plans, and all analyses. The budget of a solver ends a question
//! from inside, too. What a role can know is asked of its [`Courses`] and of [`Lookalikes`].

mod courses;
mod lookalikes;
mod unrolling;

pub use courses::{CircuitStep, Courses};
pub use lookalikes::{DoubledCircuit, Lookalikes, Question};
pub use ludex_logic::sat::{Literal, Solver, Verdict};
pub use unrolling::{Origin, UnrollError, Unrolling};
