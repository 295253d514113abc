//! What states are said to be worth, compared with what they are worth.

use ludex_game::{ActionId, Rng, State};
use ludex_logic::Budget;
use ludex_players::{Assessment, AssessmentError, AssessmentOptions, SolveOptions, Values, assess, solve};

use crate::matches::Game;

fn assessed_with(game: &Game, state: &State, options: &AssessmentOptions) -> Assessment {
    assess(&game.machine, &game.program, state, options, &Budget::unlimited()).unwrap()
}

fn assessed(game: &Game, state: &State) -> Assessment {
    assessed_with(game, state, &AssessmentOptions::default())
}

fn proven(found: &Assessment) -> Vec<Option<u32>> {
    found.values.iter().map(|value| value.and_then(|value| value.proven)).collect()
}

fn values(found: &Assessment) -> Vec<f64> {
    found.values.iter().map(|value| value.unwrap().value).collect()
}

/// The state after so many drawn moves, if the game is not over by then.
fn drawn(game: &Game, steps: usize, seed: u64) -> Option<State> {
    let mut runner = game.machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(seed);
    for _ in 0..steps {
        if runner.terminal().unwrap() {
            return None;
        }
        let draw = |role| *rng.pick(runner.legal(role).unwrap()).unwrap();
        let joint: Vec<ActionId> = game.machine.signature().role_ids().map(draw).collect();
        runner.step(&joint).unwrap();
    }
    let mut state = State::default();
    runner.save(&mut state);
    (!runner.terminal().unwrap()).then_some(state)
}

fn solved(game: &Game, state: &State) -> Vec<f64> {
    let options = SolveOptions { memory: 1 << 24, ..SolveOptions::default() };
    match solve(&game.machine, state, &options, &Budget::unlimited()).unwrap().values {
        Values::ZeroSum(values) => values,
        other => panic!("{other:?}"),
    }
}

/// Every state of tic-tac-toe that is met is solved, and so are its moves that are said to be.
#[test]
fn small_games_are_proven_and_what_is_proven_is_true() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    for seed in 0..60 {
        let Some(state) = drawn(&game, 1 + seed as usize % 7, seed) else { continue };
        let found = assessed(&game, &state);
        let truth = solved(&game, &state);
        assert_eq!(values(&found), truth, "seed {seed}");
        assert!(proven(&found).iter().all(Option::is_some), "seed {seed}: {found:?}");
        let mover = found.choices.iter().position(|&choices| choices > 1);
        let best = mover.and_then(|mover| found.moves[mover].first());
        assert!(best.is_none_or(|best| best.value == Some(truth[mover.unwrap()])), "seed {seed}: {found:?}");
    }
}

#[test]
fn late_in_connect_four_most_is_proven_and_truly() {
    let game = Game::bundled("gdl/connect-four.kif");
    let (mut all, mut some) = (0, [0; 3]);
    for seed in 0..40 {
        let Some(state) = drawn(&game, 28, seed) else { continue };
        let found = assessed(&game, &state);
        all += 1;
        if let Some(white) = proven(&found)[0] {
            assert_eq!(f64::from(white), solved(&game, &state)[0], "seed {seed}");
            some[white as usize / 50] += 1;
        }
    }
    assert!(some.iter().sum::<usize>() * 2 > all && some[0] > 0 && some[2] > 0, "{some:?} of {all}");
}

#[test]
fn the_end_of_a_game_is_worth_its_goals() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let history: [&[&str]; 5] = [
        &["(mark 1 1)", "_"],
        &["_", "(mark 2 1)"],
        &["(mark 1 2)", "_"],
        &["_", "(mark 2 2)"],
        &["(mark 1 3)", "_"],
    ];
    let found = assessed(&game, &game.joints(&history).1);
    assert!(found.is_over && found.moves.iter().all(Vec::is_empty));
    assert_eq!(proven(&found), [Some(100), Some(0)]);
}

#[test]
fn puzzles_are_worth_what_a_plan_brings() {
    let game = Game::bundled("gdl/hanoi.gdl");
    let found = assessed(&game, game.machine.initial());
    assert_eq!(proven(&found), [Some(100)]);
    assert_eq!(found.moves[0][0].proven, Some(100));
    assert!(found.states > 0);
}

/// Where both choose at once nobody is ahead, and no move is proven to be good.
#[test]
fn moves_at_the_same_time_have_values_for_both() {
    let game = Game::bundled("gdl/rock-paper-scissors.kif");
    let found = assessed(&game, game.machine.initial());
    assert!(found.choices.iter().all(|&choices| choices > 1), "{found:?}");
    assert!(values(&found).iter().all(|value| (35.0..=65.0).contains(value)), "{found:?}");
    assert!(found.moves.iter().all(|moves| moves.len() == 3), "{found:?}");
}

#[test]
fn several_players_have_a_value_each() {
    let game = Game::bundled("gdl/three-player-tic-tac-toe.kif");
    let found = assessed_with(
        &game,
        game.machine.initial(),
        &AssessmentOptions { playouts: 500, ..AssessmentOptions::default() },
    );
    assert_eq!(found.values.iter().flatten().count(), 3, "{found:?}");
    assert_eq!(found.moves.iter().filter(|moves| !moves.is_empty()).count(), 1);
}

#[test]
fn where_roles_do_not_see_everything_a_state_has_no_value() {
    let game = Game::bundled("gdl-ii/kuhn-poker.gdl");
    let found = assess(
        &game.machine,
        &game.program,
        game.machine.initial(),
        &AssessmentOptions::default(),
        &Budget::unlimited(),
    );
    assert_eq!(found.unwrap_err(), AssessmentError::Hidden);
}

#[test]
fn equal_seeds_find_the_same_and_who_is_called_off_says_so() {
    let game = Game::bundled("gdl/breakthrough.kif");
    let options = AssessmentOptions { playouts: 800, ..AssessmentOptions::default() };
    let find = |seed| assessed_with(&game, game.machine.initial(), &AssessmentOptions { seed, ..options });
    let found = find(7);
    assert_eq!(found, find(7));
    assert_ne!(found, find(8));
    assert!(found.playouts >= 800 && !found.is_cut_short);
    let budget = Budget::unlimited();
    budget.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let found = assess(&game.machine, &game.program, game.machine.initial(), &options, &budget);
    assert!(found.as_ref().is_ok_and(|found| found.is_cut_short), "{found:?}");
}
