//! What is wrong with rules that have steps, and what becomes of hostile ones.

use std::sync::Arc;

use crate::diagnostic::Severity;
use crate::game_program::Dialect;
use crate::load::{Checked, LoadOptions, load};
use crate::source::Source;

/// A game of three steps around some rules.
fn game(rules: &str) -> String {
    ending("terminal(3)", rules)
}

/// A game of three steps that ends so.
fn ending(end: &str, rules: &str) -> String {
    format!(
        "role(a)\nstep(1) step(2) step(3)\nsuccessor(1,2) successor(2,3)\nlegal(a,go,N) :- step(N)\n\
        goal(a,50,N) :- step(N)\n{end}\n{rules}\n"
    )
}

fn checked(text: &str) -> Checked {
    let options = LoadOptions { dialect: Some(Dialect::Sdl), ..LoadOptions::default() };
    load(Arc::new(Source::new("game", text)), &options)
}

/// The errors, with the text that is pointed at.
fn errors(text: &str) -> Vec<(String, String, String)> {
    let checked = checked(text);
    let errors = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    errors.map(|e| (e.code.to_string(), text[e.span.range()].to_owned(), e.message.clone())).collect()
}

#[test]
fn what_is_asked_must_be_known_on_the_step() {
    for (rules, code, place, message) in [
        // Later, perhaps later, or of another step that nothing relates to this one.
        (
            "p(N) :- true(q,M) & successor(N,M)\nlegal(a,no,N) :- p(N)",
            "L082",
            "true(q,M)",
            "step `M`, which may come after step `N`",
        ),
        ("legal(a,no,N) :- step(N) & does(a,go,M)", "L082", "does(a,go,M)", "which may come after step `N`"),
        ("legal(a,no,1) :- does(a,go,2)", "L082", "does(a,go,2)", "step `2`, which may come after step `1`"),
        // The moves of the step itself.
        (
            "true(q,N) :- step(N) & does(a,go,N)",
            "L082",
            "does(a,go,N)",
            "cannot depend on the moves of that step",
        ),
        ("legal(a,no,N) :- does(a,go,N)", "L045", "does(a,go,N)", "`legal` depends on `does`"),
        (
            "terminal(N) :- done(N)\ndone(N) :- does(a,go,N)",
            "L045",
            "done(N)",
            "`terminal` depends on `does` through `done`",
        ),
        // The truth of a step by its own negation.
        (
            "true(q,N) :- step(N) & ~r(N)\nr(N) :- true(q,N)\nlegal(a,no,N) :- true(q,N)",
            "L031",
            "~r(N)",
            "depends on its own negation",
        ),
        (
            "done :- does(a,go,N)\nlegal(a,no,N) :- step(N) & done",
            "L083",
            "done",
            "none of its arguments is one",
        ),
        ("legal(a,no,7)", "L081", "7", "`7` is no step"),
        ("legal(a,no,f(N)) :- step(N)", "L081", "f(N)", "a step is a constant or a variable"),
        ("true(q)", "L026", "true(q)", "`true` takes two arguments, not 1"),
        ("does(a,go,1)", "L041", "does(a,go,1)", "`does` cannot stand in a head"),
    ] {
        let text = game(rules);
        let found = errors(&text);
        assert_eq!(found.len(), 1, "{rules}: {found:?}");
        let (found_code, found_place, found_message) = &found[0];
        assert_eq!(found_code, code, "{rules}: {found:?}");
        assert!(found_place.trim_start_matches('~') == place.trim_start_matches('~'), "{rules}: {found:?}");
        assert!(found_message.contains(message), "{rules}: {found:?}");
    }
}

#[test]
fn steps_are_a_chain() {
    let around =
        "role(a)\nlegal(a,go,N) :- step(N)\ngoal(a,50,N) :- step(N)\nterminal(N) :- step(N) & true(q,N)\n";
    for (steps, message) in [
        ("", "no clauses say what the steps are"),
        ("step(1) successor(1,1)", "there is no first step"),
        ("step(1) step(2) successor(1,2) successor(2,1)", "there is no first step"),
        ("step(1) step(2) step(3) successor(1,2)", "two steps follow none: `1` and `3`"),
        ("step(1) step(2) step(3) successor(1,2) successor(1,3)", "two steps follow `1`: `2` and `3`"),
        ("step(1) step(2) step(3) successor(1,3) successor(2,3)", "`3` follows two steps: `1` and `2`"),
        ("step(1) step(2) step(3) successor(2,3) successor(3,2)", "`2` is a step, but cannot be reached"),
        ("step(1) successor(1,2)", "`2` follows a step, but is none"),
        ("step(f(1)) step(2) successor(f(1),2)", "the step `(f 1)` is no constant"),
        ("step(1) step(2) successor(1,2) :- true(q,1)", "`successor` depends on what holds on a step"),
    ] {
        let found = errors(&format!("{around}{steps}\n"));
        assert!(
            found.len() == 1 && found[0].0 == "L081" && found[0].2.contains(message),
            "{steps}: {found:?}"
        );
    }
    assert_eq!(errors(&format!("{around}step(b) step(a) successor(a,b)\n")), []);
}

#[test]
fn init_and_next_are_words_of_gdl() {
    for rules in ["init(q)", "next(q) :- true(q,1)", "init(q,1)", "legal(a,no,N) :- true(q,N) & ~next(q,N)"] {
        let found = errors(&game(&format!("true(q,1)\n{rules}")));
        assert!(
            matches!(&found[..], [(code, place, message)]
                if code == "L083" && place == rules && message.contains("has no meaning where rules have steps")),
            "{rules}: {found:?}"
        );
    }
}

#[test]
fn findings_speak_of_the_relations_of_the_author() {
    // There is a version of `true` for the first step and one for the next, both stratified fact by fact only.
    let text = game(
        "base(p) base(q)\ntrue(q,N) :- does(a,go,M) & successor(M,N)\ntrue(p,N) :- step(N) & ~true(q,N)",
    );
    let found: Vec<String> =
        checked(&text).diagnostics.into_iter().filter(|d| d.code.0 == 39).map(|d| d.message).collect();
    assert_eq!(found, ["`true` depends on its own negation, with other arguments"]);
}

#[test]
fn a_relation_that_nothing_uses_is_no_error() {
    let text = game("did(N) :- does(a,go,M) & successor(M,N)");
    let checked = checked(&text);
    let codes: Vec<String> = checked.diagnostics.iter().map(|found| found.code.to_string()).collect();
    assert_eq!((codes, checked.game.is_some()), (vec!["L051".to_owned()], true));
}

#[test]
fn an_end_that_no_rule_sees_is_noted() {
    let notes = |end: &str| {
        let checked = checked(&ending(end, ""));
        assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
        checked.diagnostics.iter().filter(|found| found.code.0 == 84).count()
    };
    assert_eq!(notes("terminal(N) :- does(a,go,M) & successor(M,N)"), 1);
    assert_eq!(notes("terminal(N) :- does(a,go,M) & successor(M,N)\nterminal(3)"), 0);
    assert_eq!(notes("terminal(N) :- step(N) & distinct(N,1) & distinct(N,2)"), 1);
}

#[test]
fn hostile_rules_end_in_a_clear_error_or_a_game() {
    // A chain of many steps, and a relation of all pairs of them.
    let mut long =
        String::from("role(a)\nlegal(a,go,N) :- step(N)\ngoal(a,50,N) :- step(N)\nterminal(5000)\n");
    (1..=5_000).for_each(|step| long.push_str(&format!("step({step})\n")));
    (1..5_000).for_each(|step| long.push_str(&format!("successor({step},{})\n", step + 1)));
    assert!(!checked(&long).has_errors());
    // More steps in one rule than anybody needs, and more ways than can be told apart.
    let many: Vec<String> = (0..40).map(|n| format!("does(a,go,M{n}) & successor(M{n},N)")).collect();
    let found = errors(&game(&format!("legal(a,no,N) :- {}", many.join(" & "))));
    assert!(found.len() == 1 && found[0].2.contains("more than 24 steps"), "{found:?}");
    let until = "until(N,N) :- step(N)\nuntil(M,N) :- successor(M,N)\nuntil(1,3)\n";
    let loose: Vec<String> = (0..10).map(|n| format!("true(q,M{n}) & until(M{n},N)")).collect();
    let found = errors(&game(&format!("{until}true(q,1)\nlegal(a,no,N) :- {}", loose.join(" & "))));
    assert!(found.len() == 1 && found[0].2.contains("in too many ways"), "{found:?}");
    // Disjunctions that would be written out, and deep ones.
    let or: Vec<String> =
        (0..40).map(|n| format!("(does(a,go,N{n}) & successor(N{n},N) | step(N))")).collect();
    let text = game(&format!("legal(a,no,N) :- {}", or.join(" & ")));
    assert!(checked(&text).game.is_some() || checked(&text).has_errors());
    let deep = format!("legal(a,no,N) :- step(N) & {}true(q,N){}", "~(".repeat(400), ")".repeat(400));
    assert_eq!(errors(&game(&format!("true(q,1)\n{deep}"))), []);
    // A relation of steps without an end.
    let found = errors(&game("later(s(N)) :- later(N)\nlater(1)\nlegal(a,no,N) :- later(N) & step(N)"));
    assert!(!found.is_empty(), "{found:?}");
}
