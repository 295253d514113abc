//! Players over HTTP: one connection for each message, with our own small client.
//!
//! A client of a library would do for well-behaved players. This one takes what the standard forbids and
//! players do all the same, ends at the first byte too many, says exactly what was wrong, connects to
//! nothing but the very address that was allowed, and never follows anybody anywhere.

mod client;
mod names;
mod player;

pub use client::{HttpClient, HttpError, HttpLimits};
pub use player::HttpPlayer;
pub(crate) use player::signed_headers;
