use std::sync::Arc;

use super::*;
use crate::{Code, LoadOptions, Source, load, parse};

fn sheet(text: &str) -> Rulesheet {
    parse(Arc::new(Source::new("a.kif", text)), None).0
}

fn has(text: &str, code: u16) -> bool {
    let checked = load(Arc::new(Source::new("a.kif", text)), &LoadOptions::default());
    checked.diagnostics.iter().any(|found| found.code == Code(code))
}

fn smallest(text: &str, code: u16) -> Minimized {
    minimize(&sheet(text), &mut |text| has(text, code), &MinimizeLimits::default()).unwrap()
}

/// All rulesheets that are one step smaller.
fn smaller(sheet: &Rulesheet) -> Vec<String> {
    let mut edits: Vec<Edit> = (0..sheet.items.len()).map(|at| Edit::without_clauses([at])).collect();
    edits.extend(steps::droppable(sheet).into_iter().map(|node| Edit::without_nodes([node])));
    for list in [steps::parts_of_formulas, steps::arguments, steps::functions, steps::terms, steps::variables]
    {
        edits.extend(list(sheet));
    }
    let constants = steps::constants(sheet);
    for (at, &merged) in constants.iter().enumerate() {
        let other = |other: &NameId| Edit::renamed([(merged, sheet.tree.name(*other).into())]);
        edits.extend(constants[..at].iter().map(other));
    }
    let size = Size::of(sheet);
    let candidates = edits.iter().map(|edit| sheet.edited(edit));
    candidates.filter(|one| Size::of(one).is_less_than(&size)).map(|one| fmt(&one)).collect()
}

const GAME: &str = "
; A walk.
(role walker) (role other)
(init (at 1 2)) (init (clock 1))
(<= (legal walker (go ?m ?n)) (true (at ?x ?y)) (or (step ?x ?m) (step ?m ?x)) (index ?n))
(legal other wait)
(step 1 2) (step 2 3) (index 1) (index 2)
(<= (next (at ?m ?n)) (does walker (go ?m ?n)))
(<= (next (clock ?n)) (true (clock ?m)) (step ?m ?n))
(<= (goal ?r 100) (role ?r) (not (true (at 1 ?x))))
(<= (goal ?r 0) (role ?r) (true (at 1 ?x)) (lost ?r))
(<= terminal (true (clock 3)))
(<= (idle ?x) (index ?x) (not (step ?x ?z)))
";

#[test]
fn known_results() {
    assert_eq!(smallest(GAME, 50).text.trim(), "(<= idle\n    step)");
    assert_eq!(smallest("(p a) (q b) (p (f a))\n(p a)\n", 53).text, "p\np\n");
}

#[test]
fn each_step_further_loses_the_finding() {
    for code in [30, 50, 51] {
        let small = smallest(GAME, code);
        assert!(has(&small.text, code), "{}", small.text);
        assert_eq!(small.ended, Ended::Minimal);
        for candidate in smaller(&sheet(&small.text)) {
            assert!(!has(&candidate, code), "L{code:03}: {}\nbecomes\n{candidate}", small.text);
        }
    }
}

#[test]
fn both_notations_and_twice_the_same() {
    let infix = crate::print(&sheet(GAME), crate::Notation::Infix);
    let (read, _) = parse(Arc::new(Source::new("a.gdl", infix.as_str())), None);
    let shows = |text: &str| {
        let checked = load(Arc::new(Source::new("a.gdl", text)), &LoadOptions::default());
        checked.diagnostics.iter().any(|found| found.code == Code(30))
    };
    let small = || minimize(&read, &mut |text| shows(text), &MinimizeLimits::default()).unwrap();
    assert!(shows(&small().text) && !small().text.contains("(<="), "{}", small().text);
    assert_eq!(small(), small());
}

#[test]
fn what_cannot_be_read_is_a_text() {
    let small = smallest("(role a)\n(init p)\n(legal a (go\n(terminal)\n", 1);
    assert_eq!(small.text, "(");
    assert!(has(&small.text, 1));
}

#[test]
fn names_become_shorter() {
    let limits = MinimizeLimits { rename: true, ..MinimizeLimits::default() };
    let text = "(role white) (<= (legal white ?move) (role white))";
    let small = minimize(&sheet(text), &mut |text| has(text, 30), &limits).unwrap();
    assert!(!small.text.contains("white") && !small.text.contains("move"), "{}", small.text);
}

#[test]
fn limits_leave_the_best_so_far() {
    let limits = MinimizeLimits { tries: 2, ..MinimizeLimits::default() };
    let small = minimize(&sheet(GAME), &mut |text| has(text, 50), &limits).unwrap();
    assert_eq!((small.tries, small.ended), (2, Ended::Tries));
    assert!(has(&small.text, 50));
    assert_eq!(minimize(&sheet(GAME), &mut |_| false, &limits), Err(NotThere));
}

#[test]
fn hostile_rulesheets() {
    let deep = format!("(p {}a{})", "(f ".repeat(20_000), ")".repeat(20_000));
    let limits = MinimizeLimits { tries: 40, ..MinimizeLimits::default() };
    let small = minimize(&sheet(&deep), &mut |text| text.contains('a'), &limits).unwrap();
    assert!(small.text.contains('a'));
    let wide = format!("(<= p {})", "q ".repeat(20_000));
    let small = minimize(&sheet(&wide), &mut |text| text.contains('q'), &limits).unwrap();
    assert!(small.after.symbols < 100, "{}", small.after.symbols);
    assert_eq!(minimize(&sheet(""), &mut |_| true, &limits).unwrap().text, "");
}
