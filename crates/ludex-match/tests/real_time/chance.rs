//! rtGDL-II: percepts instead of moves, and `random`.

use ludex_game::TimedEvent;

use super::harness::{Harness, seconds, setup};
use super::parse;

/// A pushes and b sees it; what b does nobody sees. Once, within 2 units of time, a bell rings, which both hear.
pub const BELL: &str = "
    role(random) role(a) role(b)
    init(infinity,quiet) init(3,end)
    next(T,end) :- true(T,end)
    next(T,quiet) :- true(T,quiet) & ~rings
    next(infinity,rung) :- rings
    next(T,rung) :- true(T,rung)
    next(infinity,done(R)) :- does(R,push)
    next(T,done(R)) :- true(T,done(R))
    rings :- does(random,ring(2))
    legal(random,ring(2)) :- true(T,quiet)
    legal(R,push) :- seat(R) & ~over(R)
    over(R) :- true(T,done(R))
    seat(a) seat(b)
    sees(b,pushed) :- does(a,push)
    sees(R,ding) :- rings & seat(R)
    terminal :- expired(end)
    goal(R,50) :- role(R)
";

#[test]
fn roles_are_told_what_they_do_and_see() {
    let rules = parse("bell.gdl", BELL);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.heard();
    match_.say(1, "push");
    match_.say(0, "push");
    // Both players know what they did, and only b what the other one did.
    assert_eq!(
        match_.heard(),
        ["1: play 1 push nil 0", "0: play 1 push nil 0.000000001", "1: play 2 nil (pushed) 0.000000001"]
    );
    match_.say(0, "push");
    assert_eq!(match_.heard(), ["0: play nil 0.000000002"]);
    match_.wait(seconds(60));
    let rung = match_.referee.course().events().iter().find_map(|event| match event {
        TimedEvent::Update(update) => {
            update.moves.iter().any(|made| made.0.index() == 0).then(|| update.time.to_string())
        }
        TimedEvent::Wasted { .. } => None,
    });
    let rung = rung.expect("the bell rang");
    assert_eq!(
        match_.heard(),
        [
            format!("0: play 2 nil (ding) {rung}"),
            format!("1: play 3 nil (ding) {rung}"),
            "0: stop nil 3".to_owned(),
            "1: stop nil 3".to_owned()
        ]
    );
}
