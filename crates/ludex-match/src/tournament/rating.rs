//! Ratings: the model of Bradley and Terry, fitted by the MM algorithm of Hunter.
//!
//! R. A. Bradley, M. E. Terry: Rank analysis of incomplete block designs, Biometrika 39 (1952).
//! D. R. Hunter: MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32 (2004).

use serde::{Deserialize, Serialize};

use super::share::Z;

/// A rating in units of Elo: 400 more make a win ten times as likely as a loss. The mean of all is 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The rating.
    pub elo: f64,
    /// The lower end of the 95 % interval, from the observed information.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Who took how much from whom.
#[derive(Clone, Debug)]
pub struct Comparisons {
    players: usize,
    /// What the row took from the column: a sum of shares.
    taken: Vec<f64>,
}

/// One drawn match of each player against somebody of strength 1 is added, so that ratings stay finite
/// where somebody won everything, and exist where somebody met nobody.
const PRIOR_MATCHES: f64 = 1.0;

/// No more rounds of the algorithm than this; some hundreds are usual.
const ROUNDS: usize = 100_000;

/// The algorithm ends when the logarithm of no strength changes by so much in a round.
const TOLERANCE: f64 = 1e-10;

impl Comparisons {
    /// No comparisons of so many players.
    pub fn new(players: usize) -> Self {
        Self { players, taken: vec![0.0; players * players] }
    }

    /// Adds a match of which `first` took this share, as so much of a win, and `second` the rest.
    pub fn add(&mut self, first: usize, second: usize, share: f64) {
        if first != second && first < self.players && second < self.players {
            self.taken[first * self.players + second] += share;
            self.taken[second * self.players + first] += 1.0 - share;
        }
    }

    fn matches(&self, a: usize, b: usize) -> f64 {
        self.taken[a * self.players + b] + self.taken[b * self.players + a]
    }

    /// The ratings of all players.
    pub fn ratings(&self) -> Vec<Rating> {
        self.ratings_from(&mut vec![1.0; self.players], TOLERANCE)
    }

    /// The ratings of all players, found from these strengths on until they change by no more than so
    /// much; leaves the new strengths. It is quicker where the strengths are nearly right.
    pub(super) fn ratings_from(&self, strengths: &mut [f64], tolerance: f64) -> Vec<Rating> {
        self.find_strengths(strengths, tolerance);
        let logs: Vec<f64> = strengths.iter().map(|strength| strength.ln()).collect();
        let mean = logs.iter().sum::<f64>() / self.players.max(1) as f64;
        let errors = self.standard_errors(strengths);
        let unit = 400.0 / std::f64::consts::LN_10;
        let rated = logs.iter().zip(errors).map(|(log, error)| {
            let elo = (log - mean) * unit;
            let half = Z * error * unit;
            Rating { elo, low: elo - half, high: elo + half }
        });
        rated.collect()
    }

    /// Strengths such that a takes a / (a + b) from b. Each round of the algorithm makes them at least as
    /// likely as they were.
    fn find_strengths(&self, strengths: &mut [f64], tolerance: f64) {
        for _ in 0..ROUNDS {
            let mut change = 0.0f64;
            for a in 0..self.players {
                let own = strengths[a];
                let mut taken = PRIOR_MATCHES / 2.0;
                let mut weight = PRIOR_MATCHES / (own + 1.0);
                for b in (0..self.players).filter(|&b| b != a) {
                    taken += self.taken[a * self.players + b];
                    weight += self.matches(a, b) / (own + strengths[b]);
                }
                strengths[a] = taken / weight;
                change = change.max((strengths[a] / own).ln().abs());
            }
            if change < tolerance {
                break;
            }
        }
    }

    /// The standard errors of the logarithms of strengths less their mean: from the inverse of the
    /// observed information.
    fn standard_errors(&self, strengths: &[f64]) -> Vec<f64> {
        let n = self.players;
        let mut information = vec![vec![0.0; n]; n];
        for a in 0..n {
            let own = strengths[a];
            information[a][a] += PRIOR_MATCHES * own / ((own + 1.0) * (own + 1.0));
            for b in (0..n).filter(|&b| b != a) {
                let sum = own + strengths[b];
                let part = self.matches(a, b) * own * strengths[b] / (sum * sum);
                information[a][a] += part;
                information[a][b] -= part;
            }
        }
        let Some(covariance) = inverse(information) else { return vec![f64::INFINITY; n] };
        let count = n as f64;
        let row_means: Vec<f64> = covariance.iter().map(|row| row.iter().sum::<f64>() / count).collect();
        let mean = row_means.iter().sum::<f64>() / count;
        (0..n).map(|i| (covariance[i][i] - 2.0 * row_means[i] + mean).max(0.0).sqrt()).collect()
    }
}

/// The inverse of a positive definite matrix by elimination; `None` where it is singular.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let unit = |i: usize| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let mut result: Vec<Vec<f64>> = (0..n).map(unit).collect();
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        result.swap(column, pivot);
        let scale = matrix[column][column];
        if scale.abs() < 1e-300 {
            return None;
        }
        for value in matrix[column].iter_mut().chain(&mut result[column]) {
            *value /= scale;
        }
        for row in (0..n).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for k in 0..n {
                matrix[row][k] -= factor * matrix[column][k];
                result[row][k] -= factor * result[column][k];
            }
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;

    use super::*;

    /// What players of known ratings would take from each other on average.
    fn expected(known: &[f64], matches: usize) -> Comparisons {
        let mut comparisons = Comparisons::new(known.len());
        for a in 0..known.len() {
            for b in a + 1..known.len() {
                let share = 1.0 / (1.0 + 10f64.powf((known[b] - known[a]) / 400.0));
                (0..matches).for_each(|_| comparisons.add(a, b, share));
            }
        }
        comparisons
    }

    #[test]
    fn known_strengths_are_found_again() {
        let known = [250.0, 40.0, -90.0, -200.0];
        for (rating, known) in expected(&known, 20_000).ratings().iter().zip(known) {
            assert!((rating.elo - known).abs() < 0.1, "{rating:?} is not {known}");
            assert!(rating.low < known && known < rating.high && rating.high - rating.low < 12.0);
        }
    }

    #[test]
    fn drawn_results_lie_in_the_intervals_as_often_as_they_say() {
        let known = [120.0, 0.0, -120.0];
        let mut rng = Rng::from_seed(5);
        let (mut within, mut tries) = (0, 0);
        for _ in 0..200 {
            let mut comparisons = Comparisons::new(3);
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                let share = 1.0 / (1.0 + 10f64.powf((known[b] - known[a]) / 400.0));
                for _ in 0..60 {
                    let won = (rng.bits() >> 11) as f64 / (1u64 << 53) as f64 <= share;
                    comparisons.add(a, b, f64::from(u8::from(won)));
                }
            }
            for (rating, known) in comparisons.ratings().iter().zip(known) {
                tries += 1;
                within += usize::from((rating.low..rating.high).contains(&known));
            }
        }
        let part = within as f64 / f64::from(tries);
        assert!((0.92..0.98).contains(&part), "{part}");
    }

    #[test]
    fn two_players_get_what_their_share_says() {
        // Without the prior: 400 log10(3) is 190.8 for three quarters.
        let ratings = expected(&[95.424_25, -95.424_25], 100_000).ratings();
        assert!((ratings[0].elo - ratings[1].elo - 190.85).abs() < 0.05, "{ratings:?}");
        assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-6, "the mean is 0");
    }

    #[test]
    fn who_won_everything_is_rated_all_the_same() {
        let mut comparisons = Comparisons::new(3);
        (0..10).for_each(|_| comparisons.add(0, 1, 1.0));
        let ratings = comparisons.ratings();
        assert!(ratings.iter().all(|r| r.elo.is_finite() && r.low < r.elo && r.elo < r.high), "{ratings:?}");
        assert!(ratings[0].elo > ratings[2].elo && ratings[2].elo > ratings[1].elo);
        assert!(Comparisons::new(0).ratings().is_empty());
    }
}
