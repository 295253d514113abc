//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod agreement;
mod architecture;
mod batches;
mod beliefs;
mod check_expectations;
mod decisive_moves;
mod epilog;
mod evaluator;
mod following;
mod fuzz_targets;
mod known_courses;
mod large_groundings;
mod matches;
mod net_agreement;
mod net_traces;
mod old_competitions;
mod oracle;
mod own_traces;
mod perft;
mod prover_expectations;
mod real_time;
mod records;
mod sentences;
mod shared_games;
mod traces;
