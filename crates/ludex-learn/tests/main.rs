//! The tests of the crate that need games, records or the corpus.

mod iggp;
mod own_games;
mod random_games;
mod records;
