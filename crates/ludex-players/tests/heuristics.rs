//! Heuristics and the searches with them (book 7.3 and 7.4).

use crate::matches::{Game, Ticks, play, share_against};
use ludex_game::{RoleId, State};
use ludex_logic::Budget;
use ludex_players::heuristics::{Feature, GoalValue, Learned, Mobility, Proximity, Reach, Regression, Whose};
use ludex_players::{Arena, Explorer, OpenedState, Resources, create};

fn arena(game: &Game) -> Arena {
    Arena::new(std::sync::Arc::clone(&game.machine), RoleId(0), Resources::default())
}

/// What a feature scores for each role after a history.
fn scores(game: &Game, feature: &mut dyn Feature, history: &[&[&str]]) -> Vec<f64> {
    let arena = arena(game);
    let mut explorer = Explorer::within(&arena, &Budget::unlimited());
    feature.sit(&arena);
    let position = explorer.open(&game.joints(history).1).unwrap();
    explorer.roles().map(|role| feature.score(&mut explorer, &position, role).unwrap()).collect()
}

/// In tic-tac-toe there are ten actions, nine marks and noop.
#[test]
fn mobility_is_the_share_of_feasible_actions() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let mut own = Mobility::new(Whose::Own, 0);
    assert_eq!(scores(&game, &mut own, &[]), [90.0, 10.0]);
    assert_eq!(scores(&game, &mut own, &[&["(mark 1 1)", "_"]]), [10.0, 80.0]);
    let mut others = Mobility::new(Whose::Opponents, 0);
    assert_eq!(scores(&game, &mut others, &[]), [10.0, 90.0]);
    assert_eq!(scores(&game, &mut own.clone().inverse(), &[]), [10.0, 90.0]);
    assert_eq!(scores(&game, &mut others.inverse(), &[]), [90.0, 10.0]);
    // Two steps on, seven cells are free whatever was marked.
    assert_eq!(scores(&game, &mut Mobility::new(Whose::Own, 2), &[]), [70.0, 10.0]);
}

/// In connect four a full column is no choice any more: eight actions, seven of them drops.
#[test]
fn mobility_in_connect_four() {
    let game = Game::bundled("gdl/connect-four.kif");
    let mut own = Mobility::new(Whose::Own, 0);
    assert_eq!(scores(&game, &mut own, &[]), [87.5, 12.5]);
    let full: [&[&str]; 6] = [
        &["(drop 1)", "_"],
        &["_", "(drop 1)"],
        &["(drop 1)", "_"],
        &["_", "(drop 1)"],
        &["(drop 1)", "_"],
        &["_", "(drop 1)"],
    ];
    assert_eq!(scores(&game, &mut own, &full), [75.0, 12.5]);
}

/// All roads lead to Rome: of the four ways to make two steps on a line, two lead back.
#[test]
fn reach_counts_distinct_states() {
    let game = Game::from_rules(
        "(role own) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
         (place 1) (place 2) (place 3) (place 4) (place 5)
         (<= (base (at ?x)) (place ?x)) (init (at 3))
         (input own left) (input own right)
         (<= (legal own left) (true (at ?x)) (succ ?y ?x)) (<= (legal own right) (true (at ?x)) (succ ?x ?y))
         (<= (next (at ?y)) (does own left) (true (at ?x)) (succ ?y ?x))
         (<= (next (at ?y)) (does own right) (true (at ?x)) (succ ?x ?y))
         (<= terminal (true (at 9)))
         (<= (goal own 50) (true (at ?x)))",
    );
    let percent = |states: f64| vec![states / 256.0 * 100.0];
    assert_eq!(scores(&game, &mut Reach::new(Whose::Own, 1), &[]), [100.0]);
    // One step: 2 and 4; two steps: 1, 3 and 5 too.
    assert_eq!(scores(&game, &mut Reach::new(Whose::Own, 2), &[]), percent(5.0));
    assert_eq!(scores(&game, &mut Reach::new(Whose::Own, 2), &[&["left"]]), percent(4.0));
    assert_eq!(scores(&game, &mut Reach::new(Whose::Own, 9).inverse(), &[]), [100.0 - 500.0 / 256.0]);
    assert_eq!(scores(&game, &mut Reach::new(Whose::Opponents, 1), &[]), [0.0]);
    let tic_tac_toe = Game::bundled("gdl/tic-tac-toe.kif");
    assert_eq!(scores(&tic_tac_toe, &mut Reach::new(Whose::Own, 1), &[]), [90.0, 10.0]);
    assert_eq!(scores(&tic_tac_toe, &mut Reach::new(Whose::Opponents, 1), &[]), [10.0, 90.0]);
}

/// A game in which every step earns or loses points, shown by the goal; it ends after four steps.
const POINTS: &str = "(role own) (role other) (base (points 0)) (base (round 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (base (points ?n)) (succ ?m ?n)) (<= (base (round ?n)) (succ ?m ?n))
    (init (points 0)) (init (round 0))
    (input own earn) (input own wait) (input own idle) (input other noop)
    (<= (legal own earn) (true (round ?r))) (<= (legal own wait) (true (round ?r)))
    (<= (legal own idle) (true (points 0)))
    (legal other noop)
    (<= (next (points ?n)) (does own earn) (true (points ?m)) (succ ?m ?n))
    (<= (next (points ?m)) (not (does own earn)) (true (points ?m)))
    (<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
    (<= terminal (true (round 4)))
    (<= (goal own 0) (true (points 0))) (<= (goal own 25) (true (points 1)))
    (<= (goal own 50) (true (points 2))) (<= (goal own 75) (true (points 3)))
    (<= (goal own 100) (true (points 4)))
    (<= (goal other 100) (true (points 0))) (<= (goal other 75) (true (points 1)))
    (<= (goal other 50) (true (points 2))) (<= (goal other 25) (true (points 3)))
    (<= (goal other 0) (true (points 4)))";

#[test]
fn the_goal_value_is_read_off_the_state() {
    let game = Game::from_rules(POINTS);
    assert_eq!(scores(&game, &mut GoalValue::new(Whose::Own), &[&["earn", "_"]]), [25.0, 75.0]);
    assert_eq!(scores(&game, &mut GoalValue::new(Whose::Opponents), &[&["earn", "_"]]), [75.0, 25.0]);
}

#[test]
fn proximity_is_the_share_of_propositions_of_desirable_ends() {
    let game = Game::from_rules(POINTS);
    let arena = arena(&game);
    let mut proximity = Proximity::new(Whose::Own);
    assert_eq!(scores(&game, &mut proximity, &[]), [0.0, 0.0], "nothing is known yet");
    proximity.learn(&arena, &Budget::unlimited(), 1).unwrap();
    // The ends of four points and round four: of (points 1) and (round 1) none holds there.
    assert!(proximity.desirable(RoleId(0)) > 0);
    assert_eq!(scores(&game, &mut proximity, &[&["earn", "_"]]), [0.0, 0.0]);
    // The other wants (points 0), which is half of what holds after waiting.
    assert_eq!(scores(&game, &mut proximity, &[&["wait", "_"]]), [0.0, 50.0]);
    let mut others = Proximity::new(Whose::Opponents);
    others.learn(&arena, &Budget::unlimited(), 1).unwrap();
    assert_eq!(scores(&game, &mut others, &[&["wait", "_"]]), [50.0, 0.0]);
}

/// A terminal state is all that it is like.
#[test]
fn a_desirable_end_is_like_itself() {
    let game = Game::from_rules(POINTS);
    let mut proximity = Proximity::new(Whose::Own);
    let earn: &[&str] = &["earn", "_"];
    let (_, end): (_, State) = game.joints(&[earn; 4]);
    proximity.sit(&arena(&game));
    proximity.analysis(&end, &[100, 0]);
    let position = OpenedState { state: end, terminal: true, legal: vec![Vec::new(); 2] };
    let arena = arena(&game);
    let mut explorer = Explorer::within(&arena, &Budget::unlimited());
    assert_eq!(proximity.score(&mut explorer, &position, RoleId(0)), Ok(100.0));
}

#[test]
fn a_regression_finds_the_weights_of_a_linear_value() {
    let mut regression = Regression::new(3);
    assert_eq!(regression.solve(), None);
    for x in 0..10 {
        for y in 0..10 {
            let features = [f64::from(x), f64::from(y), 7.0];
            regression.add(&features, 20.0 + 3.0 * features[0] - 2.0 * features[1]);
        }
    }
    let (weights, constant) = regression.solve().unwrap();
    // One percent of shrinkage.
    assert!((weights[0] - 3.0 / 1.01).abs() < 1e-9 && (weights[1] + 2.0 / 1.01).abs() < 1e-9, "{weights:?}");
    assert_eq!(weights[2], 0.0, "what never changes says nothing");
    // The mean is exact.
    assert!((constant + 4.5 * (weights[0] + weights[1]) - 24.5).abs() < 1e-9);
    assert_eq!(regression.count(), 100);
    let mut same = Regression::new(2);
    (0..5).for_each(|x| same.add(&[f64::from(x), f64::from(x)], f64::from(x)));
    let (weights, _) = same.solve().unwrap();
    assert!((weights[0] - weights[1]).abs() < 1e-9, "features that say the same share the weight");
}

/// Points made are kept, so the goal value now is good news for the end. The legal `idle` of a state
/// without points makes mobility bad news.
#[test]
fn learnt_weights_have_the_right_signs() {
    let game = Game::from_rules(POINTS);
    let weights = |feature: Box<dyn Feature>| {
        let mut learned = Learned::new(vec![feature]);
        assert!(learned.weights(RoleId(0)).is_none());
        let arena = arena(&game);
        learned.sit(&arena);
        let from = learned.learn(&arena, &Budget::unlimited(), 1).unwrap();
        assert!(from.games > 0 && from.examples > 0);
        [0, 1].map(|role| learned.weights(RoleId(role)).unwrap().0[0])
    };
    let goal = weights(Box::new(GoalValue::new(Whose::Own)));
    assert!(goal.iter().all(|&weight| weight > 0.5), "{goal:?}");
    let others_goal = weights(Box::new(GoalValue::new(Whose::Opponents)));
    assert!(others_goal.iter().all(|&weight| weight < -0.5), "{others_goal:?}");
    assert!(weights(Box::new(Mobility::new(Whose::Own, 0)))[0] < 0.0);
    assert!(weights(Box::new(Mobility::new(Whose::Own, 0).inverse()))[0] > 0.0);
    assert_eq!(weights(Box::new(Mobility::new(Whose::Own, 0)))[1], 0.0, "the other never has a choice");
}

#[test]
fn learning_is_seeded_and_keeps_to_its_budget() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let arena = arena(&game);
    let learnt = |seed, budget: &Budget| {
        let mut learned = Learned::new(vec![Box::new(Mobility::new(Whose::Own, 0))]);
        learned.sit(&arena);
        let from = learned.learn(&arena, budget, seed).unwrap();
        (from.examples, learned.weights(RoleId(0)).map(|(weights, constant)| (weights.to_vec(), constant)))
    };
    assert_eq!(learnt(1, &Budget::unlimited()), learnt(1, &Budget::unlimited()));
    assert_ne!(learnt(1, &Budget::unlimited()), learnt(2, &Budget::unlimited()));
    assert_eq!(learnt(1, &Budget::unlimited().with_work(0)), (0, None));
    assert_eq!(learnt(1, &Ticks::budget(0)), (0, None));
    assert!(learnt(1, &Ticks::budget(100)).0 > 0);
}

/// The searches make and stop lines whatever the heuristic says.
#[test]
fn wins_and_blocks_within_the_depth_are_found() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let two_each: [&[&str]; 4] =
        [&["(mark 1 1)", "_"], &["_", "(mark 2 1)"], &["(mark 1 2)", "_"], &["_", "(mark 2 2)"]];
    for player in [
        "heuristic-search:depth=2",
        "heuristic-search:depth=2:heuristic=mobility",
        "heuristic-search:depth=2:heuristic=focus:opponents=max-n",
        "heuristic-search:depth=2:heuristic=opponents-reach:steps=2",
        "heuristic-search:depth=2:heuristic=goal",
        "heuristic-search:depth=2:heuristic=proximity",
        "variable-depth:depth=1:heuristic=goal:threshold=5:extra=3",
        "variable-depth:depth=2:table=off",
    ] {
        assert_eq!(game.choice(player, 1, 0, &two_each).0, "(mark 1 3)", "{player}");
        assert_eq!(game.choice(player, 1, 1, &two_each[..3]).0, "(mark 1 3)", "{player}");
    }
}

/// A heuristic makes a difference where no end of the game is in decisive_moves: depth-limited search takes all
/// moves for equally bad.
#[test]
fn the_goal_value_leads_where_the_end_is_far() {
    let game = Game::from_rules(POINTS);
    for player in ["heuristic-search:depth=1:heuristic=goal", "heuristic-search:depth=1"] {
        assert_eq!(game.choice(player, 1, 0, &[&["wait", "_"]]).0, "earn");
        assert_eq!(game.choice(player, 1, 0, &[&["earn", "_"]]).0, "earn");
    }
    let blind = game.choice("depth-limited:depth=1", 1, 0, &[&["wait", "_"]]).1.report.moves;
    assert!(blind.iter().all(|rating| rating.value == Some(0.0)), "{blind:?}");
}

fn nodes(game: &Game, player: &str) -> u64 {
    game.choice(player, 1, 0, &[]).1.report.entry("nodes").unwrap().parse().unwrap()
}

/// Book 7.4: the search goes on where the heuristic changes, and no further than told.
#[test]
fn quiescence_looks_further_only_where_values_change() {
    let game = Game::from_rules(POINTS);
    let fixed = nodes(&game, "heuristic-search:depth=1:heuristic=goal:table=off:ordering=off");
    let variable = |more: &str| {
        nodes(&game, &format!("variable-depth:depth=1:heuristic=goal:table=off:ordering=off{more}"))
    };
    assert_eq!(variable(":extra=0"), fixed);
    assert_eq!(variable(":threshold=30:extra=3"), fixed, "no move changes the value by 30");
    // Behind `earn`, which changes it by 25, the two moves there are looked at.
    assert_eq!(variable(":threshold=20:extra=1"), fixed + 2);
    assert!(variable(":threshold=20:extra=2") > fixed + 2);
}

#[test]
fn every_kind_of_game_is_played_to_the_end_by_legal_moves() {
    for name in [
        "gdl/rock-paper-scissors.kif",
        "gdl/prisoners-dilemma.kif",
        "gdl/three-player-tic-tac-toe.kif",
        "gdl/8-puzzle.gdl",
        "gdl-ii/monty-hall.gdl",
        "gdl-ii/high-card.gdl",
    ] {
        let game = Game::bundled(name);
        for player in ["heuristic-search:depth=1", "variable-depth:depth=1:heuristic=reach:steps=2"] {
            let played = play(&game, &vec![player; game.roles()], &Resources::from_seed(3), 12);
            assert!(!played.joints.is_empty(), "{name} {player}");
        }
    }
}

#[test]
fn random_players_lose_and_equal_seeds_play_equally() {
    let game = Game::bundled("gdl/connect-four.kif");
    assert!(share_against(&game, "heuristic-search:depth=3", "random", 3) > 0.8);
    let players = ["heuristic-search:depth=2", "variable-depth:depth=2"];
    let joints = |seed| play(&game, &players, &Resources::from_seed(seed), 42).joints;
    assert_eq!(joints(4), joints(4));
}

#[test]
fn a_clock_of_zero_brings_a_legal_move() {
    let game = Game::bundled("gdl/connect-four.kif");
    for player in ["heuristic-search", "variable-depth"] {
        for ticks in [0, 1, 5, 300] {
            for memory in [0, 3_000, 1 << 24] {
                let mut player = create(player, &Resources { memory, ..Resources::default() }).unwrap();
                player.prepare(game.seat(0), &Ticks::budget(ticks)).unwrap();
                let choice = player.choose(&Ticks::budget(ticks)).unwrap();
                let text = game.machine.signature().text(choice.action);
                assert!(text.starts_with("(drop"), "{text}");
            }
        }
    }
}

#[test]
fn bad_options_are_refused() {
    for player in [
        "heuristic-search:heuristic=luck",
        "heuristic-search:heuristic=opponents-learned",
        "heuristic-search:steps=x",
        "variable-depth:threshold=much",
        "heuristic-search:extra=1",
    ] {
        assert!(create(player, &Resources::default()).is_err(), "{player}");
    }
}
