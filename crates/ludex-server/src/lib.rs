//! Ludex on the network: sockets, threads and clocks around the state machines of `ludex-match`.
//!
//! [`player`] answers the messages of a game manager. [`driver`] runs matches with real players, and
//! [`journal`] keeps what happened in them. The Game Manager is [`manager`], over a [`store`] and behind
//! [`web`]; what has to be done with the rules of others is done by a [`workshop`].
#![forbid(unsafe_code)]

mod cache;
mod crowd;
pub mod driver;
mod interruption;
pub mod journal;
pub mod manager;
pub mod player;
mod private;
pub mod store;
mod thread_clock;
pub mod web;
pub mod workshop;
