//! When the stages of a set-up begin, and a clock for limits.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use ludex_logic::{Clock, Progress};

/// The time on the wall since it was made.
#[derive(Clone, Copy, Debug)]
pub struct WallClock(Instant);

impl WallClock {
    /// Starts.
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for WallClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Notes when stages begin.
#[derive(Debug)]
pub struct Stages {
    clock: WallClock,
    begun: Mutex<Vec<(String, Duration)>>,
}

impl Stages {
    /// Nothing has begun.
    pub fn start() -> Self {
        Self { clock: WallClock::start(), begun: Mutex::default() }
    }

    /// Milliseconds since the start.
    pub fn now(&self) -> f64 {
        self.clock.now().as_secs_f64() * 1e3
    }

    /// When a stage of this name began first, in milliseconds since the start.
    pub fn begin_of(&self, name: &str) -> Option<f64> {
        let begun = self.begun.lock().ok()?;
        begun.iter().find(|(known, _)| known == name).map(|(_, at)| at.as_secs_f64() * 1e3)
    }
}

impl Progress for Stages {
    fn report(&self, what: &str, done: u64, _: Option<u64>) {
        if done == 0
            && let Ok(mut begun) = self.begun.lock()
        {
            begun.push((what.to_owned(), self.clock.now()));
        }
    }
}
