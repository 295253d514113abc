//! What a match has yet to write.

use std::sync::Arc;

use ludex::matches::referee::EntryNumber;

use crate::journal::{JournalError, JournalLine, KeptEntry};

/// The entries of a match on their way to the journal. Only one write is under way at a time, so that
/// what is in the journal is always the beginning of the match, without gaps, whatever fails.
#[derive(Debug)]
pub(super) struct Outbox {
    match_id: String,
    /// What is not durable yet; the first `under_way` of it are being written.
    waiting: Vec<JournalLine>,
    under_way: usize,
    /// A write failed, and is to be tried once more.
    failed: bool,
}

/// What comes of the end of a write.
#[derive(Debug)]
pub(super) enum Outcome {
    /// So much of the match is durable.
    Durable(EntryNumber),
    /// It failed. The write is worth another try: maybe only a lock or a moment without room was in its way.
    Failed,
    /// It failed again: nothing will be written any more.
    Hopeless(Arc<JournalError>),
}

impl Outbox {
    pub(super) fn new(match_id: String) -> Self {
        Self { match_id, waiting: Vec::new(), under_way: 0, failed: false }
    }

    /// One more entry to write.
    pub(super) fn push(&mut self, number: EntryNumber, entry: KeptEntry) {
        self.waiting.push(JournalLine { match_id: self.match_id.clone(), number, entry });
    }

    /// What is to be written now, if it is time for that. After a failure it is when [`Outbox::retry`]
    /// was called.
    pub(super) fn next_write(&mut self) -> Option<Vec<JournalLine>> {
        if self.under_way > 0 || self.waiting.is_empty() || self.failed {
            return None;
        }
        self.write()
    }

    /// What is to be written once more.
    pub(super) fn retry(&mut self) -> Option<Vec<JournalLine>> {
        if self.under_way > 0 || self.waiting.is_empty() { None } else { self.write() }
    }

    fn write(&mut self) -> Option<Vec<JournalLine>> {
        self.under_way = self.waiting.len();
        Some(self.waiting.clone())
    }

    /// The write under way has ended.
    pub(super) fn written(&mut self, result: Result<(), Arc<JournalError>>) -> Outcome {
        let count = std::mem::take(&mut self.under_way);
        match result {
            Ok(()) => {
                self.failed = false;
                let numbers = self.waiting.drain(..count).map(|line| line.number);
                // A write is never empty.
                Outcome::Durable(numbers.max().unwrap_or(EntryNumber(0)))
            }
            Err(error) if std::mem::replace(&mut self.failed, true) => Outcome::Hopeless(error),
            Err(_) => Outcome::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use ludex::matches::referee::Entry;

    use super::*;

    fn step() -> KeptEntry {
        let step = Entry::Stepped { joint: vec![], faults: vec![], times: vec![], at: None, last: false };
        KeptEntry::of(&step).unwrap()
    }

    fn error() -> Result<(), Arc<JournalError>> {
        Err(Arc::new(JournalError::Stopped))
    }

    fn numbers(lines: Option<Vec<JournalLine>>) -> Vec<u64> {
        lines.unwrap_or_default().iter().map(|line| line.number.0).collect()
    }

    #[test]
    fn one_write_is_under_way_at_a_time() {
        let mut outbox = Outbox::new("m".into());
        outbox.push(EntryNumber(0), step());
        assert_eq!(numbers(outbox.next_write()), [0]);
        outbox.push(EntryNumber(1), step());
        outbox.push(EntryNumber(2), step());
        assert_eq!(outbox.next_write(), None);
        assert!(matches!(outbox.written(Ok(())), Outcome::Durable(EntryNumber(0))));
        assert_eq!(numbers(outbox.next_write()), [1, 2]);
        assert!(matches!(outbox.written(Ok(())), Outcome::Durable(EntryNumber(2))));
        assert_eq!(outbox.next_write(), None);
    }

    #[test]
    fn a_write_that_fails_is_tried_once_more() {
        for works in [true, false] {
            let mut outbox = Outbox::new("m".into());
            outbox.push(EntryNumber(4), step());
            outbox.next_write().unwrap();
            assert!(matches!(outbox.written(error()), Outcome::Failed));
            assert_eq!(outbox.next_write(), None, "not at once");
            assert_eq!(numbers(outbox.retry()), [4]);
            assert_eq!(outbox.retry(), None);
            if works {
                assert!(matches!(outbox.written(Ok(())), Outcome::Durable(EntryNumber(4))));
                outbox.push(EntryNumber(5), step());
                assert_eq!(numbers(outbox.next_write()), [5]);
            } else {
                assert!(matches!(outbox.written(error()), Outcome::Hopeless(_)));
                assert_eq!(outbox.next_write(), None);
            }
        }
    }
}
