//! What the thread of a match in real time does while it has nothing else to do: it lets the player play.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use ludex::logic::Budget;
use ludex::matches::message::StartMessage;

use super::timed_seat::SeatInTime;
use super::worker::Task;

/// What came of a moment with nothing else to do.
pub(super) type Played = ControlFlow<Option<Task>, Option<String>>;

/// How long one unit of game time lasts in a match.
pub(super) fn unit(start: &StartMessage) -> Duration {
    // Both count in 10^-9.
    Duration::from_nanos(start.play_seconds().units())
}

/// Lets a player play for a slice of time within these limits, or waits for what comes next. Breaks off where there is
/// something to do, or with `None` where there will never be; goes on with the move that the player makes, if it does.
pub(super) fn idle(seat: &mut SeatInTime, tasks: &Receiver<Task>, budget: &Budget) -> Played {
    let Some(wake) = seat.next_wake() else { return ControlFlow::Break(tasks.recv().ok()) };
    let wait = wake.saturating_sub(seat.now());
    if wait > Duration::ZERO {
        match tasks.recv_timeout(wait) {
            Ok(task) => return ControlFlow::Break(Some(task)),
            Err(RecvTimeoutError::Disconnected) => return ControlFlow::Break(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    ControlFlow::Continue(seat.go_on(budget))
}
