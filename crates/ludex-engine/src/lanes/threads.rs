//! Playouts on several threads.
//!
//! The playouts are cut into portions whose number and seeds depend on how many there are and on the
//! number of lanes alone. Threads take portions until none is left, so the results do not depend on
//! how many threads there are or on which was faster.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ludex_game::{Answer, Batch, BatchOptions, Outcomes, Policy, Start, Tally};
use ludex_logic::begin_threads;

use super::program::LaneProgram;
use super::random::splitmix;

/// Games that each lane plays in a portion, at least: at the end of a portion lanes wait for the
/// longest game.
const LEAST_GAMES: u64 = 16;
/// The same at most: the last portions of all threads should end at about the same time.
const MOST_GAMES: u64 = 256;
/// How many portions there are, where both limits allow it.
const PORTIONS: u64 = 64;

/// A part of the playouts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Portion {
    /// The number of the first of its starts among all.
    first: usize,
    starts: Vec<Start>,
    seed: u64,
}

/// Cuts playouts into portions for this many lanes.
fn portions(from: &[Start], lanes: u64, seed: u64) -> Vec<Portion> {
    let total: u64 = from.iter().map(|start| u64::from(start.playouts)).sum();
    let size = (total / PORTIONS).clamp(LEAST_GAMES * lanes, MOST_GAMES * lanes);
    // The lanes of a portion take their seeds from a counter that begins at the portion's seed.
    let mut counter = !seed;
    let mut found: Vec<Portion> = Vec::new();
    let mut room = 0;
    for (number, start) in from.iter().enumerate() {
        let mut left = u64::from(start.playouts);
        while left > 0 {
            if room == 0 {
                found.push(Portion { first: number, starts: Vec::new(), seed: splitmix(&mut counter) });
                room = size;
            }
            let taken = left.min(room);
            if let Some(portion) = found.last_mut() {
                // Starts without playouts in between keep the numbers right.
                let missing = from[portion.first + portion.starts.len()..number].iter();
                portion.starts.extend(missing.map(|start| Start { playouts: 0, ..start.clone() }));
                // It is at most `start.playouts`.
                portion.starts.push(Start { state: start.state.clone(), playouts: taken as u32 });
            }
            left -= taken;
            room -= taken;
        }
    }
    found
}

/// Puts the results of portions together, in their order.
fn merge(starts: usize, portions: &[Portion], found: Vec<(usize, Outcomes)>, out: &mut Outcomes) {
    out.tallies.resize(starts, Tally::default());
    for (number, outcomes) in found {
        let first = portions[number].first;
        for (sum, tally) in out.tallies[first..].iter_mut().zip(&outcomes.tallies) {
            sum.merge(tally);
        }
        if out.moves.is_empty() && !outcomes.moves.is_empty() {
            out.moves = outcomes.moves.of_starts(starts);
        }
        out.moves.merge(first, &outcomes.moves);
        let shifted = outcomes.records.into_iter().map(|mut record| {
            // There are at most as many starts as fit: lanes note their starts in 32 bits.
            record.start += first as u32;
            record
        });
        out.records.extend(shifted);
    }
    out.records.sort_by_key(|record| record.start);
}

impl LaneProgram {
    /// Plays random games from each start until all are over, as [`Batch::playouts`] does, on so many
    /// threads, this one among them, each with lanes of its own; on fewer where the system has no more left.
    ///
    /// The results depend on the playouts asked for, the seed and the number of lanes, and not on the
    /// number of threads. They are others than those of [`Batch::playouts`] with the same seed.
    ///
    /// # Errors
    /// As [`Batch::playouts`]; a limit on work holds for each portion of the playouts.
    pub fn playouts_on_threads(
        self: &Arc<Self>,
        (from, policy, seed): (&[Start], &Policy, u64),
        options: &BatchOptions,
        threads: NonZeroUsize,
        out: &mut Outcomes,
    ) -> Answer<()> {
        *out = Outcomes::default();
        let portions = portions(from, self.width().lanes() as u64, seed);
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let work = || {
            let mut engine = self.engine(options);
            let mut found = Vec::new();
            while !failed.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(portion) = portions.get(number) else { break };
                let mut outcomes = Outcomes::default();
                match engine.playouts(&portion.starts, policy, portion.seed, &mut outcomes) {
                    Ok(()) => found.push((number, Ok(outcomes))),
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        found.push((number, Err(error)));
                        break;
                    }
                }
            }
            found
        };
        let mut found = if threads.get() == 1 || portions.len() <= 1 {
            work()
        } else {
            std::thread::scope(|scope| {
                let others = begin_threads(scope, (1..threads.get().min(portions.len())).map(|_| work));
                let mut found = work();
                let results = others.into_iter().map(|other| other.join());
                found.extend(
                    results
                        .flat_map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
                );
                found
            })
        };
        // Portions are taken in order, so the first that fails is always among those that were played.
        found.sort_by_key(|&(number, _)| number);
        let found = found.into_iter().map(|(number, result)| result.map(|outcomes| (number, outcomes)));
        merge(from.len(), &portions, found.collect::<Answer<_>>()?, out);
        Ok(())
    }
}
