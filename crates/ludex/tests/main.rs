//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod api_walkthrough;
mod belief;
mod contract;
mod doubling;
mod engines;
mod environments;
mod games;
mod learned;
mod matches;
mod new_game;
mod pondering;
mod real_time;
mod rule_library;
mod time_terms;
