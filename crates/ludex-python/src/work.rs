//! Work that takes long: other threads of Python run meanwhile, and Ctrl-C ends it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ludex::logic::Budget;
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;

/// How often signals are looked for.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// Does `work` within `budget` on a thread of its own. Whoever waits for it looks for signals; one that raises an exception
/// cancels the work.
pub(crate) fn done<T: Send>(
    py: Python<'_>,
    budget: Budget,
    work: impl FnOnce(Budget) -> T + Send,
) -> PyResult<T> {
    done_serving(py, budget, |_| Ok(()), work)
}

/// As [`done`]. Meanwhile `serve` is called again and again on the thread of the caller, also when that is unparked, to do
/// what only Python can do. An exception of it cancels the work.
pub(crate) fn done_serving<T: Send>(
    py: Python<'_>,
    budget: Budget,
    serve: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce(Budget) -> T + Send,
) -> PyResult<T> {
    let budget = budget.with_own_cancel_flag();
    let cancel = budget.cancel_flag();
    done_until(py, &cancel, serve, || work(budget))
}

/// As [`done_serving`], where it is this flag that cancels the work.
pub(crate) fn done_until<T: Send>(
    py: Python<'_>,
    cancel: &AtomicBool,
    mut serve: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    // What serves may ask for such work, too: each time deeper in the stack, of which Python knows nothing.
    let _depth = Depth::enter()?;
    let is_done = AtomicBool::new(false);
    let waiting = std::thread::current();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            // Also where it panics.
            let _told = Told { is_done: &is_done, waiting };
            work()
        });
        let mut raised = None;
        while !is_done.load(Ordering::Acquire) {
            py.detach(|| std::thread::park_timeout(LOOK));
            if raised.is_none()
                && let Err(error) = py.check_signals().and_then(|()| serve(py))
            {
                cancel.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        let outcome = worker.join();
        match (raised, outcome) {
            (Some(error), _) => Err(error),
            (None, Ok(outcome)) => Ok(outcome),
            // As a panic on this thread would have been.
            (None, Err(panic)) => std::panic::resume_unwind(panic),
        }
    })
}

/// So deep may work of one thread be nested.
const MOST_NESTED: usize = 50;

thread_local! {
    static NESTED: Cell<usize> = const { Cell::new(0) };
}

/// How deep work is nested, while it is done.
struct Depth;

impl Depth {
    fn enter() -> PyResult<Self> {
        NESTED.with(|nested| {
            if nested.get() >= MOST_NESTED {
                return Err(PyRecursionError::new_err("matches are nested too deeply"));
            }
            nested.set(nested.get() + 1);
            Ok(Self)
        })
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        NESTED.with(|nested| nested.set(nested.get() - 1));
    }
}

/// Tells the thread that waits, at the end.
struct Told<'a> {
    is_done: &'a AtomicBool,
    waiting: std::thread::Thread,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Release);
        self.waiting.unpark();
    }
}
