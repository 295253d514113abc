//! When the roles of a random game in real time move.

use ludex_gdl::GameTime;

/// Moments of decision lie this fraction of the time since the start apart, at least.
const SPREAD: u64 = 3;

/// When roles move in a random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// After every update each role that can move waits, for a time drawn evenly from the units of 10^-9 up to the longest
    /// one: never 0, perhaps the whole of it. Then it makes a move. Waits are forgotten with every update: who has waited
    /// for long does not move sooner.
    Waits {
        /// The longest time that a role waits before it moves.
        longest: GameTime,
    },
    /// All roles decide at the same moments; each that can move does so half of the time, and waits for the next moment
    /// otherwise.
    Decisions(DecisionMoments),
}

/// How far the moments are apart at which all roles decide: closer together in the near future than later, with one just
/// before each expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionMoments {
    /// The time between two moments in the near future.
    pub tick: GameTime,
    /// So long before something expires there is the last chance to move.
    pub margin: GameTime,
}

impl DecisionMoments {
    /// How long from a moment to the next one at which is decided, if nobody moves: where something expires after
    /// `expiry` and something else happens after `event`, if at all, and `since` has passed since the start.
    pub fn after(&self, expiry: Option<GameTime>, event: Option<GameTime>, since: GameTime) -> GameTime {
        let spread = GameTime::from_units(since.units() / SPREAD).unwrap_or_default();
        let step = spread.max(self.tick);
        let last =
            expiry.and_then(|expiry| expiry.checked_sub(self.margin)).filter(|&last| last > GameTime::ZERO);
        let step = match (last, expiry) {
            (Some(last), _) => step.min(last),
            (None, Some(expiry)) => expiry,
            (None, None) => step,
        };
        event.map_or(step, |event| event.min(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_chance_is_just_before_an_expiry() {
        let time = |units: u64| GameTime::from_units(units).unwrap();
        let moments = DecisionMoments { tick: time(10), margin: time(3) };
        let after = |expiry: Option<u64>, event: Option<u64>, since| {
            moments.after(expiry.map(time), event.map(time), time(since)).units()
        };
        assert_eq!(after(None, None, 0), 10);
        assert_eq!((after(Some(100), None, 0), after(Some(12), None, 0)), (10, 9));
        // After the last chance there is the expiry itself.
        assert_eq!((after(Some(3), None, 0), after(Some(2), Some(1), 0)), (3, 1));
        assert_eq!((after(None, None, 60), after(Some(100), Some(15), 60)), (20, 15));
    }
}
