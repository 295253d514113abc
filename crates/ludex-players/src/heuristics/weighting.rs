//! Weights by ridge regression.

/// How much weights are drawn to 0, relative to the number of examples: features that say little get
/// small weights.
const SHRINKAGE: f64 = 0.01;

/// Finds the weights of a linear combination of features that fits given values best, in the sense of
/// least squares with a small penalty on weights (ridge regression: Hoerl and Kennard, 1970). Examples
/// are added up as they come; none is kept.
#[derive(Clone, Debug)]
pub struct Regression {
    count: f64,
    /// Sums of the features, and of the value behind them.
    sums: Vec<f64>,
    /// Sums of the products of any two of them, row by row.
    products: Vec<f64>,
}

impl Regression {
    /// A regression over so many features.
    pub fn new(features: usize) -> Self {
        let width = features + 1;
        Self { count: 0.0, sums: vec![0.0; width], products: vec![0.0; width * width] }
    }

    /// Adds what one state scored, and what it turned out to be worth.
    pub fn add(&mut self, features: &[f64], value: f64) {
        let width = self.sums.len();
        let row = || features.iter().copied().chain([value]).take(width);
        self.count += 1.0;
        for (i, a) in row().enumerate() {
            self.sums[i] += a;
            for (product, b) in self.products[i * width..].iter_mut().zip(row()) {
                *product += a * b;
            }
        }
    }

    /// How many examples there are.
    pub fn count(&self) -> u64 {
        self.count as u64
    }

    /// The covariance of two columns.
    fn covariance(&self, i: usize, j: usize) -> f64 {
        let width = self.sums.len();
        let mean_product = self.products[i * width + j] / self.count;
        mean_product - self.sums[i] / self.count * (self.sums[j] / self.count)
    }

    /// The weights, and what is added to the weighted sum. Features that never change get weight 0. `None`
    /// as long as there are fewer than two examples.
    pub fn solve(&self) -> Option<(Vec<f64>, f64)> {
        if self.count < 2.0 {
            return None;
        }
        let value = self.sums.len() - 1;
        let deviation: Vec<f64> = (0..value).map(|i| self.covariance(i, i).max(0.0).sqrt()).collect();
        let used: Vec<usize> = (0..value).filter(|&i| deviation[i] > 1e-6).collect();
        // Normal equations of the features scaled to deviation 1, which makes the penalty fair.
        let mut rows: Vec<Vec<f64>> = used
            .iter()
            .map(|&i| {
                let scaled = |&j: &usize| {
                    let penalty = if i == j { SHRINKAGE } else { 0.0 };
                    self.covariance(i, j) / (deviation[i] * deviation[j]) + penalty
                };
                used.iter().map(scaled).chain([self.covariance(i, value) / deviation[i]]).collect()
            })
            .collect();
        let mut weights = vec![0.0; value];
        for (&i, weight) in used.iter().zip(eliminate(&mut rows)?) {
            weights[i] = weight / deviation[i];
        }
        let weighted: f64 = weights.iter().zip(&self.sums).map(|(weight, sum)| weight * sum).sum();
        Some((weights, (self.sums[value] - weighted) / self.count))
    }
}

/// Solves linear equations, each a row with its right side at the end, by Gaussian elimination with
/// pivots. `None` where there is no single solution.
fn eliminate(rows: &mut [Vec<f64>]) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let pivot =
            (column..size).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column].abs() < 1e-12 {
            return None;
        }
        let (above, below) = rows.split_at_mut(column + 1);
        let top = &above[column];
        for row in below {
            let factor = row[column] / top[column];
            row.iter_mut().zip(top).skip(column).for_each(|(cell, &above)| *cell -= factor * above);
        }
    }
    let mut solution = vec![0.0; size];
    for column in (0..size).rev() {
        let known: f64 = (column + 1..size).map(|j| rows[column][j] * solution[j]).sum();
        solution[column] = (rows[column][size] - known) / rows[column][column];
    }
    Some(solution)
}
