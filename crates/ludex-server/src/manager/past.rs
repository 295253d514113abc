//! Matches that do not run and of which there is no record: what their journals tell.
//!
//! Whoever looks at such a match has it worked out once more, by its rules. Anybody may look, so that is done for one
//! match at a time, within the limits of a single step, and once for as long as there is room to remember it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ludex::MatchRecord;
use ludex::matches::referee::{Entry, Referee};

use super::core::Core;
use super::error::ManagerError;
use crate::cache::Cache;
use crate::clock::ThreadClock;
use crate::lock::lock;
use crate::model::MatchRow;

/// What was found out lately is kept as long as it takes no more bytes together, as records are written.
const KEPT: usize = 64 << 20;
/// A record of more bytes is not told: it could not be kept, and would be worked out for everybody who looks.
const LARGEST: usize = KEPT / 8;
/// So many may wait while a match is worked out.
const WAITING: usize = 8;

/// What the journals of matches told lately, by the match and how many entries there were.
#[derive(Debug)]
pub(super) struct Past {
    told: Cache<(String, usize), Option<MatchRecord>>,
    /// Held while a match is worked out.
    work: Mutex<()>,
    waiting: AtomicUsize,
}

impl Default for Past {
    fn default() -> Self {
        Self { told: Cache::new(KEPT), work: Mutex::default(), waiting: AtomicUsize::new(0) }
    }
}

impl Core {
    /// What the journal of a match tells; nothing where that is not the journal of a match, or takes too much.
    pub(super) fn retold(
        &self,
        row: &MatchRow,
        entries: &[Entry],
    ) -> Result<Arc<Option<MatchRecord>>, ManagerError> {
        let key = (row.summary.id.clone(), entries.len());
        if let Some(told) = self.past.told.get(&key) {
            return Ok(told);
        }
        let waiting = Waiting::begin(&self.past.waiting)?;
        let work = lock(&self.past.work);
        // Somebody may have been quicker.
        if let Some(told) = self.past.told.get(&key) {
            return Ok(told);
        }
        let record = self.work_out_again(row, entries)?;
        let bytes = record.as_ref().map_or(0, |record| record.write().len());
        let told = Arc::new(record.filter(|_| bytes <= LARGEST));
        self.past.told.put(key, &told, bytes.min(LARGEST));
        drop((work, waiting));
        Ok(told)
    }

    fn work_out_again(&self, row: &MatchRow, entries: &[Entry]) -> Result<Option<MatchRecord>, ManagerError> {
        let game = match self.prepared(&row.plan.game, row.plan.version.as_deref()) {
            Ok(game) => game,
            Err(ManagerError::Heavy(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let limits = &self.options.games;
        let budget = game.question_budget().clone();
        let budget =
            budget.with_total_work(limits.work).with_time(Arc::new(ThreadClock::start()), limits.step);
        match Referee::resume(game.rules().within(budget), entries) {
            Ok(referee) => Ok(Some(referee.record())),
            Err(error) => {
                tracing::warn!(id = row.summary.id, %error, "a match cannot be shown");
                Ok(None)
            }
        }
    }
}

/// Somebody who waits for a match to be worked out.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Result<Self, ManagerError> {
        let before = count.fetch_add(1, Ordering::SeqCst);
        let waiting = Self(count);
        if before > WAITING {
            return Err(ManagerError::TooMany {
                what: "matches that wait to be shown",
                limit: WAITING as u64,
            });
        }
        Ok(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ludex::matches::referee::{Effect, Event, Moment};

    use super::*;
    use crate::manager::ManagerOptions;
    use crate::manager::core::Threads;
    use crate::model::{ClockPlan, MatchPlan, PlayerKind, SeatPlan};
    use crate::store::SqliteStore;

    /// A manager with a match of which the journal has its first entry.
    fn begun(step: Duration) -> (Arc<Core>, Threads, MatchRow, Vec<Entry>) {
        let mut options = ManagerOptions::default();
        options.games.step = step;
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let (core, threads) = Core::start(store, options).unwrap();
        core.store.put_player("Anna", &PlayerKind::Person, 0).unwrap();
        let seat = SeatPlan { player: "Anna".to_owned(), ..SeatPlan::default() };
        let plan = MatchPlan {
            game: "tic-tac-toe".to_owned(),
            version: None,
            seats: vec![seat.clone(), seat],
            clocks: ClockPlan::new(1_000, 1_000),
            seed: Some(5),
            begin: None,
            patience: Default::default(),
            step_limit: None,
            points_per_second: None,
            introduce: false,
        };
        let (row, _) = core.match_row(plan, None, None).unwrap();
        let game = core.prepared("tic-tac-toe", None).unwrap();
        let rules = game.rules().within(ludex::logic::Budget::unlimited());
        let mut referee = Referee::new(rules, core.setup(&row).unwrap()).unwrap();
        let mut effects = Vec::new();
        referee.on(Moment::ZERO, Event::Begin, &mut effects);
        let entries = effects.into_iter().filter_map(|effect| match effect {
            Effect::Write(_, entry) => Some(*entry),
            _ => None,
        });
        (core, threads, row, entries.collect())
    }

    #[test]
    fn a_match_is_worked_out_once_however_many_look_at_it() {
        let (core, mut threads, row, entries) = begun(Duration::from_secs(600));
        let first = core.retold(&row, &entries).unwrap();
        assert!(first.as_ref().as_ref().is_some_and(|record| record.states.len() == 1), "{first:?}");
        assert!(Arc::ptr_eq(&first, &core.retold(&row, &entries).unwrap()));
        // While one is worked out, some wait and no more.
        let waiting: Vec<_> = (0..=WAITING).map(|_| Waiting::begin(&core.past.waiting).unwrap()).collect();
        assert!(core.retold(&row, &entries).is_ok(), "what is known is told all the same");
        let other = [entries.clone(), vec![Entry::Resumed]].concat();
        assert!(matches!(core.retold(&row, &other), Err(ManagerError::TooMany { .. })));
        drop(waiting);
        assert!(core.retold(&row, &other).unwrap().is_some());
        core.stop(&mut threads, Duration::ZERO);
    }

    /// The whole match has no more time than a step, and what came of it is known the next time.
    #[test]
    fn what_takes_too_long_is_not_told() {
        let (core, mut threads, row, mut entries) = begun(Duration::ZERO);
        entries.push(Entry::Resumed);
        let first = core.retold(&row, &entries).unwrap();
        assert_eq!(*first, None);
        assert!(Arc::ptr_eq(&first, &core.retold(&row, &entries).unwrap()));
        core.stop(&mut threads, Duration::ZERO);
    }
}
