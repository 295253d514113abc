//! The tournament player: what it finds and proves, and that nothing stops it from answering.

use std::time::Duration;

use crate::matches::{Game, Ticks, play, share_against};
use ludex_logic::Budget;
use ludex_players::{News, Player, Resources, create};

const EAGER: &str = "ludex:playouts=400:probes=2:exploration=0.7";
const PLAIN: &str = "ludex:playouts=400:solver=off";

#[test]
fn every_kind_of_game_is_played_to_the_end_by_legal_moves() {
    for name in [
        "gdl/rock-paper-scissors.kif",
        "gdl/prisoners-dilemma.kif",
        "gdl/three-player-tic-tac-toe.kif",
        "gdl/8-puzzle.gdl",
        "gdl/nim.kif",
        "gdl/connect-four.kif",
        "gdl-ii/monty-hall.gdl",
        "gdl-ii/blind-tic-tac-toe.gdl",
        "gdl-ii/high-card.gdl",
    ] {
        let game = Game::bundled(name);
        for player in ["ludex:playouts=600", EAGER, PLAIN] {
            let played = play(&game, &vec![player; game.roles()], &Resources::from_seed(3), 45);
            assert!(!played.joints.is_empty(), "{name} {player}");
        }
    }
}

#[test]
fn tic_tac_toe_is_proven_a_draw() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    for player in ["ludex:playouts=200000", "ludex:playouts=200000:proving=0"] {
        let (_, choice) = game.choice(player, 1, 0, &[]);
        assert_eq!(choice.report.entry("proven"), Some("50"), "{player}");
        assert_eq!(choice.report.entry("the roles' goals"), Some("constant sum"));
        // Every first move draws.
        assert!(choice.report.moves.iter().all(|m| m.proven.is_none_or(|value| value == 50)), "{player}");
        assert_eq!(choice.report.variation.len(), 9, "{player}");
    }
}

/// How many games are played from a leaf or its successors changes what is guessed, not what is true.
#[test]
fn the_same_is_proven_wherever_games_are_played_from() {
    // Of a win, that is more than is needed; of a draw, all are used.
    for (file, role, playouts) in [("gdl/chomp.kif", 0, 4_000_000), ("gdl/tic-tac-toe.kif", 0, 300_000)] {
        let game = Game::bundled(file);
        let proven = |probes: u32| {
            let player = format!("ludex:playouts={playouts}:probes={probes}");
            game.choice(&player, 1, role, &[]).1.report.entry("proven").map(str::to_owned)
        };
        let from_successors = proven(64);
        assert!(from_successors.is_some(), "{file}");
        assert_eq!(proven(1), from_successors, "{file}");
    }
}

#[test]
fn what_is_played_from_successors_is_a_value_between_none_and_all() {
    for file in ["gdl/connect-four.kif", "gdl/breakthrough.kif", "gdl/nim.kif", "gdl-ii/high-card.gdl"] {
        let game = Game::bundled(file);
        for player in ["ludex:playouts=20000:probes=64", "ludex:playouts=3000:probes=1"] {
            let choose = || game.choice(player, 7, 0, &[]).1;
            let first = choose();
            assert_eq!(first, choose(), "{file} {player}: one seed, one choice");
            let values = first.report.moves.iter().filter_map(|m| m.value);
            assert!(values.into_iter().all(|value| (0.0..=100.0).contains(&value)), "{file} {player}");
        }
    }
}

#[test]
fn wins_are_proven_and_blocks_are_found() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let two_each: [&[&str]; 4] =
        [&["(mark 1 1)", "_"], &["_", "(mark 2 1)"], &["(mark 1 2)", "_"], &["_", "(mark 2 2)"]];
    for player in ["ludex:playouts=3000", EAGER, PLAIN] {
        let (win, choice) = game.choice(player, 1, 0, &two_each);
        assert_eq!(win, "(mark 1 3)", "{player}");
        if player != PLAIN {
            assert_eq!(choice.report.moves[0].proven, Some(100), "{player}");
        }
        let (block, _) = game.choice(player, 1, 1, &two_each[..3]);
        assert_eq!(block, "(mark 1 3)", "{player}");
    }
}

#[test]
fn one_seed_gives_one_choice() {
    let game = Game::bundled("gdl/connect-four.kif");
    let choose = |seed| game.choice("ludex:playouts=20000", seed, 0, &[]).1;
    let (first, again, other) = (choose(5), choose(5), choose(6));
    assert_eq!(first, again);
    assert_ne!(first.report.moves, other.report.moves);
}

/// Chomp is won by who begins: that is proven, and then played without much search.
#[test]
fn a_proven_win_is_played_at_once() {
    let game = Game::bundled("gdl/chomp.kif");
    let mut player = game.player("ludex:playouts=4000000:probes=64", &Resources::default(), 0);
    let signature = game.machine.signature();
    let mut runner = game.machine.runner(&Budget::unlimited());
    let playouts =
        |choice: &ludex_players::Choice| -> u64 { choice.report.entry("playouts").unwrap().parse().unwrap() };
    let mut first = None;
    while !runner.terminal().unwrap() {
        let choice = player.choose(&Budget::unlimited()).unwrap();
        if choice.report.entry("the only move").is_none() {
            assert_eq!(choice.report.entry("proven"), Some("100"));
            let first = *first.get_or_insert(playouts(&choice));
            assert!(first < 4_000_000 && playouts(&choice) <= first, "the tree was kept: {choice:?}");
        }
        let own = signature.find_action(choice.action).unwrap();
        let joint = [own, runner.legal(ludex_game::RoleId(1)).unwrap()[0]];
        player.observe(&News::Joint(joint.iter().map(|&action| signature.action(action)).collect()));
        runner.step(&joint).unwrap();
    }
    assert_eq!(runner.goal(ludex_game::RoleId(0)).unwrap(), Some(100));
}

/// The prisoners' dilemma is no contest: what is good for both is not proven to happen.
#[test]
fn partners_and_opponents_are_told_apart() {
    let entry = |game: &Game| {
        let (_, choice) = game.choice("ludex:playouts=600", 1, 0, &[]);
        choice.report.entry("the roles' goals").unwrap().to_owned()
    };
    assert_eq!(entry(&Game::bundled("gdl/prisoners-dilemma.kif")), "general");
    assert_eq!(entry(&Game::bundled("gdl/rock-paper-scissors.kif")), "constant sum");
    let together = Game::from_rules(
        "(role own) (role other) (base on) (base (off good)) (base (off bad)) (init on)
         (choice a) (choice b)
         (<= (input ?r ?c) (role ?r) (choice ?c))
         (<= (legal ?r ?c) (role ?r) (choice ?c) (true on))
         (<= (next (off good)) (does own ?c) (does other ?c))
         (<= (next (off bad)) (does own ?c) (does other ?d) (distinct ?c ?d))
         (<= terminal (not (true on)))
         (<= (goal ?r 100) (role ?r) (true (off good)))
         (<= (goal ?r 0) (role ?r) (not (true (off good))))",
    );
    assert_eq!(entry(&together), "cooperative");
}

#[test]
fn it_beats_plain_uct_with_as_many_playouts() {
    let game = Game::bundled("gdl/connect-four.kif");
    let share = share_against(&game, "ludex:playouts=6000:probes=4", "uct:playouts=300", 12);
    assert!(share >= 0.75, "{share}");
}

#[test]
fn no_clock_is_too_short() {
    for name in ["gdl/connect-four.kif", "gdl/rock-paper-scissors.kif", "gdl-ii/monty-hall.gdl"] {
        let game = Game::bundled(name);
        for ticks in [0, 1, 2, 5, 20, 60] {
            let mut player = create("ludex", &Resources::default()).unwrap();
            player.prepare(game.seat(game.roles() - 1), &Ticks::budget(ticks)).unwrap();
            player.choose(&Ticks::budget(ticks)).unwrap();
        }
    }
}

#[test]
fn work_and_memory_are_limits_too() {
    let game = Game::bundled("gdl/connect-four.kif");
    for memory in [0, 1000, 20_000] {
        let resources = Resources { memory, ..Resources::default() };
        let mut player = game.player("ludex:playouts=4000", &resources, 0);
        let choice = player.choose(&Budget::unlimited()).unwrap();
        let nodes: usize = choice.report.entry("nodes").unwrap().parse().unwrap();
        assert!(nodes <= 1 + memory / 100, "{nodes}");
    }
    for work in [0, 1, 1000, 100_000] {
        let mut player = game.player("ludex", &Resources::default(), 0);
        player.choose(&Budget::unlimited().with_work(work)).unwrap();
    }
}

/// A tree that filled its memory makes room when the match goes on.
#[test]
fn a_full_tree_is_cleaned_between_moves() {
    let game = Game::bundled("gdl/connect-four.kif");
    let resources = Resources { memory: 30 << 20, ..Resources::default() };
    let mut player = game.player("ludex:playouts=100000:probes=1", &resources, 0);
    let nodes =
        |choice: &ludex_players::Choice| -> u64 { choice.report.entry("nodes").unwrap().parse().unwrap() };
    let first = player.choose(&Budget::unlimited()).unwrap();
    assert!(nodes(&first) < 60_000, "it is full: {}", nodes(&first));
    let signature = game.machine.signature();
    let mut runner = game.machine.runner(&Budget::unlimited());
    let mut own = first.action;
    for _ in 0..4 {
        let mut joint = vec![signature.find_action(own).unwrap()];
        joint.push(runner.legal(ludex_game::RoleId(1)).unwrap()[0]);
        player.observe(&News::Joint(joint.iter().map(|&action| signature.action(action)).collect()));
        runner.step(&joint).unwrap();
        own = signature.action(runner.legal(ludex_game::RoleId(0)).unwrap()[0]);
    }
    let later = player.choose(&Budget::unlimited()).unwrap();
    let visits: u64 = later.report.moves.iter().map(|rated| rated.visits).sum();
    assert!(visits > 30_000 && later.report.moves.len() == 7, "{visits}");
    assert!(nodes(&later) > 20_000, "there was room for new states: {}", nodes(&later));
}

#[test]
fn several_threads_share_a_tree() {
    let game = Game::bundled("gdl/connect-four.kif");
    let resources = Resources { threads: 3, ..Resources::default() };
    let mut player = game.player("ludex:playouts=100000", &resources, 0);
    let choice = player.choose(&Budget::unlimited()).unwrap();
    let playouts: u64 = choice.report.entry("playouts").unwrap().parse().unwrap();
    assert!(playouts >= 100_000);
    assert_eq!(choice.report.moves.len(), 7);
}

#[test]
fn pondering_goes_on_behind_the_chosen_move() {
    let game = Game::bundled("gdl/connect-four.kif");
    let mut player = game.player("ludex:playouts=3000", &Resources::default(), 0);
    let choice = player.choose(&Budget::unlimited()).unwrap();
    let visits = |player: &dyn Player| player.tree_dot(2).unwrap();
    let before = visits(&*player);
    player.ponder(&Budget::unlimited());
    assert_ne!(visits(&*player), before);
    assert!(choice.report.moves.len() == 7);
}

#[test]
fn the_tree_can_be_drawn() {
    let game = Game::bundled("gdl/light-cycles.kif");
    for text in ["ludex:playouts=2000", "ludex:playouts=2000:solver=off"] {
        let mut player = game.player(text, &Resources::default(), 0);
        assert_eq!(player.tree_dot(10), None);
        player.choose(&Budget::unlimited()).unwrap();
        let dot = player.tree_dot(10).unwrap();
        assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'), "{dot}");
        assert!(dot.contains("ride"), "{dot}");
    }
}

/// A game without end: playouts are cut off, and the clock still ends the search.
#[test]
fn games_without_end_are_played() {
    let game = Game::from_rules(
        "(role own) (role other) (place 1) (place 2) (place 3)
         (<= (base (at ?x)) (place ?x)) (init (at 1))
         (<= (input ?r (go ?x)) (role ?r) (place ?x))
         (<= (legal own (go ?x)) (place ?x)) (legal other wait) (input other wait)
         (<= (next (at ?x)) (does own (go ?x)))
         (<= terminal (true (at 9)))
         (<= (goal ?r 30) (role ?r) (not (true (at 3)))) (<= (goal ?r 70) (role ?r) (true (at 3)))",
    );
    let (_, choice) = game.choice("ludex:playouts=500:steps=20", 1, 0, &[]);
    assert!(!choice.report.moves.is_empty());
    let mut player = game.player("ludex:steps=50", &Resources::default(), 0);
    let clock = Ticks::budget(400);
    player.choose(&clock).unwrap();
    assert!(clock.time_left() == Some(Duration::ZERO) || clock.time_left().is_some());
}
