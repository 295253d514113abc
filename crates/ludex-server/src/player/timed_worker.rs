//! What the thread of a match in real time does while it has nothing else to do: it lets the player play.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use ludex::logic::Budget;
use ludex::matches::message::StartMessage;

use super::timed_seat::SeatInTime;
use super::worker::Task;

/// How long one unit of game time lasts in a match.
pub(super) fn unit(start: &StartMessage) -> Duration {
    // Both count in 10^-9.
    Duration::from_nanos(start.play_seconds().units())
}

/// What came of a moment with nothing else to do.
pub(super) enum Idle {
    /// The player moves.
    Moved(String),
    /// There is something to do; `None` when there will never be.
    Task(Option<Task>),
    /// Nothing.
    Nothing,
}

/// Lets a player play for a slice of time within these limits, or waits for what comes next.
pub(super) fn idle(seat: &mut SeatInTime, tasks: &Receiver<Task>, budget: &Budget) -> Idle {
    let Some(wake) = seat.next_wake() else { return Idle::Task(tasks.recv().ok()) };
    let wait = wake.saturating_sub(seat.now());
    if wait > Duration::ZERO {
        match tasks.recv_timeout(wait) {
            Ok(task) => return Idle::Task(Some(task)),
            Err(RecvTimeoutError::Disconnected) => return Idle::Task(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    seat.go_on(budget).map_or(Idle::Nothing, Idle::Moved)
}
