//! Managers that repeat themselves, skip steps, or mean somebody else.

use ludex_match::service::{Ending, Event, Pace, Remark, RemarkKind};

use super::bench::{Bench, RULES, start};

#[test]
fn a_message_that_comes_again_joins_the_thinking() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    bench.play("(play m1 nil)", "noop");
    let first = bench.send("(play m1 ((mark 1 1) noop))");
    let second = bench.send("( PLAY M1 ( ( mark 1 1 ) noop ) )");
    let third = bench.send("play(m1,[mark(1,1),noop])");
    assert_eq!(bench.thoughts().len(), 2);
    bench.chosen("(mark 2 2)");
    assert_eq!(bench.answer(first), Some("(mark 2 2)"));
    assert_eq!(bench.answer(second), Some("(mark 2 2)"));
    assert_eq!(bench.answer(third), Some("mark(2,2)"), "each in its own notation");
}

#[test]
fn a_numbered_message_that_comes_again_gets_the_same_answer() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    for message in ["(play m1 nil)", "(play m1 0 nil ())", "(play m1 1 noop (ok))"] {
        assert_eq!(bench.play(message, "(mark 1 1)"), "(mark 1 1)");
        assert_eq!(bench.ask(message), "(mark 1 1)");
    }
    assert_eq!(bench.thoughts().len(), 3);
}

/// Only the rules can tell whether the same moves were made again.
#[test]
fn the_same_moves_again_are_a_question_for_the_rules() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    bench.play("(play m1 nil)", "noop");
    let call = bench.send("(play m1 (noop noop))");
    bench.chosen("noop");
    bench.on(Event::Undelivered(call));
    bench.send("(play m1 (noop noop))");
    let thought = bench.thought();
    assert_eq!((thought.answered.as_deref(), thought.undelivered), (Some("noop"), true));
    bench.chosen("noop");
    bench.send("(play m1 (noop noop))");
    assert!(!bench.thought().undelivered, "this one arrived, as far as is known");
}

#[test]
fn a_manager_that_goes_on_does_not_leave_its_message_open() {
    let mut bench = Bench::new();
    let starting = bench.send(&start("m1"));
    let first = bench.send("(play m1 nil)");
    assert_eq!(bench.answer(starting), Some("ready"));
    let job = bench.thought().job;
    bench.on(Event::Legal { job, action: "noop".into() });
    let second = bench.send("(play m1 (noop noop))");
    assert_eq!(bench.answer(first), Some("noop"));
    assert!(bench.called_off().contains(&job));
    assert!(bench.remarks().contains(&&Remark::new("m1", RemarkKind::Overtaken)));
    // What was found out for the first is of no use to the second.
    bench.on(Event::Chosen { job, result: Ok("(mark 1 1)".into()) });
    assert_eq!(bench.answer(second), None);
    bench.chosen("(mark 2 2)");
    assert_eq!(bench.answer(second), Some("(mark 2 2)"));
}

#[test]
fn places_are_limited() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    bench.begin(&start("m2"));
    assert_eq!(bench.ask(&start("m3")), "busy");
    assert_eq!(bench.ask("(preview ((role x)) 5)"), "busy");
    assert_eq!(bench.remarks()[0], &Remark::new("m3", RemarkKind::Full));
    assert_eq!(bench.ask("(stop m1 (noop noop))"), "done");
    assert_eq!(bench.begin(&start("m3")), "ready");
}

#[test]
fn matches_do_not_touch_each_other() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    bench.begin(&start("m2"));
    let one = bench.send("(play m1 nil)");
    let first = bench.thought();
    let two = bench.send("play(m2,nil)");
    let second = bench.thought();
    assert_ne!(first.table, second.table);
    bench.on(Event::Chosen { job: second.job, result: Ok("(a 1)".into()) });
    assert_eq!((bench.answer(one), bench.answer(two)), (None, Some("a(1)")));
    assert_eq!(bench.ask("(abort m2)"), "done");
    bench.on(Event::Chosen { job: first.job, result: Ok("(b 2)".into()) });
    assert_eq!(bench.answer(one), Some("(b 2)"));
}

#[test]
fn who_does_not_know_is_polite() {
    let mut bench = Bench::new();
    assert_eq!(bench.ask("(play nobody nil)"), "busy");
    assert_eq!(bench.ask("(stop nobody (noop))"), "done");
    assert_eq!(bench.ask("abort(nobody)"), "done");
    assert_eq!(bench.remarks().len(), 3);
    assert!(bench.remarks().iter().all(|remark| remark.id == "nobody"));
}

#[test]
fn rules_that_cannot_be_played_are_refused() {
    let mut bench = Bench::new();
    let call = bench.send("(start m1 x ((role y)) 10 10)");
    let job = bench.preparing();
    bench.on(Event::Prepared { job, result: Err("there is no role `x`".into()) });
    assert_eq!((bench.answer(call), bench.service.matches()), (Some("busy"), 0));
    assert_eq!(bench.endings(), [&Ending::Left], "its thread may go");
    assert_eq!(bench.ask("(play m1 nil)"), "busy");
    assert_eq!(bench.begin(&start("m1")), "ready");
}

#[test]
fn a_start_message_that_comes_again_is_answered_again() {
    let mut bench = Bench::new();
    let first = bench.send(&start("m1"));
    let second = bench.send(&start("m1"));
    let job = bench.preparing();
    bench.on(Event::Prepared { job, result: Ok(Pace::InSteps) });
    assert_eq!((bench.answer(first), bench.answer(second)), (Some("ready"), Some("ready")));
    assert_eq!(bench.ask(&start("m1")), "ready");
    assert_eq!(bench.service.matches(), 1);
}

#[test]
fn a_match_may_begin_anew_under_its_name() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    let waiting = bench.send("(play m1 nil)");
    let before = bench.thought();
    assert_eq!(bench.begin(&start("m1")), "ready");
    assert_eq!(bench.answer(waiting), Some("nil"), "nobody waits in vain");
    assert!(bench.remarks().contains(&&Remark::new("m1", RemarkKind::Restarted)));
    bench.send("(play m1 nil)");
    assert_ne!(bench.thought().table, before.table);
    assert_eq!(bench.ask(&format!("(start M1 o ({RULES}) 10 10)")), "busy", "one player, one role");
    assert_eq!(bench.service.matches(), 1);
}

#[test]
fn what_is_no_message_is_refused() {
    let mut bench = Bench::new();
    for text in ["", "hello", "(play)", "(start m1 x)", "((((", "(play m1", "\u{0}", "(info) (info)"] {
        let call = bench.send(text);
        assert!(bench.refusals.contains_key(&call), "{text:?}");
    }
    let long = bench.send(&format!("({}", "x".repeat(100_000)));
    assert!(bench.refusals[&long].len() < 300);
}

/// Whoever asks the same again and again holds no more than a few connections.
#[test]
fn few_wait_for_the_same_answer() {
    let mut bench = Bench::new();
    let starts: Vec<_> = (0..20).map(|_| bench.send(&start("m1"))).collect();
    assert_eq!(starts.iter().filter(|&&call| bench.answer(call) == Some("busy")).count(), 12);
    assert_eq!(bench.answer(starts[12]), None, "those that came last wait");
    let job = bench.preparing();
    bench.on(Event::Prepared { job, result: Ok(Pace::InSteps) });
    assert!(starts[12..].iter().all(|&call| bench.answer(call) == Some("ready")));
    let plays: Vec<_> = (0..20).map(|_| bench.send("(play m1 nil)")).collect();
    bench.chosen("noop");
    let answers: Vec<_> = plays.iter().map(|&call| bench.answer(call).unwrap()).collect();
    assert!(answers[..12].iter().all(|&text| text == "busy"), "{answers:?}");
    assert!(answers[12..].iter().all(|&text| text == "noop"), "{answers:?}");
}
