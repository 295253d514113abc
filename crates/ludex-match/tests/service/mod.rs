//! The player's side of the wire, without a wire.

mod anything;
mod bench;
mod book;
mod follower;
mod held;
mod odd;
mod times;
