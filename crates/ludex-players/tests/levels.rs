//! Opponents for people.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_game::{Machine, RoleId, RuleMachine, RuleMachineOptions};
use ludex_gdl::Notation;
use ludex_logic::Budget;
use ludex_players::{Resources, Seat, create};
use ludex_testkit::program;

/// Of ten moves the ninth wins.
const ONE_WINS: &str = "role(you) legal(you,take(N)) :- number(N)
    number(1) number(2) number(3) number(4) number(5) number(6) number(7) number(8) number(9) number(10)
    next(taken(N)) :- does(you,take(N))
    terminal :- true(taken(N))
    goal(you,100) :- true(taken(9)) goal(you,0) :- ~true(taken(9))";

/// What a player of this strategy and seed does.
fn chosen(strategy: &str, seed: u64) -> String {
    let program = Arc::new(program("ten", ONE_WINS, Some(Notation::Infix)).unwrap());
    let machine: Arc<dyn Machine> =
        Arc::new(RuleMachine::new(&program, &RuleMachineOptions::default()).unwrap());
    let terms = machine.signature().clone();
    let mut player = create(strategy, &Resources::from_seed(seed)).unwrap();
    let seat = Seat { program, machine, upgrade: None, analysis: None, role: RoleId(0) };
    player.prepare(seat, &Budget::unlimited()).unwrap();
    terms.terms().infix(player.choose(&Budget::unlimited()).unwrap().action)
}

#[test]
fn lower_levels_make_more_mistakes_and_the_same_ones_again() {
    let mistakes = |level: u32| {
        let strategy = format!("level-{level}");
        let moves: Vec<String> = (0..60).map(|seed| chosen(&strategy, seed)).collect();
        let again: Vec<String> = (0..60).map(|seed| chosen(&strategy, seed)).collect();
        assert_eq!(moves, again, "what is counted is the same again");
        moves.iter().filter(|chosen| *chosen != "take(9)").count()
    };
    let of: Vec<usize> = (1..=4).map(mistakes).collect();
    assert!(of[0] > of[1] && of[1] > of[2] && of[2] >= of[3] && of[3] == 0, "{of:?}");
    let different: BTreeSet<String> = (0..60).map(|seed| chosen("level-1", seed)).collect();
    assert!(different.len() > 4, "{different:?}");
}
