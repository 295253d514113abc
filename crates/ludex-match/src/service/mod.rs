//! The player's side of the wire, as a pure state machine: what a player service answers, and when.
//!
//! Messages and finished thoughts come in as [`Event`]s, each with the moment at which it came; answers
//! and thoughts to think go out as [`Effect`]s. The service knows no rules and computes no move: whoever
//! drives it loads the rules, lets players think, and says with a [`Follower`] what a message means for
//! the course of a match.
//!
//! Every message is answered, and in time: `start` with `ready` when the player is ready or the start
//! clock is nearly over; `play` with the player's move, or when its time is up with a legal move that the
//! driver found before, or where there was none either with `nil`, which is no move but keeps the
//! connection of a manager in order. In a game in real time nobody has to move: there the answer to `play` is held back
//! until the player moves, or the next message comes. What cannot be served is answered with `busy`: a start where all
//! places are taken, rules that cannot be loaded, a play in a match that the service does not know.

mod blind_follower;
mod effect;
mod event;
mod follower;
mod held;
mod manner;
mod player_service;
mod remark;
mod seating;
mod summary;
mod timed_follower;

pub use blind_follower::{BlindFollower, BlindHeard};
pub use effect::{Effect, Ending};
pub use event::{CallNumber, Event, JobNumber, Pace, TableNumber};
pub use follower::{Doubt, Follower, Heard};
pub use player_service::{PlayerService, ServiceOptions};
pub use remark::{Remark, RemarkKind};
pub use timed_follower::{OwnNews, TimedDoubt, TimedFollower};
