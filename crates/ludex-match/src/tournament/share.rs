//! Shares of goals, and how sure they are.

use serde::Serialize;

/// What a player takes of the goals of a match: own / (own + opponents'), and one half where both are 0.
pub fn share(own: f64, opponents: f64) -> f64 {
    let sum = own + opponents;
    if sum > 0.0 { own / sum } else { 0.5 }
}

/// The same of goals less the cost of time (book 20.2): one half, and as much more as the player is ahead of 200 points.
/// Goals of 100 and 0 make shares of 1 and 0 as with [`share`]; but so do rewards of 20 and 0 there, where most of what was
/// won was spent.
pub fn share_of_rewards(own: f64, opponents: f64) -> f64 {
    (0.5 + (own - opponents) / 200.0).clamp(0.0, 1.0)
}

/// The mean of the shares of several matches with its 95 % interval.
///
/// The interval is Wilson's score interval (1927) with shares as fractional wins. A share between 0 and 1
/// varies at most as much as a win or loss of the same mean, so that the interval is rather too wide than
/// too narrow; and it keeps some width where a player has won everything so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The mean, 0 to 1.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The quantile of the normal distribution that leaves 2.5 % on either side.
pub(super) const Z: f64 = 1.959_963_985;

impl Share {
    /// The mean of shares; `None` where there are none.
    pub fn of(shares: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (mut count, mut sum) = (0.0, 0.0);
        for share in shares {
            count += 1.0;
            sum += share;
        }
        if count == 0.0 {
            return None;
        }
        let mean: f64 = sum / count;
        let z2 = Z * Z;
        let middle = (mean + z2 / (2.0 * count)) / (1.0 + z2 / count);
        let half = Z / (1.0 + z2 / count)
            * (mean * (1.0 - mean) / count + z2 / (4.0 * count * count)).max(0.0).sqrt();
        Some(Self { mean, low: (middle - half).clamp(0.0, mean), high: (middle + half).clamp(mean, 1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_parts_of_goals() {
        assert_eq!([share(100.0, 0.0), share(0.0, 100.0), share(50.0, 50.0)], [1.0, 0.0, 0.5]);
        assert_eq!([share(0.0, 0.0), share(75.0, 25.0)], [0.5, 0.75]);
    }

    #[test]
    fn shares_of_rewards_go_by_how_far_one_is_ahead() {
        assert_eq!([share_of_rewards(100.0, 0.0), share_of_rewards(0.0, 100.0)], [1.0, 0.0]);
        assert_eq!([share_of_rewards(20.0, 0.0), share_of_rewards(30.0, 50.0)], [0.6, 0.4]);
    }

    #[test]
    fn intervals_are_wilsons() {
        // Known values: 8 of 10 and 10 of 10.
        let eight = Share::of((0..10).map(|i| if i < 8 { 1.0 } else { 0.0 })).unwrap();
        assert!((eight.low - 0.4902).abs() < 1e-4 && (eight.high - 0.9433).abs() < 1e-4, "{eight:?}");
        let all = Share::of([1.0; 10]).unwrap();
        assert!((all.low - 0.7225).abs() < 1e-4 && all.high == 1.0, "{all:?}");
        let none = Share::of([0.0; 10]).unwrap();
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 1e-4, "{none:?}");
        assert_eq!(Share::of([]), None);
    }

    #[test]
    fn more_matches_make_it_surer() {
        let width = |n: usize| {
            let share = Share::of((0..n).map(|i| f64::from(u32::from(i % 4 != 0)))).unwrap();
            share.high - share.low
        };
        assert!(width(400) < width(100) && width(100) < width(20));
    }
}
