//! Fuzz targets as plain functions: each takes any bytes and must not panic.
//!
//! Stable builds replay `fuzz/corpus/<target>` and run seeded mutations of the bundled games through
//! them; a fuzzer can call the same functions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ludex_engine::{LaneMachine, LaneOptions, NetMachine, NetOptions};
use ludex_game::{Machine, Rng, RuleMachine, RuleMachineOptions, playthrough, record_playouts};
use ludex_gdl::{
    Diagnostic, GameProgram, Notation, Rulesheet, Source, convert, fmt, parse, same_rules, scramble,
    unscramble,
};
use ludex_logic::derive::{Derivations, ExplainOptions, Query, Style, TreeOptions};
use ludex_logic::ground::{GroundOptions, ground};
use ludex_logic::{Atom, Budget, Formula, Id, Pattern, VariableId};
use ludex_propnet::Propnet;

use crate::games::{check_text, program};
use crate::generate::growing;

/// A property that must hold of any input.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Target); 6] = [
    ("parse_prefix", parse_prefix),
    ("parse_infix", parse_infix),
    ("convert_round_trip", convert_round_trip),
    ("check_never_panics", check_never_panics),
    ("run_never_panics", run_never_panics),
    ("written_is_charged", written_is_charged),
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

/// What grows on paper and not in memory is written in part or refused, by every engine and whoever draws:
/// the bytes choose a rulesheet of that kind ([`growing`]).
pub fn written_is_charged(data: &[u8]) {
    let text = growing(data);
    let game = program("fuzz", &text, None).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let budget = Budget::unlimited().with_work(300_000).with_memory(64 << 20);
    let options = RuleMachineOptions { budget: budget.clone(), ..RuleMachineOptions::default() };
    let mut machines: Vec<Box<dyn Machine>> = Vec::new();
    if let Ok(machine) = RuleMachine::new(&game, &options) {
        machines.push(Box::new(machine));
    }
    let net_options = NetOptions { budget: budget.clone(), ..NetOptions::default() };
    if let Ok(net) = NetMachine::new(&game, &net_options) {
        let net = Arc::new(net);
        machines.push(Box::new(LaneMachine::new(Arc::clone(&net), LaneOptions::default(), 1)));
        if let Some(net) = Arc::into_inner(net) {
            machines.push(Box::new(net));
        }
    }
    for machine in &machines {
        // At most six states, each with its moves and percepts.
        if let Ok(trace) = record_playouts(&**machine, "fuzz", 1, 1, 6, &budget) {
            let length: usize = trace.lines().map(|line| line.len()).sum();
            assert!(length < 7 * (20 << 20), "{text}");
        }
    }
    let written = drawn(&game, &budget);
    assert!(written < 16 << 20, "{written} bytes of\n{text}");
    let terms = &game.program.terms;
    assert!(terms.bytes() < 64 << 20, "{} terms of\n{text}", terms.len());
}

/// How long the net, the reasons and the terms of a game are, as they are drawn.
fn drawn(game: &GameProgram, budget: &Budget) -> usize {
    let mut written = 0;
    if let Ok(grounding) = ground(&game.program, &GroundOptions::faithful().with_budget(budget.clone()))
        && let Ok(net) = Propnet::new(game, &grounding)
    {
        written += net.draw_dot(Notation::Prefix, None).len();
        written += net.draw_svg(Notation::Infix, 500, None).map_or(0, |svg| svg.len());
    }
    let Ok(mut derivations) = Derivations::new(&game.program, &[]) else { return written };
    let style = Style::new(&game.program);
    for relation in [game.vocabulary.init, game.vocabulary.legal] {
        let arity = game.program.relations[relation].arity;
        let args = (0..arity).map(|at| Pattern::Variable(VariableId::from_index(at))).collect();
        let names = vec![game.program.terms.symbol("x"); arity].into();
        let query = Query { formula: Formula::Atom(Atom { relation, args }), variables: names };
        let mut meter = budget.meter();
        if let Ok(reasons) = derivations.explain(&query, &ExplainOptions::default(), &mut meter) {
            written += reasons.text(&style).len();
        }
        if let Ok(tree) = derivations.tree(&query, &TreeOptions::default(), &mut meter) {
            written += tree.text(&style).len() + tree.dot(&style).len();
        }
    }
    written
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
