//! What moves seem to be worth because playouts made them later: where what was learned tells too little.

use std::fmt::Write;
use std::sync::Arc;

use ludex_game::Rules;
use ludex_logic::Budget;
use ludex_players::{Choice, MoveRating, Registry, Resources, Seat, TrainingOptions, train};
use ludex_testkit::{playable, playable_bundled};

/// Hex on so many cells a side: two roles fill cells in turn; the first joins the upper row with the lower one, the second
/// the left column with the right one.
fn hex(side: u32) -> Rules {
    let mut text = String::from(
        "(role red) (role blue) (init (control red))
        (<= (legal ?r (place ?x ?y)) (true (control ?r)) (cell ?x ?y) (not (filled ?x ?y)))
        (<= (legal red wait) (true (control blue)))
        (<= (legal blue wait) (true (control red)))
        (<= (next (control blue)) (true (control red)))
        (<= (next (control red)) (true (control blue)))
        (<= (next (held ?x ?y ?r)) (does ?r (place ?x ?y)))
        (<= (next (held ?x ?y ?r)) (true (held ?x ?y ?r)))
        (<= (filled ?x ?y) (true (held ?x ?y ?r)))
        (<= (near ?a ?b ?c ?d) (beside ?a ?b ?c ?d))
        (<= (near ?a ?b ?c ?d) (beside ?c ?d ?a ?b))
        (<= (joined ?x 1 red) (true (held ?x 1 red)))
        (<= (joined 1 ?y blue) (true (held 1 ?y blue)))
        (<= (joined ?c ?d ?r) (joined ?a ?b ?r) (near ?a ?b ?c ?d) (true (held ?c ?d ?r)))
        (<= terminal (won ?r))
        (<= (goal ?r 100) (won ?r))
        (<= (goal red 0) (not (won red)))
        (<= (goal blue 0) (not (won blue)))",
    );
    write!(text, "(<= (won red) (joined ?x {side} red)) (<= (won blue) (joined {side} ?y blue))").unwrap();
    for x in 1..=side {
        for y in 1..=side {
            write!(text, "(cell {x} {y})").unwrap();
            let others = [(x + 1, y), (x, y + 1), (x + 1, y + 1)];
            for (a, b) in others.into_iter().filter(|&(a, b)| a <= side && b <= side) {
                write!(text, "(beside {x} {y} {a} {b})").unwrap();
            }
        }
    }
    playable("hex.kif", &text).unwrap()
}

/// The first choice of the first role, by a player of a registry.
fn first_choice(rules: &Rules, registry: &Registry, player: &str, seed: u64) -> Choice {
    let mut player = registry.create(player, &Resources::from_seed(seed)).unwrap();
    let seat = Seat {
        program: Arc::clone(rules.program()),
        machine: Arc::clone(rules.machine()),
        upgrade: None,
        analysis: None,
        role: rules.seats()[0],
    };
    player.prepare(seat, &Budget::unlimited()).unwrap();
    player.choose(&Budget::unlimited()).unwrap()
}

/// The same after so many leaves, with what some games taught of the game beforehand.
fn taught_choice(rules: &Rules, leaves: u32, seed: u64) -> Choice {
    let options = TrainingOptions { games: 300, ..TrainingOptions::default() };
    let budget = Budget::unlimited();
    let trained = train(rules.machine(), rules.program(), &options, &budget, &mut |_| {}).unwrap();
    let known = Arc::new(trained.evaluation);
    let registry = Registry::default().with_trained(move |_| Ok(vec![Arc::clone(&known)]));
    first_choice(rules, &registry, &format!("ludex:leaves={leaves}:trained=known"), seed)
}

/// The same where nothing was learned.
fn plain_choice(rules: &Rules, leaves: u32, seed: u64) -> Choice {
    first_choice(rules, &Registry::default(), &format!("ludex:leaves={leaves}"), seed)
}

fn told(choice: &Choice) -> (bool, bool) {
    let entry = |name| choice.report.entry(name).is_some();
    (entry("moves look good by"), entry("learned evaluation of"))
}

#[test]
fn they_count_where_what_was_learned_tells_too_little() {
    let hex = hex(7);
    assert_eq!(told(&taught_choice(&hex, 500, 1)), (true, false));
    assert_eq!(told(&plain_choice(&hex, 500, 1)), (false, false), "nothing was learned");
    // Where there are few moves, what is played from each of them tells more.
    let narrow = playable_bundled("connect-four").unwrap();
    assert!(!told(&taught_choice(&narrow, 500, 1)).0);
}

/// The part of the visits that went to moves in the inner 25 of 49 cells.
fn inner_share(rules: &Rules, choice: &Choice) -> f64 {
    let is_inner = |action| {
        let text = rules.machine().signature().text(action);
        text.chars().filter_map(|letter| letter.to_digit(10)).all(|place| (2..=6).contains(&place))
    };
    let visits = |moves: &mut dyn Iterator<Item = &MoveRating>| -> f64 {
        moves.map(|rated| rated.visits as f64).sum()
    };
    let moves = &choice.report.moves;
    visits(&mut moves.iter().filter(|rated| is_inner(rated.action))) / visits(&mut moves.iter())
}

#[test]
fn they_draw_the_search_to_the_middle_of_a_board() {
    let hex = hex(7);
    for seed in 1..=3 {
        let found = taught_choice(&hex, 1500, seed);
        assert_eq!(found, taught_choice(&hex, 1500, seed), "one seed, one choice");
        // Of moves that are drawn at random, half would be there.
        let (with, without) = (inner_share(&hex, &found), inner_share(&hex, &plain_choice(&hex, 1500, seed)));
        assert!(with > 0.65 && with > without, "{with} {without}");
    }
}
