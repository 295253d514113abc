//! Counts matches that are over in the ratings of their players.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::core::Core;
use super::error::ManagerError;
use crate::preparation::bundled_features;

/// So many matches are counted in one transaction.
const AT_ONCE: u64 = 200;
/// Of so many games it is found out at once of what kind they are.
const GAMES: u64 = 8;

/// Whether matches are being counted, and whether there may be some.
#[derive(Debug)]
pub(super) struct Counting {
    behind: AtomicBool,
    under_way: AtomicBool,
}

impl Default for Counting {
    /// What ended before the manager began may wait.
    fn default() -> Self {
        Self { behind: AtomicBool::new(true), under_way: AtomicBool::new(false) }
    }
}

impl Counting {
    /// A match is over.
    pub(super) fn note_end(&self) {
        self.behind.store(true, Ordering::SeqCst);
    }
}

impl Core {
    /// Counts what is to be counted, without anybody waiting for it.
    pub(super) fn count_matches(self: &Arc<Self>) {
        let counting = &self.ratings;
        if !counting.behind.load(Ordering::SeqCst) || counting.under_way.swap(true, Ordering::SeqCst) {
            return;
        }
        counting.behind.store(false, Ordering::SeqCst);
        let core = Arc::clone(self);
        self.network().spawn_blocking(move || {
            let counted = core.count_all();
            if counted.is_err() {
                core.ratings.note_end();
            }
            core.trouble("ratings", counted.err().map(|error| error.in_general()));
            core.ratings.under_way.store(false, Ordering::SeqCst);
        });
    }

    fn count_all(&self) -> Result<(), ManagerError> {
        let mut any = false;
        while !self.scheduler.is_stopping() {
            self.find_kinds()?;
            if self.store.count_ended_matches(AT_ONCE)? == 0 {
                break;
            }
            any = true;
        }
        if any {
            self.changed();
        }
        Ok(())
    }

    /// Finds out of what kind the games are of which matches wait to be counted, as far as that can be.
    fn find_kinds(&self) -> Result<(), ManagerError> {
        for (game, version) in self.store.games_of_unknown_kind(GAMES)? {
            let known = bundled_features().find(|known| known.sha256 == version);
            if let Some(known) = known {
                self.store.keep_features(&game, &version, &known.features)?;
                continue;
            }
            let found = self.game(&game, Some(&version)).and_then(|detail| self.guide(&detail));
            if let Err(error) = found {
                // What the language of the game and its seats say is enough.
                tracing::debug!(game, %error, "what kind of game it is cannot be found out");
            }
        }
        Ok(())
    }
}
