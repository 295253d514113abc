//! The clock of a driver.

use std::time::Duration;

use ludex::matches::referee::Moment;
use tokio::time::Instant;

/// A clock that never goes back; its moments count from when it was started.
#[derive(Clone, Copy, Debug)]
pub struct DriverClock(Instant);

/// What cannot be reached: as far away as a clock may have to say.
const FAR: Duration = Duration::from_secs(86_400 * 365);

impl DriverClock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How late it is.
    pub fn now(&self) -> Moment {
        self.0.elapsed()
    }

    /// A moment as the timers of the runtime want it.
    pub(super) fn instant(&self, moment: Moment) -> Instant {
        self.0.checked_add(moment).unwrap_or(self.0 + FAR)
    }
}
