//! Clocks: nothing is answered too late, and nobody waits for what will not come.

use std::time::Duration;

use ludex_match::service::{Effect, Ending, Event, Remark, RemarkKind, ServiceOptions};

use super::bench::{Bench, start};

const SECOND: Duration = Duration::from_secs(1);

/// What is kept back of ten seconds.
const MARGIN: Duration = Duration::from_millis(250);

#[test]
fn a_player_that_is_not_ready_is_ready_when_the_clock_is_over() {
    let mut bench = Bench::new();
    let begun = bench.now;
    let call = bench.send(&start("m1"));
    bench.pass(9 * SECOND);
    assert_eq!(bench.answer(call), None);
    bench.pass(SECOND);
    assert_eq!(bench.answers[&call], ("ready".into(), begun + 10 * SECOND - MARGIN));
    assert_eq!(bench.remarks(), [&Remark::new("m1", RemarkKind::NotReady)]);
    assert!(bench.called_off().is_empty(), "it goes on");
    let preparing = bench.preparing();
    bench.send("(play m1 nil)");
    assert_eq!(bench.called_off(), [preparing], "until it is asked for a move");
}

#[test]
fn a_player_that_does_not_choose_falls_back() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    let asked = bench.now;
    let call = bench.send("(play m1 nil)");
    let thought = bench.thought();
    assert_eq!(thought.until, asked + 10 * SECOND - MARGIN);
    bench.on(Event::Legal { job: thought.job, action: "noop".into() });
    assert_eq!(bench.answer(call), None);
    bench.pass(10 * SECOND);
    assert_eq!(bench.answers[&call], ("noop".into(), thought.until));
    assert_eq!(bench.called_off(), [thought.job]);
    assert_eq!(bench.remarks(), [&Remark::new("m1", RemarkKind::FellBack)]);
    // What it chooses then is not what was answered.
    bench.chosen("(mark 1 1)");
    bench.send("(play m1 (noop noop))");
    assert_eq!(bench.thought().answered.as_deref(), Some("noop"));
}

#[test]
fn where_no_move_is_known_the_answer_still_comes() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    let call = bench.send("(play m1 nil)");
    bench.pass(10 * SECOND);
    assert_eq!(bench.answer(call), Some("nil"));
    let again = bench.send("(play m1 nil)");
    assert_eq!(bench.thought().answered, None, "nothing was chosen yet");
    bench.chosen("noop");
    assert_eq!(bench.answer(again), Some("noop"));
}

#[test]
fn a_player_that_cannot_choose_falls_back_at_once() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    let call = bench.send("(play m1 nil)");
    let job = bench.thought().job;
    bench.on(Event::Legal { job, action: "noop".into() });
    bench.on(Event::Chosen { job, result: Err("broken".into()) });
    assert_eq!(bench.answer(call), Some("noop"));
    assert_eq!(bench.remarks()[0], &Remark::new("m1", RemarkKind::Failed("broken".into())));
}

#[test]
fn clocks_run_from_the_first_byte() {
    let mut bench = Bench::new();
    bench.begin(&start("m1"));
    let since = bench.now;
    bench.now += 4 * SECOND;
    let call = ludex_match::service::CallNumber(1000);
    bench.on(Event::Message { call, text: "(play m1 nil)".into(), since });
    assert_eq!(bench.thought().until, since + 10 * SECOND - MARGIN);
}

#[test]
fn a_clock_of_nothing_leaves_a_little() {
    let mut bench = Bench::with(ServiceOptions { margin: Some(60 * SECOND), ..ServiceOptions::default() });
    bench.begin("(start m1 x ((role x)) 0 0)");
    let call = bench.send("(play m1 nil)");
    let thought = bench.thought();
    assert!(thought.until > bench.now);
    bench.on(Event::Legal { job: thought.job, action: "noop".into() });
    bench.pass(SECOND);
    assert_eq!(bench.answer(call), Some("noop"));
}

#[test]
fn silent_matches_are_left() {
    let silence = 30 * SECOND;
    let mut bench = Bench::with(ServiceOptions { silence, matches: 1, ..ServiceOptions::default() });
    bench.begin(&start("m1"));
    bench.send("(play m1 nil)");
    bench.chosen("noop");
    // The clock of this move, two more and the silence.
    bench.pass(59 * SECOND);
    assert_eq!((bench.service.matches(), bench.endings().len()), (1, 0));
    bench.pass(SECOND);
    assert_eq!((bench.service.matches(), bench.endings()), (0, vec![&Ending::Left]));
    assert!(bench.remarks().contains(&&Remark::new("m1", RemarkKind::Silent)));
    assert_eq!(bench.service.next_wake(), None);
    assert_eq!(bench.ask("(play m1 (noop noop))"), "busy");
    assert_eq!(bench.begin(&start("m2")), "ready");
}

#[test]
fn long_clocks_keep_no_place_for_ever() {
    let options = ServiceOptions { matches: 1, longest_clock: 20 * SECOND, ..ServiceOptions::default() };
    let silence = options.silence;
    let mut bench = Bench::with(options);
    bench.begin("(start m1 x ((role x)) 4294967295 4294967295)");
    let asked = bench.now;
    bench.send("(play m1 nil)");
    assert_eq!(bench.thought().until, asked + 20 * SECOND - MARGIN);
    bench.chosen("noop");
    bench.pass(silence + 60 * SECOND);
    assert_eq!((bench.service.matches(), bench.endings()), (0, vec![&Ending::Left]));
}

#[test]
fn where_all_places_are_taken_the_match_that_is_silent_for_longest_gives_way() {
    let mut bench = Bench::new();
    for (id, pause) in [("m1", 1), ("m2", 0)] {
        bench.begin(&start(id));
        bench.play(&format!("(play {id} nil)"), "noop");
        bench.pass(pause * SECOND);
    }
    // Both may still be heard of: the answer of a clock of ten seconds, those of the others, and a little.
    bench.pass(33 * SECOND);
    assert_eq!(bench.ask(&start("m3")), "busy");
    assert!(bench.remarks().contains(&&Remark::new("m3", RemarkKind::Full)));
    bench.pass(2 * SECOND);
    assert_eq!(bench.begin(&start("m4")), "ready");
    assert!(bench.remarks().contains(&&Remark::new("m1", RemarkKind::GaveWay)));
    assert_eq!(bench.ask("(play m1 (noop noop))"), "busy");
    // A match that waits for its own answer keeps its place.
    bench.send("(play m2 (noop noop))");
    bench.send("(play m4 nil)");
    bench.pass(9 * SECOND);
    assert_eq!(bench.ask(&start("m5")), "busy");
}

#[test]
fn at_the_end_everybody_is_answered() {
    let mut bench = Bench::new();
    let starting = bench.send(&start("m1"));
    bench.begin(&start("m2"));
    let thinking = bench.send("(play m2 nil)");
    let job = bench.thought().job;
    bench.on(Event::Legal { job, action: "noop".into() });
    bench.on(Event::Close);
    assert_eq!((bench.answer(starting), bench.answer(thinking)), (Some("busy"), Some("noop")));
    assert_eq!((bench.service.matches(), bench.endings().len()), (0, 2));
}

/// What is left of the bank that the player of the last question was told of.
fn bank(bench: &Bench) -> Duration {
    let told = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Think { time, .. } => Some(time.bank.expect("a bank").total),
        _ => None,
    });
    told.expect("a player thinks")
}

#[test]
fn a_player_knows_what_is_left_of_its_time_for_all_moves() {
    let mut bench = Bench::new();
    let terms = "((time_bank 20) (time_increment 0.5) (time_cost 2))";
    bench.begin(&start("m1").replace(" 10 10)", &format!(" 10 10 {terms})")));
    let way = Duration::from_millis(50);
    bench.send("(play m1 nil)");
    let costs =
        bench.effects.iter().any(|effect| matches!(effect, Effect::Think { time, .. } if time.cost == 2.0));
    assert!(costs && bank(&bench) == 20 * SECOND);
    bench.pass(4 * SECOND);
    bench.chosen("noop");
    bench.pass(7 * SECOND);
    // What passes between two questions does not count; what is on its way does.
    bench.send("(play m1 (noop noop))");
    assert_eq!(bank(&bench), 16 * SECOND + Duration::from_millis(500) - way);
    bench.pass(9 * SECOND);
    bench.chosen("(mark 1 1)");
    let asked = bench.now;
    bench.send("(play m1 ((mark 1 1) noop))");
    let left = bank(&bench);
    assert!(left < 8 * SECOND, "{left:?}");
    // Less is left for all moves than the clock of one.
    let until = bench.thought().until - asked;
    assert!(until < left && until > left - Duration::from_millis(400), "{until:?}");
    // Who does not choose has nothing left but what is added.
    bench.pass(10 * SECOND);
    bench.send("(play m1 ((mark 1 2) noop))");
    assert!(bank(&bench) < SECOND, "{:?}", bank(&bench));
}
