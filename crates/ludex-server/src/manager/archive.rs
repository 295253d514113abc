//! Records of matches that are over, as far as they are in memory: a record may be as large as all else together,
//! so only so many are read at a time.

use std::sync::{Arc, Condvar, Mutex};

use ludex::MatchRecord;

use super::error::ManagerError;
use super::options::MatchLimits;
use crate::cache::Cache;
use crate::lock::{lock, wait};

/// Who looks at records.
#[derive(Debug)]
pub(super) struct Archive {
    at_once: usize,
    most_waiting: usize,
    /// Records that were looked at lately.
    kept: Cache<String, MatchRecord>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How many look at a record that is not kept.
    looking: usize,
    waiting: usize,
}

/// A record that was read.
pub(super) enum Read {
    /// It will not change any more.
    Last(MatchRecord),
    /// The match may go on.
    SoFar(MatchRecord),
}

/// The turn to look at a record.
struct Turn<'a>(&'a Archive);

impl Archive {
    pub(super) fn new(limits: &MatchLimits) -> Self {
        Self {
            at_once: limits.records_at_once.max(1),
            most_waiting: limits.records_waiting,
            kept: Cache::new(limits.record_bytes),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Looks at the record of a match, once there is room for it; `read` reads it where it is not kept.
    pub(super) fn look<T>(
        &self,
        id: &str,
        read: impl FnOnce() -> Result<Read, ManagerError>,
        look: impl FnOnce(&MatchRecord) -> T,
    ) -> Result<T, ManagerError> {
        let id = id.to_owned();
        if let Some(kept) = self.kept.get(&id) {
            return Ok(look(&kept));
        }
        let _turn = self.turn()?;
        // Whoever had the turn before may have read it.
        if let Some(kept) = self.kept.get(&id) {
            return Ok(look(&kept));
        }
        match read()? {
            Read::SoFar(record) => Ok(look(&record)),
            Read::Last(record) => {
                let bytes = held_bytes(&record);
                let record = Arc::new(record);
                self.kept.put(id, &record, bytes);
                Ok(look(&record))
            }
        }
    }

    fn turn(&self) -> Result<Turn<'_>, ManagerError> {
        let mut state = lock(&self.state);
        if state.looking >= self.at_once {
            if state.waiting >= self.most_waiting {
                let limit = self.most_waiting as u64;
                return Err(ManagerError::TooMany { what: "records that wait to be read", limit });
            }
            state.waiting += 1;
            while state.looking >= self.at_once {
                state = wait(&self.changed, state);
            }
            state.waiting -= 1;
        }
        state.looking += 1;
        Ok(Turn(self))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).looking -= 1;
        self.0.changed.notify_one();
    }
}

/// What each text takes beside its letters, by rule of thumb.
const OVERHEAD: usize = 40;

/// How many bytes a record holds, by an estimate.
fn held_bytes(record: &MatchRecord) -> usize {
    let text = |text: &String| text.len() + OVERHEAD;
    let lists = |lists: &[Vec<Vec<String>>]| lists.iter().flatten().flatten().map(text).sum::<usize>();
    let texts = record.states.iter().chain(record.moves.iter().flatten());
    let texts = texts.chain(record.errors.iter().flatten()).chain(&record.rulesheet);
    let numbers = (record.moves.len() + 1) * record.roles.len() * OVERHEAD;
    let reports: usize = record.reports.iter().flatten().flatten().flatten().map(|_| 1 << 10).sum();
    let (legal, percepts) = (record.legal_moves.as_deref(), record.percepts.as_deref());
    texts.map(text).sum::<usize>()
        + lists(legal.unwrap_or_default())
        + lists(percepts.unwrap_or_default())
        + numbers
        + reports
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    fn record(bytes: usize) -> Result<Read, ManagerError> {
        Ok(Read::Last(MatchRecord { states: vec!["x".repeat(bytes)], ..MatchRecord::default() }))
    }

    /// Many look at records at the same time: never more than two of them are in memory, and who would wait behind
    /// too many others is refused.
    #[test]
    fn so_many_records_are_looked_at_and_no_more() {
        let limits = MatchLimits { records_at_once: 2, records_waiting: 3, ..MatchLimits::default() };
        let archive = Archive::new(&MatchLimits { record_bytes: 0, ..limits });
        let (now, most, open) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        let counts = || {
            let state = lock(&archive.state);
            (state.looking, state.waiting)
        };
        std::thread::scope(|scope| {
            for number in 0..5 {
                let (archive, now, most, open) = (&archive, &now, &most, &open);
                scope.spawn(move || {
                    let read = || {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        record(10)
                    };
                    let look = |_: &MatchRecord| {
                        // Until the one that is refused has come.
                        while !open.load(Ordering::SeqCst) {
                            std::thread::yield_now();
                        }
                        now.fetch_sub(1, Ordering::SeqCst);
                    };
                    archive.look(&number.to_string(), read, look).unwrap();
                });
            }
            while counts() != (2, 3) {
                std::thread::yield_now();
            }
            let refused = archive.look("5", || record(10), |_| ()).unwrap_err();
            assert!(matches!(refused, ManagerError::TooMany { limit: 3, .. }), "{refused}");
            open.store(true, Ordering::SeqCst);
        });
        assert_eq!(counts(), (0, 0));
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn what_is_last_is_read_once_and_what_goes_on_each_time() {
        let archive = Archive::new(&MatchLimits::default());
        let reads = AtomicUsize::new(0);
        let look = |id: &str, last: bool| {
            let read = || {
                reads.fetch_add(1, Ordering::SeqCst);
                match record(10)? {
                    Read::Last(record) if !last => Ok(Read::SoFar(record)),
                    read => Ok(read),
                }
            };
            archive.look(id, read, |record| record.states[0].len()).unwrap()
        };
        assert_eq!((look("one", true), look("one", true), reads.load(Ordering::SeqCst)), (10, 10, 1));
        assert_eq!((look("two", false), look("two", false), reads.load(Ordering::SeqCst)), (10, 10, 3));
        let failed = archive.look("three", || Err(ManagerError::Stopped), |_| ());
        assert!(failed.is_err() && lock(&archive.state).looking == 0, "a turn that failed is over");
    }
}
