//! What has no net in real time, and why; and errors that both machines find.

use ludex_engine::TimedNetMachine;
use ludex_game::{RoleId, TimedMachine, TimedRuleMachine};
use ludex_gdl::GameTime;
use ludex_logic::Budget;
use ludex_propnet::TimedNetError;

use super::{compare, game};

fn refusal(rules: &str) -> TimedNetError {
    let text = format!("role(a). legal(a, go). goal(a, 0). terminal :- expired(p). {rules}");
    TimedNetMachine::new(&game(&text), &Default::default()).unwrap_err()
}

#[test]
fn what_has_no_net_says_which_rule() {
    let stored = refusal("init(1, p).\nnext(infinity, stored(T)) :- does(a, go) & true(T, p).");
    assert_eq!(stored, TimedNetError::LifetimeInTerm { rule: "2:1".into() });
    let handed =
        refusal("init(1, p).\nleft(T) :- true(T, p).\nsoon(f(T)) :- left(T). next(1, q) :- soon(f(1)).");
    assert_eq!(handed, TimedNetError::LifetimeInTerm { rule: "3:1".into() });
    let different =
        refusal("init(1, p). init(2, q).\nnext(1, r) :- true(T, p) & true(S, q) & distinct(T, S).");
    assert_eq!(different, TimedNetError::LifetimesCompared { rule: "2:1".into() });
    let denied = refusal("init(1, p). init(2, q).\nnext(1, r) :- true(T, p) & ~true(T, q).");
    assert_eq!(denied, TimedNetError::LifetimesCompared { rule: "2:1".into() });
}

/// Both machines after the same updates without moves, each when something expires.
fn both_agree(rules: &str, updates: usize) {
    let game = game(rules);
    let machine = TimedRuleMachine::new(&game, &Default::default()).unwrap();
    let net = TimedNetMachine::new(&game, &Default::default()).unwrap();
    let (mut one, mut other) = (machine.runner(&Budget::unlimited()), net.runner(&Budget::unlimited()));
    for update in 0..updates {
        let what = format!("update {update}");
        compare(&machine, &mut *other, &mut *one, &what);
        assert_eq!(one.rule_of_next_expiry(), other.rule_of_next_expiry(), "{what}");
        let Some(expiry) = one.time_to_expiry() else { return };
        assert_eq!(one.update(expiry, &[]), other.update(expiry, &[]), "{what}");
        compare(&machine, &mut *other, &mut *one, &what);
        assert_eq!(one.rule_of_next_expiry(), other.rule_of_next_expiry(), "{what}");
        assert_eq!(one.update(GameTime::ONE, &[]), other.update(GameTime::ONE, &[]), "{what}");
        let go = machine.find_term("go").unwrap().unwrap();
        let twice = [(RoleId(0), go); 2];
        assert_eq!(one.update(GameTime::ZERO, &twice), other.update(GameTime::ZERO, &twice), "{what}");
        assert_eq!(one.rule_of_move(RoleId(0), go), other.rule_of_move(RoleId(0), go), "{what}");
    }
}

#[test]
fn lifetimes_that_are_none_are_the_same_error() {
    both_agree(
        "role(a). legal(a, go). goal(a, 0). terminal :- true(T, end).
        init(1, p). init(infinity, left(2)). init(infinity, left(0)). init(infinity, left(soon)).
        next(T, q) :- expired(p) & true(infinity, left(T)). next(T, p) :- true(T, p). next(T, q) :- true(T, q).
        next(infinity, F) :- true(infinity, F).",
        4,
    );
}

#[test]
fn lifetimes_meet_constants_and_each_other() {
    // `meet` holds where both have 2 left, which is so after 1 and again after 3, and what is common goes on.
    both_agree(
        "role(a). legal(a, go). goal(a, 0). terminal :- true(T, end).
        init(3, p). init(2, q). init(1, tick). next(1, tick) :- expired(tick).
        next(T, p) :- true(T, p). next(T, q) :- true(T, q). next(2, q) :- true(1, q). next(2.5, p) :- expired(p).
        next(T, both) :- true(T, p) & true(T, q). next(T, slow) :- lasts(T) & true(T, q).
        next(infinity, marked(S)) :- true(S, p) & value(S). next(4, other) :- true(S, p) & distinct(S, 2).
        lasts(T) :- true(T, p). value(2). value(0.5). next(T, both) :- true(T, both).",
        12,
    );
}
