//! What time it is in a game in real time, as far as a player knows.

use std::time::Duration;

use ludex::gdl::GameTime;
use ludex::matches::referee::Moment;
use ludex::matches::referee::real_time::GameClock;

/// A message that is later than this is taken to say that the clock of the manager stood still.
const BREAK: Duration = Duration::from_secs(2);

/// The clock of a manager as its messages tell it.
///
/// A message says when something happened, and comes after that: so the clock shows at least the time that was told, and
/// since then. The largest of these estimates is behind the clock of the manager by the time that the fastest message took.
#[derive(Debug)]
pub(super) struct ManagerClock {
    unit: Duration,
    clock: Option<GameClock>,
}

/// What a message says about the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// It runs as was thought, or is a little ahead.
    Steady,
    /// It stood still: the manager was away, and goes on where it was.
    StoodStill,
}

impl ManagerClock {
    /// A clock that runs when the first message has come. One unit of game time lasts as long as `unit`.
    pub(super) fn new(unit: Duration) -> Self {
        Self { unit, clock: None }
    }

    /// How long one unit of game time lasts.
    pub(super) fn unit(&self) -> Duration {
        self.unit
    }

    /// Takes in that this time was told at a moment; `is_latest` says that no later one was told before.
    pub(super) fn hear(&mut self, since: Moment, time: GameTime, is_latest: bool) -> Course {
        let shown = self.clock.map(|clock| clock.time(since));
        let behind = shown.and_then(|shown| shown.checked_sub(time));
        let stood_still = is_latest && behind.is_some_and(|behind| behind > self.span(BREAK));
        if stood_still || shown.is_none_or(|shown| time > shown) {
            self.clock = Some(GameClock::new(since, time, self.unit));
        }
        if stood_still { Course::StoodStill } else { Course::Steady }
    }

    /// What it shows; `None` before the first message.
    pub(super) fn time(&self, now: Moment) -> Option<GameTime> {
        self.clock.map(|clock| clock.time(now))
    }

    /// When it will show a time; `None` before the first message.
    pub(super) fn moment(&self, time: GameTime) -> Option<Moment> {
        self.clock.map(|clock| clock.moment(time))
    }

    /// So much game time passes while this passes.
    pub(super) fn span(&self, time: Duration) -> GameTime {
        GameClock::new(Duration::ZERO, GameTime::ZERO, self.unit).time(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> GameTime {
        GameTime::parse(text).unwrap()
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_fastest_message_tells_the_time() {
        let mut clock = ManagerClock::new(seconds(10));
        assert_eq!(clock.time(seconds(1)), None);
        clock.hear(seconds(101), time("0"), true);
        assert_eq!(clock.time(seconds(106)), Some(time("0.5")));
        // This one took a second less, and the next one longer.
        assert_eq!(clock.hear(seconds(110), time("1"), true), Course::Steady);
        assert_eq!(clock.hear(seconds(122), time("2"), true), Course::Steady);
        assert_eq!(clock.time(seconds(125)), Some(time("2.5")));
        assert_eq!(clock.moment(time("3")), Some(seconds(130)));
        assert_eq!(clock.span(seconds(1)), time("0.1"));
    }

    #[test]
    fn a_clock_that_stood_still_is_set_back() {
        let mut clock = ManagerClock::new(seconds(1));
        clock.hear(seconds(100), time("0"), true);
        // A message that was overtaken says nothing about that.
        assert_eq!(clock.hear(seconds(130), time("3"), false), Course::Steady);
        assert_eq!(clock.time(seconds(130)), Some(time("30")));
        assert_eq!(clock.hear(seconds(140), time("12"), true), Course::StoodStill);
        assert_eq!(clock.time(seconds(141)), Some(time("13")));
    }
}
