//! Moves and times.

use ludex_match::MatchStatus;
use ludex_match::referee::real_time::{REFUSALS, TimedEntry, TimedReferee, TimedSetup, Verdict};
use ludex_match::referee::{Event, RefereeError, SeatNumber};

use super::harness::{Harness, milliseconds, seconds, setup};
use super::{GUNS, parse};

/// Anybody may add one, any time.
const COUNTER: &str = "
    role(a) role(b)
    init(infinity,sum(0)) init(10,end)
    next(T,end) :- true(T,end)
    next(infinity,sum(N)) :- true(T,sum(M)) & does(R,add) & succ(M,N)
    next(T,sum(N)) :- true(T,sum(N)) & ~moved
    moved :- does(R,add)
    legal(R,add) :- role(R) & true(T,sum(N)) & succ(N,M)
    succ(0,1) succ(1,2) succ(2,3) succ(3,4) succ(4,5)
    terminal :- true(T,sum(5))
    terminal :- expired(end)
    goal(R,50) :- role(R)
";

#[test]
fn several_moves_answer_one_message() {
    let rules = parse("counter.gdl", COUNTER);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.heard();
    let first = match_.last_sent(0).message;
    let reply = |bytes: &str| Event::Reply { seat: SeatNumber(0), message: first, bytes: bytes.into() };
    match_.wait(seconds(2));
    match_.on(reply("add"));
    match_.wait(seconds(2));
    match_.on(reply("add"));
    assert_eq!(
        match_.heard(),
        ["0: play (add nil) 0.1", "1: play (add nil) 0.1", "0: play (add nil) 0.2", "1: play (add nil) 0.2"]
    );
    // Two at one moment are two updates.
    match_.on(reply("add"));
    match_.say(1, "add");
    assert_eq!(
        match_.heard(),
        [
            "0: play (add nil) 0.200000001",
            "1: play (add nil) 0.200000001",
            "0: play (nil add) 0.200000002",
            "1: play (nil add) 0.200000002"
        ]
    );
}

#[test]
fn what_comes_while_something_is_written_waits_with_its_time() {
    let rules = parse("counter.gdl", COUNTER);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.heard();
    match_.is_quick = false;
    match_.wait(seconds(2));
    match_.say(0, "add");
    match_.wait(seconds(2));
    match_.say(1, "add");
    match_.wait(seconds(2));
    match_.say(0, "subtract");
    match_.wait(seconds(2));
    assert_eq!((match_.heard(), match_.referee.course().events().len()), (vec![], 0));
    match_.write_one();
    assert_eq!(match_.heard(), ["0: play (add nil) 0.1", "1: play (add nil) 0.1"]);
    match_.write_one();
    assert_eq!(match_.heard(), ["0: play (nil add) 0.2", "1: play (nil add) 0.2", "0: play nil 0.3"]);
    let [.., TimedEntry::Happened { moves, until, last: false }] = &match_.journal[..] else {
        panic!("{:?}", match_.journal);
    };
    assert_eq!((moves.len(), until.to_string().as_str()), (2, "0.4"));
}

#[test]
fn what_is_no_move_is_noted_and_nothing_is_nothing() {
    let rules = parse("counter.gdl", COUNTER);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.heard();
    for nothing in ["", "  ", "nil", "NIL"] {
        match_.say(1, nothing);
    }
    assert_eq!((match_.heard().len(), match_.journal.len()), (0, 2));
    match_.wait(seconds(1));
    match_.say(1, "((");
    match_.wait(seconds(1));
    match_.say(1, "(add more)");
    assert_eq!(match_.heard(), ["1: play nil 0.05", "1: play nil 0.1"]);
    let found: Vec<String> = (match_.referee.record().moves.iter())
        .map(|arrival| match &arrival.verdict {
            Verdict::Made(text) => text.clone(),
            Verdict::Refused(fault) => fault.code(),
        })
        .collect();
    assert_eq!(found, ["MF ((", "IL (add more)"]);
    assert_eq!(match_.referee.course().state().facts().len(), 2);
}

#[test]
fn delays_are_measured() {
    let rules = parse("counter.gdl", COUNTER);
    let mut match_ = Harness::started(&rules, setup(&rules));
    assert_eq!(match_.referee.delay(SeatNumber(0)), Some(1_000));
    match_.wait(milliseconds(300));
    match_.say(0, "add");
    match_.wait(milliseconds(500));
    match_.say(0, "add");
    let times: Vec<_> = match_.referee.record().moves.iter().map(|m| (m.taken, m.delay)).collect();
    assert_eq!(times, [(Some(300), Some(300)), (Some(500), Some(300))]);
    assert_eq!(match_.referee.delay(SeatNumber(1)), Some(1_000));
}

#[test]
fn a_player_that_is_not_ready_does_not_hold_up_the_game() {
    let rules = parse("counter.gdl", COUNTER);
    let mut match_ = Harness::new(&rules, setup(&rules));
    match_.on(Event::Begin);
    match_.say(0, "READY");
    match_.heard();
    match_.wait(seconds(10));
    assert_eq!(match_.heard(), ["0: play nil 0", "1: play nil 0"]);
    match_.say(1, "add");
    assert_eq!(match_.heard().len(), 2);
}

#[test]
fn a_match_can_be_aborted() {
    let rules = parse("counter.gdl", COUNTER);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.wait(seconds(1));
    match_.say(0, "add");
    match_.heard();
    match_.on(Event::Abort("rain".into()));
    assert_eq!(match_.heard(), ["0: abort", "1: abort"]);
    assert_eq!(*match_.referee.status(), MatchStatus::Aborted("rain".into()));
    match_.say(0, "aborted");
    match_.wait(seconds(3));
    assert!(match_.done && match_.referee.has_ended());
}

/// A lifetime that only a state brings about ends the match, and nothing else.
#[test]
fn rules_without_an_answer_abort_the_match() {
    let rules = parse(
        "wrong.gdl",
        "role(you) init(1,start) init(infinity,length(2)) init(infinity,length(0)).
         next(T,bad) :- expired(start) & true(infinity,length(T)).
         legal(you,stop) :- true(T,start). goal(you,50). terminal :- expired(bad)",
    );
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.heard();
    match_.wait(seconds(30));
    assert_eq!(match_.heard(), ["0: abort"]);
    let MatchStatus::Aborted(cause) = match_.referee.status() else { panic!("it goes on") };
    assert!(cause.contains("the rules give `bad` the lifetime `0`"), "{cause}");
    let again = TimedReferee::resume(rules, &match_.journal).unwrap();
    assert_eq!(again.status(), match_.referee.status());
}

#[test]
fn agreements_that_make_no_match_are_refused() {
    let rules = parse("guns.gdl", GUNS);
    let refused = |change: &dyn Fn(&mut TimedSetup)| {
        let mut agreed = setup(&rules);
        change(&mut agreed);
        TimedReferee::new(rules.clone(), agreed).err()
    };
    assert_eq!(refused(&|agreed| agreed.unit = seconds(0)), Some(RefereeError::Unit));
    assert!(matches!(refused(&|agreed| agreed.id = "M 1".into()), Some(RefereeError::Id { .. })));
    let seats = refused(&|agreed| agreed.seats.truncate(1));
    assert_eq!(seats, Some(RefereeError::Seats { roles: 2, seats: 1 }));
    assert_eq!(refused(&|_| ()), None);
}

/// A player that answers everything with something illegal is told so for a while; its legal moves count for ever.
#[test]
fn whoever_sends_what_is_not_legal_is_told_so_for_a_while() {
    let rules = parse("counter.gdl", COUNTER);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.heard();
    for _ in 0..REFUSALS + 10 {
        match_.say(0, "subtract");
    }
    assert_eq!(match_.heard().len(), REFUSALS as usize);
    match_.say(1, "subtract");
    match_.say(0, "add");
    assert_eq!(
        match_.heard(),
        ["1: play nil 0.000001", "0: play (add nil) 0.000001001", "1: play (add nil) 0.000001001"]
    );
    let again = TimedReferee::resume(rules.clone(), &match_.journal).unwrap();
    assert_eq!(again.record().moves, match_.referee.record().moves);
}
