//! Winning by answering each move with the same one.

use crate::matches::{Game, play};
use ludex_players::Resources;

/// Connect four where a line of four loses.
fn connect_four_suicide() -> Game {
    let path = std::path::Path::new("../../games/gdl/connect-four.kif");
    let rules = std::fs::read_to_string(path).unwrap();
    let changed = rules
        .replace("(<= (goal ?p 100) (four ?p))", "(<= (goal ?p 0) (four ?p))")
        .replace("(<= (goal ?p 0) (opponent", "(<= (goal ?p 100) (opponent");
    assert_ne!(rules, changed);
    Game::from_rules(&changed)
}

#[test]
fn who_moves_second_wins_where_cells_are_in_pairs() {
    let game = connect_four_suicide();
    for seed in 1..4 {
        let players = ["ludex:playouts=200:solver=off", "ludex:playouts=20"];
        let played = play(&game, &players, &Resources::from_seed(seed), 100);
        assert_eq!(played.goals, [0, 100]);
        let text = |at: usize, role: usize| game.machine.signature().text(played.joints[at][role]);
        for at in (1..played.joints.len()).step_by(2) {
            assert_eq!(text(at, 1), text(at - 1, 0), "step {}", at + 1);
        }
    }
    let history: &[&[&str]] = &[&["(drop 3)", "noop"]];
    let (action, choice) = game.choice("ludex", 1, 1, history);
    assert_eq!(action, "(drop 3)");
    assert_eq!(choice.report.entry("proven"), Some("100"));
    // Seven columns have none to three pairs each; lines that lose leave out some of that.
    let told = choice.report.entry("wins by").unwrap();
    let states: u32 = told.split(' ').find_map(|word| word.parse().ok()).unwrap();
    assert!((1000..4u32.pow(7)).contains(&states), "{told}");
    let without = game.choice("ludex:playouts=20:solver=off", 1, 1, history).1;
    assert_eq!(without.report.entry("wins by"), None);
    let first = game.choice("ludex:playouts=20", 1, 0, &[]).1;
    assert_eq!(first.report.entry("wins by"), None);
}

/// Two players take things from heaps, one at a time. Who takes the last one gets `last`.
fn heaps(heaps: &[u32], last: u32) -> Game {
    let mut rules = String::from(
        "(role a) (role b) (init (control a)) (<= (base (control ?r)) (role ?r)) (other a b) (other b a)
         (<= (base (has ?h ?n)) (size ?h ?n)) (<= (init (has ?h ?n)) (full ?h ?n))
         (<= (input ?r (take ?h)) (role ?r) (full ?h ?n)) (<= (input ?r wait) (role ?r))
         (<= (legal ?r (take ?h)) (true (control ?r)) (true (has ?h ?n)) (less ?n ?m))
         (<= (legal ?r wait) (other ?r ?q) (true (control ?q)))
         (<= (next (has ?h ?m)) (does ?r (take ?h)) (true (has ?h ?n)) (less ?n ?m))
         (<= (next (has ?h ?n)) (true (has ?h ?n)) (not (taken ?h))) (<= (taken ?h) (does ?r (take ?h)))
         (<= (next (control ?r)) (other ?r ?q) (true (control ?q)))
         (<= some (true (has ?h ?n)) (less ?n ?m)) (<= terminal (not some))
         (less 3 2) (less 2 1) (less 1 0)\n",
    );
    for (heap, &size) in heaps.iter().enumerate() {
        rules.push_str(&format!("(full {heap} {size})"));
        (0..=size).for_each(|n| rules.push_str(&format!("(size {heap} {n})")));
    }
    rules.push_str(&format!(
        "(<= (goal ?r {last}) (other ?r ?q) (true (control ?q))) (<= (goal ?r {}) (true (control ?r)))",
        100 - last
    ));
    Game::from_rules(&rules)
}

#[test]
fn who_moves_first_can_make_pairs_of_what_is_left() {
    let wins_by = |game: &Game, role| {
        let (action, choice) = game.choice("ludex:playouts=20", 1, role, &[]);
        choice.report.entry("wins by").map(|_| action)
    };
    assert_eq!(wins_by(&heaps(&[2, 2, 1, 2], 100), 0).as_deref(), Some("(take 2)"));
    // Without a heap of one there is nothing to begin with.
    assert_eq!(wins_by(&heaps(&[2, 2, 2], 100), 0), None);
    // The last one is no use.
    assert_eq!(wins_by(&heaps(&[2, 2, 1, 2], 0), 0), None);
    assert_eq!(wins_by(&heaps(&[2, 2, 1, 2], 75), 0), None);
}

#[test]
fn what_may_go_on_for_ever_is_no_win() {
    // The other one may end the game, and lose it, or go round.
    let rules = "(role a) (role b) (base end) (base turn) (init turn)
        (input a go) (input a stop) (input b go) (input b stop) (input a wait) (input b wait)
        (<= (legal a go) (true turn)) (<= (legal a stop) (true turn)) (<= (legal b wait) (true turn))
        (<= (legal b go) (not (true turn))) (<= (legal b stop) (not (true turn))) (<= (legal a wait) (not (true turn)))
        (<= (next turn) (not (true turn))) (<= (next end) (does b stop)) (<= terminal (true end))
        (<= (goal a 100) (true end)) (<= (goal b 0) (true end))
        (<= (goal a 50) (not (true end))) (<= (goal b 50) (not (true end)))";
    let choice = Game::from_rules(rules).choice("ludex:playouts=20:steps=20", 1, 0, &[]).1;
    assert_eq!(choice.report.entry("wins by"), None);
}

#[test]
fn waiting_is_not_answered_with_waiting() {
    // The other one always waits, and so may the player, for ever.
    let rules = "(role a) (role b) (base end) (input a wait) (input a win) (input b wait)
        (legal a wait) (legal a win) (legal b wait) (<= (next end) (does a win)) (<= terminal (true end))
        (<= (goal a 100) (true end)) (<= (goal b 0) (true end))
        (<= (goal a 50) (not (true end))) (<= (goal b 50) (not (true end)))";
    let (action, choice) = Game::from_rules(rules).choice("ludex:playouts=20:steps=20", 1, 0, &[]);
    assert_eq!(action, "win");
    assert_eq!(choice.report.entry("wins by"), None);
}
