//! The referee: a pure state machine that makes a match of messages, replies and the passing of time.
//!
//! Time, replies and faults come in as [`Event`]s; messages, timers and journal entries go out as
//! [`Effect`]s. Nothing is sent before what it tells is written: the referee answers an
//! [`Event::Written`] with the messages that waited for it. A match is the fold of its journal
//! (`Referee::resume`).
//!
//! Games in real time have a referee of their own ([`real_time`]).

mod beginning;
mod effect;
mod entry;
mod error;
mod event;
mod fold;
mod introductions;
mod life;
pub mod real_time;
mod seat;
mod seating;
mod setup;
mod waiting;

pub use effect::Effect;
pub use entry::{Entry, EntryNumber};
pub use error::RefereeError;
pub use event::{Event, TimerNumber};
pub use life::{Awaited, Referee};
pub use setup::{Clocks, MessageNumber, Moment, Patience, RefereeSetup, SeatNotation, SeatNumber, SeatSetup};

pub use ludex_game::TimeBank;
