//! Whatever happens in whatever order, every message is answered once and in time.

use std::time::Duration;

use ludex_match::message::{Last, Request, read_request};
use ludex_match::service::{CallNumber, Effect, Event, JobNumber, Pace, ServiceOptions, TableNumber};
use proptest::prelude::*;

use super::bench::Bench;

#[derive(Clone, Debug)]
enum Happening {
    Message(String),
    /// The result of one of the jobs so far.
    Result(u64, u8),
    Undelivered(u64),
    Abandoned(u64),
    /// The player of one of the matches so far moves.
    Move(usize),
    Pass(u64),
}

fn message() -> impl Strategy<Value = String> {
    let id = prop_oneof![Just("a"), Just("b"), Just("c"), Just("C")];
    let last = prop_oneof![
        Just("nil"),
        Just("(noop noop)"),
        Just("((mark 1) noop)"),
        Just("0 nil ()"),
        Just("1 noop (ok)"),
        Just("7 noop ()"),
        Just("nil 0"),
        Just("((mark 1) nil) 1.5"),
        Just("1 nil (ok) 2.5"),
    ];
    let role = prop_oneof![Just("x"), Just("o")];
    prop_oneof![
        1 => Just("(info)".to_owned()),
        3 => (id.clone(), role).prop_map(|(id, role)| format!("(start {id} {role} ((role x) (role o)) 2 1)")),
        8 => (id.clone(), last.clone()).prop_map(|(id, last)| format!("(play {id} {last})")),
        1 => (id.clone(), last).prop_map(|(id, last)| format!("(stop {id} {last})")),
        1 => id.prop_map(|id| format!("abort({id})")),
        1 => Just("(preview ((role x)) 1)".to_owned()),
        1 => ".{0,20}",
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        6 => message().prop_map(Happening::Message),
        6 => (0..12u64, any::<u8>()).prop_map(|(job, kind)| Happening::Result(job, kind)),
        1 => (0..20u64).prop_map(Happening::Undelivered),
        1 => (0..20u64).prop_map(Happening::Abandoned),
        2 => (0..4usize).prop_map(Happening::Move),
        4 => (0..3_000u64).prop_map(Happening::Pass),
    ]
}

/// The result of a job that was asked for, or of one that never was.
fn result(job: JobNumber, kind: u8) -> Event {
    let text = |text: &str| text.to_owned();
    match kind % 6 {
        0 => Event::Prepared { job, result: Ok(Pace::InSteps) },
        1 => Event::Prepared { job, result: Err(text("bad rules")) },
        2 => Event::Legal { job, action: text("noop") },
        3 => Event::Chosen { job, result: Err(text("broken")) },
        4 => Event::Prepared { job, result: Ok(Pace::InTime) },
        _ => Event::Chosen { job, result: Ok(text("(mark 1)")) },
    }
}

/// Whether a message is one of games in real time, which may be held back.
fn tells_the_time(text: &str) -> bool {
    read_request(text)
        .is_ok_and(|read| matches!(read.request, Request::Play { last: Last::InTime { .. }, .. }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_message_is_answered_once_and_in_time(happenings in prop::collection::vec(happening(), 1..60)) {
        let options = ServiceOptions { matches: 2, silence: Duration::from_secs(3), ..Default::default() };
        let mut bench = Bench::with(options);
        let mut sent: Vec<(CallNumber, Duration, bool)> = Vec::new();
        for happening in happenings {
            match happening {
                Happening::Message(text) => {
                    let at = bench.now;
                    let may_be_held = tells_the_time(&text);
                    sent.push((bench.send(&text), at, may_be_held));
                }
                Happening::Result(back, kind) => {
                    let jobs = bench.effects.iter().rev().filter_map(|effect| match effect {
                        Effect::Prepare { job, .. } | Effect::Preview { job, .. } | Effect::Think { job, .. } => {
                            Some(*job)
                        }
                        _ => None,
                    });
                    let job = jobs.into_iter().nth(back as usize).unwrap_or(JobNumber(1_000_000));
                    bench.on(result(job, kind));
                }
                Happening::Undelivered(call) => bench.on(Event::Undelivered(CallNumber(call))),
                Happening::Abandoned(call) => bench.on(Event::Abandoned(CallNumber(call))),
                Happening::Move(back) => {
                    let tables = bench.effects.iter().rev().filter_map(|effect| match effect {
                        Effect::Prepare { table, .. } => Some(*table),
                        _ => None,
                    });
                    let table = tables.into_iter().nth(back).unwrap_or(TableNumber(1_000_000));
                    bench.on(Event::Moved { table, action: "(mark 1)".to_owned() });
                }
                Happening::Pass(ms) => bench.pass(Duration::from_millis(ms)),
            }
            prop_assert!(bench.service.matches() <= 2);
        }
        bench.pass(Duration::from_secs(60));
        let is_open = |bench: &Bench, call| {
            !bench.answers.contains_key(&call) && !bench.refusals.contains_key(&call)
        };
        let held: Vec<_> = sent.iter().filter(|&&(call, ..)| is_open(&bench, call)).collect();
        prop_assert!(held.len() == bench.service.matches(), "a match lives as long as one message is held back");
        for (call, at, may_be_held) in &sent {
            let answered = bench.answers.get(call).map(|(_, answered)| *answered);
            let in_time = answered.is_none_or(|answered| answered <= *at + Duration::from_secs(2));
            let is_known = answered.is_some() || bench.refusals.contains_key(call);
            prop_assert!(*may_be_held || (is_known && in_time), "{call:?} was not answered in time");
        }
        for (call, ..) in held.clone() {
            bench.on(Event::Abandoned(*call));
            prop_assert!(!is_open(&bench, *call));
        }
        bench.pass(Duration::from_secs(60));
        prop_assert_eq!(bench.service.matches(), 0, "all are left");
        prop_assert_eq!(bench.service.next_wake(), None);
    }
}
