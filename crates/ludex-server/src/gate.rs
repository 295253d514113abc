//! Work of which only so much is done at a time.

use std::sync::{Condvar, Mutex};

use crate::lock::{lock, wait};

/// Lets so many in at a time. Others wait for their turn, and no more than so many of them.
#[derive(Debug)]
pub(crate) struct Gate {
    at_once: usize,
    most_waiting: usize,
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) inside: usize,
    pub(crate) waiting: usize,
}

/// A turn; it ends with this.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a Gate);

/// So many wait already, and no more may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crowded(pub(crate) u64);

impl Gate {
    pub(crate) fn new(at_once: usize, most_waiting: usize) -> Self {
        Self { at_once: at_once.max(1), most_waiting, counts: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for a turn.
    pub(crate) fn enter(&self) -> Result<Turn<'_>, Crowded> {
        let mut counts = lock(&self.counts);
        if counts.inside >= self.at_once {
            if counts.waiting >= self.most_waiting {
                return Err(Crowded(self.most_waiting as u64));
            }
            counts.waiting += 1;
            while counts.inside >= self.at_once {
                counts = wait(&self.changed, counts);
            }
            counts.waiting -= 1;
        }
        counts.inside += 1;
        Ok(Turn(self))
    }

    /// How many are in, and how many wait.
    pub(crate) fn counts(&self) -> Counts {
        *lock(&self.counts)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.0.counts).inside -= 1;
        self.0.changed.notify_one();
    }
}
