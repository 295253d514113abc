//! What manager and players say to each other.

use std::time::Duration;

use ludex_gdl::Notation;
use ludex_match::message::{Last, Request, read_request, write_request};
use ludex_match::referee::{Event, SeatNotation};

use super::harness::{Harness, milliseconds, seconds, setup};
use super::{GUNS, bundled, parse};

/// The communication of figure 1 of the paper: start, the end of preparation, moves that everybody is told, an illegal
/// one that only its sender is told, an update that nobody is told, the end.
#[test]
fn a_game_of_two() {
    let rules = parse("guns.gdl", GUNS);
    let mut match_ = Harness::new(&rules, setup(&rules));
    match_.on(Event::Begin);
    assert_eq!(match_.heard(), ["0: start red 10 20", "1: start blue 10 20"]);
    match_.say(0, "READY");
    assert_eq!(match_.heard(), [""; 0]);
    match_.wait(seconds(5));
    match_.say(1, "ready");
    assert_eq!(match_.heard(), ["0: play nil 0", "1: play nil 0"]);
    assert_eq!(match_.now, seconds(105));

    // 0.5 units are over after 10 seconds: a move before is illegal, whoever else hears of it.
    match_.wait(milliseconds(9_999));
    match_.say(1, "fire");
    assert_eq!(match_.heard(), ["1: play nil 0.49995"]);
    // A move at the very moment comes after what happens at that moment.
    match_.wait(milliseconds(1));
    match_.say(1, "fire");
    assert_eq!(match_.heard(), ["0: play (nil fire) 0.5", "1: play (nil fire) 0.5"]);
    // At 30 seconds red's gun is loaded. Nobody is told.
    match_.wait(seconds(20));
    assert_eq!(match_.heard(), [""; 0]);
    assert_eq!(match_.referee.course().now().to_string(), "1.5");
    match_.wait(seconds(5));
    match_.say(0, "FIRE");
    assert_eq!(match_.heard(), ["0: play (fire nil) 1.75", "1: play (fire nil) 1.75"]);
    match_.wait(seconds(25));
    assert_eq!(match_.heard(), ["0: stop nil 3", "1: stop nil 3"]);
    assert_eq!(match_.referee.course().goals(), [Some(100), Some(100)]);
    match_.say(0, "DONE");
    match_.say(1, "DONE");
    assert!(match_.done);
    let moves: Vec<_> = match_.referee.record().moves.iter().map(|m| m.time.to_string()).collect();
    assert_eq!(moves, ["0.49995", "0.5", "1.75"]);
}

#[test]
fn the_last_move_comes_with_the_stop_message() {
    let rules = bundled("timed-tic-tac-toe");
    let mut match_ = Harness::started(&rules, setup(&rules));
    for (seat, action) in
        [(0, "mark 1 1"), (1, "mark 2 1"), (0, "mark 1 2"), (1, "mark 2 2"), (0, "mark 1 3")]
    {
        match_.wait(seconds(2));
        match_.say(seat, &format!("({action})"));
    }
    let heard = match_.heard();
    assert_eq!(
        heard[heard.len() - 2..],
        ["0: stop ((mark 1 3) nil) 0.5".to_owned(), "1: stop ((mark 1 3) nil) 0.5".to_owned()]
    );
    assert_eq!(match_.referee.course().goals(), [Some(100), Some(0)]);
}

#[test]
fn who_is_late_by_nothing_is_late() {
    let rules = bundled("timed-tic-tac-toe");
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.heard();
    match_.now += seconds(20);
    match_.say(0, "(mark 1 1)");
    assert_eq!(match_.heard(), ["0: stop nil 1", "1: stop nil 1"]);
    assert_eq!(
        (match_.referee.course().goals(), match_.referee.record().moves.len()),
        (&[Some(0), Some(100)][..], 0)
    );
}

#[test]
fn play_clocks_are_exact_on_the_wire() {
    let rules = parse("guns.gdl", GUNS);
    for (unit, sent) in
        [(milliseconds(1_500), "1.5"), (seconds(20), "20"), (Duration::from_nanos(1), "0.000000001")]
    {
        for notation in [SeatNotation::Prefix, SeatNotation::Infix] {
            let mut agreed = setup(&rules);
            agreed.unit = unit;
            agreed.seats[0].notation = notation;
            let mut match_ = Harness::new(&rules, agreed);
            match_.on(Event::Begin);
            let request = &match_.last_sent(0).request;
            let written = write_request(request, Notation::from(notation));
            let end = written.trim_end_matches(')').rsplit([' ', ',']).next().map(str::to_owned);
            assert_eq!(end.as_deref(), Some(sent));
            let Request::Start(read) = read_request(&written).unwrap().request else {
                panic!("a start message");
            };
            assert_eq!(read.play_seconds().to_string(), sent);
        }
    }
}

#[test]
fn messages_in_time_on_the_wire() {
    let rules = parse("guns.gdl", GUNS);
    let mut agreed = setup(&rules);
    agreed.seats[1].notation = SeatNotation::Infix;
    let mut match_ = Harness::started(&rules, agreed);
    match_.wait(seconds(15));
    match_.say(1, "fire");
    let wire = |seat: usize, notation| write_request(&match_.last_sent(seat).request, notation);
    assert_eq!(wire(0, Notation::Prefix), "(PLAY m23 (NIL fire) 0.75)");
    assert_eq!(wire(1, Notation::Infix), "play(m23,[nil,fire],0.75)");
    let sent = last_of(&match_.last_sent(0).request);
    for text in [
        "(PLAY m23 (NIL fire) 0.75)",
        "(PLAY m23 (NIL fire) 7.5e-1)",
        "play(m23,[nil,fire],0.750)",
        "( play M23 ( nil FIRE ) 0.7500000000000000001 )",
    ] {
        assert_eq!(last_of(&read_request(text).unwrap().request), sent, "{text}");
    }
    for text in ["(PLAY m23 (NIL fire) soon)", "(PLAY m23 NIL -1)", "(STOP m23 NIL 1 2 3 4)"] {
        assert!(read_request(text).is_err(), "{text}");
    }
}

fn last_of(request: &Request) -> Last {
    match request {
        Request::Play { last, .. } | Request::Stop { last, .. } => last.clone(),
        other => panic!("{other:?}"),
    }
}
