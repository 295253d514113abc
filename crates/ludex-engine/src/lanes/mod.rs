//! Lanes: hundreds of states of one game side by side, one bit each.
//!
//! A step of all lanes is: `decide`; lanes whose game is over are taken out; every role of every lane
//! draws a legal move ([`choose`]); `advance`. Random numbers, choices and states of all lanes are
//! blocks of bits, so nothing in a step looks at a single lane but what ends and begins games.

mod choose;
mod count_moves;
mod counting;
mod decisive;
mod decisive_moves;
mod engine;
mod environments;
mod executor;
mod expand;
mod follow;
mod lengths;
mod moves_made;
mod playouts;
mod profile;
mod program;
mod queue;
mod random;
mod rank;
mod role_moves;
mod rounds;
mod runner;
mod specialising;
mod spread;
mod states;
mod tally;
#[cfg(test)]
mod tests;
mod threads;
mod transpose;
mod unoptimised;
mod vector;

pub use engine::LaneEngine;
pub use environments::LaneEnvironments;
pub use executor::{Backend, LaneWidth, UnknownBackend};
pub use profile::{LanePart, LaneProfile};
pub use program::{LaneOptions, LaneProgram};
