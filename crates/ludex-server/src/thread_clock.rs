//! A clock that shows the processor time of the thread that asks.

use std::time::Duration;

use ludex::logic::Clock;

/// A clock that shows how long the thread that asks has worked: what else the machine does is not in it. Where the
/// system does not say that, it shows real time.
#[derive(Debug)]
pub(crate) struct ThreadClock {
    #[cfg(not(unix))]
    begun: std::time::Instant,
}

impl ThreadClock {
    #[cfg_attr(
        not(unix),
        expect(clippy::disallowed_methods, reason = "a leaf: the libraries get their clock from here")
    )]
    pub(crate) fn start() -> Self {
        Self {
            #[cfg(not(unix))]
            begun: std::time::Instant::now(),
        }
    }
}

impl Clock for ThreadClock {
    #[cfg(unix)]
    fn now(&self) -> Duration {
        use rustix::time::{ClockId, clock_gettime};
        // A thread has worked for less than no time only where the system is broken.
        Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
    }

    #[cfg(not(unix))]
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }
}
