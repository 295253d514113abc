//! Matches in real time in seeded worlds: messages are late, come twice and overtake each other, players say what they
//! like when they like, alone and in bursts, and the manager is cut off and goes on. Whatever happens, each player who
//! was told everything is in the state of the manager, and the rules bear out the record.
//!
//! `LUDEX_MATCH=7 cargo test -p ludex-match --test all -- real_time::worlds --nocapture` plays the match of the seed 7
//! alone. `LUDEX_SEED` and `LUDEX_SOAK` say which seeds are played and how many times more of them.

mod player;
mod world;

use std::sync::atomic::{AtomicU64, Ordering};

use ludex_game::TimedRules;
use ludex_gdl::Dialect;

use super::{GUNS, parse};
use world::{Outcome, run};

/// How many matches are played, unless more are wanted.
const MATCHES: u64 = 300;

/// What is done wrong on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    None,
    /// Messages that are lost are not sent again.
    Loss,
    /// Moves are told with a wrong time.
    WrongTime,
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The bundled games in which everybody sees everything, and one of our own.
fn games() -> Vec<TimedRules> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/rtgdl");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        parse(&path.file_name().unwrap().to_string_lossy(), &std::fs::read_to_string(path).unwrap())
    };
    let mut games: Vec<_> =
        files.iter().map(read).filter(|rules| rules.dialect() == Dialect::RtGdl).collect();
    games.push(parse("guns.gdl", GUNS));
    games
}

/// Plays the match of a seed, and says how to see it again where something goes wrong.
fn play(games: &[TimedRules], seed: u64) -> Outcome {
    let rules = &games[(seed % games.len() as u64) as usize];
    run(rules, seed, Sabotage::None).unwrap_or_else(|what| {
        panic!(
            "{what}\nin {}, again with: LUDEX_MATCH={seed} cargo test -p ludex-match --test all -- real_time::worlds",
            rules.short_name()
        )
    })
}

#[test]
fn worlds() {
    let games = games();
    if let Some(seed) = number("LUDEX_MATCH") {
        println!("{}", play(&games, seed).record.write());
        return;
    }
    let first = number("LUDEX_SEED").unwrap_or(0).saturating_mul(1_000_000);
    let matches = MATCHES.saturating_mul(number("LUDEX_SOAK").unwrap_or(1));
    let next = AtomicU64::new(first);
    let work = || {
        let mut total = (0, 0, 0, 0);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + matches {
                return total;
            }
            let outcome = play(&games, seed);
            total.0 += u64::from(outcome.compared);
            total.1 += u64::from(outcome.crashes);
            total.2 += outcome.record.moves.len() as u64;
            total.3 += u64::from(outcome.record.is_completed);
        }
    };
    let (mut compared, mut crashes, mut moves, mut completed) = (0, 0, 0, 0);
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            let total = thread.join().unwrap();
            compared += total.0;
            crashes += total.1;
            moves += total.2;
            completed += total.3;
        }
    });
    println!(
        "{matches} matches, {completed} completed, {moves} moves, {crashes} crashes, {compared} states compared"
    );
    assert!(compared > 5 * matches && crashes > matches / 2, "{compared} {crashes}");
    assert!(moves > 5 * matches && completed > matches / 8, "{moves} {completed}");
}

#[test]
fn a_seed_is_a_match() {
    let games = games();
    for seed in 5_000..5_010 {
        assert_eq!(play(&games, seed), play(&games, seed));
    }
}

/// The world notices what is wrong.
#[test]
fn planted_faults_are_noticed() {
    let games = games();
    for sabotage in [Sabotage::Loss, Sabotage::WrongTime] {
        let noticed = (0..40)
            .filter(|&seed| run(&games[(seed % games.len() as u64) as usize], seed, sabotage).is_err())
            .count();
        assert!(noticed > 5, "{sabotage:?}: {noticed}");
    }
}
