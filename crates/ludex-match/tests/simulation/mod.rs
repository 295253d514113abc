//! Referees, a competition, a manager and player services in one seeded world: time passes as it is told,
//! the network and the players do whatever they may do, and the power is cut between any two effects.
//!
//! A [watch](watch) looks on and keeps its own account of every match: it plays the durable entries on the
//! rules, and checks all that is sent, shown and written against it. Faults that are planted prove that it
//! notices.
//!
//! `LUDEX_WORLD=7 cargo test -p ludex-match --test all -- simulation::worlds --nocapture` runs the world of
//! the seed 7 alone and prints what happens in it. `LUDEX_SEED` and `LUDEX_SOAK` say which seeds are run
//! and how many times more of them.

mod actor;
mod dice;
mod disk;
mod games;
mod network;
mod plan;
mod planted;
mod player;
mod sabotage;
mod truth;
mod watch;
mod world;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sabotage::Sabotage;
use world::{Outcome, run};

/// How many worlds are run, unless more are wanted.
const WORLDS: u64 = 120;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn seeds() -> Range<u64> {
    let first = number("LUDEX_SEED").unwrap_or(0).saturating_mul(1_000_000);
    first..first.saturating_add(WORLDS.saturating_mul(number("LUDEX_SOAK").unwrap_or(1)))
}

/// Says what went wrong in the world of a seed, with all that happened in it, and how to see it again.
fn report(seed: u64, outcome: &Outcome) -> String {
    let again = run(seed, Sabotage::None, true);
    assert_eq!(again.violations, outcome.violations, "the world of seed {seed} is another the second time");
    let broken: Vec<String> = outcome.violations.iter().map(ToString::to_string).collect();
    format!(
        "{}\n\nworld {seed}:\n{}\n\nagain with: \
         LUDEX_WORLD={seed} cargo test -p ludex-match --test all -- simulation::worlds --nocapture",
        again.log.join("\n"),
        broken.join("\n")
    )
}

#[test]
fn worlds() {
    if let Some(seed) = number("LUDEX_WORLD") {
        let outcome = run(seed, Sabotage::None, true);
        println!("{}", outcome.log.join("\n"));
        assert_eq!(outcome.violations, []);
        return;
    }
    let range = seeds();
    let next = AtomicU64::new(range.start);
    let total = Mutex::new(Outcome::default());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= range.end {
                return;
            }
            let outcome = run(seed, Sabotage::None, false);
            if !outcome.violations.is_empty() {
                next.store(range.end, Ordering::Relaxed);
                panic!("{}", report(seed, &outcome));
            }
            let mut total = total.lock().expect("nobody fails while adding up");
            total.matches += outcome.matches;
            total.steps += outcome.steps;
            total.replaced += outcome.replaced;
            total.crashes += outcome.crashes;
            total.sent += outcome.sent;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let Outcome { matches, steps, replaced, crashes, sent, .. } =
        total.into_inner().expect("nobody failed while adding up");
    println!(
        "{matches} matches, {steps} steps, {sent} messages, {replaced} moves replaced, {crashes} power cuts"
    );
    let worlds = (range.end - range.start) as usize;
    assert!(matches > 3 * worlds && steps > 10 * worlds, "{matches} matches of {steps} steps are few");
    assert!(replaced > 5 * worlds && crashes > 2 * worlds, "too little goes wrong: {replaced}, {crashes}");
}

#[test]
fn a_seed_is_a_world() {
    for seed in 1_000..1_005 {
        let (first, second) = (run(seed, Sabotage::None, true), run(seed, Sabotage::None, true));
        assert_eq!(first.log, second.log, "seed {seed}");
        assert_eq!((first.events, first.end), (second.events, second.end), "seed {seed}");
        // Nothing depends on whether somebody reads along.
        let silent = run(seed, Sabotage::None, false);
        assert_eq!((first.events, first.end), (silent.events, silent.end), "seed {seed}");
    }
}
