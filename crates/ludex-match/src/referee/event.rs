//! What comes to a referee.

use super::entry::EntryNumber;
use super::setup::{MessageNumber, SeatNumber};
use crate::Settlement;

/// The number of a timer. A timer that was overtaken by events may still go off: it does nothing then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerNumber(pub u64);

/// What comes to a referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The match is to begin, or to go on.
    Begin,
    /// A seat has answered a message.
    Reply {
        /// Which seat.
        seat: SeatNumber,
        /// Which message.
        message: MessageNumber,
        /// What was in the body of the answer.
        bytes: Vec<u8>,
    },
    /// A seat cannot answer a message: no connection, a broken answer, too large a one.
    Fault {
        /// Which seat.
        seat: SeatNumber,
        /// Which message.
        message: MessageNumber,
        /// Why, in a few words.
        cause: String,
    },
    /// A timer went off.
    Timer(TimerNumber),
    /// An entry, and all before it, will be there after a power cut.
    Written(EntryNumber),
    /// The match is to end: why.
    Abort(String),
    /// The players end the match by themselves. In real time there is no such end.
    Settle(Settlement),
    /// The match is to go back to the state after so many steps.
    TakeBack(usize),
}
