//! What runners have learned, for those that come after them.

use std::sync::{Mutex, PoisonError};

use super::transitions::TransitionTable;

/// The tables of runners that are gone. A new runner goes on with one of them, so that whoever makes a runner for each
/// question does not learn everything anew; there are never more than runners at one time.
#[derive(Debug, Default)]
pub(super) struct Learned(Mutex<Vec<TransitionTable>>);

impl Learned {
    /// A table for a new runner.
    pub fn take(&self) -> TransitionTable {
        // A table is put back as a whole, so it is sound even if somebody panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps the table of a runner.
    pub fn put(&self, table: TransitionTable) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(table);
    }
}
