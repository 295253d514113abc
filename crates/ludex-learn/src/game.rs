//! Learning all relations of a game.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ludex_logic::{Budget, begin_threads};

use crate::columns::Columns;
use crate::learn::{Fit, LearnOptions, learn};
use crate::observations::Observations;
use crate::vocabulary::Vocabulary;

/// Learns each target on so many threads; what is learned is in their order. Where time is limited, each gets an even
/// share of what is left, those with the most examples last, so that what others did not need is theirs.
pub fn learn_game(
    observed: &Observations,
    vocabulary: &Vocabulary,
    options: LearnOptions,
    threads: usize,
    budget: &Budget,
) -> Vec<Fit> {
    let targets = &observed.targets;
    let total = targets.len() as u64;
    let columns = Columns::new(observed, vocabulary, 2.0 * options.noise.clamp(0.0, 1.0));
    let mut order: Vec<usize> = (0..targets.len()).collect();
    order.sort_by_key(|&number| (targets[number].atoms.len() * targets[number].seen.len(), number));
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Vec<Mutex<Option<Fit>>> = targets.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&n| n < targets.len()) {
            let share = threads.max(1) as f64 / (targets.len() - number) as f64;
            let own = budget.clone().with_share_of_time(share.min(1.0));
            let target = order[number];
            let fit = learn(observed, &targets[target], vocabulary, &columns, options, &own);
            if let Ok(mut place) = found[target].lock() {
                *place = Some(fit);
            }
            let done = 1 + done.fetch_add(1, Ordering::Relaxed) as u64;
            budget.report("relations learned", done, Some(total));
        }
    };
    budget.report("relations learned", 0, Some(total));
    thread::scope(|scope| {
        begin_threads(scope, (1..threads).map(|_| work));
        work();
    });
    // A thread that broke off would have ended the scope with its panic.
    found.into_iter().filter_map(|place| place.into_inner().ok().flatten()).collect()
}
