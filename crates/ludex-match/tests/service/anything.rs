//! Whatever happens in whatever order, every message is answered once and in time.

use std::time::Duration;

use ludex_match::service::{CallNumber, Effect, Event, JobNumber, ServiceOptions};
use proptest::prelude::*;

use super::bench::Bench;

#[derive(Clone, Debug)]
enum Happening {
    Message(String),
    /// The result of one of the jobs so far.
    Result(u64, u8),
    Undelivered(u64),
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
        4 => (0..3_000u64).prop_map(Happening::Pass),
    ]
}

/// The result of a job that was asked for, or of one that never was.
fn result(job: JobNumber, kind: u8) -> Event {
    let text = |text: &str| text.to_owned();
    match kind % 5 {
        0 => Event::Prepared { job, result: Ok(()) },
        1 => Event::Prepared { job, result: Err(text("bad rules")) },
        2 => Event::Legal { job, action: text("noop") },
        3 => Event::Chosen { job, result: Err(text("broken")) },
        _ => Event::Chosen { job, result: Ok(text("(mark 1)")) },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_message_is_answered_once_and_in_time(happenings in prop::collection::vec(happening(), 1..60)) {
        let options = ServiceOptions { matches: 2, silence: Duration::from_secs(3), ..Default::default() };
        let mut bench = Bench::with(options);
        let mut sent: Vec<(CallNumber, Duration)> = Vec::new();
        for happening in happenings {
            match happening {
                Happening::Message(text) => {
                    let at = bench.now;
                    sent.push((bench.send(&text), at));
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
                Happening::Pass(ms) => bench.pass(Duration::from_millis(ms)),
            }
            prop_assert!(bench.service.matches() <= 2);
        }
        bench.pass(Duration::from_secs(60));
        prop_assert_eq!(bench.service.matches(), 0, "all are left");
        prop_assert_eq!(bench.service.next_wake(), None);
        for (call, at) in sent {
            if bench.refusals.contains_key(&call) {
                continue;
            }
            let Some((_, answered)) = bench.answers.get(&call) else { panic!("{call:?} was not answered") };
            prop_assert!(*answered <= at + Duration::from_secs(2), "{call:?} was answered too late");
        }
    }
}
