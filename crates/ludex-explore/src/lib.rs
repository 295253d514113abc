//! Really general game playing (book 20.4): players of games whose rules they are not told.
//!
//! A [`BlindPlayer`] knows the [`Structure`](ludex_match::blind::Structure) of a game: roles, what can be done, what can
//! be perceived. In matches it is told what it did and what it perceived, what that is worth to it among the rest, and it
//! keeps what it found out for the next match of the same game.
#![forbid(unsafe_code)]

mod player;
mod random;

pub use player::{BlindPlayer, blind_player, blind_players};
pub use random::RandomBlindPlayer;
