//! One game run by many threads at once: what each of them makes on the way does not concern the others.

use std::sync::Barrier;

use ludex_game::{Answer, Machine, Playthrough, Rng, playthrough};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::Budget;
use ludex_testkit::generate::{Knobs, generate, growing};
use ludex_testkit::{Configuration, program, rounds, seeds};

const BASE: u64 = 16;
const STEPS: u32 = 12;
const THREADS: u64 = 4;

/// A rulesheet with functional terms: every other one with terms that double, triple or nest.
fn rules(seed: u64) -> String {
    if seed.is_multiple_of(2) {
        let knobs = Knobs { functions: true, bases: false, ..Knobs::from_seed(seed) };
        return generate(seed, &knobs).to_string();
    }
    let mut rng = Rng::from_seed(seed);
    let bytes: Vec<u8> = (0..6).map(|_| rng.below(256) as u8).collect();
    growing(&bytes)
}

fn parsed(rules: &str) -> GameProgram {
    program("generated", rules, Some(Notation::Prefix)).unwrap_or_else(|e| panic!("{e}\n{rules}"))
}

fn games(machine: &dyn Machine, first: u64) -> Vec<Answer<Playthrough>> {
    let budget = Budget::unlimited().with_work(3_000_000);
    (0..3).map(|game| playthrough(machine, first + game, STEPS, &budget)).collect()
}

#[test]
fn threads_that_share_a_game_play_what_each_would_play_alone() {
    let (mut played, mut made) = (0, 0u64);
    for seed in seeds(BASE) {
        let rules = rules(seed);
        let alone = |configuration: Configuration, first| {
            let game = parsed(&rules);
            configuration.machine(&game).map(|machine| games(&*machine, first))
        };
        for configuration in [Configuration::Untuned, Configuration::Tidied, Configuration::Asked] {
            let game = parsed(&rules);
            let Ok(machine) = configuration.machine(&game) else { continue };
            let before = game.program.terms.len();
            let barrier = Barrier::new(THREADS as usize);
            let together: Vec<_> = std::thread::scope(|scope| {
                let play = |thread| {
                    let (machine, barrier) = (&machine, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        games(&**machine, thread)
                    })
                };
                let threads: Vec<_> = (0..THREADS).map(play).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            made += u64::from(game.program.terms.len() > before);
            for (first, found) in (0..).zip(together) {
                let expected = alone(configuration, first);
                assert_eq!(Ok(&found), expected.as_ref(), "seed {seed}, {configuration}\n{rules}");
                played += found.iter().filter(|game| game.is_ok()).count() as u64;
            }
        }
    }
    let most = rounds(BASE) * THREADS * 3 * 3;
    assert!(2 * played > most && 2 * made > rounds(BASE), "{played} games of {most}, {made} with new terms");
}
