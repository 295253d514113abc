//! The conversations of the book and of the specification.

use ludex_match::message::Last;
use ludex_match::service::{Effect, Ending, Event, Pace};

use super::bench::Bench;

fn joint(moves: &[&str]) -> Last {
    Last::Joint(moves.iter().map(|&m| m.to_owned()).collect())
}

fn percepts(turn: u32, action: Option<&str>, percepts: &[&str]) -> Last {
    let percepts = percepts.iter().map(|&p| p.to_owned()).collect();
    Last::Percepts { turn, action: action.map(str::to_owned), percepts }
}

/// Chapter 3.4, as player x hears it.
#[test]
fn the_match_of_chapter_3_in_infix() {
    let mut bench = Bench::new();
    assert_eq!(bench.begin("start(m23,x,[role(x),role(o),legal(x,noop) :- true(a)],10,10)"), "ready");
    let Some(Effect::Prepare { start, .. }) =
        bench.effects.iter().find(|effect| matches!(effect, Effect::Prepare { .. }))
    else {
        panic!("no player gets ready");
    };
    assert_eq!((start.id.as_str(), start.role.as_str()), ("m23", "x"));
    assert_eq!((start.start_clock, start.play_clock), (10, 10));
    assert_eq!(bench.play("play(m23,nil)", "(mark 1 1)"), "mark(1,1)");
    assert_eq!(bench.thought().last, Last::Nothing);
    assert_eq!(bench.play("play(m23,[mark(1,1),noop])", "noop"), "noop");
    assert_eq!(bench.thought().last, joint(&["(mark 1 1)", "noop"]));
    assert_eq!(bench.thought().answered.as_deref(), Some("(mark 1 1)"));
    assert_eq!(bench.play("play(m23,[noop,mark(1,2)])", "(mark 2 2)"), "mark(2,2)");
    assert_eq!(bench.play("play(m23,[mark(2,2),noop])", "noop"), "noop");
    assert_eq!(bench.play("play(m23,[noop,mark(1,3)])", "(mark 3 3)"), "mark(3,3)");
    assert_eq!(bench.ask("stop(m23, [mark(3,3),noop])"), "done");
    assert_eq!(bench.endings(), [&Ending::Stopped(joint(&["(mark 3 3)", "noop"]))]);
    let Some(Effect::Dismiss { answered, .. }) = bench.effects.iter().rev().nth(1) else { panic!("no end") };
    assert_eq!(answered.as_deref(), Some("(mark 3 3)"));
    assert_eq!((bench.remarks(), bench.service.matches()), (vec![], 0));
}

/// Appendix B of the specification, and its capitals.
#[test]
fn the_match_of_the_specification_in_capitals() {
    let mut bench = Bench::new();
    let rules = "(ROLE ROBOT) (<= (LEGAL ROBOT MOVE) (TRUE (CELL ?X)))";
    let start = format!("(START MATCH.3316980891 ROBOT ({rules}) 30 30)");
    assert_eq!(bench.begin(&start), "READY");
    assert_eq!(bench.play("(PLAY MATCH.3316980891 NIL)", "move"), "MOVE");
    for _ in 0..2 {
        assert_eq!(bench.play("(PLAY MATCH.3316980891 (MOVE))", "grab"), "grab", "no word of the rules");
        assert_eq!(bench.thought().last, joint(&["move"]));
    }
    assert_eq!(bench.ask("(STOP MATCH.3316980891 (DROP))"), "DONE");
}

/// Chapter 17.5, as the second player hears it.
#[test]
fn the_match_of_chapter_17_in_both_notations() {
    let mut bench = Bench::new();
    assert_eq!(bench.begin("start(m23,black,[role(white),role(black),role(random)],10,10)"), "ready");
    assert_eq!(bench.play("play(m23,0,nil,[])", "(mark 2 3)"), "mark(2,3)");
    assert_eq!(bench.thought().last, percepts(0, None, &[]));
    assert_eq!(bench.play("play(m23,1,mark(2,3),[ok])", "(mark 2 2)"), "mark(2,2)");
    assert_eq!(bench.play("play(m23,2,mark(2,2),[])", "(mark 1 3)"), "mark(1,3)");
    assert_eq!(bench.thought().last, percepts(2, Some("(mark 2 2)"), &[]));
    assert_eq!(bench.ask("stop(m23,3,mark(1,3),[ok])"), "done");
    assert_eq!(bench.endings(), [&Ending::Stopped(percepts(3, Some("(mark 1 3)"), &["ok"]))]);

    let mut bench = Bench::new();
    let start = "( start m23 black ( ( role white ) ( role black ) ( role random ) ) 10 10 )";
    assert_eq!(bench.begin(start), "ready");
    assert_eq!(bench.play("( play m23 0 nil ( ) )", "(mark 2 3)"), "(mark 2 3)");
    assert_eq!(bench.thought().last, percepts(0, None, &[]));
    assert_eq!(bench.play("( PLAY m23 1 ( mark 2 3 ) ( ok ) )", "(mark 2 2)"), "(mark 2 2)");
    assert_eq!(bench.thought().last, percepts(1, Some("(mark 2 3)"), &["ok"]));
    assert_eq!(bench.ask("( STOP M23 2 ( mark 2 2 ) ( ) )"), "DONE", "names are compared without case");
}

#[test]
fn info_says_who_is_there_in_the_managers_notation() {
    let mut bench = Bench::new();
    assert_eq!(bench.ask("(INFO)"), "((name ludex) (status available))");
    assert_eq!(bench.ask("info()"), "[[name,ludex],[status,available]]");
    for id in ["m1", "m2"] {
        bench.begin(&super::bench::start(id));
    }
    assert_eq!(bench.ask(" ( info ) "), "((name ludex) (status busy))");
    assert_eq!(bench.ask("abort(m1)"), "done");
    assert_eq!(bench.ask("info()"), "[[name,ludex],[status,available]]");
}

#[test]
fn rules_may_be_looked_at_before() {
    let mut bench = Bench::new();
    let call = bench.send("(preview ((role x)) 5)");
    assert_eq!((bench.answer(call), bench.service.matches()), (None, 1));
    let job = bench.preparing();
    bench.on(Event::Prepared { job, result: Ok(Pace::InSteps) });
    assert_eq!((bench.answer(call), bench.service.matches()), (Some("ready"), 0));
}

/// A manager that compares letter by letter gets the letters it sent.
#[test]
fn moves_are_spelled_as_the_rules_were() {
    let mut bench = Bench::new();
    bench.begin("(START m xPlayer ((role xPlayer) (<= (legal xPlayer (Mark ?x)) (true (open ?x)))) 10 10)");
    assert_eq!(bench.play("(PLAY m nil)", "(mark xplayer)"), "(Mark xPlayer)");
    assert_eq!(bench.play("play(m,[mark(1)])", "(mark xplayer)"), "mark(xplayer)");
}
