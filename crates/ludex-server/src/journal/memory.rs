//! Journals that are gone with the process: for tests, and for matches that nobody wants back.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Journal, JournalError, JournalLine};

/// A journal in memory. Its clones share what was written.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal(Arc<Mutex<Vec<JournalLine>>>);

impl MemoryJournal {
    /// What was written so far.
    pub fn lines(&self) -> Vec<JournalLine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Journal for MemoryJournal {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(lines);
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
