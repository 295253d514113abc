//! Whether two samples may be of one distribution.

use std::collections::{BTreeMap, BTreeSet};

/// How far two samples differ, given how often each had each result: in standard deviations of Pearson's
/// statistic (Wilson and Hilferty's transform). Rare results count as one.
pub fn deviation<N: Copy + Default + Into<f64>>(a: &BTreeMap<String, N>, b: &BTreeMap<String, N>) -> f64 {
    let total = |counts: &BTreeMap<String, N>| counts.values().map(|&count| count.into()).sum::<f64>();
    let (all_a, all_b) = (total(a), total(b));
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let (mut cells, mut rare) = (Vec::new(), (0.0, 0.0));
    for key in keys {
        let [x, y]: [f64; 2] = [a, b].map(|counts| counts.get(key).copied().unwrap_or_default().into());
        if (x + y) * all_a.min(all_b) / (all_a + all_b) < 5.0 {
            rare = (rare.0 + x, rare.1 + y);
        } else {
            cells.push((x, y));
        }
    }
    if (rare.0 + rare.1) * all_a.min(all_b) / (all_a + all_b) >= 5.0 {
        cells.push(rare);
    }
    let degrees = cells.len() as f64 - 1.0;
    if degrees < 1.0 {
        return 0.0;
    }
    let part =
        |&(x, y): &(f64, f64)| (x * (all_b / all_a).sqrt() - y * (all_a / all_b).sqrt()).powi(2) / (x + y);
    let statistic: f64 = cells.iter().map(part).sum();
    let spread = 2.0 / (9.0 * degrees);
    ((statistic / degrees).cbrt() - (1.0 - spread)) / spread.sqrt()
}
