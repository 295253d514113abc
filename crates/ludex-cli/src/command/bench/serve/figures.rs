//! What was measured, and how it is shown.

use serde::Serialize;

use crate::console::{Console, table};

/// Many times that the same thing took, in milliseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Times(Vec<f64>);

impl Times {
    pub(super) fn add(&mut self, milliseconds: f64) {
        self.0.push(milliseconds);
    }

    pub(super) fn append(&mut self, mut other: Times) {
        self.0.append(&mut other.0);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them less what would be there without what is measured, but no less than nothing.
    pub(super) fn beyond(mut self, base: f64) -> Self {
        self.0.iter_mut().for_each(|time| *time = (*time - base).max(0.0));
        self
    }

    /// The least time that is not exceeded by this part of all (nearest rank); none where nothing was measured.
    pub(super) fn quantile(&self, part: f64) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (part * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.max(1) - 1).or(sorted.last()).copied()
    }
}

/// A line of the table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Figure {
    /// What it belongs to, as it is chosen.
    pub(super) row: &'static str,
    /// What was measured.
    pub(super) what: String,
    pub(super) unit: &'static str,
    pub(super) samples: usize,
    pub(super) p50: Option<f64>,
    pub(super) p99: Option<f64>,
    pub(super) max: Option<f64>,
    /// What the last one of the three, or the second where it says so, is to stay under; none where it is only told.
    pub(super) to_reach: Option<f64>,
    /// Which of the three counts.
    pub(super) counts: Counts,
    /// What is worth saying beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remark: Option<String>,
}

/// Which figure is compared with what is to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Counts {
    P99,
    Max,
}

impl Figure {
    pub(super) fn of(row: &'static str, what: impl Into<String>, times: &Times) -> Self {
        Self {
            row,
            what: what.into(),
            unit: "ms",
            samples: times.len(),
            p50: times.quantile(0.5),
            p99: times.quantile(0.99),
            max: times.quantile(1.0),
            to_reach: None,
            counts: Counts::P99,
            remark: None,
        }
    }

    /// One number.
    pub(super) fn one(row: &'static str, what: impl Into<String>, milliseconds: f64) -> Self {
        let mut times = Times::default();
        times.add(milliseconds);
        Self { counts: Counts::Max, ..Self::of(row, what, &times) }
    }

    pub(super) fn under(self, milliseconds: f64) -> Self {
        Self { to_reach: Some(milliseconds), ..self }
    }

    pub(super) fn remark(self, text: impl Into<String>) -> Self {
        Self { remark: Some(text.into()), ..self }
    }

    /// Whether it is as it is to be; none where nothing is said of that. What was not measured is not.
    pub(super) fn is_reached(&self) -> Option<bool> {
        let counts = match self.counts {
            Counts::P99 => self.p99,
            Counts::Max => self.max,
        };
        self.to_reach.map(|limit| counts.is_some_and(|time| time < limit))
    }
}

/// All of it as a table.
pub(super) fn shown(console: &Console, figures: &[Figure]) -> String {
    let number = |time: Option<f64>| time.map_or("-".to_owned(), text);
    let mut rows = vec![
        ["ROW", "MILLISECONDS", "SAMPLES", "P50", "P99", "MOST", "TO REACH", ""].map(str::to_owned).to_vec(),
    ];
    rows.extend(figures.iter().map(|figure| {
        vec![
            figure.row.to_owned(),
            figure.what.clone(),
            figure.samples.to_string(),
            number(figure.p50),
            number(figure.p99),
            number(figure.max),
            figure.to_reach.map_or(String::new(), |limit| match figure.counts {
                Counts::P99 => format!("p99 < {}", text(limit)),
                Counts::Max => format!("< {}", text(limit)),
            }),
            match figure.is_reached() {
                Some(true) => "reached".to_owned(),
                Some(false) => "MISSED".to_owned(),
                None => String::new(),
            },
        ]
    }));
    let mut said = table(console, &rows, &[false, false, true, true, true, true, true, false]);
    for figure in figures {
        if let Some(remark) = &figure.remark {
            said.push_str(&format!("{}: {remark}\n", figure.what));
        }
    }
    said
}

/// As many digits as say something.
fn text(milliseconds: f64) -> String {
    if milliseconds < 100.0 { format!("{milliseconds:.1}") } else { format!("{milliseconds:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::ColorChoice;

    fn times(values: impl IntoIterator<Item = f64>) -> Times {
        Times(values.into_iter().collect())
    }

    #[test]
    fn quantiles_are_times_that_were_measured() {
        let all = times((1..=1000).rev().map(f64::from));
        assert_eq!(all.quantile(0.5), Some(500.0));
        assert_eq!(all.quantile(0.99), Some(990.0));
        assert_eq!(all.quantile(1.0), Some(1000.0));
        assert_eq!(all.quantile(0.0), Some(1.0));
        assert_eq!(times([7.0]).quantile(0.99), Some(7.0));
        assert_eq!(times([]).quantile(0.5), None);
        assert_eq!(times([1.0, 5.0]).beyond(2.0).quantile(1.0), Some(3.0));
        assert_eq!(times([1.0, 5.0]).beyond(2.0).quantile(0.0), Some(0.0));
    }

    #[test]
    fn what_was_not_measured_is_not_reached() {
        let reached = |times: &Times, limit| Figure::of("x", "y", times).under(limit).is_reached();
        // Two of two hundred are the last hundredth: they count only from the second one on.
        let mostly = times((0..200).map(|number| if number < 198 { 1.0 } else { 50.0 }));
        assert_eq!(reached(&mostly, 2.0), Some(true));
        assert_eq!(reached(&mostly, 1.0), Some(false));
        assert_eq!(reached(&Times::default(), 1.0), Some(false));
        assert_eq!(Figure::of("x", "y", &mostly).is_reached(), None);
        assert_eq!(Figure::one("x", "y", 4.0).under(5.0).is_reached(), Some(true));
    }

    #[test]
    fn the_table_says_what_is_missed() {
        let figures = [
            Figure::of("matches", "delay", &times([1.0, 2.3])).under(20.0),
            Figure::one("restart", "all go on", 7000.0).under(5000.0).remark("one was slow"),
        ];
        let said = shown(&Console::new(ColorChoice::Never), &figures);
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[1].ends_with("1.0   2.3   2.3  p99 < 20.0  reached"), "{said}");
        assert!(lines[2].contains("7000") && lines[2].ends_with("< 5000  MISSED"), "{said}");
        assert_eq!(lines[3], "all go on: one was slow");
    }
}
