//! Fuzz targets as plain functions: each takes any bytes and must not panic.
//!
//! Stable builds replay `fuzz/corpus/<target>` and run seeded mutations of the bundled games through
//! them; a fuzzer can call the same functions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ludex_game::{Rng, RuleMachine, RuleMachineOptions, playthrough};
use ludex_gdl::{
    Diagnostic, Notation, Rulesheet, Source, convert, fmt, parse, same_rules, scramble, unscramble,
};
use ludex_logic::Budget;

use crate::games::{check_text, program};

/// A property that must hold of any input.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Target); 5] = [
    ("parse_prefix", parse_prefix),
    ("parse_infix", parse_infix),
    ("convert_round_trip", convert_round_trip),
    ("check_never_panics", check_never_panics),
    ("run_never_panics", run_never_panics),
];

fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

fn spans_lie_in_the_text(source: &Source, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let spans = diagnostic.labels.iter().map(|l| l.span).chain([diagnostic.span]);
        for span in spans {
            assert!(source.text().get(span.range()).is_some(), "{span:?} of {}", diagnostic.message);
        }
    }
}

fn parse_as(data: &[u8], notation: Notation) {
    let source = Arc::new(Source::new("fuzz", text(data)));
    let (rulesheet, diagnostics) = parse(Arc::clone(&source), Some(notation));
    spans_lie_in_the_text(&source, &diagnostics);
    for item in &rulesheet.items {
        assert!(source.text().get(item.span.range()).is_some());
        assert!(source.text().get(rulesheet.tree.span(item.head).range()).is_some());
    }
}

/// The prefix parser ends, and its spans lie in the text.
pub fn parse_prefix(data: &[u8]) {
    parse_as(data, Notation::Prefix);
}

/// The infix parser ends, and its spans lie in the text.
pub fn parse_infix(data: &[u8]) {
    parse_as(data, Notation::Infix);
}

fn read(text: &str, notation: Notation) -> (Rulesheet, Vec<Diagnostic>) {
    parse(Arc::new(Source::new("fuzz", text)), Some(notation))
}

/// What is read without errors can be written in either notation, laid out anew and renamed, and read
/// again, and is the same.
pub fn convert_round_trip(data: &[u8]) {
    let text = text(data);
    for notation in [Notation::Prefix, Notation::Infix] {
        let (original, errors) = read(&text, notation);
        if !errors.is_empty() {
            continue;
        }
        for target in [Notation::Prefix, Notation::Infix] {
            let there = convert(&original, target);
            let (again, errors) = read(there.source.text(), target);
            assert!(errors.is_empty(), "{:?}: {errors:?}", there.source.text());
            assert!(same_rules(&original, &again), "{text:?} became {:?}", there.source.text());
            assert_eq!(original.comments.len(), again.comments.len(), "{:?}", there.source.text());
            let (back, errors) = read(convert(&again, notation).source.text(), notation);
            assert!(errors.is_empty() && same_rules(&original, &back), "{text:?}");
        }
        let tidy = fmt(&original);
        let (again, errors) = read(&tidy, notation);
        assert!(errors.is_empty() && same_rules(&original, &again), "{text:?} became {tidy:?}");
        assert_eq!(fmt(&again), tidy, "laying out twice changes nothing more");
        let (scrambled, renaming) = scramble(&original, 1);
        assert!(same_rules(&original, &unscramble(&scrambled, &renaming)), "{text:?}");
    }
}

/// Checking ends, and its findings lie in the text.
pub fn check_never_panics(data: &[u8]) {
    let checked = check_text("fuzz", &text(data), None);
    spans_lie_in_the_text(&checked.rulesheet.source, &checked.diagnostics);
}

/// A rulesheet without errors can be run, or says why not, within its limits.
pub fn run_never_panics(data: &[u8]) {
    let Ok(game) = program("fuzz", &text(data), None) else { return };
    let budget = Budget::unlimited().with_work(200_000).with_memory(32 << 20);
    let options = RuleMachineOptions { budget: budget.clone(), ..RuleMachineOptions::default() };
    if let Ok(machine) = RuleMachine::new(&game, &options) {
        for seed in 0..2 {
            // An error is an answer, too.
            let _ = playthrough(&machine, seed, 6, &budget);
        }
    }
}

/// The kept inputs of a target.
pub fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    files
}

/// A text with a few bytes or tokens changed: most results are almost well formed.
pub fn mutate(text: &[u8], seed: u64) -> Vec<u8> {
    const SNIPPETS: [&str; 24] = [
        "(", ")", "((", "))", "<=", ":-", "&", ",", "|", "~", ".", "?", "?x", "not", "or", "distinct", "'",
        "\"", ";", "%", "\r", "\n", "\u{feff}", "∧",
    ];
    let mut rng = Rng::from_seed(seed);
    let mut out = text.to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(out.len() as u64 + 1) as usize;
        let end = (at + rng.below(12) as usize).min(out.len());
        match rng.below(5) {
            0 => drop(out.drain(at..end)),
            1 => {
                let snippet = SNIPPETS[rng.below(SNIPPETS.len() as u64) as usize];
                out.splice(at..at, snippet.bytes());
            }
            2 => {
                let copy = out[at..end].to_vec();
                let to = rng.below(out.len() as u64 + 1) as usize;
                out.splice(to..to, copy);
            }
            3 if at < out.len() => out[at] = rng.bits() as u8,
            _ => out.truncate(out.len() - (out.len() - at).min(40)),
        }
    }
    out
}
