//! Who may see what of a match in real time.

use ludex_match::TimedReplay;
use ludex_match::referee::SeatNumber;
use ludex_match::view::{Seen, TimedView, Viewer};

use super::chance::BELL;
use super::harness::{Harness, seconds, setup};
use super::{GUNS, parse};

const A: Viewer = Viewer::Seat(SeatNumber(0));
const B: Viewer = Viewer::Seat(SeatNumber(1));

#[test]
fn everybody_sees_an_open_game() {
    let rules = parse("guns.gdl", GUNS);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.wait(seconds(12));
    match_.say(1, "fire");
    match_.say(0, "fire");
    match_.wait(seconds(4));
    for viewer in [A, B, Viewer::Spectator, Viewer::Referee] {
        let shown = match_.referee.snapshot(match_.now, viewer);
        assert_eq!((shown.time.to_string().as_str(), shown.is_running), ("0.8", true));
        assert_eq!(shown.play_clock.to_string(), "20");
        assert_eq!((shown.events.len(), shown.moves.len()), (2, 2));
        assert_eq!(shown.events[1].moves, [None, Some("fire".to_owned())]);
        let facts = shown.state.facts.unwrap();
        assert!(facts.contains(&("(loading red)".into(), "0.9".into())), "{facts:?}");
        assert!(facts.contains(&("(loading blue)".into(), "1.5".into())), "{facts:?}");
        assert_eq!(shown.state.updated.as_deref(), Some("0.6"));
        assert_eq!(shown.state.legal, [Some(vec![]), Some(vec![])]);
        assert_eq!(shown.delays, [Some(0), Some(1_000)]);
    }
    // Who knows some of it gets the rest.
    let view = match_.referee.view(Viewer::Spectator);
    let more = match_.referee.outline(match_.now, &view, Seen { events: 1, moves: 1 });
    assert_eq!((more.events.len(), more.moves.len()), (1, 1));
}

#[test]
fn a_game_with_secrets_keeps_them() {
    let rules = parse("bell.gdl", BELL);
    let mut match_ = Harness::started(&rules, setup(&rules));
    match_.wait(seconds(1));
    // Nobody sees that b pushes; b sees that a does.
    match_.say(1, "push");
    match_.wait(seconds(1));
    match_.say(1, "push");
    match_.say(0, "push");
    let shown = |match_: &Harness, viewer| match_.referee.snapshot(match_.now, viewer);
    let is_pushed = |event: &ludex_match::TimedRecordEvent| {
        event.told[2].as_ref().is_some_and(|told| told.contains(&"pushed".to_owned()))
    };

    let a = shown(&match_, A);
    assert!(a.events.iter().all(|event| event.moves[2].is_none() && event.told[2].is_none()));
    assert_eq!(a.events.iter().filter(|event| event.moves[1].is_some()).count(), 1);
    assert_eq!((a.moves.len(), a.state.facts.clone(), a.state.updated.clone()), (1, None, None));
    assert_eq!((&a.state.legal[1], &a.state.legal[2], &a.state.goals), (&Some(vec![]), &None, &None));
    let b = shown(&match_, B);
    assert_eq!((b.moves.len(), b.events.iter().filter(|event| is_pushed(event)).count()), (2, 1));
    assert!(b.events.iter().all(|event| event.moves[1].is_none()));
    let spectator = shown(&match_, Viewer::Spectator);
    assert_eq!((spectator.events.len(), spectator.moves.len()), (0, 0));
    assert!(spectator.state.legal.iter().all(Option::is_none) && spectator.state.facts.is_none());
    assert_eq!(shown(&match_, Viewer::Referee).moves.len(), 3);

    match_.wait(seconds(60));
    assert!(match_.referee.has_ended());
    let (spectator, a) = (shown(&match_, Viewer::Spectator), shown(&match_, A));
    assert_eq!((spectator.moves.len(), spectator.is_running), (3, false));
    assert!(spectator.state.facts.is_some() && a.state.facts.is_none());
    assert_eq!(a.state.goals, Some(vec![Some(50); 3]));

    // The same of the record, state by state.
    let record = match_.referee.record();
    let mut replay = TimedReplay::new(&rules, &record).unwrap();
    let view = TimedView::of_record(&record, B);
    while replay.advance().unwrap() {
        let state = view.replayed(&rules, &mut replay).unwrap();
        assert!(state.facts.is_none() && state.legal[1].is_none() && state.legal[2].is_some());
    }
    assert_eq!(view.events(Seen::default()).collect::<Vec<_>>(), shown(&match_, B).events);
}
