//! The player service: strategies that game managers reach over HTTP.
//!
//! Sockets, worker threads and a clock around [`PlayerService`](ludex::matches::service::PlayerService),
//! which decides what is answered and when. One thread reads and writes messages and is never busy with
//! anything else; each match thinks on a thread of its own. So an answer leaves on time whatever the
//! players do: with the player's move, or with a legal one that was found before the player began to think.

mod access;
mod actor;
mod blind_players;
mod blind_seat;
mod connection;
mod game_cache;
mod learned_seat;
mod manager_clock;
mod options;
mod own_moves;
mod reply;
mod seat;
mod server;
mod timed_news;
mod timed_seat;
mod timed_worker;
mod worker;

pub use access::Access;
pub use blind_players::plays_without_rules_only;
pub use options::{PlayerOptions, WireLimits};
pub use server::{PlayerServer, RunningPlayer, ServerError};
