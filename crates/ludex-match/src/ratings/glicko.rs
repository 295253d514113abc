//! Glicko-2.
//!
//! M. E. Glickman: Example of the Glicko-2 system (2012, revised 2022), <http://www.glicko.net/glicko/glicko2.pdf>; and
//! Dynamic paired comparison models with stochastic variances, Journal of Applied Statistics 28 (2001).
//! The step for the volatility is the Illinois algorithm, as there.

use serde::{Deserialize, Serialize};

/// How long a rating period lasts, in milliseconds: 4.665 days. In 365 days without matches a deviation of 60, that of
/// somebody who plays often, becomes 110, above which a rating is provisional, at the usual volatility. Lichess has the
/// same period, 0.21436 of which is a day, for the same reason.
pub const PERIOD_MILLISECONDS: f64 = 86_400_000.0 / 0.214_36;

/// Points of a rating in a unit of the scale on which it is computed.
const SCALE: f64 = 173.717_8;
/// The rating of whoever has not played.
const CENTRE: f64 = 1500.0;
/// How far volatilities change: 0.3 to 1.2 are reasonable, and 0.5 is that of the worked example.
const TAU: f64 = 0.5;
/// Where the search for the volatility ends.
const TOLERANCE: f64 = 1e-6;
/// The search halves an interval at least every second round, so a few dozen are enough; no more are made in any case.
const ROUNDS: usize = 100;
/// Volatilities stay between these. What is above would let a rating jump by hundreds of points in a period.
const VOLATILITY: (f64, f64) = (0.01, 0.1);
/// Ratings stay between these, so that no difference is without bounds.
const RATING: (f64, f64) = (100.0, 4000.0);
/// Deviations stay between these. The upper one is what is known of somebody who has never played; the lower one keeps
/// ratings moving for whoever plays all day (Glickman advises 30, The Glicko system, 1995).
const DEVIATION: (f64, f64) = (30.0, 350.0);
/// Ratings with a greater deviation are provisional.
const PROVISIONAL: f64 = 110.0;

/// What is known of how strong a player is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// The rating: 1500 for whoever has not played, and some 174 points more make the odds of a win 2.7 times as great.
    pub rating: f64,
    /// The standard deviation of the rating, which is 30 to 350.
    pub deviation: f64,
    /// By how much the strength is expected to change in a rating period, on the scale of the computation.
    pub volatility: f64,
}

impl Default for Skill {
    /// That of somebody who has never played: 1500, 350, 0.06.
    fn default() -> Self {
        Self { rating: CENTRE, deviation: DEVIATION.1, volatility: 0.06 }
    }
}

/// How a player did against another one in a rating period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The other one, as it was before.
    pub opponent: Skill,
    /// What the player took: 1 for a win, 0 for a loss, and what is between.
    pub score: f64,
    /// As how much of a match it counts, 0 to 1.
    pub weight: f64,
}

impl Skill {
    /// The same after so many rating periods without a match: as strong, and less well known.
    #[must_use]
    pub fn after_pause(self, periods: f64) -> Self {
        // No pause is no rounding either.
        if periods.is_nan() || periods <= 0.0 {
            return Self { deviation: within(self.deviation, DEVIATION), ..self };
        }
        let spread = self.phi() * self.phi() + self.volatility * self.volatility * periods;
        Self { deviation: within(spread.sqrt() * SCALE, DEVIATION), ..self }
    }

    /// What the player is expected to take from another one, 0 to 1. Both expectations are 1 together up to rounding, and
    /// what is known little of, whether of the one or of the other, draws them towards one half.
    pub fn expected(&self, opponent: &Self) -> f64 {
        let spread = (self.phi() * self.phi() + opponent.phi() * opponent.phi()).sqrt();
        logistic(attenuation(spread) * (self.mu() - opponent.mu()))
    }

    /// The lower end of the interval in which the strength is with a probability of some 95 %: two deviations below the
    /// rating. By it players are ranked: who is ahead is so for sure, and not by luck in a few matches.
    pub fn low(&self) -> f64 {
        self.rating - 2.0 * self.deviation
    }

    /// The upper end.
    pub fn high(&self) -> f64 {
        self.rating + 2.0 * self.deviation
    }

    /// Whether so little is known that the rating says little.
    pub fn is_provisional(&self) -> bool {
        self.deviation > PROVISIONAL
    }

    /// The skill after matches, where so many rating periods have passed since it was as it is here, part of one or more:
    /// 1 is the system as it is published. Opponents count as they are given.
    #[must_use]
    pub fn after(self, comparisons: &[Comparison], periods: f64) -> Self {
        let (mut information, mut surprise) = (0.0, 0.0);
        for Comparison { opponent, score, weight } in comparisons {
            let g = attenuation(opponent.phi());
            let expected = logistic(g * (self.mu() - opponent.mu()));
            information += weight * g * g * expected * (1.0 - expected);
            surprise += weight * g * (score - expected);
        }
        if information <= 0.0 {
            return self.after_pause(periods);
        }
        let variance = 1.0 / information;
        let volatility = self.new_volatility(variance, variance * surprise);
        let grown = self.phi() * self.phi() + volatility * volatility * periods.max(0.0);
        let phi = 1.0 / (1.0 / grown + information).sqrt();
        let mu = self.mu() + phi * phi * surprise;
        Self {
            rating: within(CENTRE + mu * SCALE, RATING),
            deviation: within(phi * SCALE, DEVIATION),
            volatility,
        }
    }

    fn mu(&self) -> f64 {
        (within(self.rating, RATING) - CENTRE) / SCALE
    }

    fn phi(&self) -> f64 {
        within(self.deviation, DEVIATION) / SCALE
    }

    /// Step 5: the volatility after a period with this variance and this improvement, found between bounds that close in
    /// on it.
    fn new_volatility(&self, variance: f64, improvement: f64) -> f64 {
        let before = within(self.volatility, VOLATILITY);
        let (start, phi2) = (libm::log(before * before), self.phi() * self.phi());
        let slope = |x: f64| {
            let e = libm::exp(x);
            let all = phi2 + variance + e;
            e * (improvement * improvement - all) / (2.0 * all * all) - (x - start) / (TAU * TAU)
        };
        let excess = improvement * improvement - phi2 - variance;
        let mut low = start;
        let mut high = if excess > 0.0 { libm::log(excess) } else { start - TAU };
        for _ in 0..ROUNDS {
            if excess > 0.0 || slope(high) >= 0.0 {
                break;
            }
            high -= TAU;
        }
        let (mut at_low, mut at_high) = (slope(low), slope(high));
        for _ in 0..ROUNDS {
            if (high - low).abs() <= TOLERANCE || at_high == at_low {
                break;
            }
            let next = low + (low - high) * at_low / (at_high - at_low);
            let at_next = slope(next);
            if at_next * at_high <= 0.0 {
                (low, at_low) = (high, at_high);
            } else {
                at_low /= 2.0;
            }
            (high, at_high) = (next, at_next);
        }
        within(libm::exp(low / 2.0), VOLATILITY)
    }
}

/// How much a difference of ratings says where one of them is known so badly.
fn attenuation(phi: f64) -> f64 {
    1.0 / (1.0 + 3.0 * phi * phi / (std::f64::consts::PI * std::f64::consts::PI)).sqrt()
}

fn logistic(difference: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-difference))
}

/// The number, or the bound that it is beyond; the lower one where it is none.
fn within(number: f64, (low, high): (f64, f64)) -> f64 {
    if number >= low { number.min(high) } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(rating: f64, deviation: f64) -> Skill {
        Skill { rating, deviation, ..Skill::default() }
    }

    fn against(rating: f64, deviation: f64, score: f64) -> Comparison {
        Comparison { opponent: skill(rating, deviation), score, weight: 1.0 }
    }

    /// The example of the publication, to its printed digits.
    #[test]
    fn the_worked_example_comes_out() {
        let player = skill(1500.0, 200.0);
        let matches = [against(1400.0, 30.0, 1.0), against(1550.0, 100.0, 0.0), against(1700.0, 300.0, 0.0)];
        let printed = [(0.9955, 0.639), (0.9531, 0.432), (0.7242, 0.303)];
        for (met, (g, e)) in matches.iter().zip(printed) {
            let found = attenuation(met.opponent.phi());
            assert_eq!(format!("{found:.4}"), format!("{g:.4}"));
            let expected = logistic(found * (player.mu() - met.opponent.mu()));
            assert_eq!(format!("{expected:.3}"), format!("{e:.3}"));
        }
        let after = player.after(&matches, 1.0);
        assert_eq!(format!("{:.2}", after.rating), "1464.05", "printed as 1464.06 from rounded numbers");
        assert!((after.rating - 1464.06).abs() < 0.01, "{after:?}");
        assert_eq!(format!("{:.2}", after.deviation), "151.52");
        assert_eq!(format!("{:.5}", after.volatility), "0.06000", "printed as 0.05999, cut off");
        assert!((after.volatility - 0.05999).abs() < 1e-5, "{after:?}");
        assert_eq!(format!("{:.4}", after.mu()), "-0.2069");
        assert_eq!(format!("{:.4}", after.phi()), "0.8722");
    }

    #[test]
    fn a_year_without_matches_makes_60_to_110() {
        let year = 365.0 * 86_400_000.0 / PERIOD_MILLISECONDS;
        let after = skill(1800.0, 60.0).after_pause(year);
        assert_eq!(format!("{:.1}", after.deviation), "110.0");
        assert_eq!(after.rating, 1800.0);
        assert_eq!(skill(1800.0, 60.0).after_pause(1e300).deviation, 350.0);
        assert_eq!(skill(1800.0, 60.0).after_pause(-1.0).deviation, 60.0);
        assert_eq!(skill(1800.0, 60.0).after(&[], year), after);
    }

    #[test]
    fn what_is_expected_grows_with_the_difference_and_is_one_together() {
        let mut before = 0.0;
        for rating in 1..=80 {
            let (one, other) = (skill(f64::from(rating) * 50.0, 80.0), skill(2000.0, 200.0));
            let expected = one.expected(&other);
            assert!(expected >= before && (0.0..=1.0).contains(&expected));
            assert!((expected + other.expected(&one) - 1.0).abs() < 1e-12);
            before = expected;
        }
        // Whoever is known less is nearer to one half.
        assert!(skill(1700.0, 300.0).expected(&skill(1500.0, 50.0)) < 0.72);
        assert!(skill(1700.0, 50.0).expected(&skill(1500.0, 50.0)) > 0.74);
    }

    #[test]
    fn nothing_leaves_its_bounds_however_odd_the_numbers_are() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e-300, 1.0, 1500.0, 4000.0, 1e300];
        for &rating in &odd {
            for &deviation in &odd {
                for &volatility in &odd {
                    let player = Skill { rating, deviation, volatility };
                    for score in [0.0, 0.5, 1.0] {
                        let met = [
                            against(4000.0, 30.0, score),
                            Comparison { opponent: player, score, weight: 1e-9 },
                        ];
                        for periods in odd {
                            let after = player.after(&met, periods);
                            assert!((100.0..=4000.0).contains(&after.rating), "{player:?} {after:?}");
                            assert!((30.0..=350.0).contains(&after.deviation), "{player:?} {after:?}");
                            assert!((0.01..=0.1).contains(&after.volatility), "{player:?} {after:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_great_surprise_raises_the_volatility_and_what_was_expected_does_not() {
        let player = skill(1500.0, 60.0);
        let surprise: Vec<Comparison> = (0..8).map(|_| against(2300.0, 50.0, 1.0)).collect();
        assert!(player.after(&surprise, 1.0).volatility > 0.0601);
        let usual: Vec<Comparison> = (0..8).map(|n| against(1500.0, 50.0, f64::from(n % 2))).collect();
        assert!(player.after(&usual, 1.0).volatility < 0.06);
    }
}
