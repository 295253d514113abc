//! The oracle itself, on examples small enough for the eye.

use ludex_gdl::{GameProgram, Notation, Source, lower, parse};
use ludex_testkit::oracle::{OracleError, model};

fn game(text: &str) -> GameProgram {
    let source = std::sync::Arc::new(Source::new("test", text));
    let (rulesheet, errors) = parse(source, Some(Notation::Prefix));
    assert_eq!(errors, []);
    lower(&rulesheet, ludex_gdl::Dialect::Gdl).0.unwrap()
}

fn rows(text: &str, relation: &str, arity: usize) -> Result<Vec<String>, OracleError> {
    let program = game(text).program;
    let model = model(&program, &[], 1_000_000)?;
    let relation = program.find_relation(relation, arity).unwrap();
    let row =
        |r: &[ludex_logic::TermId]| r.iter().map(|&t| program.terms.prefix(t)).collect::<Vec<_>>().join(" ");
    let mut rows: Vec<String> = model.rows(relation).iter().map(|r| row(r)).collect();
    rows.sort();
    Ok(rows)
}

#[test]
fn ancestors() {
    let text = "(parent ann bea) (parent bea coe) (parent coe dan)
        (<= (ancestor ?x ?y) (parent ?x ?y))
        (<= (ancestor ?x ?z) (ancestor ?x ?y) (ancestor ?y ?z))";
    let expected = ["ann bea", "ann coe", "ann dan", "bea coe", "bea dan", "coe dan"];
    assert_eq!(rows(text, "ancestor", 2).unwrap(), expected);
}

#[test]
fn negation_waits_for_the_stratum_below() {
    let text = "(n 1) (n 2) (n 3) (e 1 2) (e 2 3)
        (<= (r 1)) (<= (r ?y) (r ?x) (e ?x ?y) (not (cut ?y)))
        (<= (cut ?x) (n ?x) (not (even ?x)) (distinct ?x 1))
        (even 2)
        (<= (unreached ?x) (not (r ?x)) (n ?x))";
    assert_eq!(rows(text, "r", 1).unwrap(), ["1", "2"]);
    assert_eq!(rows(text, "unreached", 1).unwrap(), ["3"]);
}

#[test]
fn formulas_nest() {
    let text = "(p a) (p b) (p c) (q a) (r b)
        (<= (s ?x) (p ?x) (not (or (q ?x) (and (r ?x) (p a)))))
        (<= (t ?x) (or (q ?x) (and (r ?x) (not (q ?x)))))
        (<= (u (f ?x (g ?x))) (p ?x) (not (and (not (q ?x)) (not (distinct ?x b)))))";
    assert_eq!(rows(text, "s", 1).unwrap(), ["c"]);
    assert_eq!(rows(text, "t", 1).unwrap(), ["a", "b"]);
    assert_eq!(rows(text, "u", 1).unwrap(), ["(f a (g a))", "(f c (g c))"]);
}

#[test]
fn what_has_no_model_is_refused() {
    let error = |text: &str, relation| rows(text, relation, 1).unwrap_err();
    let unstratified = "(n 1) (<= (p ?x) (n ?x) (not (q ?x))) (<= (q ?x) (n ?x) (not (p ?x)))";
    assert!(matches!(error(unstratified, "p"), OracleError::Unstratified { .. }));
    assert!(matches!(error("(q 1) (<= (p ?x) (q ?y))", "p"), OracleError::Unsafe { .. }));
    let endless = "(p 0) (<= (p (s ?x)) (p ?x))";
    assert_eq!(error(endless, "p"), OracleError::Limit(1_000_000));
}
