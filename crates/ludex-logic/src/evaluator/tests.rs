//! Programs that once were, or easily could be, evaluated wrongly.

use std::fmt::Write;

use super::*;
use crate::clause_text::program;

/// The rows of a relation, however eagerly relations are asked with bound arguments.
fn rows(text: &str, relation: &str, arity: usize) -> String {
    let program = program(text);
    let mut found = Vec::new();
    for threshold in [f64::INFINITY, 0.0] {
        let budget = Budget::unlimited();
        let relation = program.find_relation(relation, arity).unwrap();
        let mut preparation = Preparation::new(&program, &budget).unwrap();
        preparation.interface.push(relation);
        let evaluator = preparation.evaluator(threshold, &budget).unwrap();
        let answers = evaluator.answers(&mut evaluator.session(&budget), relation).unwrap();
        let row = |args: &SmallVec<[TermId; 4]>| {
            args.iter().map(|&t| program.terms.infix(t)).collect::<Vec<_>>().join(",")
        };
        found.push(answers.iter().map(row).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(found[0], found[1]);
    found.remove(0)
}

#[test]
fn a_variable_keeps_forms_that_only_a_negated_relation_lacks() {
    let facts = "pool(1) pool(f(1)) pool(g(1)) p(f(1)) p(2)";
    assert_eq!(rows(&format!("{facts} h(X) :- pool(X) & ~p(X)"), "h", 1), "1 g(1)");
    assert_eq!(rows(&format!("{facts} h(X) :- ~distinct(X,Y) & pool(Y) & ~p(X)"), "h", 1), "1 g(1)");
    assert_eq!(rows(&format!("{facts} h(X) :- ~distinct(k(X),k(Y)) & pool(Y) & ~p(X)"), "h", 1), "1 g(1)");
    assert_eq!(rows(&format!("{facts} h(X) :- (p(X) | pool(X)) & ~p(X)"), "h", 1), "1 g(1)");
}

#[test]
fn a_relation_split_by_value_is_used_with_variables() {
    let facts = "num(0) num(50) num(100) won s(r,100) :- won s(r,0) :- num(0) & ~s(r,100)";
    assert_eq!(rows(&format!("{facts} h(V) :- s(R,V)"), "h", 1), "100");
    assert_eq!(rows(&format!("{facts} h(V) :- num(V) & ~s(r,V)"), "h", 1), "0 50");
    assert_eq!(rows(&format!("{facts} h(V) :- num(V) & (s(r,V) | ~distinct(V,50))"), "h", 1), "50 100");
}

#[test]
fn relations_that_feed_each_other_are_split_by_the_values_of_all() {
    let text = "role(r) legal(R,mark) :- role(R) & ~role(R)
        legal(R,noop) :- role(R) & ~legal(R,mark) input(r,mark) input(r,noop) input(r,pass)";
    assert_eq!(rows(text, "input", 2), "r,mark r,noop r,pass");
    assert_eq!(rows(text, "legal", 2), "r,noop");
}

#[test]
fn a_recursive_subgoal_that_becomes_ground_still_fires() {
    let text = "t s(r,1) :- ~s(r,2) & t s(r,2) :- ~t
        reach(k(f(1))) reach(k(h(V))) :- s(r,V) & reach(k(f(V)))";
    assert_eq!(rows(text, "reach", 1), "k(f(1)) k(h(1))");
}

#[test]
fn recursion_through_a_double_negation_is_no_negation() {
    let text = "e(1,2) e(2,3) e(4,1) r(1) r(Y) :- e(X,Y) & ~ ~r(X)";
    assert_eq!(rows(text, "r", 1), "1 2 3");
}

#[test]
fn relations_may_have_more_columns_than_a_byte_counts() {
    let row = |last: &str| {
        let zeros = vec!["0"; 299].join(",");
        format!("p({zeros},{last})")
    };
    let text = format!("q(1) q(2) {} {} h(X) :- q(X) & {}", row("1"), row("3"), row("X"));
    assert_eq!(rows(&text, "h", 1), "1");
    let text = format!("{} {} h(X) :- {}", row("1"), row("3"), row("X"));
    assert_eq!(rows(&text, "h", 1), "1 3");
}

#[test]
fn long_bodies_and_long_chains_are_planned_within_their_budget() {
    let mut text = String::from("a b h :- a");
    for _ in 0..20_000 {
        text.push_str(" & b");
    }
    for n in 1..20_000 {
        write!(text, " c{n} :- c{}", n - 1).unwrap();
    }
    text.push_str(" c0 :- a");
    let program = program(&text);
    let budget = Budget::unlimited().with_work(1_000_000);
    let evaluator = Evaluator::new(&program, &budget).unwrap();
    let mut session = evaluator.session(&budget);
    for name in ["h", "c19999"] {
        let relation = program.find_relation(name, 0).unwrap();
        assert_eq!(evaluator.answers(&mut session, relation).unwrap().len(), 1);
    }
}

#[test]
fn columns_with_many_values_end_at_the_memory_limit() {
    let mut text = String::new();
    for n in 0..2_000 {
        write!(text, "q(v{n}) p{n}(X) :- q(X) ").unwrap();
    }
    let budget = Budget::unlimited().with_memory(1 << 25);
    let error = Evaluator::new(&program(&text), &budget).unwrap_err();
    assert!(matches!(error, EvaluatorError::Limit(LimitError::Memory { .. })), "{error}");
}

#[test]
fn a_small_program_fits_into_little_memory() {
    let mut text = String::new();
    for n in 0..300 {
        write!(text, "q({n}) base({n}) ").unwrap();
    }
    text.push_str("p(X,Y) :- true(X) & q(Y) h(X) :- true(Y) & p(X,Y)");
    let program = program(&text);
    let budget = Budget::unlimited().with_memory(300_000);
    let evaluator = Evaluator::new(&program, &budget).unwrap();
    let mut session = evaluator.session(&budget);
    evaluator.give(&mut session, &crate::clause_text::ground(&program, "true(1)")).unwrap();
    let relation = program.find_relation("h", 1).unwrap();
    assert_eq!(evaluator.answers(&mut session, relation).unwrap().len(), 1);
}

#[test]
fn a_question_given_up_leaves_the_session_able_to_answer() {
    let mut text = String::new();
    for n in 0..40 {
        write!(text, "e({n},{}) ", (n * 7 + 1) % 40).unwrap();
    }
    text.push_str("base(0) r(X) :- true(X) r(Y) :- r(X) & e(X,Y) c(X) :- e(X,Y) & ~r(X) next(X) :- c(X)");
    let program = program(&text);
    let evaluator = Evaluator::new(&program, &Budget::unlimited()).unwrap();
    let relation = program.find_relation("next", 1).unwrap();
    let fact = crate::clause_text::ground(&program, "true(0)");
    let answer = |limits: &[u64]| {
        let mut session = evaluator.session(&Budget::unlimited());
        evaluator.give(&mut session, &fact).unwrap();
        for &limit in limits {
            session.set_budget(&Budget::unlimited().with_work(limit));
            assert!(evaluator.answers(&mut session, relation).is_err());
        }
        session.set_budget(&Budget::unlimited());
        evaluator.answers(&mut session, relation).unwrap()
    };
    let expected = answer(&[]);
    for limit in 1..60 {
        assert_eq!(answer(&[limit, 60 - limit]), expected);
    }
}
