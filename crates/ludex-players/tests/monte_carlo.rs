//! Monte Carlo search (book 8.2) and UCT (8.3): what they find, and that nothing stops them from
//! answering.

use crate::matches::{Game, Ticks, play, share_against};
use ludex_logic::Budget;
use ludex_players::{News, Resources, create};

/// One of each: the first valued by few random games, the second by a tree of two moves, the third by
/// a tree that grows.
const PLAYERS: [&str; 3] = ["monte-carlo:probes=2", "monte-carlo:depth=2:playouts=60", "uct:playouts=60"];

fn number(choice: &ludex_players::Choice, entry: &str) -> u64 {
    choice.report.entry(entry).unwrap().parse().unwrap()
}

#[test]
fn every_kind_of_game_is_played_to_the_end_by_legal_moves() {
    for name in [
        "gdl/rock-paper-scissors.kif",
        "gdl/prisoners-dilemma.kif",
        "gdl/three-player-tic-tac-toe.kif",
        "gdl/8-puzzle.gdl",
        "gdl/nim.kif",
        "gdl-ii/monty-hall.gdl",
        "gdl-ii/blind-tic-tac-toe.gdl",
        "gdl-ii/high-card.gdl",
    ] {
        let game = Game::bundled(name);
        for player in PLAYERS {
            let played = play(&game, &vec![player; game.roles()], &Resources::from_seed(3), 40);
            assert!(!played.joints.is_empty(), "{name} {player}");
        }
    }
}

/// Tic-tac-toe: two in a row, and the third cell is free.
#[test]
fn winning_moves_and_blocks_are_found() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let two_each: [&[&str]; 4] =
        [&["(mark 1 1)", "_"], &["_", "(mark 2 1)"], &["(mark 1 2)", "_"], &["_", "(mark 2 2)"]];
    for player in ["monte-carlo:depth=2:playouts=600", "uct:playouts=600"] {
        for seed in 0..5 {
            let (win, choice) = game.choice(player, seed, 0, &two_each);
            assert_eq!(win, "(mark 1 3)", "{player}");
            assert_eq!(choice.report.moves[0].value.map(f64::round), Some(100.0), "{player}");
            let (block, _) = game.choice(player, seed, 1, &two_each[..3]);
            assert_eq!(block, "(mark 1 3)", "{player}");
        }
    }
}

#[test]
fn four_in_a_row_is_made_and_stopped() {
    let game = Game::bundled("gdl/connect-four.kif");
    let three_each: [&[&str]; 6] = [
        &["(drop 1)", "_"],
        &["_", "(drop 7)"],
        &["(drop 1)", "_"],
        &["_", "(drop 7)"],
        &["(drop 1)", "_"],
        &["_", "(drop 7)"],
    ];
    for player in ["monte-carlo:depth=2:playouts=1000", "uct:playouts=1000"] {
        assert_eq!(game.choice(player, 1, 0, &three_each).0, "(drop 1)", "{player}");
        assert_eq!(game.choice(player, 1, 1, &three_each[..5]).0, "(drop 1)", "{player}");
    }
}

/// Book 8.2: without expanding the reply, the search believes that the other will reply at random.
#[test]
fn monte_carlo_with_one_move_is_optimistic() {
    // The first move risks everything for much: two of three replies bring 100, one brings 0. The
    // second move is worth 60 whatever comes.
    let game = Game::from_rules(
        "(role own) (role other)
         (base fresh) (base (asked risk)) (base (asked safe)) (base (got 100)) (base (got 60)) (base (got 0))
         (init fresh)
         (<= (legal own risk) (true fresh)) (<= (legal own safe) (true fresh))
         (<= (legal own noop) (not (true fresh)))
         (<= (legal other noop) (true fresh))
         (<= (legal other (reply 1)) (not (true fresh))) (<= (legal other (reply 2)) (not (true fresh)))
         (<= (legal other (reply 3)) (not (true fresh)))
         (<= (next (asked ?a)) (does own ?a) (true fresh))
         (<= (next (got 60)) (true (asked safe)))
         (<= (next (got 100)) (true (asked risk)) (not (does other (reply 3))))
         (<= (next (got 0)) (true (asked risk)) (does other (reply 3)))
         (<= terminal (true (got ?n)))
         (<= (goal own ?n) (true (got ?n)))
         (<= (goal other 100) (true (got 0)))
         (<= (goal other 40) (true (got 60)))
         (<= (goal other 0) (true (got 100)))",
    );
    assert_eq!(game.choice("monte-carlo:probes=300", 1, 0, &[]).0, "risk");
    assert_eq!(game.choice("monte-carlo:depth=2", 1, 0, &[]).0, "safe");
    assert_eq!(game.choice("uct:playouts=500", 1, 0, &[]).0, "safe");
}

/// Four probes for each state of the fringe, as in the book's program.
#[test]
fn without_a_clock_each_state_of_the_fringe_is_probed_as_often_as_told() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let (_, choice) = game.choice("monte-carlo", 1, 0, &[]);
    assert_eq!(number(&choice, "fringe states"), 9);
    assert_eq!(number(&choice, "playouts"), 36);
    assert!(choice.report.moves.iter().all(|rating| rating.visits == 4));
    let (_, choice) = game.choice("monte-carlo:depth=2:probes=1", 1, 0, &[]);
    assert_eq!(number(&choice, "fringe states"), 72);
    assert_eq!(number(&choice, "playouts"), 72);
}

#[test]
fn chance_is_averaged_and_not_feared() {
    // Chance is bad in one of four cases; the safe move brings 40.
    let game = Game::from_rules(
        "(role own) (role random)
         (init fresh) (base fresh) (base (got 100)) (base (got 0)) (base (got 40))
         (<= (legal own bet) (true fresh)) (<= (legal own keep) (true fresh))
         (<= (legal random (die ?n)) (side ?n))
         (side 1) (side 2) (side 3) (side 4)
         (<= (next (got 40)) (does own keep))
         (<= (next (got 0)) (does own bet) (does random (die 1)))
         (<= (next (got 100)) (does own bet) (not (does random (die 1))))
         (<= (sees own ?n) (does random (die ?n)))
         (<= terminal (true (got ?n)))
         (<= (goal own ?n) (true (got ?n)))
         (<= (goal random 0) (true (got ?n)))",
    );
    for player in ["monte-carlo", "uct:playouts=300"] {
        let (action, choice) = game.choice(player, 1, 0, &[]);
        assert_eq!(action, "bet", "{player}");
        let value = choice.report.moves[0].value.unwrap();
        assert!((value - 75.0).abs() < 12.0, "{player} {value}");
    }
}

#[test]
fn equal_seeds_play_equally() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    for player in PLAYERS {
        let joints = |seed| play(&game, &[player, player], &Resources::from_seed(seed), 9).joints;
        assert_eq!(joints(5), joints(5), "{player}");
        assert!((6..16).any(|seed| joints(seed) != joints(5)), "{player}");
    }
}

#[test]
fn random_players_lose() {
    let game = Game::bundled("gdl/connect-four.kif");
    assert!(share_against(&game, "monte-carlo:probes=8", "random", 5) > 0.85);
    assert!(share_against(&game, "uct:playouts=100", "random", 5) > 0.85);
}

/// The exploration shows: with none all games go to what looked well first.
#[test]
fn uct_tries_all_moves_and_the_best_most() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let (action, choice) = game.choice("uct:playouts=2000", 1, 0, &[]);
    assert_eq!(action, "(mark 2 2)");
    let visits: Vec<u64> = choice.report.moves.iter().map(|rating| rating.visits).collect();
    assert_eq!(visits.len(), 9);
    assert_eq!(visits.iter().sum::<u64>(), 2_000);
    assert!(visits[1..].iter().all(|&n| n > 5 && n <= visits[0]), "{visits:?}");
    assert!(!choice.report.variation.is_empty());
    assert!(number(&choice, "depth") > 3);
}

/// The tree of the move before is used: there are more states than games.
#[test]
fn uct_keeps_its_tree_between_moves_if_told() {
    let game = Game::bundled("gdl/connect-four.kif");
    for (player, is_kept) in [("uct:playouts=300", true), ("uct:playouts=300:reuse=off", false)] {
        let mut player = game.player(player, &Resources::default(), 0);
        let first = player.choose(&Budget::unlimited()).unwrap();
        let signature = game.machine.signature();
        let own = signature.text(first.action);
        for joint in game.joints(&[&[&own, "_"], &["_", "(drop 4)"]]).0 {
            player.observe(&News::Joint(joint));
        }
        let second = player.choose(&Budget::unlimited()).unwrap();
        assert_eq!(number(&second, "states kept") > 1, is_kept);
        assert_eq!(number(&second, "playouts"), 300);
        let visits: u64 = second.report.moves.iter().map(|rating| rating.visits).sum();
        assert_eq!(visits > 300, is_kept);
    }
}

/// With room for some states only, the tree stops growing and the games go on.
#[test]
fn little_memory_is_enough() {
    let game = Game::bundled("gdl/connect-four.kif");
    for memory in [0, 1, 2_000, 20_000] {
        let resources = Resources { memory, ..Resources::default() };
        for player in ["monte-carlo:depth=3", "uct:playouts=400"] {
            let choice = game.player(player, &resources, 0).choose(&Budget::unlimited()).unwrap();
            if player.starts_with("uct") {
                assert_eq!(number(&choice, "playouts"), 400);
                // One state is needed for the moves.
                assert!(number(&choice, "tree bytes") <= memory.max(2_000) as u64);
            }
        }
    }
    let resources = Resources { memory: 20_000, ..Resources::default() };
    let players = ["uct:playouts=100", "uct:playouts=100"];
    assert!(play(&game, &players, &resources, 42).joints.len() > 6);
}

/// A game that nobody can end, and one that returns to where it was.
#[test]
fn games_that_never_end_are_left() {
    let game = Game::from_rules(
        "(role own) (base (at left)) (base (at right)) (init (at left))
         (<= (legal own stay) (true (at ?x))) (<= (legal own go) (true (at ?x)))
         (<= (next (at ?x)) (true (at ?x)) (does own stay))
         (<= (next (at right)) (true (at left)) (does own go))
         (<= (next (at left)) (true (at right)) (does own go))
         (<= terminal (true (at nowhere)))
         (<= (goal own 70) (true (at right))) (<= (goal own 10) (true (at left)))",
    );
    for player in ["monte-carlo:steps=50", "monte-carlo:depth=3:steps=50", "uct:steps=50:playouts=200"] {
        let choice = game.choice(player, 1, 0, &[]).1;
        // The last state counts: about as often the left as the right.
        let value = choice.report.moves[0].value.unwrap();
        assert!((10.0..=70.0).contains(&value), "{player} {value}");
    }
}

/// A role without a legal move in a state that is not terminal.
#[test]
fn a_role_that_is_stuck_ends_a_random_game() {
    let game = Game::from_rules(
        "(role own) (role other) (base start) (base trap) (base (got 60)) (init start)
         (<= (legal own in) (true start)) (<= (legal own out) (true start))
         (<= (legal other wait) (true start))
         (<= (next trap) (does own in))
         (<= (next (got 60)) (does own out))
         (<= terminal (true (got 60)))
         (<= (goal own 60) (true (got 60))) (<= (goal own 5) (true trap))
         (goal other 0)",
    );
    for player in PLAYERS {
        let (action, choice) = game.choice(player, 1, 0, &[]);
        assert_eq!(action, "out", "{player}");
        assert_eq!(choice.report.moves[0].value, Some(60.0), "{player}");
        assert_eq!(choice.report.moves[1].value, Some(5.0), "{player}");
    }
}

#[test]
fn the_clock_is_kept_and_a_clock_of_zero_brings_a_legal_move() {
    let game = Game::bundled("gdl/connect-four.kif");
    for player in ["monte-carlo", "monte-carlo:depth=9", "uct"] {
        for ticks in [0, 1, 3, 50, 2_000] {
            let mut player = create(player, &Resources::default()).unwrap();
            player.prepare(game.seat(0), &Ticks::budget(ticks)).unwrap();
            let choice = player.choose(&Ticks::budget(ticks)).unwrap();
            let legal = game.legal(&mut *game.machine.runner(&Budget::unlimited()));
            let text = game.machine.signature().text(choice.action);
            assert!(legal[0].iter().any(|(move_text, _)| *move_text == text));
            if ticks == 2_000 {
                assert!(number(&choice, "playouts") > 50);
            }
        }
    }
}

#[test]
fn bad_options_are_refused() {
    for player in ["uct:c=x", "uct:playouts=-1", "uct:reuse=maybe", "monte-carlo:depth=", "monte-carlo:c=1"] {
        assert!(create(player, &Resources::default()).is_err(), "{player}");
    }
}
