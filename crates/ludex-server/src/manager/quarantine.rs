//! Matches that are gone on with, until it is known that this does not bring the server down.
//!
//! Each time is counted, durably, before it begins, and the count is taken back when something more is written
//! of the match or the server ends as it should. So a match whose rules end the process whenever a referee looks
//! at them is gone on with a few times and then no more.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex::matches::referee::Entry;

use super::core::now;
use super::error::ManagerError;
use crate::journal::{Journal, JournalError, JournalLine};
use crate::store::Store;

/// A match that was gone on with so long ago is at rest: players think.
const AT_REST: Duration = Duration::from_secs(1);

/// The matches that were gone on with and of which nothing more is written yet, and since when.
pub(super) struct Resuming {
    store: Arc<dyn Store>,
    matches: Mutex<BTreeMap<String, Instant>>,
}

impl std::fmt::Debug for Resuming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resuming").field("matches", &self.matches).finish_non_exhaustive()
    }
}

impl Resuming {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, matches: Mutex::default() }
    }

    fn matches(&self) -> MutexGuard<'_, BTreeMap<String, Instant>> {
        // What is in it is whole at all times.
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a match was gone on with just now.
    pub(super) fn is_any_under_way(&self) -> bool {
        self.matches().values().any(|since| since.elapsed() < AT_REST)
    }

    /// Counts that a match is gone on with, before it is.
    pub(super) fn begin(&self, id: &str) -> Result<(), ManagerError> {
        let count = self.store.begin_resumption(id)?;
        if count > 1 {
            tracing::warn!(id, count, "a match is gone on with again, without having come through");
        }
        self.matches().insert(id.to_owned(), now());
        Ok(())
    }

    /// Something more was written of a match, or it is over.
    pub(super) fn came_through(&self, id: &str) {
        if self.matches().remove(id).is_some()
            && let Err(error) = self.store.end_resumption(id)
        {
            // It counts as one that did not come through, which ends no match by itself.
            tracing::warn!(id, %error, "that a match came through cannot be written");
        }
    }

    /// The server ends as it should.
    pub(super) fn all_came_through(&self) {
        let all: Vec<String> = self.matches().keys().cloned().collect();
        all.iter().for_each(|id| self.came_through(id));
    }
}

/// A journal that notices which matches come through.
pub(super) struct WatchedJournal<J> {
    pub(super) journal: J,
    pub(super) resuming: Arc<Resuming>,
}

impl<J: Journal> Journal for WatchedJournal<J> {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        self.journal.append(lines)?;
        // That it was gone on with says nothing yet.
        for line in lines.iter().filter(|line| !matches!(line.entry, Entry::Resumed)) {
            self.resuming.came_through(&line.match_id);
        }
        Ok(())
    }
}
