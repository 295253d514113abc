//! What was asked in vain lately.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::PreparationFailure;
use crate::clock::now;
use crate::lock::lock;

/// So many failures are remembered at most.
const MOST: usize = 4096;

/// Failures by what was asked: for a while there is no work on the same again.
#[derive(Debug)]
pub(super) struct Failures {
    /// For how long they are remembered.
    time: Duration,
    known: Mutex<BTreeMap<[u8; 32], (Instant, PreparationFailure)>>,
}

impl Failures {
    pub(super) fn new(time: Duration) -> Self {
        Self { time, known: Mutex::default() }
    }

    /// What came of it lately, if it failed.
    pub(super) fn get(&self, asked: &[u8; 32]) -> Option<PreparationFailure> {
        let known = lock(&self.known);
        let (since, failure) = known.get(asked)?;
        (since.elapsed() < self.time).then(|| failure.clone())
    }

    /// Remembers a failure. Where there are too many, the oldest makes room.
    pub(super) fn put(&self, asked: [u8; 32], failure: &PreparationFailure) {
        let mut known = lock(&self.known);
        known.retain(|_, (since, _)| since.elapsed() < self.time);
        if known.len() >= MOST
            && let Some((&oldest, _)) = known.iter().min_by_key(|(_, (since, _))| *since)
        {
            known.remove(&oldest);
        }
        known.insert(asked, (now(), failure.clone()));
    }
}
