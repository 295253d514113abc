//! Journals that are gone with the process: for tests, and for matches that nobody wants back.

use std::sync::{Arc, Mutex};

use super::{Journal, JournalError, JournalLine};
use crate::lock::lock;

/// A journal in memory. Its clones share what was written.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal(Arc<Mutex<Vec<JournalLine>>>);

impl MemoryJournal {
    /// What was written so far.
    pub fn lines(&self) -> Vec<JournalLine> {
        lock(&self.0).clone()
    }
}

impl Journal for MemoryJournal {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        lock(&self.0).extend_from_slice(lines);
        Ok(())
    }
}

/// No journal at all, for matches that need not survive the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn append(&mut self, _: &[JournalLine]) -> Result<(), JournalError> {
        Ok(())
    }
}
