//! Ctrl-C as the end of a search that keeps what it found.

use std::sync::Arc;

use ludex::logic::Budget;

/// The budget that the first Ctrl-C ends, so that what was found until then is kept; the second one ends the process.
pub fn ended_by_interrupt(budget: Budget) -> Budget {
    use signal_hook::consts::SIGINT;
    use signal_hook::flag::{register, register_conditional_shutdown};

    /// The exit code of a process that was interrupted.
    const INTERRUPTED: i32 = 130;
    let budget = budget.with_own_cancel_flag();
    let flag = budget.cancel_flag();
    // Where signals cannot be heard, Ctrl-C ends the process at once.
    let _ = register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(&flag))
        .and_then(|_| register(SIGINT, flag));
    budget
}
