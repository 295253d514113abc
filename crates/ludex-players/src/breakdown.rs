//! What becomes of a panic: an error that can be told.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ludex_game::{Answer, GameError};

/// Does something, and turns a panic in it into [`GameError::BrokeDown`]. What it was working on may be half done:
/// who calls this drops it then.
///
/// # Errors
/// What it answers, or that it broke down.
pub(crate) fn unbroken<T>(what: &str, act: impl FnOnce() -> Answer<T>) -> Answer<T> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| Err(broke_down(what, &*panic)))
}

/// The error that tells of a panic.
pub(crate) fn broke_down(what: &str, panic: &(dyn Any + Send)) -> GameError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let cause = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given");
    GameError::BrokeDown { what: what.to_owned(), cause: cause.to_owned() }
}
