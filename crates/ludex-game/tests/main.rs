//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod chess;
mod completed;
mod incomplete;
mod rule_machine;
mod scratch;
mod steps;
mod timed;
