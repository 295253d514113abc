//! What a referee wants done.

use super::entry::{Entry, EntryNumber};
use super::event::TimerNumber;
use super::setup::{MessageNumber, Moment, SeatNumber};
use crate::message::Request;

/// What a referee wants done, in this order; `E` is what it writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect<E = Entry> {
    /// Write an entry, and say when it is durable. Entries are written in the order of their numbers.
    Write(EntryNumber, Box<E>),
    /// Send a message to the player of a seat. An answer after `until` is of no use.
    Send {
        /// To whom.
        seat: SeatNumber,
        /// What to call the answer.
        message: MessageNumber,
        /// What to send, in the words of the seat where it was scrambled; the notation is the seat's.
        request: Box<Request>,
        /// When waiting for an answer ends.
        until: Moment,
    },
    /// Say when it is so late.
    Wake {
        /// What to call it.
        timer: TimerNumber,
        /// When.
        at: Moment,
    },
    /// The answer to a message is not wanted any more. The message itself should still arrive: who misses
    /// one does not know the state from there on.
    Drop {
        /// From whom.
        seat: SeatNumber,
        /// To what.
        message: MessageNumber,
    },
    /// The match is over, and all that was to be said was said: the referee can go.
    Done,
}
