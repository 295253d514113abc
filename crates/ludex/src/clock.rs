//! A clock to pass in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_logic::{Budget, Clock};

/// The time since the clock was made. The libraries never ask the system for the time by themselves: whoever wants
/// something timed passes a clock in, this one or one of their own.
///
/// ```
/// use std::time::Duration;
/// use ludex::{Game, GameOptions, SystemClock};
///
/// let game = Game::bundled("checkers", &GameOptions::within(Duration::from_secs(60)))?;
/// let soon = SystemClock::limit(Duration::ZERO);
/// assert!(game.perft(3, &soon).is_err(), "the time is up");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that starts now.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that is passed in")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// No limit but this much time, from now on.
    pub fn limit(time: Duration) -> Budget {
        Budget::unlimited().with_time(Arc::new(Self::start()), time)
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
