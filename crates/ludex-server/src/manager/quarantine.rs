//! Matches that are gone on with, until it is known that this does not bring the server down.
//!
//! Each time is counted, durably, before it begins. The count is taken back when something more is written of the
//! match or the server ends as it should, and as long as its referee is at rest because players think; when that hears
//! something and goes to work, it counts again. So a match whose rules end the process whenever a
//! referee looks at them is gone on with a few times and then no more, and one that only waited meanwhile goes on
//! however often the server is killed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::error::ManagerError;
use crate::clock::now;
use crate::journal::{Journal, JournalError, JournalLine};
use crate::lock::lock;
use crate::store::Store;

/// A match whose referee has worked for so long lets others be gone on with.
const AT_REST: Duration = Duration::from_secs(1);

/// The matches that were gone on with and of which nothing more is written yet.
pub(super) struct Resuming {
    store: Arc<dyn Store>,
    matches: Mutex<BTreeMap<String, Stage>>,
}

/// What a match does that was gone on with.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Its referee works, since then. That is counted.
    Working(Instant),
    /// It waits for players. That is not counted.
    AtRest,
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

    /// Whether a match was gone on with just now.
    pub(super) fn is_any_under_way(&self) -> bool {
        let is_fresh = |stage: &Stage| matches!(stage, Stage::Working(since) if since.elapsed() < AT_REST);
        lock(&self.matches).values().any(is_fresh)
    }

    /// Counts that a match is gone on with, before it is.
    pub(super) fn begin(&self, id: &str) -> Result<(), ManagerError> {
        let count = self.store.begin_resumption(id)?;
        if count > 1 {
            tracing::warn!(
                match_id = id,
                count,
                "a match is gone on with again, without having come through"
            );
        }
        lock(&self.matches).insert(id.to_owned(), Stage::Working(now()));
        Ok(())
    }

    /// The referee of a match that was gone on with has done its work, and waits: for players, or for an entry to
    /// be written.
    pub(super) fn rests(&self, id: &str) {
        let mut matches = lock(&self.matches);
        let Some(stage @ Stage::Working(_)) = matches.get_mut(id) else { return };
        *stage = Stage::AtRest;
        // Under the lock, so that it does not count as working before this is taken back.
        if let Err(error) = self.store.pause_resumption(id) {
            tracing::warn!(match_id = id, %error, "that a match is at rest cannot be written");
        }
    }

    /// The referee of a match at rest hears something, and may work out a step.
    pub(super) fn works(&self, id: &str) {
        let mut matches = lock(&self.matches);
        let Some(stage @ Stage::AtRest) = matches.get_mut(id) else { return };
        *stage = Stage::Working(now());
        if let Err(error) = self.store.begin_resumption(id) {
            tracing::warn!(match_id = id, %error, "that a match works again cannot be written");
        }
    }

    /// Something more was written of a match, or it is over.
    pub(super) fn came_through(&self, id: &str) {
        if lock(&self.matches).remove(id).is_some()
            && let Err(error) = self.store.end_resumption(id)
        {
            // It counts as one that did not come through, which ends no match by itself.
            tracing::warn!(match_id = id, %error, "that a match came through cannot be written");
        }
    }

    /// The server ends as it should.
    pub(super) fn all_came_through(&self) {
        let all: Vec<String> = lock(&self.matches).keys().cloned().collect();
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
        for line in lines.iter().filter(|line| !line.entry.is_resumption()) {
            self.resuming.came_through(&line.match_id);
        }
        Ok(())
    }
}
