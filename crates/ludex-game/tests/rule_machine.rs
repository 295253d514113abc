//! The rule machine, seen from outside.

use std::sync::Arc;

use ludex_game::{
    ActionId, GameError, Machine, MachineTag, Rng, RoleId, RuleMachine, RuleMachineOptions, State, read_term,
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
    let unknown = machine.initial().with_words(&[u64::MAX, u64::MAX, 7 | 9 << 32]);
    assert!(matches!(runner.set(&unknown), Err(GameError::UnknownFact { .. })));
    let foreign = State::new(MachineTag::default(), machine.initial().words());
    assert_eq!(runner.set(&foreign), Err(GameError::ForeignState));
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

/// A robot that may not step where a beam hits it, and the beam shines through the square it leaves. The
/// model of `beam` has a row for each two squares of a row and each square seen through: some half a
/// million. A state needs a few of them.
fn beams() -> String {
    let mut rules = String::from(
        "(role robot) (init (at 1 1)) (init (gun 3 5)) (init (gun 9 2))
        (<= (init (open ?x ?y)) (index ?x) (index ?y))
        (<= (next ?fact) (true ?fact) (kept ?fact))
        (<= (kept (gun ?x ?y)) (index ?x) (index ?y)) (<= (kept (open ?x ?y)) (index ?x) (index ?y))
        (<= (next (at ?u ?v)) (does robot (go ?x ?y ?u ?v)))
        (<= (next (at ?x ?y)) (does robot stay) (true (at ?x ?y))) (legal robot stay)
        (<= (beam ?x ?y ?u ?y ?p ?q) (succ ?x ?u) (index ?y) (index ?p) (index ?q))
        (<= (beam ?x ?y ?u ?y ?p ?q) (succ ?x ?m) (true (open ?m ?y)) (beam ?m ?y ?u ?y ?p ?q))
        (<= (beam ?x ?q ?u ?q ?p ?q) (succ ?x ?p) (beam ?p ?q ?u ?q ?p ?q))
        (<= (hit ?u ?v ?p ?q) (true (gun ?x ?y)) (beam ?x ?y ?u ?v ?p ?q))
        (<= (legal robot (go ?x ?y ?u ?y)) (true (at ?x ?y)) (succ ?x ?u) (not (hit ?u ?y ?x ?y)))
        (<= (legal robot (go ?x ?y ?x ?v)) (true (at ?x ?y)) (succ ?y ?v) (not (hit ?x ?v ?x ?y)))
        (<= terminal (true (at 16 16))) (goal robot 50) ",
    );
    for number in 1..=16 {
        rules += &format!("(index {number}) ");
        if number < 16 {
            rules += &format!("(succ {number} {}) ", number + 1);
        }
    }
    rules
}

#[test]
fn few_questions_need_no_huge_model() {
    let checked = load(Arc::new(Source::new("beams", beams().as_str())), &LoadOptions::default());
    let game = checked.game.unwrap();
    let steps = |demand_threshold| {
        let options = RuleMachineOptions { tune: false, demand_threshold, ..RuleMachineOptions::default() };
        let machine = RuleMachine::new(&game, &options).unwrap();
        let question = Budget::unlimited().with_work(300_000);
        let mut runner = machine.runner(&question);
        let mut rng = Rng::from_seed(3);
        runner.playout(&mut rng, 20).map(|playout| playout.steps)
    };
    assert_eq!(steps(Some(f64::INFINITY)), Err(LimitError::Work { limit: 300_000 }.into()));
    assert_eq!(steps(None), Ok(20));
}

#[test]
fn rules_that_no_choice_makes_quick_are_left_to_the_questions() {
    // The first step makes a fact of each pair of six hundred numbers.
    let mut rules = String::from(
        "(role you) (legal you stay) (goal you 50) (<= terminal (true (pair 0 0)))
        (<= (next (pair ?a ?b)) (true (number ?a)) (true (number ?b)))",
    );
    (0..600).for_each(|number| rules += &format!("(init (number {number})) "));
    let checked = load(Arc::new(Source::new("pairs", rules.as_str())), &LoadOptions::default());
    let budget = Budget::unlimited().with_work(50_000);
    let options = RuleMachineOptions { tune: false, budget: budget.clone(), ..RuleMachineOptions::default() };
    let machine = RuleMachine::new(&checked.game.unwrap(), &options).unwrap();
    let mut runner = machine.runner(&budget);
    assert_eq!(runner.terminal(), Ok(false));
    let joint = [runner.legal(RoleId(0)).unwrap()[0]];
    assert_eq!(runner.step(&joint), Err(LimitError::Work { limit: 50_000 }.into()));
}
