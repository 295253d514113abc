//! The only place that asks the system for the time.

use std::time::{Duration, Instant};

use ludex::logic::Clock;

/// Time since the clock was made.
#[derive(Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that starts now.
    #[expect(clippy::disallowed_methods, reason = "a leaf: the libraries get their clock from here")]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Milliseconds since 1970, for records that carry dates.
#[expect(clippy::disallowed_methods, reason = "a leaf: only a record's date comes from here")]
pub fn unix_milliseconds() -> u64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}
