//! When the stages of a set-up begin, and a clock for limits.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use ludex_logic::{Clock, Progress};

use crate::Stopwatch;

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

/// A moment, on the wall and in processor time.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    wall: f64,
    processor: f64,
}

/// Milliseconds from one moment to another: of processor time, which other programs disturb less, where
/// the system tells it exactly enough, and on the wall where less than 30 have passed.
pub fn milliseconds(from: Moment, to: Moment) -> f64 {
    let (wall, processor) = (to.wall - from.wall, to.processor - from.processor);
    1e3 * if wall < 0.03 { wall } else { processor }
}

/// Notes when stages begin.
#[derive(Debug)]
pub struct Stages {
    watch: Stopwatch,
    begun: Mutex<Vec<(String, Moment)>>,
}

impl Stages {
    /// Nothing has begun.
    pub fn start() -> Self {
        Self { watch: Stopwatch::start(), begun: Mutex::default() }
    }

    /// This moment.
    pub fn now(&self) -> Moment {
        Moment { wall: self.watch.wall_seconds(), processor: self.watch.seconds() }
    }

    /// When a stage of this name began first.
    pub fn begin_of(&self, name: &str) -> Option<Moment> {
        let begun = self.begun.lock().ok()?;
        begun.iter().find(|(known, _)| known == name).map(|&(_, at)| at)
    }
}

impl Progress for Stages {
    fn report(&self, what: &str, done: u64, _: Option<u64>) {
        if done == 0
            && let Ok(mut begun) = self.begun.lock()
        {
            begun.push((what.to_owned(), self.now()));
        }
    }
}
