//! What players may agree on beside moves: a match that is given up, a draw, moves that are taken back, clocks of their
//! own, a match that begins in the middle of a game.

use std::time::Duration;

use ludex_game::Rules;
use ludex_match::message::Request;
use ludex_match::referee::{Clocks, Entry, Event, Patience, Referee, RefereeError, RefereeSetup, SeatNumber};
use ludex_match::view::{View, Viewer};
use ludex_match::{MatchRecord, MatchStatus, Settlement, verify_match};

use crate::bundled;
use crate::harness::{Harness, seconds, setup, shown};

fn rules() -> Rules {
    bundled::rules("gdl/tic-tac-toe.kif")
}

/// A match after two steps of its first game, in which `x` is to move.
fn begun(agreed: RefereeSetup) -> Harness {
    let mut harness = Harness::ready(&rules(), agreed);
    harness.answer_all(&["(mark 2 2)", "noop"]);
    harness.answer_all(&["noop", "(mark 1 1)"]);
    harness
}

#[test]
fn a_match_that_is_given_up_has_a_result() {
    let mut harness = begun(setup(&rules()));
    let resigned = Settlement::Resigned(SeatNumber(1));
    harness.on(Event::Settle(resigned));
    assert_eq!(harness.dropped.len(), 2, "nobody is waited for");
    assert_eq!(*harness.referee.status(), MatchStatus::Running, "it is not written yet");
    harness.write();
    assert_eq!(*harness.referee.status(), MatchStatus::Settled(resigned));
    assert_eq!(harness.referee.course().seat_goals(), [Some(100), Some(0)]);
    assert_eq!(shown(&harness.last_sent(0).request), "abort(m23)", "the rules know of no such end");
    // Whatever somebody wants now comes too late.
    harness.on(Event::Abort("power".into()));
    harness.on(Event::Settle(Settlement::Draw(SeatNumber(0))));
    harness.answer_all(&["done", "done"]);
    assert!(harness.done && harness.referee.is_done());
    assert_eq!(harness.journal.last(), Some(&Entry::Ended { aborted: None, settled: Some(resigned) }));

    let record = harness.referee.record();
    assert_eq!((record.is_aborted, record.abort_cause.as_deref()), (true, Some("black resigned")));
    assert_eq!(verify_match(&rules(), &record).mismatches, []);
    let read = MatchRecord::read(&record.write()).unwrap();
    assert_eq!(read, record);
    let view = View::of_record(&read, Viewer::Spectator).outline();
    assert_eq!(view.aborted, None);
    let settled = view.settled.unwrap();
    assert_eq!((&settled.words[..], &settled.goals[..]), ("black resigned", &[Some(100), Some(0)][..]));

    let again = Referee::resume(rules(), &harness.journal).unwrap();
    assert_eq!((again.has_ended(), again.status()), (true, &MatchStatus::Settled(resigned)));
}

#[test]
fn a_draw_is_halves() {
    let mut harness = begun(setup(&rules()));
    harness.on(Event::Settle(Settlement::Draw(SeatNumber(0))));
    harness.write();
    assert_eq!(harness.referee.course().seat_goals(), [Some(50), Some(50)]);
    let cause = harness.referee.record().abort_cause.unwrap();
    assert_eq!(cause, "a draw was agreed, which white had offered");
}

/// Only those who play can agree on an end.
#[test]
fn nobody_resigns_on_a_seat_that_is_not_there() {
    let mut harness = begun(setup(&rules()));
    harness.on(Event::Settle(Settlement::Resigned(SeatNumber(2))));
    harness.write();
    assert_eq!(*harness.referee.status(), MatchStatus::Running);
    let mut journal = harness.journal;
    let number = journal.len() as u64;
    journal.push(Entry::Ended { aborted: None, settled: Some(Settlement::Resigned(SeatNumber(2))) });
    let error = Referee::resume(rules(), &journal).unwrap_err();
    assert!(matches!(error, RefereeError::End { number: at } if at.0 == number), "{error}");
}

#[test]
fn moves_are_taken_back() {
    let mut harness = begun(setup(&rules()));
    let mut record = harness.referee.record();
    harness.on(Event::TakeBack(0));
    assert_eq!(harness.referee.course().steps().len(), 2, "it is not written yet");
    harness.write();
    assert_eq!(harness.journal.last(), Some(&Entry::TakenBack { steps: 0 }));
    assert_eq!(shown(&harness.last_sent(1).request), "start(m23,black,10,10)", "all get ready once more");
    harness.answer_all(&["ready", "ready"]);
    assert_eq!(shown(&harness.last_sent(0).request), "play(m23,nil)");
    harness.answer_all(&["(mark 3 3)", "noop"]);
    assert_eq!(shown(&harness.last_sent(0).request), "play(m23,[(mark 3 3),noop])");
    harness.answer_all(&["noop", "(mark 3 1)"]);
    // What was shown before is replaced, though it is as long as what is shown now.
    harness.referee.course().extend(&mut record);
    assert_eq!(record, harness.referee.record());
    assert_eq!((record.taken_back, record.moves[0][0].as_str()), (1, "(mark 3 3)"));
    assert_eq!(verify_match(&rules(), &record).mismatches, []);

    let again = Referee::resume(rules(), &harness.journal).unwrap();
    assert_eq!(again.record().moves, record.moves);
}

/// Who gets ready in the middle of a match learns what was done, and is asked without being told of it again.
#[test]
fn players_are_told_what_remains() {
    let mut agreed = setup(&rules());
    agreed.seats[1].scramble = Some(5);
    let mut harness = begun(agreed);
    harness.on(Event::TakeBack(1));
    harness.write();
    let started = |seat: u32| match &harness.last_sent(seat).request {
        Request::Start(start) => (**start).clone(),
        other => panic!("{other:?}"),
    };
    let roles = ["white".to_owned(), "black".to_owned()];
    assert_eq!(started(0).made_moves(&roles), [["(mark 2 2)", "noop"]]);
    let scrambled = started(1);
    assert!(scrambled.more.len() == 2 && scrambled.made_moves(&roles).is_empty(), "{:?}", scrambled.more);
    assert!(scrambled.more.iter().all(|(_, action)| !action.contains("mark")), "{:?}", scrambled.more);
    harness.answer_all(&["ready", "ready"]);
    assert_eq!(shown(&harness.last_sent(0).request), "play(m23,nil)");

    // After a break they are asked as before.
    let mut again = Harness::resume(&rules(), &harness.journal);
    again.begin();
    assert_eq!(shown(&again.last_sent(0).request), "play(m23,nil)");
}

/// While an entry is written, a wish waits; the last step cannot be taken back, nor one that is not there.
#[test]
fn what_is_over_or_not_there_is_not_taken_back() {
    let mut harness = begun(setup(&rules()));
    harness.on(Event::TakeBack(2));
    harness.on(Event::TakeBack(99));
    assert!(harness.unwritten.is_empty() && harness.dropped.is_empty());

    let message = harness.last_sent(1).message;
    harness.on(Event::Reply { seat: SeatNumber(1), message, bytes: b"noop".to_vec() });
    let message = harness.last_sent(0).message;
    harness.on(Event::Reply { seat: SeatNumber(0), message, bytes: b"(mark 1 2)".to_vec() });
    assert_eq!(harness.unwritten.len(), 1, "the step is being written");
    harness.on(Event::TakeBack(1));
    harness.write();
    assert_eq!(harness.journal.last(), Some(&Entry::TakenBack { steps: 1 }));
    assert_eq!(harness.referee.course().steps().len(), 1);

    // Nobody takes anything back before all are ready again, and who wants the end is not kept from it.
    harness.on(Event::TakeBack(0));
    harness.on(Event::Abort("rain".into()));
    harness.write();
    assert_eq!(*harness.referee.status(), MatchStatus::Aborted("rain".into()));
    let mut journal = harness.journal;
    let at = journal.len() - 1;
    journal[at] = Entry::TakenBack { steps: 7 };
    let error = Referee::resume(rules(), &journal).unwrap_err();
    assert!(matches!(error, RefereeError::TakenBack { steps: 7, .. }), "{error}");
}

/// What somebody saw, nobody can take back.
#[test]
fn games_with_secrets_do_not_go_back() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let mut harness = Harness::new(&rules, setup(&rules));
    harness.begin();
    harness.answer_all(&["ready", "ready"]);
    harness.answer_all(&["mark(1,1)", "mark(2,3)"]);
    harness.on(Event::TakeBack(0));
    assert!(harness.unwritten.is_empty());
    let given = RefereeSetup { given: vec![Vec::new()], ..setup(&rules) };
    assert!(matches!(Referee::new(rules, given), Err(RefereeError::Given)));
}

#[test]
fn a_match_begins_where_another_one_was() {
    let joint = |first: &str, second: &str| vec![first.to_owned(), second.to_owned()];
    let given = vec![joint("(mark 2 2)", "noop"), joint("noop", "(mark 1 1)")];
    let agreed = RefereeSetup { given, ..setup(&rules()) };
    let mut harness = Harness::new(&rules(), agreed.clone());
    harness.begin();
    let Request::Start(start) = &harness.last_sent(1).request else { panic!("{:?}", harness.sent) };
    assert_eq!(start.more.len(), 4);
    harness.answer_all(&["ready", "ready"]);
    harness.answer_all(&["(mark 3 3)", "noop"]);
    let record = harness.referee.record();
    assert_eq!(record.moves.len(), 3);
    assert_eq!(verify_match(&rules(), &record).mismatches, []);
    let again = Referee::resume(rules(), &harness.journal).unwrap();
    assert_eq!(again.record().moves, record.moves);
    for wrong in [joint("noop", "noop"), joint("(mark 2 2)", "(mark 1 1)"), vec!["noop".to_owned()]] {
        let agreed = RefereeSetup { given: vec![wrong], ..agreed.clone() };
        let refused = Referee::new(rules(), agreed);
        assert!(matches!(refused, Err(RefereeError::GivenMove { .. })), "{refused:?}");
    }
}

/// A person has hours where a program has seconds.
#[test]
fn a_seat_has_clocks_of_its_own() {
    let mut agreed = setup(&rules());
    let grace = Duration::from_millis(500);
    let unhurried = Clocks { start: seconds(10), play: seconds(3600), bank: None, grace };
    agreed.seats[0].clocks = Some(unhurried);
    agreed.patience = Patience::Abort(1);
    let mut harness = begun(agreed);
    harness.answer(1, "noop");
    let until: Vec<Duration> =
        harness.referee.awaited().iter().map(|awaited| awaited.until - harness.now).collect();
    assert_eq!(until, [seconds(3600) + grace]);
    let clocks = harness.referee.clocks(harness.now);
    assert_eq!((clocks[0].left, clocks[1].left), (Some(3_600_000), None), "clocks show no grace");
    let starts: Vec<String> = harness.sent[..2].iter().map(|sent| shown(&sent.request)).collect();
    assert_eq!(starts, ["start(m23,white,10,3600)", "start(m23,black,10,10)"]);
    harness.wait(seconds(60));
    harness.answer(0, "(mark 3 3)");
    harness.answer(0, "noop");
    harness.wait(seconds(11));
    let aborted = MatchStatus::Aborted("Beta failed in a step".into());
    assert_eq!(*harness.referee.status(), aborted);
}
