//! Real time and processor time, for tests of what is asked to end in time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_logic::{Budget, Clock};
use rustix::time::{ClockId, clock_gettime};

/// A clock that shows real time since it was made.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    begun: Instant,
}

impl WallClock {
    /// A clock that begins now.
    #[expect(clippy::disallowed_methods, reason = "tests may read clocks; libraries get theirs from here")]
    pub fn start() -> Self {
        Self { begun: Instant::now() }
    }
}

impl Clock for WallClock {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }
}

/// A clock that shows the processor time of the thread that asks: what else the machine does is not in it.
#[derive(Clone, Copy, Debug)]
pub struct ThreadClock {
    begun: Duration,
}

impl ThreadClock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self { begun: thread_time() }
    }
}

impl Clock for ThreadClock {
    fn now(&self) -> Duration {
        thread_time().saturating_sub(self.begun)
    }
}

fn thread_time() -> Duration {
    // A thread has used less than nothing only where the system is broken.
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// A budget that ends so much real time from now.
pub fn within(limit: Duration) -> Budget {
    Budget::unlimited().with_time(Arc::new(WallClock::start()), limit)
}
