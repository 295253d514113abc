//! The clocks of everything here: the libraries get theirs from these.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ludex::logic::Clock;

/// What a clock shows that never goes back.
#[expect(clippy::disallowed_methods, reason = "a leaf: what takes how long, and what is to be done when")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Milliseconds since 1970, for records that carry dates.
#[expect(clippy::disallowed_methods, reason = "a leaf: only dates come from here")]
pub fn unix_milliseconds() -> u64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}

/// A clock that shows the time since it was started.
#[derive(Debug)]
pub(crate) struct RealClock(Instant);

impl RealClock {
    pub(crate) fn start() -> Self {
        Self(now())
    }
}

impl Clock for RealClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A clock that shows how long the thread that asks has worked: what else the machine does is not in it. Where the
/// system does not say that, it shows real time.
#[derive(Debug)]
pub(crate) struct ThreadClock {
    #[cfg(not(unix))]
    begun: Instant,
}

impl ThreadClock {
    pub(crate) fn start() -> Self {
        Self {
            #[cfg(not(unix))]
            begun: now(),
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
