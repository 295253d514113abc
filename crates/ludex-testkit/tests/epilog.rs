//! Games in Epilog against records of the engine of Gamemaster: on the rule machine, the net machine and lanes.

use std::sync::Arc;

use ludex_engine::{Backend, LaneMachine, LaneOptions, NetMachine, NetOptions};
use ludex_game::{Machine, Trace, VerifyReport, verify_waiting};
use ludex_gdl::{Dialect, GameProgram, LoadOptions, Notation, Severity, Source, from_epilog, load};
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, read_text, read_trace, stem};
use ludex_testkit::{program_of, rule_machine};

/// What differs, for people.
fn differences(game: &str, engine: &str, report: &VerifyReport) -> Vec<String> {
    let line = |m: &ludex_game::Mismatch| {
        format!(
            "{game}, {engine}, {}:{} {}: expected {}, found {}",
            m.playout, m.step, m.what, m.expected, m.found
        )
    };
    report.mismatches.iter().take(3).map(line).collect()
}

/// Replays a trace on every engine; the states compared on one.
fn replay(game: &GameProgram, trace: &Trace, failures: &mut Vec<String>) -> u64 {
    let name = &trace.header.game;
    let mut states = 0;
    let mut verify = |machine: &dyn Machine, engine: &str| {
        let report = verify_waiting(machine, trace, game.waiting, &Budget::unlimited());
        failures.extend(differences(name, engine, &report));
        states = report.steps;
    };
    verify(&*rule_machine(game).unwrap(), "rule machine");
    let net = NetMachine::new(game, &NetOptions::default()).unwrap();
    verify(&net, "net machine");
    let lanes = |net, backend| LaneMachine::new(net, LaneOptions { width: None, backend }, 1);
    let interpreted = lanes(Arc::new(net), Backend::Portable);
    verify(&interpreted, "interpreted lanes");
    verify(&lanes(interpreted.into_net(), Backend::Native), "native lanes");
    states
}

#[test]
fn epilog_agrees_with_the_records_of_its_engine() {
    let Some(corpus) = Corpus::find("the traces of Epilog") else { return };
    let paths = corpus.files("epilog/traces", ".jsonl.gz");
    if paths.is_empty() {
        eprintln!(
            "skipped the traces of Epilog: there are none in {}",
            corpus.path("epilog/traces").display()
        );
        return;
    }
    let mut failures = Vec::new();
    let mut states = 0;
    for path in &paths {
        let trace = read_trace(path).unwrap();
        let sheet = corpus.path(&format!("epilog/{}.hrf", stem(path).trim_end_matches(".jsonl")));
        let game = program_of(&sheet).unwrap();
        assert_eq!(game.dialect, Dialect::Epilog);
        states += replay(&game, &trace, &mut failures);
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert_eq!((paths.len(), states), (13, 1_204), "every recorded state");
}

#[test]
fn a_changed_record_differs() {
    let Some(corpus) = Corpus::find("changed traces of Epilog") else { return };
    let Some(path) = corpus.files("epilog/traces", "trifecta.jsonl.gz").pop() else { return };
    let trace = read_trace(&path).unwrap();
    let game = program_of(&corpus.path("epilog/trifecta.hrf")).unwrap();
    let machine = rule_machine(&game).unwrap();
    let count =
        |trace: &Trace| verify_waiting(&*machine, trace, game.waiting, &Budget::unlimited()).mismatches.len();
    assert_eq!(count(&trace), 0);
    let mut changed = trace.clone();
    changed.steps[1].state.pop();
    assert!(count(&changed) > 0);
    // A role in control with several moves is none that waits.
    let mut changed = trace.clone();
    changed.steps[0].legals.0[0].1.clear();
    assert!(count(&changed) > 0);
    let mut changed = trace;
    changed.steps[0].joint = Some(vec![String::new(), "mark(1,1)".into()]);
    assert!(count(&changed) > 0);
}

#[test]
fn sheets_in_gdl_are_the_same_games() {
    let Some(corpus) = Corpus::find("sheets of Epilog in GDL") else { return };
    for path in corpus.files("epilog/traces", ".jsonl.gz") {
        let name = stem(&path).trim_end_matches(".jsonl").to_owned();
        let sheet = corpus.path(&format!("epilog/{name}.hrf"));
        let source = Arc::new(Source::new(format!("{name}.hrf"), read_text(&sheet).unwrap()));
        let (rulesheet, _) = ludex_gdl::parse(source, Some(Notation::Infix));
        let plain = from_epilog(&rulesheet).unwrap();
        let checked = load(plain.source, &LoadOptions::default());
        let errors: Vec<_> = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert_eq!((checked.dialect, errors), (Dialect::Gdl, Vec::new()), "{name}");
        let game = checked.game.unwrap();
        let waiting = game.program.terms.constant(if name == "chinesecheckers3" { "wait" } else { "noop" });
        let machine = rule_machine(&game).unwrap();
        let report =
            verify_waiting(&*machine, &read_trace(&path).unwrap(), Some(waiting), &Budget::unlimited());
        assert_eq!(differences(&name, "GDL", &report), [""; 0]);
    }
}
