//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod boards;
mod cases;
mod comparing;
mod dreadnaut;
mod pictures;
mod playable;
mod puzzles;
mod trays;
mod unrolling;
