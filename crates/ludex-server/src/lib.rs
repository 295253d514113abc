//! Ludex on the network: sockets, threads and clocks around the state machines of `ludex-match`.
//!
//! [`player`] answers the messages of a game manager.
#![forbid(unsafe_code)]

pub mod player;
