//! Games in real time: messages are held back until the player moves.

use std::time::Duration;

use ludex_match::message::{Last, News};
use ludex_match::service::{Ending, Event, Pace, Remark, RemarkKind, ServiceOptions};

use super::bench::{Bench, start};

const HOUR: Duration = Duration::from_secs(3_600);

/// A match in real time that has begun.
fn begun() -> (Bench, ludex_match::service::CallNumber) {
    let mut bench = Bench::new();
    assert_eq!(bench.begin_at(Pace::InTime, &start("m1")), "ready");
    let first = bench.send("(play m1 nil 0)");
    (bench, first)
}

#[test]
fn a_message_is_held_back_until_the_player_moves() {
    let (mut bench, first) = begun();
    let (_, time, news) = bench.tellings().pop().unwrap();
    assert_eq!((time.as_str(), news), ("0", News::Nothing));
    bench.pass(HOUR);
    assert_eq!((bench.answer(first), bench.service.matches()), (None, 1), "nothing may happen for long");
    bench.moves("(mark 1 1)");
    assert_eq!(bench.answer(first), Some("(mark 1 1)"));
    let second = bench.send("play(m1,[mark(1,1),nil],2.25)");
    assert_eq!(bench.tellings().pop().unwrap().1, "2.25");
    bench.moves("(mark 2 2)");
    assert_eq!(bench.answer(second), Some("mark(2,2)"), "in the notation of the message");
    assert!(bench.remarks().is_empty() && bench.thoughts().is_empty());
}

#[test]
fn the_next_message_lets_the_last_one_go() {
    let (mut bench, first) = begun();
    let second = bench.send("(play m1 (nil (mark 1 1)) 0.5)");
    assert_eq!((bench.answer(first), bench.answer(second)), (Some("nil"), None));
    // Twice, and one that was overtaken: what they mean is not for the service to say.
    let again = bench.send("(play m1 (nil (mark 1 1)) 0.5)");
    let late = bench.send("(play m1 (nil (mark 3 3)) 0.25)");
    assert_eq!((bench.answer(second), bench.answer(again)), (Some("nil"), Some("nil")));
    assert_eq!(bench.tellings().len(), 4);
    bench.moves("(mark 2 2)");
    assert_eq!(bench.answer(late), Some("(mark 2 2)"));
}

#[test]
fn moves_wait_for_messages() {
    let (mut bench, first) = begun();
    for action in ["(mark 1 1)", "(mark 2 2)", "(mark 3 3)"] {
        bench.moves(action);
    }
    assert_eq!(bench.answer(first), Some("(mark 1 1)"));
    assert_eq!(bench.ask("(play m1 ((mark 1 1) nil) 0.5)"), "(mark 2 2)");
    assert_eq!(bench.ask("(play m1 nil 0.75)"), "(mark 3 3)");
    let last = bench.send("(play m1 nil 1)");
    assert_eq!(bench.answer(last), None);
}

#[test]
fn the_end_lets_go_what_is_held_back() {
    let (mut bench, first) = begun();
    assert_eq!(bench.ask("(stop m1 (nil (mark 3 3)) 4.5)"), "done");
    assert_eq!((bench.answer(first), bench.service.matches()), (Some("nil"), 0));
    let Some(Ending::Stopped(Last::InTime { time, .. })) = bench.endings().pop() else { panic!("no end") };
    assert_eq!(time.to_string(), "4.5");
    let (mut bench, first) = begun();
    bench.moves("(mark 1 1)");
    bench.moves("(mark 2 2)");
    assert_eq!(bench.ask("(abort m1)"), "done");
    assert_eq!(bench.answer(first), Some("(mark 1 1)"));
    assert_eq!(bench.remarks(), [&Remark::new("m1", RemarkKind::Unsent(1))]);
    let (mut bench, first) = begun();
    bench.on(Event::Close);
    assert_eq!((bench.answer(first), bench.endings()), (Some("nil"), vec![&Ending::Left]));
}

#[test]
fn what_is_not_delivered_goes_out_with_the_next_answer() {
    let (mut bench, first) = begun();
    bench.moves("(mark 1 1)");
    bench.on(Event::Undelivered(first));
    bench.on(Event::Undelivered(first));
    assert_eq!(bench.ask("(play m1 nil 0)"), "(mark 1 1)");
    let second = bench.send("(play m1 ((mark 1 1) nil) 1)");
    assert_eq!(bench.answer(second), None, "once");
    // A message may be held back already when it is known that the last answer is lost.
    bench.moves("(mark 2 2)");
    let third = bench.send("(play m1 (nil (mark 3 3)) 2)");
    bench.on(Event::Undelivered(second));
    assert_eq!(bench.answer(third), Some("(mark 2 2)"));
}

#[test]
fn a_connection_that_is_lost_holds_nothing_back() {
    let silence = Duration::from_secs(30);
    let mut bench = Bench::with(ServiceOptions { silence, matches: 1, ..ServiceOptions::default() });
    bench.begin_at(Pace::InTime, &start("m1"));
    let first = bench.send("(play m1 nil 0)");
    bench.pass(HOUR);
    assert_eq!(bench.ask(&start("m2")), "busy", "the match is alive");
    bench.on(Event::Abandoned(first));
    assert_eq!(bench.answer(first), Some("nil"));
    bench.moves("(mark 1 1)");
    bench.pass(Duration::from_secs(40));
    let next = bench.send("(play m1 nil 3)");
    assert_eq!(bench.answer(next), Some("(mark 1 1)"));
    bench.pass(Duration::from_secs(26));
    assert_eq!(bench.begin(&start("m2")), "ready", "it gave way");
    assert_eq!(bench.endings(), [&Ending::Left]);
    // Of a match in which nothing is held back nothing is to be expected after the silence and two clocks.
    bench.pass(Duration::from_secs(61));
    assert_eq!((bench.service.matches(), bench.service.next_wake()), (0, None));
}

#[test]
fn messages_of_the_other_kind_are_refused() {
    let (mut bench, first) = begun();
    for message in ["(play m1 nil)", "(play m1 (noop noop))", "(play m1 1 noop ())"] {
        assert_eq!(bench.ask(message), "busy");
    }
    assert_eq!(bench.remarks()[2], &Remark::new("m1", RemarkKind::OtherPace(Pace::InTime)));
    assert_eq!(bench.answer(first), None, "it is still held back");
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    assert_eq!(bench.ask("(play m1 nil 0)"), "busy");
    assert_eq!(bench.remarks(), [&Remark::new("m1", RemarkKind::OtherPace(Pace::InSteps))]);
    assert_eq!(bench.play("(play m1 nil)", "noop"), "noop");
}

/// A manager may go on before it is known how the game goes.
#[test]
fn what_was_held_back_too_soon_is_refused() {
    for (message, pace) in [("(play m1 nil 0)", Pace::InSteps), ("(play m1 nil)", Pace::InTime)] {
        let mut bench = Bench::new();
        let starting = bench.send(&start("m1"));
        let call = bench.send(message);
        let job = bench.preparing();
        assert_eq!((bench.answer(starting), bench.answer(call)), (Some("ready"), None));
        bench.on(Event::Prepared { job, result: Ok(pace) });
        assert_eq!(bench.answer(call), Some("busy"), "{message}");
        assert_eq!(bench.remarks(), [&Remark::new("m1", RemarkKind::OtherPace(pace))]);
    }
    let mut bench = Bench::new();
    bench.send(&start("m1"));
    let call = bench.send("(play m1 nil 0)");
    let job = bench.preparing();
    bench.on(Event::Prepared { job, result: Err("bad rules".into()) });
    assert_eq!((bench.answer(call), bench.service.matches()), (Some("nil"), 0));
}

#[test]
fn a_match_in_real_time_may_begin_anew() {
    let (mut bench, first) = begun();
    assert_eq!(bench.begin_at(Pace::InTime, &start("m1")), "ready");
    assert_eq!(bench.answer(first), Some("nil"));
    assert_eq!(bench.remarks(), [&Remark::new("m1", RemarkKind::Restarted)]);
    assert_eq!(bench.ask("(play m2 nil 0)"), "busy");
}
