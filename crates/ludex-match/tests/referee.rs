//! What a referee says and when: the matches of the book, clocks, answers that are wrong.

use crate::bundled;
use std::time::Duration;

use crate::harness::{Harness, seconds, setup, shown};
use ludex_match::message::Request;
use ludex_match::referee::{
    Clocks, Entry, EntryNumber, Event, MessageNumber, Patience, Referee, RefereeError, RefereeSetup,
    SeatNumber, TimerNumber,
};
use ludex_match::{Fault, MatchStatus, verify_match};

fn tic_tac_toe() -> Harness {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    Harness::new(&rules, setup(&rules))
}

/// A match whose first move is to be made.
fn begun() -> Harness {
    let mut harness = tic_tac_toe();
    harness.begin();
    harness.answer_all(&["ready", "ready"]);
    harness
}

fn faults(entry: &Entry) -> &[Option<Fault>] {
    match entry {
        Entry::Ready { faults, .. } | Entry::Stepped { faults, .. } => faults,
        _ => &[],
    }
}

fn times(entry: &Entry) -> &[Option<u64>] {
    match entry {
        Entry::Ready { times, .. } | Entry::Stepped { times, .. } => times,
        _ => &[],
    }
}

#[test]
fn the_match_of_chapter_3_4() {
    let mut harness = begun();
    let moves = [
        ["mark(1,1)", "noop"],
        ["noop", "mark(1,2)"],
        ["(MARK 2 2)", "NOOP"],
        ["noop", " ( mark 1 3 ) "],
        ["mark(3,3)", "noop"],
    ];
    for joint in moves {
        harness.answer_all(&joint);
    }
    let to_x: Vec<String> = harness
        .sent
        .iter()
        .filter(|sent| sent.seat == SeatNumber(0))
        .map(|sent| shown(&sent.request))
        .collect();
    assert_eq!(
        to_x,
        [
            "start(m23,white,10,10)",
            "play(m23,nil)",
            "play(m23,[(mark 1 1),noop])",
            "play(m23,[noop,(mark 1 2)])",
            "play(m23,[(mark 2 2),noop])",
            "play(m23,[noop,(mark 1 3)])",
            "stop(m23,[(mark 3 3),noop])",
        ]
    );
    let mut to_both = harness.sent.chunks(2).skip(1);
    assert!(to_both.all(|pair| pair[0].request == pair[1].request), "all but start is the same for all");
    let Request::Start(start) = &harness.sent[1].request else { panic!("{:?}", harness.sent[1]) };
    assert_eq!(start.role, "black");
    assert!(start.rules.contains("(role black)"));
    assert_eq!(*start.more, []);
    assert!(!harness.done);
    harness.answer_all(&["done", "done"]);
    assert!(harness.done && harness.referee.is_done());
    assert_eq!(*harness.referee.status(), MatchStatus::Completed);
    assert_eq!(harness.journal.last(), Some(&Entry::Ended { aborted: None, settled: None }));
    let record = harness.referee.record();
    assert_eq!(record.goal_values, Some(vec![Some(100), Some(0)]));
    assert_eq!(record.player_names_from_host, ["Alpha", "Beta"]);
    assert_eq!(verify_match(harness.referee.course().rules(), &record).mismatches, []);
}

/// The book's match ends after three rounds with no line on the board as it was played: white has
/// (1,1), (2,2) and (3,3), if the coin fell for white in the second round.
#[test]
fn the_match_of_chapter_17_5() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let white_wins_the_toss = |seed: &u64| {
        let mut harness = Harness::new(&rules, RefereeSetup { seed: *seed, ..setup(&rules) });
        harness.begin();
        harness.answer_all(&["ready", "ready"]);
        harness.answer_all(&["mark(1,1)", "mark(2,3)"]);
        harness.answer_all(&["mark(2,2)", "mark(2,2)"]);
        harness.joints()[1][2] == "(tiebreak x)"
    };
    let seed = (0..20).find(white_wins_the_toss).unwrap();
    let mut harness = Harness::new(&rules, RefereeSetup { seed, ..setup(&rules) });
    harness.begin();
    harness.answer_all(&["ready", "ready"]);
    harness.answer_all(&["mark(1,1)", "mark(2,3)"]);
    harness.answer_all(&["mark(2,2)", "mark(2,2)"]);
    harness.answer_all(&["mark(3,3)", "mark(1,3)"]);
    let to = |seat: u32| -> Vec<String> {
        let sent = harness.sent.iter().filter(|sent| sent.seat == SeatNumber(seat));
        sent.map(|sent| shown(&sent.request)).collect()
    };
    assert_eq!(
        to(0),
        [
            "start(m23,white,10,10)",
            "play(m23,0,nil,[])",
            "play(m23,1,(mark 1 1),[ok])",
            "play(m23,2,(mark 2 2),[ok])",
            "stop(m23,3,(mark 3 3),[ok])",
        ]
    );
    assert_eq!(
        to(1),
        [
            "start(m23,black,10,10)",
            "play(m23,0,nil,[])",
            "play(m23,1,(mark 2 3),[ok])",
            "play(m23,2,(mark 2 2),[])",
            "stop(m23,3,(mark 1 3),[ok])",
        ]
    );
    let record = harness.referee.record();
    assert_eq!(record.player_names_from_host, ["Alpha", "Beta", "random"]);
    assert_eq!(verify_match(&rules, &record).mismatches, []);
}

#[test]
fn nothing_is_said_before_it_is_written() {
    let mut harness = tic_tac_toe();
    harness.on(Event::Begin);
    assert!(matches!(harness.unwritten[0].1, Entry::Opened { .. }));
    assert_eq!(harness.sent, []);
    harness.write_one();
    assert_eq!(harness.sent.len(), 2);
    let (first, second) = (harness.sent[0].message, harness.sent[1].message);
    let ready = |seat, message| Event::Reply { seat: SeatNumber(seat), message, bytes: b"ready".to_vec() };
    harness.on(ready(1, second));
    assert!(harness.unwritten.is_empty());
    harness.on(ready(0, first));
    assert!(matches!(harness.unwritten[0].1, Entry::Ready { .. }));
    // While the journal is slow, neither time nor answers nor a false alarm move the referee.
    harness.on(Event::Timer(harness.timers[0].0));
    harness.on(ready(0, first));
    harness.on(Event::Written(EntryNumber(0)));
    harness.on(Event::Written(EntryNumber(2)));
    assert_eq!((harness.sent.len(), harness.unwritten.len()), (2, 1));
    harness.write_one();
    assert_eq!(harness.sent.len(), 4);
    // A step is not seen before it is written either.
    for seat in [0, 1] {
        let (message, bytes) = (harness.last_sent(seat).message, b"noop".to_vec());
        harness.on(Event::Reply { seat: SeatNumber(seat), message, bytes });
    }
    assert_eq!(harness.unwritten.len(), 1);
    assert_eq!(harness.referee.course().steps().len(), 0);
    assert_eq!(harness.referee.record().moves.len(), 0);
    harness.write_one();
    assert_eq!(harness.referee.course().steps().len(), 1);
}

#[test]
fn the_start_clock_ends_when_all_are_ready_or_when_it_is_over_and_never_between() {
    let mut harness = tic_tac_toe();
    harness.begin();
    harness.wait(seconds(3));
    harness.answer(0, "READY");
    harness.wait(Duration::from_millis(6_999));
    assert_eq!(harness.sent.len(), 2, "the clock of the other seat is not over");
    assert_eq!(harness.referee.awaited().len(), 1);
    harness.wait(Duration::from_millis(1));
    assert_eq!(harness.sent.len(), 4);
    assert_eq!(harness.dropped, [harness.sent[1].message]);
    assert_eq!(faults(&harness.journal[1]), [None, Some(Fault::Timeout)]);
    assert_eq!(times(&harness.journal[1]), [Some(3000), None]);
    assert_eq!(harness.sent[3].until, harness.now + seconds(10), "who was late has a full clock again");
    let record = harness.referee.record();
    assert_eq!(record.errors[0], ["", "TO"]);
}

#[test]
fn the_play_clock_ends_when_all_have_moved_or_when_it_is_over() {
    let mut harness = begun();
    harness.wait(seconds(2));
    harness.answer(1, "noop");
    harness.wait(Duration::from_millis(7_999));
    assert_eq!(harness.joints().len(), 0);
    harness.wait(Duration::from_millis(1));
    let step = harness.journal.last().unwrap();
    assert_eq!(faults(step), [Some(Fault::Timeout), None]);
    assert_eq!(times(step), [Some(10_000), Some(2_000)]);
    let Entry::Stepped { joint, at, .. } = step else { panic!("{step:?}") };
    assert!(joint[0].starts_with("(mark"), "a random legal move");
    assert_eq!(*at, Some(1_010_000));
    // The player that was late is told what was done in its name, and asked again (specification 7.2).
    assert_eq!(shown(&harness.last_sent(0).request), format!("play(m23,[{},noop])", joint[0]));
}

#[test]
fn an_answer_at_the_last_moment_counts_and_one_after_it_does_not() {
    let mut harness = begun();
    harness.answer(1, "noop");
    harness.now += seconds(10);
    harness.answer(0, "mark(2,2)");
    assert_eq!(harness.joints()[0], ["(mark 2 2)", "noop"]);
    let mut harness = begun();
    harness.answer(1, "noop");
    harness.now += seconds(10) + Duration::from_nanos(1);
    harness.answer(0, "mark(2,2)");
    assert_eq!(faults(harness.journal.last().unwrap()), [Some(Fault::Timeout), None]);
}

#[test]
fn a_grace_is_waited_for_but_not_counted() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut setup = setup(&rules);
    setup.clocks.grace = Duration::from_millis(500);
    let mut harness = Harness::new(&rules, setup);
    harness.begin();
    harness.answer_all(&["ready", "ready"]);
    harness.answer(1, "noop");
    harness.wait(Duration::from_millis(10_400));
    harness.answer(0, "mark(2,2)");
    let step = harness.journal.last().unwrap();
    assert_eq!(faults(step), [None, None]);
    assert_eq!(times(step), [Some(10_000), Some(0)]);
}

#[test]
fn wrong_answers_are_replaced_and_the_cause_is_kept() {
    let long = "x".repeat(1000);
    let huge = "(".repeat(1 << 20);
    let kept = |text: &str| format!("{}...", text.chars().take(200).collect::<String>());
    let cases: [(&[u8], Fault); 10] = [
        (b"(mark 4 4)", Fault::Illegal("(mark 4 4)".into())),
        (b"noop", Fault::Illegal("noop".into())),
        (b"ready", Fault::Illegal("ready".into())),
        (b"", Fault::Malformed(String::new())),
        (b"(mark 1", Fault::Malformed("(mark 1".into())),
        (b"(mark ?x 1)", Fault::Malformed("(mark ?x 1)".into())),
        (b"noop noop", Fault::Malformed("noop noop".into())),
        (b"\xff\xfe", Fault::Malformed("\u{fffd}\u{fffd}".into())),
        (long.as_bytes(), Fault::Illegal(kept(&long))),
        (huge.as_bytes(), Fault::Malformed(kept(&huge))),
    ];
    for (answer, fault) in cases {
        let mut harness = begun();
        harness.answer(1, "noop");
        let (seat, message) = (SeatNumber(0), harness.last_sent(0).message);
        harness.on(Event::Reply { seat, message, bytes: answer.to_vec() });
        harness.write();
        assert_eq!(faults(harness.journal.last().unwrap()), [Some(fault.clone()), None]);
        assert_eq!(harness.referee.record().errors[1], [fault.code(), String::new()]);
        assert!(harness.joints()[0][0].starts_with("(mark"));
    }
    let mut harness = begun();
    harness.fail(0, "connection refused");
    harness.answer(1, "noop");
    let fault = Fault::Failed("connection refused".into());
    assert_eq!(faults(harness.journal.last().unwrap()), [Some(fault), None]);
}

#[test]
fn a_player_that_is_not_ready_is_noted_and_stays() {
    let mut harness = tic_tac_toe();
    harness.begin();
    harness.answer(0, "busy");
    harness.fail(1, "no route");
    let expected = [Some(Fault::Failed("busy".into())), Some(Fault::Failed("no route".into()))];
    assert_eq!(faults(&harness.journal[1]), expected);
    assert_eq!(times(&harness.journal[1]), [None, None]);
    assert_eq!(shown(&harness.last_sent(1).request), "play(m23,nil)");
}

#[test]
fn what_comes_twice_or_late_or_from_somebody_else_does_nothing() {
    let mut harness = begun();
    let old = harness.sent[0].message;
    let current = harness.last_sent(0).message;
    let of_the_other = harness.last_sent(1).message;
    let reply = |seat, message: MessageNumber, text: &str| Event::Reply {
        seat: SeatNumber(seat),
        message,
        bytes: text.as_bytes().to_vec(),
    };
    for event in [
        reply(0, old, "mark(1,1)"),
        reply(0, of_the_other, "mark(1,1)"),
        reply(1, current, "noop"),
        reply(2, current, "noop"),
        reply(u32::MAX, current, "noop"),
        reply(0, MessageNumber(u64::MAX), "noop"),
        Event::Fault { seat: SeatNumber(0), message: old, cause: "late".into() },
        Event::Timer(harness.timers[0].0),
        Event::Timer(TimerNumber(u64::MAX)),
        Event::Begin,
        Event::Written(EntryNumber(0)),
        Event::Written(EntryNumber(u64::MAX)),
    ] {
        harness.on(event.clone());
        assert_eq!((harness.unwritten.len(), harness.referee.awaited().len()), (0, 2), "{event:?}");
    }
    harness.on(reply(0, current, "mark(1,1)"));
    harness.on(reply(0, current, "mark(2,2)"));
    harness.on(Event::Fault { seat: SeatNumber(0), message: current, cause: "closed".into() });
    harness.answer(1, "noop");
    assert_eq!(harness.joints(), [["(mark 1 1)", "noop"]], "the first answer counts");
}

#[test]
fn nothing_moves_a_referee_that_is_done() {
    let mut harness = begun();
    harness.on(Event::Abort("enough".into()));
    harness.write();
    harness.wait(seconds(60));
    assert!(harness.done);
    let (journal, sent) = (harness.journal.len(), harness.sent.len());
    let message = harness.last_sent(0).message;
    for event in [
        Event::Begin,
        Event::Abort("again".into()),
        Event::Written(EntryNumber(journal as u64)),
        Event::Reply { seat: SeatNumber(0), message, bytes: b"done".to_vec() },
        Event::Timer(TimerNumber(message.0)),
    ] {
        harness.on(event);
        harness.write();
    }
    assert_eq!((harness.journal.len(), harness.sent.len()), (journal, sent));
}

#[test]
fn a_timer_that_goes_off_too_early_is_set_again() {
    let mut harness = begun();
    let (timer, at) = *harness.timers.last().unwrap();
    harness.now += seconds(9);
    harness.on(Event::Timer(timer));
    assert_eq!(harness.timers.last(), Some(&(timer, at)));
    assert!(harness.unwritten.is_empty());
    harness.wait(seconds(1));
    assert_eq!(harness.joints().len(), 1);
}

#[test]
fn a_match_can_be_aborted_at_any_time() {
    // Before it begins: it is written that there was to be a match, and nobody is told.
    let mut harness = tic_tac_toe();
    harness.on(Event::Abort("changed my mind".into()));
    harness.write();
    assert!(harness.done);
    assert_eq!(harness.sent, []);
    assert_eq!(harness.journal[1], Entry::Ended { aborted: Some("changed my mind".into()), settled: None });
    // While it is written that it begins.
    let mut harness = tic_tac_toe();
    harness.on(Event::Begin);
    harness.on(Event::Abort("now".into()));
    harness.write();
    assert!(harness.done && harness.sent.is_empty());
    // While the players get ready, or think.
    for stage in [0, 1] {
        let mut harness = tic_tac_toe();
        harness.begin();
        if stage == 1 {
            harness.answer_all(&["ready", "ready"]);
        }
        harness.on(Event::Abort("power".into()));
        assert_eq!(harness.dropped.len(), 2);
        assert_eq!(harness.referee.awaited(), []);
        harness.write();
        assert_eq!(shown(&harness.last_sent(1).request), "abort(m23)");
        harness.answer_all(&["done", "aborted"]);
        assert!(harness.done);
        assert_eq!(*harness.referee.status(), MatchStatus::Aborted("power".into()));
        assert_eq!(harness.referee.record().abort_cause.as_deref(), Some("power"));
    }
    // While a step is written: the step was made.
    let mut harness = begun();
    for (seat, text) in [(0, "mark(1,1)"), (1, "noop")] {
        let message = harness.last_sent(seat).message;
        harness.on(Event::Reply { seat: SeatNumber(seat), message, bytes: text.into() });
    }
    harness.on(Event::Abort("power".into()));
    harness.write();
    assert_eq!(harness.joints().len(), 1);
    assert_eq!(harness.journal.last(), Some(&Entry::Ended { aborted: Some("power".into()), settled: None }));
}

#[test]
fn an_abort_that_comes_after_the_last_move_comes_too_late() {
    let mut harness = begun();
    for joint in [["mark(1,1)", "noop"], ["noop", "mark(1,2)"], ["mark(2,2)", "noop"], ["noop", "mark(1,3)"]]
    {
        harness.answer_all(&joint);
    }
    for (seat, text) in [(0, "mark(3,3)"), (1, "noop")] {
        let message = harness.last_sent(seat).message;
        harness.on(Event::Reply { seat: SeatNumber(seat), message, bytes: text.into() });
    }
    harness.on(Event::Abort("too late".into()));
    harness.write();
    assert_eq!(harness.journal.last(), Some(&Entry::Ended { aborted: None, settled: None }));
    assert_eq!(shown(&harness.last_sent(0).request), "stop(m23,[(mark 3 3),noop])");
}

#[test]
fn players_that_do_not_say_goodbye_are_not_waited_for_long() {
    let mut harness = begun();
    harness.on(Event::Abort("enough".into()));
    harness.write();
    harness.answer(0, "whatever");
    assert!(!harness.done);
    harness.wait(seconds(5));
    assert!(harness.done);
}

#[test]
fn the_step_limit_ends_a_match() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut harness = Harness::new(&rules, RefereeSetup { step_limit: Some(1), ..setup(&rules) });
    harness.begin();
    harness.answer_all(&["ready", "ready"]);
    harness.answer_all(&["mark(1,1)", "noop"]);
    assert_eq!(shown(&harness.last_sent(0).request), "abort(m23)");
    assert_eq!(*harness.referee.status(), MatchStatus::Aborted("stopped after 1 steps".into()));
}

#[test]
fn steps_are_dated_by_the_clock_on_the_wall() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut harness = Harness::new(&rules, RefereeSetup { start_time: None, ..setup(&rules) });
    let noon = harness.now;
    harness.referee.set_wall_clock(noon, 50_000);
    harness.begin();
    harness.answer_all(&["ready", "ready"]);
    harness.wait(seconds(2));
    harness.answer_all(&["mark(1,1)", "noop"]);
    assert!(matches!(harness.journal.last(), Some(Entry::Stepped { at: Some(52_000), .. })));
}

#[test]
fn what_makes_no_match_is_refused() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let refused = |setup| Referee::new(rules.clone(), setup).unwrap_err();
    for id in ["", "M23", "23", "m 23", "m23)", "m\u{e9}"] {
        let error = refused(RefereeSetup { id: id.into(), ..setup(&rules) });
        assert_eq!(error, RefereeError::Id { id: id.into() });
    }
    let mut alone = setup(&rules);
    alone.seats.pop();
    assert_eq!(refused(alone), RefereeError::Seats { roles: 2, seats: 1 });
    for patience in [Patience::Abort(0), Patience::Replace(0)] {
        assert_eq!(refused(RefereeSetup { patience, ..setup(&rules) }), RefereeError::Patience);
    }
    for points in [-1.0, f64::NAN, f64::INFINITY] {
        let error = refused(RefereeSetup { time_cost: Some(points), ..setup(&rules) });
        assert!(matches!(error, RefereeError::TimeCost { .. }));
    }
    // Clocks beyond all time are no reason to panic.
    let ever = Duration::MAX;
    let clocks = Clocks { start: ever, play: ever, bank: None, grace: ever };
    let mut harness = Harness::new(&rules, RefereeSetup { clocks, ..setup(&rules) });
    harness.begin();
    harness.answer_all(&["ready", "ready"]);
    assert_eq!(harness.last_sent(0).until, Duration::MAX);
}

#[test]
fn referees_can_work_on_any_thread() {
    fn can_be_sent<T: Send>() {}
    can_be_sent::<Referee>();
}

#[test]
fn a_state_that_is_too_long_to_be_written_ends_the_match_with_that_cause() {
    let text = "(<= (next (c (f ?x ?x))) (true (c ?x))) (init (c a)) (role w) (legal w go) (goal w 0)
        (<= terminal (true zz))";
    let rules = bundled::parse("doubling.kif", text);
    let mut harness = Harness::new(&rules, setup(&rules));
    harness.begin();
    harness.answer_all(&["ready"]);
    while !harness.referee.has_ended() {
        harness.answer_all(&["go"]);
        assert!(harness.journal.len() < 100, "the state doubles each time");
    }
    let cause = "the state would take 1572864 bytes as text, and 1048576 bytes is the most";
    assert_eq!(
        harness.journal.last(),
        Some(&Entry::Ended { aborted: Some(cause.to_owned()), settled: None })
    );
    assert_eq!(*harness.referee.status(), MatchStatus::Aborted(cause.to_owned()));
    assert_eq!(harness.joints().len(), 17);
    let record = harness.referee.record();
    let length = serde_json::to_string(&record).unwrap().len();
    assert!((1 << 20..3 << 20).contains(&length), "all that was played is there: {length}");
    assert_eq!(verify_match(&rules, &record).mismatches, []);
    // A later life takes it up as it was, and a match that was cut off before its end ends in the same way.
    let again = Harness::resume(&rules, &harness.journal);
    assert_eq!(*again.referee.status(), MatchStatus::Aborted(cause.to_owned()));
    let cut = &harness.journal[..harness.journal.len() - 1];
    let mut again = Harness::resume(&rules, cut);
    again.begin();
    while !again.referee.has_ended() {
        again.answer_all(&["go"]);
    }
    assert_eq!(again.journal.last(), Some(&Entry::Ended { aborted: Some(cause.to_owned()), settled: None }));
}

#[test]
fn a_match_whose_record_could_not_be_held_is_aborted() {
    // States of a megabyte, none of which is too long.
    let text = "(<= (next (c (f ?x ?x))) (true (c ?x)) (true (n ?i)) (d ?i ?j)) (<= (next (n ?j)) (true (n ?i)) (d ?i ?j))
        (<= (next (c ?x)) (true (c ?x)) (true (n 17))) (<= (next (n 17)) (true (n 17))) (init (n 0)) (init (c a))
        (role w) (legal w go) (goal w 0) (<= terminal (true zz))
        (d 0 1) (d 1 2) (d 2 3) (d 3 4) (d 4 5) (d 5 6) (d 6 7) (d 7 8) (d 8 9) (d 9 10) (d 10 11) (d 11 12)
        (d 12 13) (d 13 14) (d 14 15) (d 15 16) (d 16 17)";
    let rules = bundled::parse("long.kif", text);
    let mut harness = Harness::new(&rules, setup(&rules));
    harness.begin();
    harness.answer_all(&["ready"]);
    while !harness.referee.has_ended() {
        harness.answer_all(&["go"]);
        assert!(harness.journal.len() < 500, "more than three hundred megabytes would be written");
    }
    let MatchStatus::Aborted(cause) = harness.referee.status() else { panic!("it was played on") };
    assert!(cause.starts_with("the record of the match would take 26"), "{cause}");
}
