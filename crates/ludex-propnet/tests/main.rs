//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod agreement;
mod drawing;
mod figures;
mod games;
mod invariants;
