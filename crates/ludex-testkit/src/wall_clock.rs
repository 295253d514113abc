//! Real time, for tests of what is asked to end in time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_logic::{Budget, Clock};

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

/// A budget that ends so much real time from now.
pub fn within(limit: Duration) -> Budget {
    Budget::unlimited().with_time(Arc::new(WallClock::start()), limit)
}
