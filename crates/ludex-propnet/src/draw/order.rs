//! The order of items within columns, with few crossings: barycentres, swept to and fro (Sugiyama,
//! Tagawa and Toda 1981).

use super::layers::Layers;

/// Sweeps over all columns.
const SWEEPS: usize = 12;

impl Layers {
    /// Reorders each column so that few wires cross.
    pub(super) fn reduce_crossings(&mut self) {
        let mut place = vec![0usize; self.items.len()];
        self.number(&mut place);
        let mut best = (self.crossings(&place), self.columns.clone());
        for sweep in 0..SWEEPS {
            let count = self.columns.len();
            for step in 0..count {
                let forward = sweep % 2 == 0;
                let column = if forward { step } else { count - 1 - step };
                self.sort_column(column, forward, &mut place);
            }
            let crossings = self.crossings(&place);
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
        }
        self.columns = best.1;
    }

    fn number(&self, place: &mut [usize]) {
        for column in &self.columns {
            column.iter().enumerate().for_each(|(at, &item)| place[item] = at);
        }
    }

    /// Sorts a column by where the neighbours on one side stand; items without any keep their place.
    fn sort_column(&mut self, column: usize, by_left: bool, place: &mut [usize]) {
        let mut keyed: Vec<(f64, usize)> = self.columns[column]
            .iter()
            .map(|&item| {
                let neighbours = if by_left { &self.items[item].left } else { &self.items[item].right };
                let sum: usize = neighbours.iter().map(|&n| place[n]).sum();
                let key = match neighbours.len() {
                    0 => place[item] as f64,
                    count => sum as f64 / count as f64,
                };
                (key, item)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, &(_, item)) in keyed.iter().enumerate() {
            place[item] = at;
        }
        self.columns[column] = keyed.into_iter().map(|(_, item)| item).collect();
    }

    /// How many pairs of wires cross between neighbouring columns, counted with a tree of sums.
    fn crossings(&self, place: &[usize]) -> usize {
        let mut total = 0;
        for pair in self.columns.windows(2) {
            let mut sums = vec![0usize; pair[1].len() + 1];
            let mut seen = 0;
            for &item in &pair[0] {
                let mut ends: Vec<usize> = self.items[item].right.iter().map(|&r| place[r]).collect();
                ends.sort_unstable();
                // Wires of items above that end below this one's end.
                for &end in &ends {
                    let (mut at, mut not_below) = (end + 1, 0);
                    while at > 0 {
                        not_below += sums[at];
                        at &= at - 1;
                    }
                    total += seen - not_below;
                }
                for &end in &ends {
                    let mut at = end + 1;
                    while at < sums.len() {
                        sums[at] += 1;
                        at += at & at.wrapping_neg();
                    }
                    seen += 1;
                }
            }
        }
        total
    }
}
