//! What the benchmarks share: clocks, tables, random play, the figures of others, and processes.
#![forbid(unsafe_code)]

pub mod again;
pub mod ask;
pub mod peers;
pub mod play;
pub mod stages;

use std::fmt::Write as _;
use std::time::Duration;

/// Processor time of this process so far, where the system tells it. Other programs on the machine
/// disturb it less than they disturb the clock on the wall.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Processor time of all threads of this process so far, those that have ended among them, to a hundredth of a
/// second; none where the system does not tell it.
pub fn processor_seconds_of_all_threads() -> Option<f64> {
    // Linux counts in hundredths here, whatever its own clock does.
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may contain blanks.
    let after_name = text.rsplit(')').next()?;
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}

/// A clock that started when it was made.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    processor: Option<Duration>,
    wall: std::time::Instant,
}

impl Stopwatch {
    /// Starts.
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    pub fn start() -> Self {
        Self { processor: processor_time(), wall: std::time::Instant::now() }
    }

    /// The time on the wall since the start: for what is so short that the system does not notice.
    pub fn wall_seconds(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// The processor time since the start, exact to some milliseconds; the time on the wall where the
    /// system tells no other.
    pub fn seconds(&self) -> f64 {
        let passed = match (self.processor, processor_time()) {
            (Some(start), Some(now)) => now.saturating_sub(start),
            _ => self.wall.elapsed(),
        };
        passed.as_secs_f64()
    }

    /// Which time it measures.
    pub fn kind() -> &'static str {
        if processor_time().is_some() { "processor time" } else { "wall time" }
    }
}

/// Rows of cells under a heading, as a Markdown table; the first column to the left, the others to
/// the right.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([heading[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let mut out = String::new();
    let mut line = |cells: &[&str]| {
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _ =
                if column == 0 { write!(out, "| {cell:<width$} ") } else { write!(out, "| {cell:>width$} ") };
        }
        out.push_str("|\n");
    };
    line(heading);
    let rules: Vec<String> = widths.iter().map(|&w| "-".repeat(w.saturating_sub(1)) + ":").collect();
    let left = "-".repeat(widths.first().copied().unwrap_or(1));
    let rules: Vec<&str> =
        rules.iter().enumerate().map(|(i, rule)| if i == 0 { left.as_str() } else { rule }).collect();
    line(&rules);
    for row in rows {
        line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    out
}

/// A number with as many digits as matter.
pub fn figure(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// Whether the program was asked, by words on its command line, for this name; no words ask for all.
/// Options, such as the ones `cargo bench` adds, are no words.
pub fn wanted(name: &str) -> bool {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    words.is_empty() || words.iter().any(|word| word == name)
}

/// Whether an option such as `--sample` is on the command line.
pub fn has_option(name: &str) -> bool {
    std::env::args().any(|word| word == name)
}

/// The value of an option such as `--json=PATH`.
pub fn option_value(name: &str) -> Option<String> {
    std::env::args().find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
}

/// The values of an option such as `--player=NAME` that may be given several times.
pub fn option_values(name: &str) -> Vec<String> {
    let value = |word: String| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned);
    std::env::args().filter_map(value).collect()
}

/// A number of seconds from `LUDEX_BENCH_SECONDS`, or this one.
pub fn seconds_or(default: f64) -> f64 {
    std::env::var("LUDEX_BENCH_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned() {
        let rows = vec![vec!["nim".to_owned(), "12".to_owned()], vec!["chess".to_owned(), "7".to_owned()]];
        assert_eq!(
            table(&["game", "n"], &rows),
            "| game  |  n |\n| ----- | -: |\n| nim   | 12 |\n| chess |  7 |\n"
        );
    }

    #[test]
    fn figures_have_three_digits() {
        assert_eq!([1234.4, 99.94, 7.777].map(figure), ["1234", "99.9", "7.78"]);
    }
}
