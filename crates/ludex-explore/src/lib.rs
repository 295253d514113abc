//! Really general game playing (book 20.4): players of games whose rules they are not told.
//!
//! A [`BlindPlayer`] knows the [`Structure`](ludex_match::blind::Structure) of a game: roles, what can be done, what can
//! be perceived. In matches it is told what it did and what it perceived, what that is worth to it among the rest, and it
//! keeps what it found out for the next match of the same game.
#![forbid(unsafe_code)]

mod episodes;
mod experience;
mod explorer;
mod legality;
mod model;
mod planner;
mod player;
mod q_learning;
mod random;

pub use episodes::{EpisodeError, EpisodeResult, Seat, play_episode};
pub use explorer::Explorer;
pub use player::{BlindPlayer, blind_player, blind_players};
pub use q_learning::{QLearner, QOptions};
pub use random::RandomBlindPlayer;
