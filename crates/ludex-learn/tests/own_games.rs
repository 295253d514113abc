//! Games that come with the project, from matches that were played at random.

use ludex_game::{ByRole, Trace, perft};
use ludex_learn::{
    LearnOptions, Learned, Observations, Vocabulary, learn_game, observe, observe_others, rulesheet,
};
use ludex_logic::Budget;
use ludex_testkit::{playable, playable_bundled};

struct LearnedGame {
    rules: String,
    /// Whether all that was seen is explained.
    is_whole: bool,
    vocabulary: Vocabulary,
    observed: Observations,
    learned: Vec<Learned>,
}

fn record(game: &str, matches: u32, seed: u64) -> Trace {
    playable_bundled(game).unwrap().record_playouts(matches, seed, 100).unwrap()
}

fn learn(traces: &[Trace]) -> LearnedGame {
    let mut vocabulary = Vocabulary::default();
    let observed = observe(traces, None, &mut vocabulary).unwrap();
    let fits = learn_game(&observed, &vocabulary, LearnOptions::default(), 2, &Budget::unlimited());
    let is_whole = fits.iter().all(|fit| fit.score.is_perfect() && fit.stopped.is_none());
    let learned: Vec<Learned> = fits.into_iter().map(|fit| fit.learned).collect();
    let rules = rulesheet(&learned.iter().collect::<Vec<_>>(), &observed, &observed.states[0], &vocabulary);
    LearnedGame { rules, is_whole, vocabulary, observed, learned }
}

#[test]
fn whole_games_are_learned() {
    for (game, matches, depth) in [
        ("tic-tac-toe", 60, 4),
        ("multiple-buttons-and-lights", 40, 3),
        ("rock-paper-scissors", 40, 3),
        ("nim", 60, 3),
    ] {
        let learned = learn(&[record(game, matches, 1)]);
        assert!(learned.is_whole, "{game}\n{}", learned.rules);
        let again =
            playable("learned", &learned.rules).unwrap_or_else(|e| panic!("{game}: {e}\n{}", learned.rules));
        let others = record(game, 40, 1000);
        let report = again.verify(&others);
        assert_eq!(report.mismatches.first(), None, "{game}\n{}", learned.rules);
        let counts =
            |rules: &ludex_game::Rules| perft(&**rules.machine(), depth, &Budget::unlimited()).unwrap();
        assert_eq!(counts(&again), counts(&playable_bundled(game).unwrap()), "{game}\n{}", learned.rules);
    }
}

/// The record of a game without what it says of legal moves.
fn moves_alone(game: &str, matches: u32, seed: u64) -> Trace {
    let mut trace = record(game, matches, seed);
    trace.steps.iter_mut().for_each(|step| step.legals = ByRole::default());
    trace
}

#[test]
fn which_moves_are_legal_is_learned_from_those_that_were_made() {
    for (game, matches, depth) in [
        ("tic-tac-toe", 100, 4),
        ("multiple-buttons-and-lights", 40, 3),
        ("rock-paper-scissors", 40, 3),
        ("connect-four", 100, 3),
    ] {
        let learned = learn(&[moves_alone(game, matches, 1)]);
        assert!(learned.is_whole, "{game}\n{}", learned.rules);
        let again =
            playable("learned", &learned.rules).unwrap_or_else(|e| panic!("{game}: {e}\n{}", learned.rules));
        let report = again.verify(&moves_alone(game, 40, 1000));
        assert_eq!(report.mismatches.first(), None, "{game}\n{}", learned.rules);
        let counts =
            |rules: &ludex_game::Rules| perft(&**rules.machine(), depth, &Budget::unlimited()).unwrap();
        assert_eq!(counts(&again), counts(&playable_bundled(game).unwrap()), "{game}\n{}", learned.rules);
    }
}

#[test]
fn clauses_say_what_the_rules_behind_them_say() {
    // Few matches, so that many rules are wrong; they are to be wrong in the same way.
    let mut compared = 0;
    for game in ["tic-tac-toe", "breakthrough", "hanoi", "light-cycles", "goofspiel"] {
        let learned = learn(&[record(game, 2, 1)]);
        let Ok(again) = playable("learned", &learned.rules) else { continue };
        let others = record(game, 2, 50);
        let mut vocabulary = learned.vocabulary.clone();
        let seen = observe_others(std::slice::from_ref(&others), &learned.observed, &mut vocabulary).unwrap();
        let terminal = learned.learned.iter().find(|it| vocabulary.text(it.relation(), &[]) == "terminal");
        let terminal = terminal.unwrap();
        let target = seen.targets.iter().find(|target| target.relation == terminal.relation()).unwrap();
        let score = terminal.score(&seen, target, &vocabulary);
        let report = again.verify(&others);
        let wrong = report.mismatches.iter().filter(|it| it.what.to_string() == "terminal").count() as u64;
        assert_eq!(wrong, score.false_positives + score.false_negatives, "{game}\n{}", learned.rules);
        compared += 1;
    }
    // Rules that say nothing of ends or goals are no game.
    assert!(compared >= 3, "{compared}");
}

#[test]
fn the_same_is_learned_each_time_and_by_more_threads() {
    let traces = [record("tic-tac-toe", 10, 1)];
    let (one, other) = (learn(&traces), learn(&traces));
    assert_eq!(one.rules, other.rules);
    let fits = learn_game(&one.observed, &one.vocabulary, LearnOptions::default(), 1, &Budget::unlimited());
    let alone: Vec<String> =
        fits.iter().map(|fit| fit.learned.clauses(&one.observed, &one.vocabulary)).collect();
    let before: Vec<String> =
        one.learned.iter().map(|it| it.clauses(&one.observed, &one.vocabulary)).collect();
    assert_eq!(alone, before);
}

#[test]
fn who_has_no_time_gets_what_was_found_until_then() {
    let traces = [record("tic-tac-toe", 10, 1)];
    let mut vocabulary = Vocabulary::default();
    let observed = observe(&traces, None, &mut vocabulary).unwrap();
    let budget = Budget::unlimited().with_work(2000);
    let fits = learn_game(&observed, &vocabulary, LearnOptions::default(), 1, &budget);
    assert_eq!(fits.len(), observed.targets.len());
    assert!(fits.iter().any(|fit| fit.stopped.is_some()));
}
