//! Ludex on the network: sockets, threads and clocks around the state machines of `ludex-match`.
//!
//! [`player`] answers the messages of a game manager. [`driver`] runs matches with real players, and
//! [`journal`] keeps what happened in them. The Game Manager is [`manager`], over a [`store`] and behind
//! [`web`]; [`membership`] is how several of them share one store; what has to be done with the rules of others is done by a [`preparation`].
#![forbid(unsafe_code)]

mod cache;
mod clock;
mod connections;
pub mod driver;
mod gate;
mod http;
mod interruption;
pub mod journal;
mod lock;
pub mod manager;
pub mod membership;
pub mod model;
pub mod player;
pub mod preparation;
mod private;
mod signature;
pub mod store;
mod system_error;
pub mod web;

pub use signature::{MessageSecret, NoSecret};
