//! The rule machine, seen from outside.

use std::sync::Arc;

use ludex_game::{
    ActionId, GameError, Machine, Rng, RoleId, RuleMachine, RuleMachineOptions, State, read_term,
};
use ludex_gdl::{LoadOptions, Source, load};
use ludex_logic::{Budget, LimitError};

fn machine(rules: &str) -> RuleMachine {
    let checked = load(Arc::new(Source::new("test", rules)), &LoadOptions::default());
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    RuleMachine::new(&checked.game.unwrap(), &RuleMachineOptions::default()).unwrap()
}

/// A counter that its player moves on by one or two.
const COUNTER: &str = "
    (role you) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 10)
    (<= (legal you (by 1)) (true (at ?x)) (succ ?x ?y))
    (<= (legal you (by 2)) (true (at ?x)) (succ ?x ?y) (succ ?y ?z))
    (<= (next (at ?y)) (true (at ?x)) (does you (by 1)) (succ ?x ?y))
    (<= (next (at ?z)) (true (at ?x)) (does you (by 2)) (succ ?x ?y) (succ ?y ?z))
    (<= terminal (true (at 10)))
    (goal you 50)";

fn facts(machine: &dyn Machine, state: &State) -> Vec<String> {
    let mut terms = Vec::new();
    machine.facts(state, &mut terms);
    terms.into_iter().map(|t| machine.signature().text(t)).collect()
}

#[test]
fn a_game_runs_from_its_rules() {
    let machine = machine(COUNTER);
    let mut runner = machine.runner(&Budget::unlimited());
    let you = RoleId(0);
    assert_eq!(facts(&machine, machine.initial()), ["(at 0)"]);
    let moves: Vec<_> = runner.legal(you).unwrap().to_vec();
    let names: Vec<_> =
        moves.iter().map(|&a| machine.signature().text(machine.signature().action(a))).collect();
    assert_eq!(names, ["(by 1)", "(by 2)"]);
    for action in [moves[1], moves[0], moves[0]] {
        assert!(!runner.terminal().unwrap());
        runner.step(&[action]).unwrap();
    }
    assert!(runner.terminal().unwrap());
    assert_eq!(runner.goal(you), Ok(Some(50)));
    let mut state = State::default();
    runner.save(&mut state);
    assert_eq!(facts(&machine, &state), ["(at 10)"]);
}

#[test]
fn states_come_back_as_they_were_saved() {
    let machine = machine(COUNTER);
    let mut runner = machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(4);
    for _ in 0..20 {
        runner.set(machine.initial()).unwrap();
        runner.playout(&mut rng, 2).unwrap();
        let (mut before, mut after) = (State::default(), State::default());
        runner.save(&mut before);
        runner.set(machine.initial()).unwrap();
        runner.set(&before).unwrap();
        runner.save(&mut after);
        assert_eq!(before, after);
        let mut terms = Vec::new();
        machine.facts(&before, &mut terms);
        assert_eq!(machine.state_of(&terms).unwrap(), before);
    }
}

#[test]
fn one_seed_plays_one_game() {
    let machine = machine(COUNTER);
    let play = |seed| machine.runner(&Budget::unlimited()).playout(&mut Rng::from_seed(seed), 100).unwrap();
    let lengths: Vec<_> = (0..20).map(|seed| play(seed).steps).collect();
    assert_eq!(lengths, (0..20).map(|seed| play(seed).steps).collect::<Vec<_>>());
    assert!(lengths.contains(&2) && lengths.iter().any(|&l| l > 2), "{lengths:?}");
}

#[test]
fn ids_and_facts_of_other_games_are_refused() {
    let machine = machine(COUNTER);
    let mut runner = machine.runner(&Budget::unlimited());
    assert!(matches!(runner.step(&[ActionId(4_000_000)]), Err(GameError::UnknownAction { .. })));
    let foreign = State::from_words(&[u64::MAX, u64::MAX, 7 | 9 << 32]);
    assert!(matches!(runner.set(&foreign), Err(GameError::UnknownFact { .. })));
    assert!(runner.terminal().is_err(), "a runner without a state does not answer");
    runner.set(machine.initial()).unwrap();
    assert_eq!(runner.terminal(), Ok(false));
    let fact = read_term(machine.signature().terms(), "(at (at 0))").unwrap();
    assert!(matches!(machine.state_of(&[fact]), Err(GameError::UnknownFact { .. })));
}

#[test]
fn a_role_without_a_move_is_named() {
    let machine =
        machine("(role a) (role b) (legal a go) (init p) (<= terminal (true q)) (goal a 0) (goal b 0)");
    let stuck = machine.runner(&Budget::unlimited()).playout(&mut Rng::from_seed(1), 10);
    assert_eq!(stuck, Err(GameError::NoLegalMove { role: "b".into() }));
}

#[test]
fn states_that_grow_are_states_until_a_limit() {
    let machine = machine(
        "(role r) (init (n z)) (legal r go) (goal r 0) (<= terminal (true (n done)))
         (<= (next (n (s ?x))) (true (n ?x)))",
    );
    let mut runner = machine.runner(&Budget::unlimited());
    assert_eq!(runner.playout(&mut Rng::from_seed(1), 3).unwrap().steps, 3);
    let mut state = State::default();
    runner.save(&mut state);
    assert_eq!(facts(&machine, &state), ["(n (s (s (s z))))"]);

    let none = Budget::unlimited();
    none.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let cancelled = machine.runner(&none).playout(&mut Rng::from_seed(1), 1_000_000);
    assert_eq!(cancelled, Err(GameError::Limit(LimitError::Cancelled)));
}

#[test]
fn goals_are_one_value_or_none() {
    let machine = machine(
        "(role a) (role b) (role c) (init p) (legal a x) (legal b x) (legal c x) (<= terminal (true p))
         (goal a 10) (goal b 20) (goal b 30)",
    );
    let mut runner = machine.runner(&Budget::unlimited());
    let goals: Vec<_> = (0..3).map(|r| runner.goal(RoleId(r)).unwrap()).collect();
    assert_eq!(goals, [Some(10), None, None]);
}
