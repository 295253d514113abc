//! What can be agreed beyond plain rules and clocks: patience, cumulative clocks, the price of time, what
//! players are told, rules and words for single seats.

use crate::bundled;
use crate::harness;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::harness::{Harness, seconds, setup, shown};
use ludex_game::Rules;
use ludex_gdl::Notation;
use ludex_logic::{Budget, Clock};
use ludex_match::message::{CodecError, Last, Request, SEATS_TEXT_LIMIT, StartMessage, request_text};
use ludex_match::referee::{
    Entry, Patience, Referee, RefereeError, RefereeSetup, SeatNotation, SeatNumber, TimeBank,
};
use ludex_match::{Fault, MatchStatus, verify_match};

fn rules() -> Rules {
    bundled::rules("gdl/tic-tac-toe.kif")
}

/// A match with both players ready.
fn begun(agreed: RefereeSetup) -> Harness {
    Harness::ready(&rules(), agreed)
}

fn start_to(harness: &Harness, seat: u32) -> StartMessage {
    let to_seat = |sent: &&harness::Sent| sent.seat == SeatNumber(seat);
    match harness.sent.iter().find(to_seat).map(|sent| &sent.request) {
        Some(Request::Start(start)) => (**start).clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_player_that_fails_again_and_again_is_asked_again_and_again() {
    let mut harness = begun(setup(&rules()));
    while !harness.referee.has_ended() {
        assert_eq!(harness.referee.awaited().len(), 2);
        harness.wait(seconds(10));
    }
    assert_eq!(*harness.referee.status(), MatchStatus::Completed);
}

#[test]
fn a_player_that_fails_too_often_is_replaced_and_still_told_of_the_end() {
    let agreed = RefereeSetup { patience: Patience::Replace(2), ..setup(&rules()) };
    let mut harness = begun(agreed);
    let cell = |harness: &Harness, seat: usize| {
        let course = harness.referee.course();
        course.rules().text(course.legal(course.rules().seats()[seat])[0])
    };
    // Two failures, but not in a row.
    for answer in ["garbage", "good", "garbage", "garbage"] {
        assert_eq!(harness.referee.awaited().len(), 2);
        let (first, second) = (cell(&harness, 0), cell(&harness, 1));
        harness.answer(0, &first);
        harness.answer(1, if answer == "good" { &second } else { "garbage" });
    }
    assert_eq!(harness.joints().len(), 4);
    let asked = harness.sent.len();
    let first = cell(&harness, 0);
    assert_eq!(harness.referee.awaited().len(), 1, "only one is asked");
    harness.answer(0, &first);
    let Some(Entry::Stepped { faults, times, .. }) =
        harness.journal.iter().rfind(|entry| matches!(entry, Entry::Stepped { .. }))
    else {
        panic!("no step")
    };
    assert_eq!((&faults[..], times[1]), (&[None, Some(Fault::Replaced)][..], None));
    assert!(harness.sent[asked..].iter().all(|sent| sent.seat == SeatNumber(0)));
    while !harness.referee.has_ended() {
        let first = cell(&harness, 0);
        harness.answer(0, &first);
    }
    assert!(shown(&harness.last_sent(1).request).starts_with("stop(m23,"));
    assert_eq!(verify_match(&rules(), &harness.referee.record()).mismatches, []);
}

#[test]
fn a_match_of_replaced_players_plays_itself() {
    let agreed = RefereeSetup { patience: Patience::Replace(1), ..setup(&rules()) };
    let mut harness = begun(agreed);
    harness.answer_all(&["(", "("]);
    assert_eq!(*harness.referee.status(), MatchStatus::Completed);
    assert!(harness.referee.record().errors.last().unwrap().iter().all(|error| error == "RP"));
}

#[test]
fn a_match_can_end_with_somebodys_patience() {
    let agreed = RefereeSetup { patience: Patience::Abort(2), ..setup(&rules()) };
    let mut harness = begun(agreed);
    harness.answer_all(&["mark(1,1)", "(mark 1 2)"]);
    harness.answer_all(&["noop", "("]);
    let cause = "Beta failed in 2 steps in a row";
    assert_eq!(harness.journal.last(), Some(&Entry::Ended { aborted: Some(cause.into()), settled: None }));
    assert_eq!(shown(&harness.last_sent(0).request), "abort(m23)");
}

#[test]
fn a_cumulative_clock_runs_while_the_player_thinks() {
    let mut agreed = setup(&rules());
    agreed.clocks.bank = Some(TimeBank { total: seconds(12), increment: seconds(1) });
    let mut harness = begun(agreed);
    let bank = |harness: &Harness, seat| harness.referee.bank(SeatNumber(seat)).unwrap();
    assert_eq!(start_to(&harness, 0).play_clock, 10);
    harness.answer(1, "noop");
    harness.wait(seconds(8));
    harness.answer(0, "mark(1,1)");
    assert_eq!((bank(&harness, 0), bank(&harness, 1)), (seconds(5), seconds(13)));
    // Five seconds are left to the one, ten to the other, who has more but not for one move.
    let begun = harness.now;
    let until = |harness: &Harness, seat: u32| harness.last_sent(seat).until - begun;
    assert_eq!((until(&harness, 0), until(&harness, 1)), (seconds(5), seconds(10)));
    harness.wait(seconds(5));
    assert_eq!(harness.joints().len(), 1, "the other clock runs");
    assert_eq!(harness.referee.awaited().len(), 1);
    harness.answer(1, "mark(1,2)");
    assert_eq!(harness.joints().len(), 2, "nobody is waited for whose clock is over");
    assert_eq!(harness.referee.record().errors[2], ["TO", ""]);
    assert_eq!((bank(&harness, 0), bank(&harness, 1)), (seconds(1), seconds(9)));
    // With no time at all a player is still told what happened.
    let mut agreed = setup(&rules());
    agreed.clocks.bank = Some(TimeBank { total: seconds(1), increment: Duration::ZERO });
    let mut harness = Harness::new(&rules(), agreed);
    harness.begin();
    assert_eq!(start_to(&harness, 0).play_clock, 1);
    harness.answer_all(&["ready", "ready"]);
    harness.answer(1, "noop");
    harness.wait(seconds(1));
    assert_eq!(bank(&harness, 0), Duration::ZERO);
    assert_eq!(harness.last_sent(0).until, harness.now);
    harness.wait(Duration::ZERO);
    assert_eq!(harness.joints().len(), 1, "the other has a second");
    harness.wait(seconds(60));
    assert_eq!(*harness.referee.status(), MatchStatus::Completed);
}

#[test]
fn time_is_taken_off_the_reward() {
    let agreed = RefereeSetup { time_cost: Some(2.5), ..setup(&rules()) };
    let mut harness = begun(agreed);
    for joint in [["mark(1,1)", "noop"], ["noop", "mark(1,2)"], ["mark(2,2)", "noop"], ["noop", "mark(1,3)"]]
    {
        harness.answer(1, joint[1]);
        harness.wait(seconds(2));
        harness.answer(0, joint[0]);
    }
    assert_eq!(harness.referee.course().rewards(), None);
    harness.answer_all(&["mark(3,3)", "noop"]);
    assert_eq!(harness.referee.course().rewards(), Some(vec![Some(80.0), Some(0.0)]));
    let record = harness.referee.record();
    assert_eq!((record.time_cost, record.time_bank), (Some(2.5), None));
    assert_eq!(record.rewards, Some(vec![Some(80.0), Some(0.0)]));
    assert_eq!(record.goal_values, Some(vec![Some(100), Some(0)]));
    let line = record.write();
    assert_eq!(ludex_match::MatchRecord::read(&line).unwrap(), record);
    // Nobody loses what it does not have, and where time is free nothing is said.
    let expensive = RefereeSetup { time_cost: Some(1e9), ..setup(&rules()) };
    let mut harness = begun(expensive);
    harness.wait(seconds(100));
    assert_eq!(harness.referee.course().rewards(), Some(vec![Some(0.0), Some(0.0)]));
    let mut free = begun(setup(&rules()));
    free.wait(seconds(100));
    assert_eq!(free.referee.record().rewards, None);
}

#[test]
fn players_are_told_who_they_are_with_and_how_it_stands_only_where_that_was_agreed() {
    let mut agreed = setup(&rules());
    agreed.clocks.bank = Some(TimeBank { total: seconds(60), increment: seconds(2) });
    let harness = begun(agreed.clone());
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    // Who does not know of a clock for all moves would lose by it.
    assert_eq!(*start_to(&harness, 0).more, [pair("time_bank", "60"), pair("time_increment", "2")]);
    agreed.told =
        Some(vec![("format".into(), "swiss".into()), ("standing".into(), "(points 3 white)".into())]);
    agreed.seats[0].player = "Deep Blue".into();
    agreed.seats[1].scramble = Some(5);
    agreed.time_cost = Some(0.5);
    let harness = begun(agreed);
    let expected = [
        pair("(player white)", "|Deep Blue|"),
        pair("(player black)", "|Beta|"),
        pair("time_bank", "60"),
        pair("time_increment", "2"),
        pair("time_cost", "0.5"),
        pair("format", "swiss"),
        pair("standing", "(points 3 white)"),
    ];
    assert_eq!(*start_to(&harness, 0).more, expected);
    // To a seat that does not know the words of the game its own are said.
    let other = start_to(&harness, 1);
    assert_eq!(other.more[1], pair(&format!("(player {})", other.role), "|Beta|"));
    assert!(other.role != "black" && !other.more[6].1.contains("white"));
}

#[test]
fn a_scrambled_seat_plays_in_its_own_words() {
    let mut agreed = setup(&rules());
    agreed.seats[0].scramble = Some(11);
    agreed.seats[0].notation = SeatNotation::Infix;
    let mut harness = Harness::new(&rules(), agreed);
    harness.begin();
    let start = start_to(&harness, 0);
    for word in ["white", "mark", "cell", "noop", "control"] {
        assert!(!start.rules.contains(word), "{word}");
    }
    assert!(start.rules.contains(":-"), "in its notation");
    assert_eq!(start_to(&harness, 1).role, "black");
    // The player reads its rules, and plays by them.
    let own = bundled::parse("own.gdl", &start.rules);
    let role = own.find_role(&start.role).unwrap();
    harness.answer_all(&["ready", "ready"]);
    let action = own.text(own.legal(own.initial(), role).unwrap()[4]);
    assert!(!action.contains("mark"));
    harness.answer(0, &action);
    harness.answer(1, "noop");
    let joint = harness.joints()[0].clone();
    assert!(joint[0].starts_with("(mark") && joint[1] == "noop");
    assert_eq!(harness.referee.record().errors[1], ["", ""]);
    let Request::Play { last: Last::Joint(told), .. } = &harness.last_sent(0).request else {
        panic!("no play message")
    };
    let mut position = own.start();
    position.play(told).unwrap();
    assert!(told.iter().all(|action| !action.contains("mark") && !action.contains("noop")));
    let shown_to_other = shown(&harness.last_sent(1).request);
    assert_eq!(shown_to_other, format!("play(m23,[{},noop])", joint[0]));
    // What cannot be read is kept as it came, a move that is not legal in the words of the match.
    harness.answer(0, &action);
    harness.answer(1, "(((");
    assert_eq!(harness.referee.record().errors[2], [format!("IL {}", joint[0]), "MF (((".into()]);
}

#[test]
fn a_seat_may_have_rules_of_its_own() {
    let mut agreed = setup(&rules());
    agreed.seats[1].rulesheet = Some("role(white) role(black) legal(R,noop) :- role(R)".into());
    let harness = begun(agreed);
    assert!(start_to(&harness, 0).rules.contains("(role white)"));
    let own = start_to(&harness, 1).rules;
    assert!(own.contains("(<= (legal ?") && !own.contains("mark"), "{own}");
    let mut broken = setup(&rules());
    broken.seats[1].rulesheet = Some("role(white".into());
    let error = Referee::new(rules(), broken).unwrap_err();
    assert!(matches!(error, RefereeError::Codec(_)), "{error}");
}

/// Names that only bars or quotes can tell apart from others are understood as they are meant.
#[test]
fn moves_with_capitals_and_signs_are_understood() {
    let text = "role(r)\nlegal(r,goLeft) legal(r,'go-right') legal(r,go)\ninit(s)\n\
                next(done) :- does(r,A)\nterminal :- true(done)\ngoal(r,100)\n";
    let rules = bundled::parse("capitals.gdl", text);
    for notation in [SeatNotation::Infix, SeatNotation::Prefix] {
        for (answer, made) in [
            ("goLeft", "goLeft"),
            ("goleft", "goLeft"),
            ("GOLEFT", "goLeft"),
            ("|goLeft|", "goLeft"),
            ("'goLeft'", "goLeft"),
            ("'go-right'", "go-right"),
            ("|go-right|", "go-right"),
            ("GO", "go"),
        ] {
            if notation == SeatNotation::Prefix && answer.starts_with('\'') {
                // Prefix notation has bars for that.
                continue;
            }
            let mut agreed = setup(&rules);
            agreed.seats[0].notation = notation;
            let mut harness = Harness::new(&rules, agreed);
            harness.begin();
            harness.answer(0, "ready");
            harness.answer(0, answer);
            assert_eq!(harness.joints(), [[made]], "{answer} in {notation:?}");
            assert_eq!(harness.referee.record().errors[1], [""], "{answer} in {notation:?}");
        }
    }
}

/// A game of so many roles that all move at once, in a rulesheet of so many bytes more.
fn crowd(roles: usize, more: usize) -> Rules {
    let mut text: String = (0..roles).map(|number| format!("(role r{number})\n")).collect();
    text += "(init (at 0)) (succ 0 1) (succ 1 2) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
        (<= (legal ?r go) (role ?r)) (<= (goal ?r 50) (role ?r)) (<= terminal (true (at 2)))\n";
    for number in 0..more / 1000 {
        text += &format!("(word w{number} {})\n", "x".repeat(980));
    }
    bundled::parse("crowd.kif", &text)
}

/// Many seats take little more memory than a few: what they are told alike is there once, and is written once.
#[test]
fn what_many_seats_are_told_alike_is_held_once() {
    let rules = crowd(300, 1_000_000);
    let agreed = RefereeSetup { told: Some(vec![]), ..setup(&rules) };
    let mut harness = Harness::new(&rules, agreed);
    harness.begin();
    let first = start_to(&harness, 0);
    let mut own_bytes = 0;
    for seat in 0..300 {
        let start = start_to(&harness, seat);
        assert!(start.rules.is_same(&first.rules) && start.more.is_same(&first.more), "{seat}");
        let text = request_text(&Request::Start(Box::new(start)), Notation::Prefix);
        assert!(text.length() > 1_000_000);
        own_bytes += text.pieces().map(str::len).filter(|&length| length < 1024).sum::<usize>();
    }
    assert!(own_bytes < 100_000, "{own_bytes} bytes for each seat alone");
    harness.answer_all(&vec!["ready"; 300]);
    harness.answer_all(&vec!["go"; 300]);
    let told = |seat: u32| match &harness.last_sent(seat).request {
        Request::Play { last: Last::Joint(joint), .. } => joint.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(told(0).len(), 300);
    assert!((1..300).all(|seat| told(seat).is_same(&told(0))));
}

/// What each seat is told in words of its own is charged before it is made.
#[test]
fn seats_with_words_of_their_own_are_limited_by_what_they_hold() {
    let rules = crowd(40, 1_000_000);
    let mut agreed = setup(&rules);
    let refused = |agreed: RefereeSetup| match Referee::new(rules.clone(), agreed) {
        Err(error @ RefereeError::Codec(CodecError::TooMuch { limit: SEATS_TEXT_LIMIT })) => {
            error.to_string()
        }
        other => panic!("{:?}", other.map(|_| ())),
    };
    agreed.seats.iter_mut().zip(0..).for_each(|(seat, number)| seat.scramble = Some(number));
    let said = refused(agreed.clone());
    assert!(said.contains("more than 67108864 bytes: fewer seats"), "{said}");
    // Two of them are no trouble.
    agreed.seats.iter_mut().skip(2).for_each(|seat| seat.scramble = None);
    Referee::new(rules.clone(), agreed.clone()).unwrap();
    for (seat, number) in agreed.seats.iter_mut().zip(0..) {
        seat.rulesheet = Some(format!("{}\n; {number}", rules.source().text()));
    }
    refused(agreed);
    // Thousands of seats that are told each of all others, in other words.
    let many = crowd(2_000, 0);
    let mut agreed = RefereeSetup { told: Some(vec![]), ..setup(&many) };
    agreed.seats.iter_mut().for_each(|seat| seat.scramble = Some(1));
    assert!(matches!(Referee::new(many, agreed), Err(RefereeError::Codec(CodecError::TooMuch { .. }))));
}

/// A clock of which each look takes a second.
struct Slow(AtomicU64);

impl Clock for Slow {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// A step has its time as a whole, however many questions it takes.
#[test]
fn rules_that_are_too_slow_end_a_match() {
    let text = "(role a) (init (at 0)) (<= (legal a go) (true (at ?x))) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
        (succ 0 1) (succ 1 2) (<= terminal (true (at 2))) (<= (goal a 0) (true (at ?x)))
        (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
        (<= (legal a (idle ?m ?n ?o ?p ?q)) (true (at 1)) (d ?m) (d ?n) (d ?o) (d ?p) (d ?q) (true (at ?m)))";
    let rules = bundled::parse("slow.kif", text);
    let clock = |limit| Budget::unlimited().with_time_each(Arc::new(Slow(AtomicU64::new(0))), seconds(limit));
    for (limit, text) in [(2, Some("the rules are too slow: a step was stopped after 2 s")), (1 << 30, None)]
    {
        let rules = rules.within(clock(limit));
        let mut harness = Harness::new(&rules, setup(&rules));
        harness.begin();
        harness.answer_all(&["ready"]);
        harness.answer_all(&["go"]);
        let cause = text.map(str::to_owned);
        assert_eq!(harness.journal.iter().any(Entry::ends_match), cause.is_some());
        if cause.is_some() {
            assert_eq!(harness.journal.last(), Some(&Entry::Ended { aborted: cause, settled: None }));
        }
    }
}
