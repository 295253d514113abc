//! Every state of the corpus's traces, against the rule machine.

use ludex_game::verify;
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, read_trace};
use ludex_testkit::{machine_of, rounds};

/// States to compare; the rest is left to longer runs (`LUDEX_SOAK`).
const SAMPLE: u64 = 6_000;

#[test]
fn the_rule_machine_agrees_with_the_recorded_prover() {
    let Some(corpus) = Corpus::find("the traces") else { return };
    let mut failures = Vec::new();
    let (mut states, sample) = (0, if rounds(1) > 1 { u64::MAX } else { SAMPLE });
    let paths = corpus.files("traces", ".jsonl.gz");
    assert!(paths.len() >= 193);
    let share = sample / paths.len() as u64;
    for path in paths {
        let mut trace = read_trace(&path).unwrap();
        let file = trace.header.file.as_deref().unwrap_or_default();
        let kif = corpus.path("gdl").join(file.rsplit('/').next().unwrap_or_default());
        let machine = match machine_of(&kif) {
            Ok(machine) => machine,
            Err(error) => {
                failures.push(error);
                continue;
            }
        };
        trace.steps.truncate(share.min(trace.steps.len() as u64) as usize);
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
    assert!(states > 5_000, "{states}");
}
