//! Every state of the corpus's traces, against the rule machine.

use ludex_game::verify;
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, read_trace, stem};
use ludex_testkit::machine_of;

#[test]
fn the_rule_machine_agrees_with_the_recorded_prover() {
    let Some(corpus) = Corpus::find("the traces") else { return };
    let mut failures = Vec::new();
    let mut states = 0;
    let paths = corpus.files("traces", ".jsonl.gz");
    assert_eq!(paths.len(), 193);
    for path in paths {
        let trace = read_trace(&path).unwrap();
        let kif = corpus.path("gdl").join(format!("{}.kif", stem(&path).trim_end_matches(".jsonl")));
        let machine = match machine_of(&kif) {
            Ok(machine) => machine,
            Err(error) => {
                failures.push(error);
                continue;
            }
        };
        let report = verify(&*machine, &trace, &Budget::unlimited());
        states += report.steps;
        for m in report.mismatches.iter().take(3) {
            let game = &trace.header.game;
            let (playout, step, what) = (m.playout, m.step, &m.what);
            let (expected, found) = (&m.expected, &m.found);
            failures.push(format!("{game} {playout}:{step} {what}: expected {expected}, found {found}"));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(states, 15_443, "every recorded state");
}
