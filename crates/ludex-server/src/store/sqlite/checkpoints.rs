//! Bringing what was written from the write-ahead log to its place in the database.
//!
//! A checkpoint takes several flushes of the disk. Where the connection that writes makes it, all matches wait
//! that have something to write; so there is a thread for it, which disturbs nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

/// How often it is looked whether a checkpoint is due.
const LOOK: Duration = Duration::from_secs(1);
/// One is due after so many transactions.
const TRANSACTIONS: u64 = 300;

/// The thread that makes checkpoints. It ends with this.
#[derive(Debug)]
pub(super) struct Checkpoints {
    transactions: Arc<AtomicU64>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    /// Starts the thread on a connection of its own. Where there is no thread to be had, the connection that
    /// writes makes the checkpoints.
    pub(super) fn begin(connection: Connection) -> Self {
        let transactions = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&transactions);
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::Builder::new().name("checkpoints".into()).spawn(move || {
            while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if counted.load(Ordering::Relaxed) < TRANSACTIONS {
                    continue;
                }
                counted.store(0, Ordering::Relaxed);
                // It goes as far as nobody is in the way. What fails is tried again later, and what is in the
                // log is safe there.
                if let Err(error) = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
                    tracing::warn!(%error, "a checkpoint of the database failed");
                }
            }
        });
        Self { transactions, stop: Some(stop), thread: thread.ok() }
    }

    /// One more transaction was written.
    pub(super) fn count(&self) {
        self.transactions.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing that could be lost.
            let _ = thread.join();
        }
    }
}
