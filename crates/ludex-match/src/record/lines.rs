//! Many records in one file: JSON lines.

use super::{MatchRecord, RecordError};

/// Why a line is not a match record.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {cause}")]
pub struct RecordLineError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub cause: RecordError,
}

impl MatchRecord {
    /// The lines of a file with many records, each with its line end. Records can be written as they
    /// come: nothing stands before the first or after the last.
    pub fn write_lines<'a>(
        records: impl IntoIterator<Item = &'a MatchRecord>,
    ) -> impl Iterator<Item = String> {
        records.into_iter().map(|record| record.write() + "\n")
    }

    /// Reads a file with a record on each line, one after the other; empty lines are passed over. After a
    /// line that is no record the next lines are read as usual.
    pub fn read_lines<T: AsRef<str>>(
        lines: impl IntoIterator<Item = T>,
    ) -> impl Iterator<Item = Result<MatchRecord, RecordLineError>> {
        RecordLines { lines: lines.into_iter(), line: 0 }
    }
}

struct RecordLines<I> {
    lines: I,
    /// The number of lines that were read.
    line: usize,
}

impl<T: AsRef<str>, I: Iterator<Item = T>> Iterator for RecordLines<I> {
    type Item = Result<MatchRecord, RecordLineError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let text = self.lines.next()?;
            self.line += 1;
            if !text.as_ref().trim().is_empty() {
                let read = MatchRecord::read(text.as_ref());
                return Some(read.map_err(|cause| RecordLineError { line: self.line, cause }));
            }
        }
    }
}
