//! Symmetries of coloured directed graphs: automorphism groups and isomorphisms.
//!
//! A graph is refined to an ordered partition in which vertices of one cell look alike (colour
//! refinement: McKay, *Practical graph isomorphism*, 1981), a vertex is told from the others of its
//! cell, and so on until all vertices are told apart. Other choices along the way that split the cells
//! in the same manner are automorphisms, or isomorphisms when they are made in another graph. What is
//! found is checked on the arcs before it is given out. As in saucy (Darga, Liffiton, Sakallah and
//! Markov, 2004) the work for one automorphism grows with the part of the graph that it moves, so
//! graphs of rules with hundreds of thousands of vertices are no problem.

mod graph;
mod group;
mod isomorphism;
mod partition;
mod permutation;
mod search;
#[cfg(test)]
mod tests;

pub use graph::ColouredGraph;
pub use group::{Automorphisms, BasePoint, GroupOrder};
pub use isomorphism::{Comparison, isomorphism};
pub use permutation::Permutation;
pub use search::automorphisms;
