//! How large relations are, seen over several states.

use super::table::Table;

/// Sizes of one relation, averaged over the states in which it was computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableStatistics {
    /// In how many states the relation was computed.
    pub samples: u32,
    /// Rows, summed over the samples.
    rows: f64,
    /// Distinct values per column, summed over the samples.
    distinct: Vec<f64>,
}

impl TableStatistics {
    /// Adds one state: the number of rows and of distinct values per column.
    pub(crate) fn add(&mut self, rows: usize, distinct: &[usize]) {
        self.samples += 1;
        self.rows += rows as f64;
        self.distinct.resize(distinct.len(), 0.0);
        for (sum, &count) in self.distinct.iter_mut().zip(distinct) {
            *sum += count as f64;
        }
    }

    /// Of one state, in which the relation had these rows.
    pub(crate) fn of(table: &Table, arity: usize) -> Self {
        let mut statistics = Self::default();
        statistics.add_table(table, arity);
        statistics
    }

    /// Adds one state, in which the relation had these rows.
    pub(crate) fn add_table(&mut self, table: &Table, arity: usize) {
        let distinct = (0..arity).map(|column| {
            let mut values: Vec<u32> = (0..table.len()).map(|row| table.value(arity, row, column)).collect();
            values.sort_unstable();
            values.dedup();
            values.len()
        });
        self.add(table.len() as usize, &distinct.collect::<Vec<_>>());
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / f64::from(self.samples.max(1))
    }
}

/// Expected sizes of one relation, for the order of joins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected {
    rows: f64,
    distinct: Vec<f64>,
}

impl Expected {
    /// From what was seen, or guessed from the sizes of the column domains.
    pub(crate) fn new(seen: &TableStatistics, domains: &[Option<usize>]) -> Self {
        if seen.samples > 0 {
            let distinct = (0..domains.len()).map(|c| seen.mean(seen.distinct[c]).max(1.0)).collect();
            return Self { rows: seen.mean(seen.rows), distinct };
        }
        let sizes: Vec<f64> = domains.iter().map(|d| d.map_or(50.0, |n| n.max(1) as f64)).collect();
        let product: f64 = sizes.iter().product();
        let rows = product.powf(0.7).max(1.0);
        Self { rows, distinct: sizes.iter().map(|&s| s.min(rows)).collect() }
    }

    /// Every combination of the values of the columns.
    pub(crate) fn full(sizes: impl Iterator<Item = usize>) -> Self {
        let distinct: Vec<f64> = sizes.map(|s| s.max(1) as f64).collect();
        Self { rows: distinct.iter().product(), distinct }
    }

    /// Rows that agree with given values in these columns.
    pub(crate) fn matches(&self, bound: impl Iterator<Item = usize>) -> f64 {
        bound.fold(self.rows, |rows, column| rows / self.distinct[column].max(1.0))
    }
}
