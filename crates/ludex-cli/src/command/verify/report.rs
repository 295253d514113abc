//! What came of each trace, as a table.

use std::path::Path;

use serde_json::Value;

use super::text_of;
use crate::failure::Failure;
use crate::parquet::{self, Cell, FINDINGS, TableWriter};

/// What came of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is as recorded.
    Same,
    /// Something differs.
    Different,
    /// Nothing was played.
    Unplayed,
    /// There are no rules to compare with.
    Unchecked,
    /// It cannot be read, or its rules cannot.
    Error,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::Unplayed => "unplayed",
            Self::Unchecked => "unchecked",
            Self::Error => "error",
        }
    }
}

/// A row for each trace, if somebody wants them.
pub struct Report {
    rows: Option<Vec<Vec<Cell>>>,
}

impl Report {
    /// # Errors
    /// It is wanted, and the command was built without Parquet.
    pub fn new(is_wanted: bool) -> Result<Self, Failure> {
        if is_wanted {
            parquet::available()?;
        }
        Ok(Self { rows: is_wanted.then(Vec::new) })
    }

    /// Adds a trace.
    pub fn add(&mut self, file: &str, name: &str, verdict: Verdict, message: Option<String>) {
        let Some(rows) = &mut self.rows else { return };
        let message = message.map_or(Cell::Null, Cell::Text);
        rows.push(vec![file.into(), name.into(), verdict.name().into(), message]);
    }

    /// Adds a trace that could not be compared.
    pub fn add_failure(&mut self, file: &str, failure: &Failure) {
        if let Failure::Input { message, .. } = failure {
            self.add(file, "", Verdict::Error, Some(message.clone()));
        }
    }

    /// Writes the table.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(self, path: Option<&Path>) -> Result<(), Failure> {
        let (Some(rows), Some(path)) = (self.rows, path) else { return Ok(()) };
        let mut table = TableWriter::create(path, &FINDINGS)?;
        rows.into_iter().try_for_each(|row| table.push(row))?;
        table.close()?.publish()
    }
}

/// The first difference in words, and how many more there are.
pub fn summary(mismatches: &[Value]) -> Option<String> {
    let first = mismatches.first()?;
    let text = |key: &str| text_of(first, key);
    let more = match mismatches.len() - 1 {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Some(format!(
        "step {}: {}: recorded {}, found {}{more}",
        text("step"),
        text("what"),
        text("expected"),
        text("found"),
    ))
}
