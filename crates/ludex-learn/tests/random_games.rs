//! Rules of random games, and records in which something is wrong.
//!
//! `LUDEX_SEED` and `LUDEX_SOAK` say which games and how many times more of them; with `--nocapture` they print
//! what was measured.

use ludex_game::{Rng, Trace};
use ludex_learn::{
    LearnOptions, Score, Vocabulary, add_possible, learn_game, observe, observe_others, rulesheet,
};
use ludex_logic::Budget;
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{playable, playable_bundled, rounds, seeds};

/// Learning a random game may cost so much work.
const WORK: u64 = 3_000_000;
/// So often rules that say what nobody thought of are learned again.
const ROUNDS: usize = 5;
/// Learning from records that are wrong in parts may cost so much, times `LUDEX_SOAK`: no rules explain all, so that it
/// would look on for long.
const NOISY_WORK: u64 = 8_000_000;

#[test]
fn rules_that_explain_all_that_was_seen_replay_it() {
    let (mut replayed, count) = (0, rounds(12));
    for seed in seeds(12) {
        // Percepts are none of the records.
        let knobs = Knobs { sees: false, random: false, ..Knobs::from_seed(seed) };
        let game = generate(seed, &knobs).to_string();
        let Ok(rules) = playable("generated", &game) else { continue };
        let Ok(trace) = rules.record_playouts(12, seed, 12) else { continue };
        let mut vocabulary = Vocabulary::default();
        let traces = [trace];
        let mut observed =
            observe(&traces, None, &mut vocabulary).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        for round in 0.. {
            let budget = Budget::unlimited().with_work(WORK);
            let fits = learn_game(&observed, &vocabulary, LearnOptions::default(), 1, &budget);
            if !fits.iter().all(|fit| fit.score.is_perfect()) {
                break;
            }
            let learned: Vec<_> = fits.iter().map(|fit| &fit.learned).collect();
            let text = rulesheet(&learned, &observed, &observed.states[0], &vocabulary);
            // Where a role has no goal in any state that was seen, the records make no game.
            let Ok(again) = playable("learned", &text) else { break };
            let report = again.verify(&traces[0]);
            let mut is_new = false;
            for mismatch in &report.mismatches {
                is_new |= add_possible(mismatch, &mut observed, &mut vocabulary).unwrap();
            }
            if is_new && round < ROUNDS {
                continue;
            }
            assert_eq!(report.mismatches.first(), None, "seed {seed}, round {round}\n{game}\n{text}");
            replayed += 1;
            break;
        }
    }
    println!("{replayed} of {count} random games are explained and replayed");
    assert!(replayed * 3 >= count, "only {replayed} of {count}");
}

/// Of all facts, legal moves and ends of a record, this share is told wrongly: something that is true of another state
/// stands in the place of what is true.
fn told_wrongly(trace: &mut Trace, share: f64, rng: &mut Rng) {
    let others = trace.steps.clone();
    for step in &mut trace.steps {
        let mut mistake = |of: &mut Vec<String>, from: &dyn Fn(&mut Rng) -> Vec<String>| {
            for it in of.iter_mut() {
                let from = if rng.fraction() < share { from(rng) } else { Vec::new() };
                if !from.is_empty() {
                    it.clone_from(&from[rng.below(from.len() as u64) as usize]);
                }
            }
            of.sort_unstable();
            of.dedup();
        };
        let other = |rng: &mut Rng| rng.below(others.len() as u64) as usize;
        mistake(&mut step.state, &|rng| others[other(rng)].state.clone());
        for (number, (_, legal)) in step.legals.0.iter_mut().enumerate() {
            mistake(legal, &|rng| {
                others[other(rng)].legals.0.get(number).map_or_else(Vec::new, |it| it.1.clone())
            });
        }
        step.terminal ^= rng.fraction() < share;
    }
}

#[test]
fn records_that_are_wrong_in_parts_are_learned_from() {
    const GAMES: [&str; 3] = ["tic-tac-toe", "rock-paper-scissors", "buttons-and-lights"];
    for share in [0.01, 0.03] {
        let mut all = Score::default();
        let (mut balanced, mut perfect, mut tasks) = (0.0, 0, 0);
        for (game, seed) in GAMES.iter().flat_map(|game| seeds(1).map(move |seed| (game, seed))) {
            let rules = playable_bundled(game).unwrap();
            let mut trace = rules.record_playouts(60, seed, 100).unwrap();
            told_wrongly(&mut trace, share, &mut Rng::from_seed(seed));
            let mut vocabulary = Vocabulary::default();
            let observed = observe(&[trace], None, &mut vocabulary).unwrap();
            let options = LearnOptions { noise: share, ..LearnOptions::default() };
            let budget = Budget::unlimited().with_work(NOISY_WORK.saturating_mul(rounds(1)));
            let fits = learn_game(&observed, &vocabulary, options, 1, &budget);
            let others = rules.record_playouts(60, seed + 500, 100).unwrap();
            let others = observe_others(&[others], &observed, &mut vocabulary).unwrap();
            for fit in &fits {
                let target = others.targets.iter().find(|it| it.relation == fit.learned.relation()).unwrap();
                let score = fit.learned.score(&others, target, &vocabulary);
                balanced += score.balanced_accuracy();
                perfect += u32::from(score.is_perfect());
                tasks += 1;
                all.add(score);
            }
        }
        let balanced = balanced / f64::from(tasks);
        println!(
            "{:.0} % told wrongly: {perfect} of {tasks} relations perfect on correct records, balanced {:.2} %",
            100.0 * share,
            100.0 * balanced
        );
        assert!(balanced >= 0.9, "{share}: {balanced} {all:?}");
    }
}
