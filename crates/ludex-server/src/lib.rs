//! Ludex on the network: sockets, threads and clocks around the state machines of `ludex-match`.
//!
//! [`player`] answers the messages of a game manager. [`driver`] runs matches with real players, and
//! [`journal`] keeps what happened in them. The Game Manager is [`manager`], over a [`store`] and behind
//! [`web`].
#![forbid(unsafe_code)]

pub mod driver;
mod interruption;
pub mod journal;
pub mod manager;
pub mod player;
pub mod store;
pub mod web;
