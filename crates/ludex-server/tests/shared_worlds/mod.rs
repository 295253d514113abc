//! Servers that share one store, in seeded worlds: time passes as it is told, messages to the store are late or lost,
//! processes stop and wake up, clocks go at different speeds and are set, and servers die.
//!
//! The servers use the membership, the shares and the referees of the library; the store, the network and the players
//! are the world's. The world keeps its own account: who owns what, what is durable, what each player was told. Planted
//! faults prove that it notices.
//!
//! `LUDEX_WORLD=7 cargo nextest run -p ludex-server shared_worlds::worlds --no-capture` runs the world of the seed 7 alone
//! and prints what happens in it; `LUDEX_SEED` and `LUDEX_SOAK` say which seeds are run and how many times more of them.

mod server;
mod store;
mod world;

use world::{Broken, Outcome, run};

/// How many worlds are run, unless more are wanted.
const WORLDS: u64 = 40;

/// So many worlds are searched for one in which a fault matters.
const SEARCHED: u64 = 300;

/// What is wrong with the servers or their store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planted {
    Nothing,
    /// The store does not look who writes.
    NoFence,
    /// Servers take their leases to last as long as others do, by clocks of their own.
    NoMargin,
    /// Servers tell what is written without a look at their leases.
    NoGate,
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn report(seed: u64, outcome: &Outcome) -> String {
    let again = run(seed, Planted::Nothing, true);
    assert_eq!(again.broken, outcome.broken, "the world of seed {seed} is another the second time");
    format!("{}\n\nworld {seed}: {:?}\nagain with LUDEX_WORLD={seed}", again.log.join("\n"), outcome.broken)
}

#[test]
fn worlds() {
    if let Some(seed) = number("LUDEX_WORLD") {
        let outcome = run(seed, Planted::Nothing, true);
        println!("{}", outcome.log.join("\n"));
        assert_eq!(outcome.broken, []);
        return;
    }
    let first = number("LUDEX_SEED").unwrap_or(0).saturating_mul(1_000_000);
    let worlds = WORLDS.saturating_mul(number("LUDEX_SOAK").unwrap_or(1));
    let mut total = Outcome::default();
    for seed in first..first.saturating_add(worlds) {
        let outcome = run(seed, Planted::Nothing, false);
        assert!(outcome.broken.is_empty(), "{}", report(seed, &outcome));
        total.matches += outcome.matches;
        total.takeovers += outcome.takeovers;
        total.refused += outcome.refused;
        total.lapsed += outcome.lapsed;
    }
    let Outcome { matches, takeovers, refused, lapsed, .. } = total;
    println!(
        "{matches} matches, {takeovers} taken over, {refused} late writes refused, {lapsed} told too late"
    );
    assert!(matches as u64 > 4 * worlds && takeovers as u64 > worlds, "{matches}, {takeovers}");
    assert!(refused as u64 > worlds / 4 && lapsed > 0, "{refused}, {lapsed}");
}

#[test]
fn a_seed_is_a_world() {
    for seed in 500..503 {
        let (first, second) = (run(seed, Planted::Nothing, true), run(seed, Planted::Nothing, true));
        assert_eq!(first.log, second.log, "seed {seed}");
    }
}

#[test]
fn every_planted_fault_is_noticed() {
    for (planted, what) in [
        (Planted::NoFence, Broken::LateWrite),
        (Planted::NoMargin, Broken::TwoSpeak),
        (Planted::NoGate, Broken::TwoSpeak),
    ] {
        let found = (0..SEARCHED).find(|&seed| run(seed, planted, false).broken.contains(&what));
        assert!(found.is_some(), "{planted:?} does not break {what:?} in {SEARCHED} worlds");
    }
}
