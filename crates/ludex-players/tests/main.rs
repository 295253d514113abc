//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod assessment;
mod bad_cases;
mod corpus;
mod equilibrium;
mod forced_results;
mod heuristics;
mod hidden;
mod knowledge;
mod later_moves;
mod levels;
mod ludex;
mod ludex_mistakes;
mod ludex_objectives;
mod ludex_proofs;
mod matches;
mod minimax;
mod monte_carlo;
mod pairing_strategy;
mod planning;
mod puzzle;
mod simultaneous;
mod solve;
mod time;
mod training;
mod waiting;
