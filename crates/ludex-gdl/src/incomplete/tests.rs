//! Rulesheets of sentences, read and checked.

use std::sync::Arc;

use crate::load::{Checked, LoadOptions, load};
use crate::report;
use crate::source::Source;

const COMPLETE: &str = include_str!("../../../../games/igdl/lights-in-sentences.gdl");
const FROM_ANYWHERE: &str = include_str!("../../../../games/igdl/lights-from-anywhere.gdl");

fn checked(text: &str) -> Checked {
    load(Arc::new(Source::new("game", text)), &LoadOptions::default())
}

fn drawn(text: &str) -> String {
    let checked = checked(text);
    report::plain(&checked.rulesheet.source, &checked.diagnostics)
}

#[test]
fn a_complete_rulesheet_is_a_game() {
    let checked = checked(COMPLETE);
    assert_eq!(checked.diagnostics, []);
    let game = checked.game.unwrap();
    let program = &game.program;
    let count = |name: &str, arity| {
        let relation = program.find_relation(name, arity).unwrap();
        program.clauses.iter().filter(|clause| clause.head.relation == relation).count()
    };
    // With an opening, since what is seen of the first state is told then: `random` has one case.
    assert_eq!((count("role", 1), count("base", 1), count("input", 2)), (2, 11, 6));
    assert_eq!((count("init", 1), count("next", 1), count("legal", 2)), (1, 10, 6));
    assert_eq!((count("sees", 2), count("goal", 2), count("terminal", 0)), (1, 2, 1));
}

#[test]
fn what_is_left_open_is_named() {
    let checked = checked(FROM_ANYWHERE);
    assert!(checked.game.as_ref().unwrap().has_opening && !checked.has_errors());
    let text = drawn(FROM_ANYWHERE);
    assert!(text.contains("leave open `init(p)`, `init(q)`, `init(r)`\n"), "{text}");
    assert!(checked.not_runnable.is_none());
    // What is open anew at each step is in no game that runs.
    let text = FROM_ANYWHERE.replace("next(q) <=>", "next(q) =>");
    let checked = super::tests::checked(&text);
    assert!(checked.game.is_none() && checked.not_runnable.unwrap().message.contains("`next(q)`"));
}

#[test]
fn a_contradiction_is_drawn_with_all_that_it_needs() {
    let text = "role(a)\nrole(X) => p(X)\nq(b)\n~p(X)\n";
    assert_eq!(
        drawn(text),
        "error[L086] game:4:1: this sentence and 2 others contradict each other\n 4 | ~p(X)\n   | ^^^^^\n 1 | role(a)\n   | ------- with this one\n 2 | role(X) => p(X)\n   | --------------- with this one\n  hint: without any one of them there is no contradiction\n"
    );
    let text = drawn("role(a)\np & ~p\n");
    assert!(text.contains("this sentence contradicts itself"), "{text}");
}

/// A game of one fact, with more sentences.
fn with(more: &str) -> String {
    format!(
        "role(a)\nbase(p)\nX!=p => ~base(X)\ninput(a,m)\nX!=a | Y!=m => ~input(X,Y)\nlegal(R,M) <=> input(R,M)\n\
         goal(a,100) <=> true(p)\nY!=100 => ~goal(X,Y)\nterminal <=> true(p)\n{more}\n"
    )
}

#[test]
fn what_is_said_of_any_step_is_said_of_the_first() {
    let text = drawn(&with("next(p) <=> ~true(p)\n~init(p)\ntrue(p)"));
    assert!(text.contains("error[L086] game:12:1: this sentence contradicts another one"), "{text}");
    // It decides what `init` leaves open, too.
    let game = checked(&with("next(p) <=> true(p)\nk\nk => true(p)"));
    let cases = game.game.unwrap();
    let legal = cases.program.clauses.iter().filter(|clause| clause.head.relation == cases.vocabulary.legal);
    // The robot's move and waiting, and the one case of `random`, which waits later.
    assert_eq!((cases.has_opening, legal.count()), (true, 4));
}

#[test]
fn sentences_that_no_game_heeds_are_named() {
    let text = drawn(&with("next(p) <=> ~true(p)\n~init(p)\ntrue(p) => ~next(p)"));
    assert_eq!(text, "");
    let text = drawn(&with("next(p) <=> ~true(p)\n~init(p)\nk <=> true(p)\n~k | next(p)"));
    assert!(text.contains("game:13:1: no game that runs heeds this sentence"), "{text}");
}

#[test]
fn of_an_equivalence_the_left_side_is_defined() {
    let changes = |more: &str| {
        let sentences = checked(&with(more)).sentences.unwrap();
        sentences.changes[sentences.theory.find_relation("k", 0).unwrap()]
    };
    assert!(!changes("init(p)\nnext(p) <=> ~k") && !changes("init(p)\nnext(p) <=> k"));
    assert!(changes("init(p)\nk <=> next(p)") && changes("init(p)\ntrue(p) <=> k"));
    assert!(changes("init(p)\ntrue(p) => k") && !changes("init(p)\nsees(a,s) => k"));
}

/// What is seen of the next state is written out down to facts: a clause does not get deeper than one that is read.
#[test]
fn definitions_that_go_too_deep_are_no_game() {
    let chain = |length: usize| {
        let links: Vec<String> =
            (0..length).map(|n| format!("v{n} <=> true(p) & (init(p) | v{})", n + 1)).collect();
        let percepts = "percept(a,s)\nsees(a,s) <=> v0\nnext(p) <=> ~true(p)";
        checked(&with(&format!("{percepts}\n{}\nv{length} <=> true(p)", links.join("\n"))))
    };
    assert!(chain(50).game.is_some());
    let deep = chain(5000);
    assert!(deep.game.is_none() && !deep.has_errors());
    assert!(deep.not_runnable.unwrap().message.contains("more than can be written as rules"));
}

#[test]
fn functions_without_end_keywords_and_rules_are_answered() {
    let text = drawn("role(a)\np(X) => p(s(X))\n");
    assert!(text.contains("error[L087]") && text.contains("`s` can stand inside itself"), "{text}");
    let text = drawn("role(a)\ntrue(q) <=> legal(q)\n~init(X)\n");
    assert!(text.contains("game:2:13: `legal` takes 2 arguments, not 1"), "{text}");
    let text = drawn("role(a)\nlegal(a,go) :- true(p).\nnext(p) <=> ~true(p)\n");
    assert!(text.contains("warning[L085]") && text.contains("leave open `init(p)`"), "{text}");
    let text = drawn("~init(X)\nnext(p) <=> ~true(p)\n");
    assert!(text.contains("error[L046]"), "{text}");
}

#[test]
fn of_two_atoms_the_left_one_is_defined() {
    // `over` and `done` are met before the sentences that define them, and either side of `ended <=> over` could be.
    let text = "role(a)\nX!=a => ~role(X)\n~init(X)\nlegal(a,go)\nX!=a | Y!=go => ~legal(X,Y)\n\
        next(p) <=> true(p) & over & done\nX!=p => ~next(X)\ngoal(a,50)\nX!=a | Y!=50 => ~goal(X,Y)\n\
        terminal <=> ended\nended <=> over\nover <=> done\ndone <=> true(p) & does(a,go)\n";
    let checked = checked(text);
    assert_eq!(checked.diagnostics, []);
    let program = checked.game.unwrap().program;
    let defined =
        |name| program.clauses.iter().any(|clause| program.relation_name(clause.head.relation) == name);
    assert!(["terminal", "ended", "over", "done"].into_iter().all(defined));
}
