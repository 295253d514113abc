//! Lanes: hundreds of states of one game side by side, one bit each.

mod choose;
mod choose_weighted;
mod counting;
mod random;
mod rank;
mod role_moves;
mod vector;

#[cfg(test)]
mod tests;
