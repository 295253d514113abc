//! One choice of two roles at the same time: a matrix of payoffs, and the mixed strategies that are best.

use crate::regret::{MoveRegret, average, expected, match_regrets};

/// Strategies of which neither can be played against better than by this part of the largest payoff are exact.
const EXACT: f64 = 1e-9;
/// What is smaller in a tableau is taken for 0.
const ZERO: f64 = 1e-12;
/// Pivots for each row and column by the largest coefficient, before the rule that never goes in circles takes over.
const QUICK_PIVOTS: usize = 4;
/// Pivots for each row and column in all.
const MOST_PIVOTS: usize = 50;
/// Steps by regret where rounding spoils the tableau.
const STEPS: u32 = 20_000;

/// What a role gets against another one that gets the opposite, for each pair of their moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MatrixGame {
    rows: usize,
    columns: usize,
    /// Row after row.
    payoffs: Vec<f64>,
}

/// The mixed strategies of both roles, and what the first one gets by them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MatrixSolution {
    /// The part of each row.
    pub rows: Vec<f64>,
    /// The part of each column.
    pub columns: Vec<f64>,
    /// What the role of the rows gets.
    pub value: f64,
}

impl MatrixGame {
    /// A matrix, row after row, of which each has so many entries.
    pub fn new(payoffs: Vec<f64>, columns: usize) -> Self {
        let columns = columns.max(1);
        Self { rows: payoffs.len() / columns, columns, payoffs }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.payoffs[row * self.columns..][..self.columns]
    }

    /// What each row gets against a mixture of columns.
    pub fn row_values(&self, columns: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|row| expected(columns, self.row(row))).collect()
    }

    /// What each column leaves to the role of the rows where that plays a mixture.
    pub fn column_values(&self, rows: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.columns];
        for (row, part) in rows.iter().enumerate() {
            values.iter_mut().zip(self.row(row)).for_each(|(value, payoff)| *value += part * payoff);
        }
        values
    }

    /// The same game where each role makes any of its moves by mistake, so often.
    #[must_use]
    pub fn with_mistakes(&self, often: f64) -> Self {
        let even = |count: usize| vec![1.0 / count as f64; count];
        let mixed = |wanted: f64, any: f64| (1.0 - often) * wanted + often * any;
        let by_column = self.column_values(&even(self.rows));
        let entries = (0..self.payoffs.len()).map(|at| mixed(self.payoffs[at], by_column[at % self.columns]));
        let once = Self { payoffs: entries.collect(), ..*self };
        let by_row = once.row_values(&even(self.columns));
        let entries = (0..self.payoffs.len()).map(|at| mixed(once.payoffs[at], by_row[at / self.columns]));
        Self { payoffs: entries.collect(), ..*self }
    }

    /// Mixed strategies of which neither can be played against better than the other way round: a pair of pure ones
    /// where there is one, else by linear programming.
    pub fn solve(&self) -> MatrixSolution {
        if let Some(pure) = self.saddle_point() {
            return pure;
        }
        let largest = self.payoffs.iter().fold(0.0_f64, |largest, payoff| largest.max(payoff.abs()));
        let is_exact = |found: &MatrixSolution| self.gap(found) <= EXACT * largest;
        match self.by_simplex().filter(is_exact) {
            Some(exact) => exact,
            None => self.by_regret(STEPS),
        }
    }

    /// The least entry of a row that is the largest of its column.
    fn saddle_point(&self) -> Option<MatrixSolution> {
        let least = |row: usize| self.row(row).iter().copied().fold(f64::INFINITY, f64::min);
        let most =
            |column: usize| (0..self.rows).map(|row| self.row(row)[column]).fold(f64::NEG_INFINITY, f64::max);
        let row = (0..self.rows).max_by(|&a, &b| least(a).total_cmp(&least(b)).then(b.cmp(&a)))?;
        let column = (0..self.columns).min_by(|&a, &b| most(a).total_cmp(&most(b)).then(a.cmp(&b)))?;
        let value = least(row);
        (value >= most(column)).then(|| {
            let pure = |count, place| {
                let mut parts = vec![0.0; count];
                parts[place] = 1.0;
                parts
            };
            MatrixSolution { rows: pure(self.rows, row), columns: pure(self.columns, column), value }
        })
    }

    /// How much more a best row gets than a best column leaves.
    fn gap(&self, found: &MatrixSolution) -> f64 {
        let most = self.row_values(&found.columns).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let least = self.column_values(&found.rows).into_iter().fold(f64::INFINITY, f64::min);
        most - least
    }

    /// The simplex method (Dantzig, 1951): with all payoffs positive, columns of the largest sum that leave no row
    /// more than 1, and rows of the least sum that get 1 from each column at least.
    fn by_simplex(&self) -> Option<MatrixSolution> {
        let least = self.payoffs.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.payoffs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scale = most - least;
        let entry = |row: usize, column: usize| 1.0 + (self.row(row)[column] - least) / scale;
        let mut tableau = Tableau::new(self.rows, self.columns, entry);
        let sum = tableau.maximise()?;
        let parts = |values: Vec<f64>| {
            let mut parts: Vec<f64> = values.into_iter().map(|value| value.max(0.0)).collect();
            match_regrets(&mut parts, 1.0);
            parts
        };
        let (rows, columns) = (parts(tableau.duals()), parts(tableau.solution()));
        Some(MatrixSolution { rows, columns, value: (1.0 / sum - 1.0) * scale + least })
    }

    /// Both roles take turns to match their regrets; the average strategies.
    fn by_regret(&self, steps: u32) -> MatrixSolution {
        let mut rows = vec![MoveRegret::default(); self.rows];
        let mut columns = vec![MoveRegret::default(); self.columns];
        let mut present = [vec![1.0 / self.rows as f64; self.rows], vec![0.0; self.columns]];
        for step in 1..=steps {
            let weight = f64::from(step);
            let losses = self.column_values(&present[0]).into_iter().map(|value| -value).collect();
            learn(&mut columns, &mut present[1], losses, weight);
            let gains = self.row_values(&present[1]);
            learn(&mut rows, &mut present[0], gains, weight);
        }
        let parts = |moves: &[MoveRegret]| {
            let mut parts: Vec<f64> = moves.iter().map(|known| known.chosen()).collect();
            average(&mut parts, 0.0);
            parts
        };
        let (rows, columns) = (parts(&rows), parts(&columns));
        let value = expected(&rows, &self.row_values(&columns));
        MatrixSolution { rows, columns, value }
    }
}

/// Notes what moves bring, and makes the strategy that of matching regrets.
fn learn(moves: &mut [MoveRegret], strategy: &mut [f64], values: Vec<f64>, weight: f64) {
    let present = |moves: &[MoveRegret], strategy: &mut [f64]| {
        strategy.iter_mut().zip(moves).for_each(|(part, known)| *part = known.regret());
        match_regrets(strategy, 1.0);
    };
    present(moves, strategy);
    let mean = expected(strategy, &values);
    for (known, value) in moves.iter_mut().zip(values) {
        known.note(value - mean, 0.0, 0.0);
    }
    present(moves, strategy);
    for (known, part) in moves.iter_mut().zip(strategy) {
        known.note(0.0, *part, weight);
    }
}

/// A linear program in condensed form: as many columns of values as possible, of which no row gets more than 1.
struct Tableau {
    rows: usize,
    columns: usize,
    /// The rows with their bounds, then the objective; each with one entry more than there are columns.
    entries: Vec<f64>,
    /// What each row stands for: a row's slack by its number, a column's value by the number behind all rows.
    in_rows: Vec<usize>,
    in_columns: Vec<usize>,
}

impl Tableau {
    fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut entries = Vec::with_capacity((rows + 1) * (columns + 1));
        for row in 0..rows {
            entries.extend((0..columns).map(|column| entry(row, column)));
            entries.push(1.0);
        }
        entries.extend(std::iter::repeat_n(-1.0, columns));
        entries.push(0.0);
        Self {
            rows,
            columns,
            entries,
            in_rows: (0..rows).collect(),
            in_columns: (rows..rows + columns).collect(),
        }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * (self.columns + 1) + column]
    }

    /// Exchanges rows and columns until nothing makes the sum larger: the sum; `None` where that does not end.
    fn maximise(&mut self) -> Option<f64> {
        let size = self.rows + self.columns;
        for number in 0..MOST_PIVOTS * size {
            let Some(column) = self.entering(number < QUICK_PIVOTS * size) else {
                return Some(self.at(self.rows, self.columns)).filter(|sum| *sum > 0.0);
            };
            self.pivot(self.leaving(column)?, column);
        }
        None
    }

    /// A column that makes the sum larger: the one that does so most, or the first one, by what it stands for, by
    /// which no circle is possible (Bland, 1977).
    fn entering(&self, is_quick: bool) -> Option<usize> {
        let gain = |&column: &usize| self.at(self.rows, column) < -ZERO;
        let open = (0..self.columns).filter(gain);
        if is_quick {
            open.min_by(|&a, &b| self.at(self.rows, a).total_cmp(&self.at(self.rows, b)))
        } else {
            open.min_by_key(|&column| self.in_columns[column])
        }
    }

    /// The row that a column comes to first.
    fn leaving(&self, column: usize) -> Option<usize> {
        let ratio = |row: usize| self.at(row, self.columns) / self.at(row, column);
        let open = (0..self.rows).filter(|&row| self.at(row, column) > ZERO);
        open.min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(self.in_rows[a].cmp(&self.in_rows[b])))
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let (width, pivot) = (self.columns + 1, self.at(row, column));
        let own: Vec<f64> =
            (0..width).map(|at| if at == column { 1.0 / pivot } else { self.at(row, at) / pivot }).collect();
        for other in (0..=self.rows).filter(|&other| other != row) {
            let factor = self.at(other, column);
            let entries = &mut self.entries[other * width..][..width];
            entries[column] = 0.0;
            entries.iter_mut().zip(&own).for_each(|(entry, own)| *entry -= factor * own);
        }
        self.entries[row * width..][..width].copy_from_slice(&own);
        std::mem::swap(&mut self.in_rows[row], &mut self.in_columns[column]);
    }

    /// The value of each column.
    fn solution(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.columns];
        for (row, &meaning) in self.in_rows.iter().enumerate().filter(|&(_, &meaning)| meaning >= self.rows) {
            values[meaning - self.rows] = self.at(row, self.columns);
        }
        values
    }

    /// What the bound of each row is worth.
    fn duals(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.rows];
        let slacks = self.in_columns.iter().enumerate().filter(|&(_, &meaning)| meaning < self.rows);
        for (column, &meaning) in slacks {
            values[meaning] = self.at(self.rows, column);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;

    use super::*;

    fn near(found: &[f64], wanted: &[f64]) -> bool {
        found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9)
    }

    #[test]
    fn known_games_are_solved() {
        // Rock, paper, scissors, where a win with rock counts twice.
        let game = MatrixGame::new(vec![0.0, -1.0, 2.0, 1.0, 0.0, -1.0, -2.0, 1.0, 0.0], 3);
        let found = game.solve();
        assert!(near(&found.rows, &[0.25, 0.5, 0.25]) && near(&found.columns, &found.rows), "{found:?}");
        assert!(found.value.abs() < 1e-9);
        // Two rows against three columns, of which the last is never good.
        let found = MatrixGame::new(vec![3.0, -1.0, 4.0, -2.0, 1.0, 2.0], 3).solve();
        assert!(near(&found.rows, &[3.0 / 7.0, 4.0 / 7.0]), "{found:?}");
        assert!(near(&found.columns, &[2.0 / 7.0, 5.0 / 7.0, 0.0]), "{found:?}");
        assert!((found.value - 1.0 / 7.0).abs() < 1e-9);
        // A single move of one role leaves a choice to the other only.
        let found = MatrixGame::new(vec![3.0, 1.0, 2.0], 3).solve();
        assert_eq!((found.columns, found.value), (vec![0.0, 1.0, 0.0], 1.0));
        let found = MatrixGame::new(vec![5.0; 4], 2).solve();
        assert_eq!(found.value, 5.0);
    }

    #[test]
    fn random_games_are_solved_and_regret_finds_the_same() {
        let mut rng = Rng::from_seed(4);
        for round in 0..300 {
            let (rows, columns) = (1 + rng.below(7) as usize, 1 + rng.below(7) as usize);
            // Few different payoffs make many ties.
            let kinds = if round % 2 == 0 { 3 } else { 1_000 };
            let payoffs = (0..rows * columns).map(|_| rng.below(kinds) as f64).collect();
            let game = MatrixGame::new(payoffs, columns);
            let found = game.solve();
            assert!(game.gap(&found) < 1e-6, "{game:?} {found:?}");
            assert!((found.rows.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let other = game.by_regret(3_000);
            assert!(game.gap(&other) < 0.01 * kinds as f64, "{game:?} {other:?}");
            assert!((other.value - found.value).abs() < 0.01 * kinds as f64, "{game:?}");
        }
    }

    #[test]
    fn mistakes_tell_apart_what_is_else_the_same() {
        // Whatever is played, nothing is lost; only the second row gains where the other errs.
        let game = MatrixGame::new(vec![0.0, 0.0, 0.0, 10.0], 2);
        let found = game.with_mistakes(0.01).solve();
        assert_eq!((found.rows, found.columns), (vec![0.0, 1.0], vec![1.0, 0.0]));
        assert!((found.value - 0.04975).abs() < 1e-9, "{}", found.value);
    }
}
