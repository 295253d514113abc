//! A thread that writes journals for many matches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use super::{Journal, JournalError, JournalLine};

/// Says how a write ended. It is called on the thread that writes, so it should be quick.
pub type Written = Box<dyn FnOnce(Result<(), Arc<JournalError>>) + Send>;

/// So many entries are written at once at most, so that those behind them do not wait too long.
const ENTRIES_AT_ONCE: usize = 4096;

struct Job {
    lines: Vec<JournalLine>,
    written: Written,
}

/// A journal with a thread of its own. While it writes, what comes in waits, and is then written
/// together: the more matches there are, the fewer flushes each of them costs.
#[derive(Debug)]
pub struct JournalWriter {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl JournalWriter {
    /// Starts the thread.
    ///
    /// # Errors
    /// What the system says where there is no thread to be had.
    pub fn start(journal: Box<dyn Journal>) -> std::io::Result<Self> {
        let (jobs, inbox) = mpsc::channel();
        let thread = std::thread::Builder::new().name("journal".into());
        let thread = thread.spawn(move || write_all(journal, &inbox))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Has entries written, after all that were submitted before; all of them or none.
    pub fn submit(&self, lines: Vec<JournalLine>, written: Written) {
        let job = Job { lines, written };
        let refused = match &self.jobs {
            Some(jobs) => jobs.send(job).err().map(|error| error.0),
            None => Some(job),
        };
        if let Some(job) = refused {
            (job.written)(Err(Arc::new(JournalError::Stopped)));
        }
    }
}

/// Waits until all that was submitted is written.
impl Drop for JournalWriter {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // The thread catches what a journal does; if it is gone all the same, nothing is left to do.
            let _ = thread.join();
        }
    }
}

fn write_all(mut journal: Box<dyn Journal>, inbox: &Receiver<Job>) {
    while let Ok(first) = inbox.recv() {
        let mut jobs = vec![first];
        let mut entries = jobs[0].lines.len();
        while entries < ENTRIES_AT_ONCE
            && let Ok(job) = inbox.try_recv()
        {
            entries += job.lines.len();
            jobs.push(job);
        }
        let lines: Vec<JournalLine> = jobs.iter_mut().flat_map(|job| job.lines.drain(..)).collect();
        // A journal that panics is one that does not write: the matches have to hear of it.
        let result = catch_unwind(AssertUnwindSafe(|| journal.append(&lines)));
        let result = result.unwrap_or(Err(JournalError::Stopped)).map_err(Arc::new);
        for job in jobs {
            (job.written)(result.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use ludex::matches::referee::{Entry, EntryNumber};

    use super::super::KeptEntry;
    use super::*;

    #[derive(Clone, Default)]
    struct Slow {
        batches: Arc<Mutex<Vec<usize>>>,
        fails: bool,
    }

    impl Journal for Slow {
        fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
            std::thread::sleep(Duration::from_millis(20));
            self.batches.lock().unwrap().push(lines.len());
            assert!(!self.fails, "a journal that panics");
            Ok(())
        }
    }

    fn line(number: u64) -> JournalLine {
        let entry = KeptEntry::of(&Entry::Ended { aborted: None, settled: None }).unwrap();
        JournalLine { match_id: "m".into(), number: EntryNumber(number), entry }
    }

    #[test]
    fn what_waits_is_written_together() {
        let journal = Slow::default();
        let writer = JournalWriter::start(Box::new(journal.clone())).unwrap();
        let (said, heard) = mpsc::channel();
        for number in 0..50 {
            let said = said.clone();
            let written = move |result: Result<(), Arc<JournalError>>| {
                said.send((number, result.is_ok())).unwrap();
            };
            writer.submit(vec![line(number)], Box::new(written));
        }
        drop(writer);
        let heard: Vec<(u64, bool)> = heard.try_iter().collect();
        assert_eq!(heard, (0..50).map(|number| (number, true)).collect::<Vec<_>>());
        let batches = journal.batches.lock().unwrap().clone();
        assert_eq!(batches.iter().sum::<usize>(), 50);
        assert!(batches.len() < 10, "{batches:?}");
    }

    #[test]
    fn a_journal_that_panics_is_one_that_does_not_write() {
        let writer = JournalWriter::start(Box::new(Slow { fails: true, ..Slow::default() })).unwrap();
        let (said, heard) = mpsc::channel();
        for number in 0..2 {
            let said = said.clone();
            writer.submit(vec![line(number)], Box::new(move |result| said.send(result.is_err()).unwrap()));
            assert!(heard.recv().unwrap());
        }
    }
}
