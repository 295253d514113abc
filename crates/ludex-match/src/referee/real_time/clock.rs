//! The clock of a game in real time.

use std::time::Duration;

use ludex_gdl::GameTime;

use super::super::setup::Moment;

/// 10^-9 in one.
const UNITS: u128 = 1_000_000_000;

/// Between moments and times of a game, while its clock runs.
///
/// ```
/// use std::time::Duration;
/// use ludex_gdl::GameTime;
/// use ludex_match::referee::real_time::GameClock;
///
/// // With a play clock of 20 seconds, 1.5 are over after 30 seconds, and 0.5 after 10.
/// let clock = GameClock::new(Duration::from_secs(100), GameTime::ZERO, Duration::from_secs(20));
/// let after = |time: &str| clock.moment(GameTime::parse(time).unwrap()).as_secs() - 100;
/// assert_eq!((after("1.5"), after("0.5")), (30, 10));
/// assert_eq!(clock.time(Duration::from_secs(105)).to_string(), "0.25");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    moment: Moment,
    time: GameTime,
    unit: Duration,
}

impl GameClock {
    /// A clock that shows a time at a moment, and one unit of game time more whenever `unit` has passed.
    pub fn new(moment: Moment, time: GameTime, unit: Duration) -> Self {
        Self { moment, time, unit: unit.max(Duration::from_nanos(1)) }
    }

    /// What the clock shows at a moment, rounded down; never less than when it began.
    pub fn time(&self, now: Moment) -> GameTime {
        // A duration has less than 2^94 nanoseconds, which leaves room for a factor below 2^30.
        let elapsed = now.saturating_sub(self.moment).as_nanos() * UNITS / self.unit.as_nanos();
        let elapsed = u64::try_from(elapsed).ok().and_then(GameTime::from_units);
        elapsed.and_then(|elapsed| self.time.checked_add(elapsed)).unwrap_or(GameTime::MAX)
    }

    /// The first moment at which the clock shows this time or a later one.
    pub fn moment(&self, time: GameTime) -> Moment {
        let wait = time.checked_sub(self.time).unwrap_or_default();
        let wait = u128::from(wait.units()).checked_mul(self.unit.as_nanos());
        let wait = wait.map(|product| product.div_ceil(UNITS)).and_then(duration);
        wait.map_or(Moment::MAX, |wait| self.moment.saturating_add(wait))
    }
}

fn duration(nanoseconds: u128) -> Option<Duration> {
    let seconds = u64::try_from(nanoseconds / UNITS).ok()?;
    // What is left is less than a second.
    Some(Duration::new(seconds, u32::try_from(nanoseconds % UNITS).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_awake_when_the_time_has_come_and_not_before() {
        for unit in [1, 3, 7, 999_999_999, 1_000_000_000, 1_000_000_007, 20_000_000_000] {
            let clock = GameClock::new(
                Duration::from_nanos(77),
                GameTime::parse("0.123456789").unwrap(),
                Duration::from_nanos(unit),
            );
            for units in [123_456_790, 123_456_791, 500_000_000, 1_000_000_000, 12_345_678_901] {
                let time = GameTime::from_units(units).unwrap();
                let moment = clock.moment(time);
                assert!(clock.time(moment) >= time, "{unit} {units}");
                let before = moment.saturating_sub(Duration::from_nanos(1));
                assert!(clock.time(before) < time, "{unit} {units}");
            }
        }
    }

    #[test]
    fn nothing_overflows() {
        let clock = GameClock::new(Duration::ZERO, GameTime::ZERO, Duration::from_nanos(1));
        assert_eq!(clock.time(Duration::MAX), GameTime::MAX);
        let clock = GameClock::new(Duration::ZERO, GameTime::ZERO, Duration::MAX);
        assert_eq!(clock.moment(GameTime::MAX), Moment::MAX);
        let clock = GameClock::new(Duration::from_secs(9), GameTime::ONE, Duration::ZERO);
        assert_eq!(clock.time(Duration::ZERO), GameTime::ONE);
    }
}
