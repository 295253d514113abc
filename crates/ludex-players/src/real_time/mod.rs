//! Players of games in real time (rtGDL).
//!
//! Nobody is asked for a move here: a [`TimedPlayer`] is asked what it does at a moment, and when it wants to be asked
//! again. Thinking takes time, and the game goes on meanwhile: a [`Decision`] says how long it took, where work is counted,
//! and otherwise whoever asks measures it.

mod chance_player;
mod knowledge;
mod player;
mod possible_moments;
mod scripted;
mod search;
mod timed_registry;

pub use chance_player::TimedRandomPlayer;
pub use player::{AskAgain, Decision, TimedNews, TimedPlayer, TimedSeat};
pub use scripted::ScriptedPlayer;
pub use search::{TimedSearchOptions, TimedSearchPlayer};
pub use timed_registry::{TIMED_STRATEGIES, create_timed};
