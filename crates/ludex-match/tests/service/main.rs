//! The player's side of the wire, without a wire.

#[path = "../bundled/mod.rs"]
mod bundled;

mod anything;
mod bench;
mod book;
mod follower;
mod odd;
mod times;
