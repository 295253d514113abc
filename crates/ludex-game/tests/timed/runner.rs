//! What a runner answers, and what it refuses.

use ludex_game::{GameError, RoleId, RuleMachine, TimedError, TimedMachine, TimedRuleMachine, TimedState};
use ludex_gdl::{Lifetime, LifetimeError};
use ludex_logic::{Budget, LimitError};

use super::{game, machine, texts, time};

const BELL: &str = "
    role(a). role(b).
    init(2, bell). init(infinity, wall).
    legal(a, ring) :- true(T, bell).
    legal(b, mute) :- true(T, bell).
    next(T, bell) :- true(T, bell) & ~does(b, mute).
    next(infinity, wall) :- true(infinity, wall).
    next(1.50, echo) :- does(a, ring).
    next(infinity, silent) :- does(b, mute) & expired(bell).
    terminal :- expired(bell).
    goal(a, 100) :- expired(bell).
    goal(b, 50).
    goal(b, 0) :- expired(bell).
";

#[test]
fn a_state_is_one_since_its_update() {
    let machine = machine(BELL);
    let (a, b) = (RoleId(0), RoleId(1));
    let mut runner = machine.runner(&Budget::unlimited());
    assert_eq!(texts(&machine, runner.state()), ["2 bell", "infinity wall"]);
    let ring = runner.legal(a).unwrap()[0];
    runner.update(time("0.25"), &[(a, ring)]).unwrap();
    assert_eq!(texts(&machine, runner.state()), ["1.5 echo", "1.75 bell", "infinity wall"]);
    assert_eq!((runner.time_to_expiry(), runner.terminal()), (Some(time("1.5")), Ok(false)));
    assert_eq!((runner.goal(a), runner.goal(b)), (Ok(None), Ok(Some(50))));
    let saved = runner.state().clone();
    runner.update(time("1.5"), &[]).unwrap();
    assert_eq!(texts(&machine, runner.state()), ["-echo", "0.25 bell", "infinity wall"]);
    // Two move just when the bell is over.
    let mute = runner.legal(b).unwrap()[0];
    runner.update(time("0.25"), &[(b, mute), (a, ring)]).unwrap();
    assert_eq!(texts(&machine, runner.state()), ["-bell", "1.5 echo", "infinity silent", "infinity wall"]);
    assert_eq!((runner.terminal(), runner.goal(a), runner.goal(b)), (Ok(true), Ok(Some(100)), Ok(None)));
    assert_eq!(runner.update(time("0.1"), &[]), Err(GameError::Over.into()));
    runner.set(&saved).unwrap();
    assert_eq!((runner.terminal(), runner.state()), (Ok(false), &saved));
}

#[test]
fn wrong_updates_change_nothing() {
    let machine = machine(BELL);
    let a = RoleId(0);
    let mut runner = machine.runner(&Budget::unlimited());
    let ring = runner.legal(a).unwrap()[0];
    let mute = runner.legal(RoleId(1)).unwrap()[0];
    let beyond = TimedError::BeyondExpiry { elapsed: time("2.000000001"), expiry: time("2") };
    assert_eq!(runner.update(time("2.000000001"), &[(a, ring)]), Err(beyond));
    assert_eq!(runner.update(time("1"), &[]), Err(TimedError::NoEvent));
    let twice = runner.update(time("1"), &[(a, ring), (a, ring)]);
    assert_eq!(twice, Err(TimedError::TwoMoves { role: "a".into() }));
    let illegal = GameError::IllegalMove { role: "a".into(), action: "mute".into() };
    assert_eq!(runner.update(time("1"), &[(a, mute)]), Err(illegal.into()));
    assert!(runner.update(time("1"), &[(RoleId(7), ring)]).is_err());
    assert_eq!(runner.state(), machine.initial());
    runner.update(time("1"), &[(a, ring)]).unwrap();
}

#[test]
fn lifetimes_that_are_none_are_told_with_their_rule() {
    let text = "role(a). init(1, p). init(infinity, left(2)). init(infinity, left(0)).
        next(T, q) :- expired(p) & true(infinity, left(T)).
        legal(a, go) :- true(T, q). terminal :- true(T, q). goal(a, 0).";
    let machine = machine(text);
    let mut runner = machine.runner(&Budget::unlimited());
    let error = runner.update(time("1"), &[]).unwrap_err();
    let expected = TimedError::Lifetime {
        fact: "q".into(),
        lifetime: "0".into(),
        cause: LifetimeError::NotPositive,
        rule: Some("2:9".into()),
    };
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "the rules give `q` the lifetime `0`, which is not greater than 0 (the rule at 2:9)"
    );
    assert_eq!((runner.terminal(), runner.state()), (Ok(false), machine.initial()));

    let text = "role(a). named(soon). init(T, p) :- late(T). late(T) :- named(T).
        legal(a, go) :- true(T, p). terminal :- expired(p). goal(a, 0).";
    let error = TimedRuleMachine::new(&game(text), &Default::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the rules give `p` the lifetime `soon`, which is neither a decimal number nor `infinity` (the rule at 1:23)"
    );
}

#[test]
fn one_fact_may_have_several_lifetimes() {
    let machine = machine(
        "role(a). init(1, p). init(2, p). next(T, p) :- true(T, p). terminal :- expired(p) & ~on. on :- true(T, p).
        legal(a, go) :- true(1, p). goal(a, 0).",
    );
    let mut runner = machine.runner(&Budget::unlimited());
    runner.update(time("1"), &[]).unwrap();
    assert_eq!(texts(&machine, runner.state()), ["-p", "1 p"]);
    assert_eq!((runner.terminal(), runner.legal(RoleId(0)).unwrap().len()), (Ok(false), 1));
    runner.update(time("1"), &[]).unwrap();
    assert_eq!((texts(&machine, runner.state()), runner.terminal()), (vec!["-p".to_owned()], Ok(true)));
}

#[test]
fn numbers_mean_the_same_however_they_are_written() {
    let machine = machine(
        "role(a). init(1.50, p(0.50)). legal(a, put(2.50)). next(infinity, done) :- does(a, put(2.5)) & true(1, p(0.5)).
        terminal :- true(T, done). goal(a, 100).",
    );
    let mut runner = machine.runner(&Budget::unlimited());
    let found = ["put(2.5)", "(put 2.500)", "put(2.50)"].map(|text| machine.find_term(text).unwrap());
    assert!(found.iter().all(|action| action.is_some() && *action == found[0]));
    runner.update(time("0.5"), &[(RoleId(0), found[0].unwrap())]).unwrap();
    assert_eq!(runner.terminal(), Ok(true));
    assert_eq!(machine.find_term("put(7.25)").unwrap(), None);
}

#[test]
fn any_state_of_the_game_can_be_set() {
    let machine = machine(BELL);
    let mut runner = machine.runner(&Budget::unlimited());
    let [bell, echo, ring] = ["bell", "echo", "ring"].map(|text| machine.find_term(text).unwrap().unwrap());
    let lifetime = |text: &str| Lifetime::parse(text).unwrap();
    let facts = vec![(lifetime("0.123456789"), bell), (Lifetime::INFINITE, echo)];
    runner.set(&TimedState::new(machine.terms(), facts, vec![echo])).unwrap();
    assert_eq!(texts(&machine, runner.state()), ["-echo", "0.123456789 bell", "infinity echo"]);
    runner.update(time("0.123456789"), &[]).unwrap();
    assert_eq!(runner.terminal(), Ok(true));
    let foreign = TimedState::new(machine.terms(), vec![(Lifetime::INFINITE, ring)], Vec::new());
    let unknown = GameError::UnknownFact { fact: "ring".into() };
    assert_eq!(runner.set(&foreign), Err(unknown.clone().into()));
    assert_eq!(runner.terminal(), Err(unknown.into()));
    runner.set(machine.initial()).unwrap();
    assert_eq!(runner.terminal(), Ok(false));
}

#[test]
fn limits_hold_for_each_question() {
    let machine = machine(BELL);
    let mut runner = machine.runner(&Budget::unlimited().with_memory(1));
    let ring = machine.find_term("ring").unwrap().unwrap();
    let error = runner.update(time("1"), &[(RoleId(0), ring)]).unwrap_err();
    assert!(matches!(error, TimedError::Game(GameError::Limit(LimitError::Memory { .. }))), "{error}");
}

#[test]
fn each_language_has_its_machine() {
    let timed = game(BELL);
    let error = RuleMachine::new(&timed, &Default::default()).unwrap_err();
    assert_eq!(error, GameError::RealTime { dialect: "rtGDL".into() });
    let plain = game("role(a). init(p). legal(a, go). next(p). terminal :- ~true(p). goal(a, 0).");
    let error = TimedRuleMachine::new(&plain, &Default::default()).unwrap_err();
    assert_eq!(error, TimedError::NotTimed { dialect: "GDL".into() });
}
