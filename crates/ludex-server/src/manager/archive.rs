//! Records of matches that do not run, as far as they are in memory: a record may be as large as all else together,
//! so only so many are read, or worked out, at a time.

use std::sync::Arc;

use ludex::{AnyRecord, MatchRecord, TimedRecord};

use ludex::matches::referee::real_time::Verdict;

use super::error::ManagerError;
use super::options::MatchLimits;
use crate::cache::Cache;
use crate::gate::{Crowded, Gate};

/// What is looked at: the match, and how many entries it has; none where it is over, so that none will follow.
pub(super) type RecordKey = (String, Option<u64>);

/// Who looks at records.
#[derive(Debug)]
pub(super) struct Archive {
    gate: Gate,
    /// Records that were looked at lately.
    kept: Cache<RecordKey, AnyRecord>,
}

impl Archive {
    pub(super) fn new(limits: &MatchLimits) -> Self {
        let gate = Gate::new(limits.records_at_once, limits.records_waiting);
        Self { gate, kept: Cache::new(limits.record_bytes, held_bytes) }
    }

    /// Looks at a record, once there is room for it; `read` makes it where it is not kept.
    pub(super) fn look<T>(
        &self,
        key: RecordKey,
        read: impl FnOnce() -> Result<AnyRecord, ManagerError>,
        look: impl FnOnce(&AnyRecord) -> T,
    ) -> Result<T, ManagerError> {
        if let Some(kept) = self.kept.get(&key) {
            return Ok(look(&kept));
        }
        let too_many = |Crowded(limit)| ManagerError::TooMany { what: "records that wait to be read", limit };
        let _turn = self.gate.enter().map_err(too_many)?;
        // Whoever had the turn before may have read it.
        if let Some(kept) = self.kept.get(&key) {
            return Ok(look(&kept));
        }
        let record = Arc::new(read()?);
        self.kept.put(key, &record);
        Ok(look(&record))
    }
}

/// What each text takes beside its letters, by rule of thumb.
const OVERHEAD: usize = 40;

/// How many bytes a record holds, by an estimate.
pub(super) fn held_bytes(record: &AnyRecord) -> usize {
    match record {
        AnyRecord::InSteps(record) => bytes_in_steps(record),
        AnyRecord::InTime(record) => bytes_in_time(record),
    }
}

fn bytes_in_time(record: &TimedRecord) -> usize {
    let text = |text: &String| text.len() + OVERHEAD;
    let events = record.events.iter().map(|event| {
        let told = event.told.iter().flatten().flatten();
        let texts = event.moves.iter().flatten().chain(&event.expired).chain(told).chain(&event.wasted);
        OVERHEAD * (1 + event.moves.len()) + texts.map(text).sum::<usize>()
    });
    let moves = record.moves.iter().map(|came| match &came.verdict {
        Verdict::Made(action) => 2 * OVERHEAD + action.len(),
        Verdict::Refused(fault) => 2 * OVERHEAD + fault.code().len(),
    });
    events.sum::<usize>() + moves.sum::<usize>() + text(&record.rulesheet)
}

fn bytes_in_steps(record: &MatchRecord) -> usize {
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
    use crate::gate::Counts;

    fn record(bytes: usize) -> Result<AnyRecord, ManagerError> {
        let record = MatchRecord { states: vec!["x".repeat(bytes)], ..MatchRecord::default() };
        Ok(AnyRecord::InSteps(Box::new(record)))
    }

    /// Many look at records at the same time: never more than two of them are in memory, and who would wait behind
    /// too many others is refused.
    #[test]
    fn so_many_records_are_looked_at_and_no_more() {
        let limits = MatchLimits { records_at_once: 2, records_waiting: 3, ..MatchLimits::default() };
        let archive = Archive::new(&MatchLimits { record_bytes: 0, ..limits });
        let (now, most, open) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for number in 0..5 {
                let (archive, now, most, open) = (&archive, &now, &most, &open);
                scope.spawn(move || {
                    let read = || {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        record(10)
                    };
                    let look = |_: &AnyRecord| {
                        // Until the one that is refused has come.
                        while !open.load(Ordering::SeqCst) {
                            std::thread::yield_now();
                        }
                        now.fetch_sub(1, Ordering::SeqCst);
                    };
                    archive.look((number.to_string(), None), read, look).unwrap();
                });
            }
            while archive.gate.counts() != (Counts { inside: 2, waiting: 3 }) {
                std::thread::yield_now();
            }
            let refused = archive.look(("5".to_owned(), None), || record(10), |_| ()).unwrap_err();
            assert!(matches!(refused, ManagerError::TooMany { limit: 3, .. }), "{refused}");
            open.store(true, Ordering::SeqCst);
        });
        assert_eq!(archive.gate.counts(), Counts::default());
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_record_is_made_once_for_as_many_entries_as_there_are() {
        let archive = Archive::new(&MatchLimits::default());
        let reads = AtomicUsize::new(0);
        let look = |id: &str, entries: Option<u64>| {
            let read = || {
                reads.fetch_add(1, Ordering::SeqCst);
                record(10)
            };
            archive.look((id.to_owned(), entries), read, held_bytes).unwrap() - OVERHEAD
        };
        assert_eq!((look("one", None), look("one", None), reads.load(Ordering::SeqCst)), (10, 10, 1));
        assert_eq!((look("two", Some(1)), look("two", Some(1)), reads.load(Ordering::SeqCst)), (10, 10, 2));
        assert_eq!((look("two", Some(2)), look("two", None), reads.load(Ordering::SeqCst)), (10, 10, 4));
        let failed = archive.look(("three".to_owned(), None), || Err(ManagerError::Stopped), |_| ());
        assert!(failed.is_err() && archive.gate.counts() == Counts::default(), "a turn that failed is over");
    }
}
