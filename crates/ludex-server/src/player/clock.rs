//! The clock of a player service.

use std::time::{Duration, Instant};

use ludex::logic::Clock;

/// Time since the service began.
#[derive(Debug)]
pub(super) struct ServiceClock(Instant);

impl ServiceClock {
    #[expect(clippy::disallowed_methods, reason = "a leaf: the libraries get their clock from here")]
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for ServiceClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
