//! What the libraries of rules define is what arithmetic, geometry and enumeration say.

mod boards;
mod changes;
mod insertion;
mod numbers;

use std::collections::BTreeSet;

use ludex::gdl::{Notation, Severity};
use ludex::rule_library::{Selection, all, find, find_defining};
use ludex::{Engine, Game, GameOptions};

/// A game on the rule machine; texts that are no game fail.
fn game(text: &str) -> Game {
    let options = GameOptions { engine: Engine::Rules, hasty: true, ..GameOptions::default() };
    Game::parse("rules", text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Rules of libraries with these values.
fn rules(parts: &[(&str, &[&str])], set: &[(&str, u32)], notation: Notation) -> String {
    let mut selection = Selection::new();
    for (name, value) in set {
        selection.set(name, &value.to_string()).unwrap();
    }
    for (library, parts) in parts {
        selection.add(library, parts).unwrap();
    }
    selection.text(notation).unwrap()
}

/// The tuples of a relation that does not change, as the facts of an initial state, in one notation.
fn model_in(text: &str, relation: &str, arity: usize, notation: Notation) -> BTreeSet<Vec<String>> {
    let variables = |mark: &str, separator: &str| {
        (0..arity).map(|n| format!("{mark}X{n}")).collect::<Vec<_>>().join(separator)
    };
    let whole = match notation {
        Notation::Prefix => format!(
            "{text}\n(role somebody)\n(legal somebody wait)\n(goal somebody 0)\n(<= terminal (role nobody))\n\
             (<= (init (tuple {0})) ({relation} {0}))\n(init (tuple))\n",
            variables("?", " ")
        ),
        Notation::Infix => format!(
            "{text}\nrole(somebody)\nlegal(somebody,wait)\ngoal(somebody,0)\nterminal :- role(nobody)\n\
             init(tuple({0})) :- {relation}({0})\ninit(none)\n",
            variables("", ",")
        ),
    };
    let game = game(&whole);
    let facts = game.start().fact_texts();
    facts
        .iter()
        .filter_map(|fact| {
            let words = fact.split(['(', ')', ' ', ',']).filter(|word| !word.is_empty());
            let words: Vec<String> = words.skip_while(|word| *word == "none").map(str::to_owned).collect();
            (words.len() == arity + 1).then(|| words[1..].to_vec())
        })
        .collect()
}

/// The tuples of a relation of a library, which both notations have to agree on.
fn model(library: &str, relation: &str, set: &[(&str, u32)]) -> BTreeSet<Vec<String>> {
    let part =
        find(library).unwrap().parts.iter().find(|part| part.relations.iter().any(|r| r.name == relation));
    let arity = part.unwrap().relations.iter().find(|r| r.name == relation).unwrap().arity();
    let [prefix, infix] = [Notation::Prefix, Notation::Infix].map(|notation| {
        let text = rules(&[(library, &[relation])], set, notation);
        model_in(&text, relation, arity, notation)
    });
    assert_eq!(prefix, infix, "{relation}");
    prefix
}

/// Tuples of numbers, as texts.
fn texts<const N: usize>(tuples: impl IntoIterator<Item = [u32; N]>) -> BTreeSet<Vec<String>> {
    tuples.into_iter().map(|tuple| tuple.iter().map(u32::to_string).collect()).collect()
}

#[test]
fn each_library_is_found_by_name_and_by_what_it_defines() {
    for library in all() {
        assert!(std::ptr::eq(find(library.name).unwrap(), library));
        assert!(!library.title.is_empty() && library.explanation.ends_with('.'));
        for part in library.parts {
            assert!(library.part(part.name).is_some());
            for relation in part.relations {
                assert_eq!(find_defining(relation.name, relation.arity()).unwrap().name, library.name);
            }
            for needed in part.builds_on {
                let place = |name: &str| library.parts.iter().position(|part| part.name == name).unwrap();
                assert!(place(needed) < place(part.name), "{}: {needed}", part.name);
            }
        }
    }
    assert!(find_defining("succ", 3).is_none() && find("numberz").is_none());
}

/// What a small game has to say besides, so that all that libraries ask for is there.
const REST: &str = "
(<= (chain_start ?r ?x 1) (player ?r) (column ?x))
(<= (chain_end ?r ?x 3) (player ?r) (column ?x))
(<= (becomes ?x ?y ?r) (does ?r (mark ?x ?y)))
(<= (gains ?r 1) (does ?r (mark ?x ?y)))
(<= (can_move ?r) (player ?r) (location ?x ?y) (not (true (cell ?x ?y ?r))))
(<= (input ?r (mark ?x ?y)) (player ?r) (location ?x ?y))
(<= (legal ?r (mark ?x ?y)) (true (control ?r)) (location ?x ?y) (not (true (cell ?x ?y ?r))))
(<= (base (cell ?x ?y ?r)) (location ?x ?y) (player ?r))
(<= terminal time_is_up)
(<= (wins ?r) (has_line ?r))
(<= (wins ?r) (connects ?r))
(<= (wins ?r) (leads ?r))
";

#[test]
fn all_libraries_go_together_in_one_rulesheet_in_both_notations() {
    for alone in all() {
        let mut selection = Selection::new();
        selection.add(alone.name, &[]).unwrap();
        for notation in [Notation::Prefix, Notation::Infix] {
            let text = selection.text(notation).unwrap();
            let source = std::sync::Arc::new(ludex::gdl::Source::new("rules", text.clone()));
            let (_, errors) = ludex::gdl::parse(source, Some(notation));
            assert!(errors.is_empty(), "{}", alone.name);
        }
    }
    let mut selection = Selection::new();
    for library in all() {
        selection.add(library.name, &[]).unwrap();
    }
    let text = selection.text(Notation::Prefix).unwrap() + REST;
    let game = game(&text);
    let bad = game.rules().diagnostics().iter().filter(|found| found.severity == Severity::Error);
    assert_eq!(bad.count(), 0);
    // In infix notation these are the same rules.
    let infix = selection.text(Notation::Infix).unwrap();
    let read = |text: &str, notation| {
        ludex::gdl::parse(std::sync::Arc::new(ludex::gdl::Source::new("rules", text)), Some(notation)).0
    };
    let prefix = read(&selection.text(Notation::Prefix).unwrap(), Notation::Prefix);
    assert!(ludex::gdl::same_rules(&prefix, &read(&infix, Notation::Infix)));
}

#[test]
fn values_out_of_bounds_are_refused_and_those_at_bounds_are_taken() {
    use ludex::rule_library::{ParameterKind, RuleLibraryError};
    for library in all() {
        for parameter in library.parameters {
            let (good, bad): (Vec<String>, Vec<String>) = match parameter.kind {
                ParameterKind::Number { least, most, .. } => (
                    vec![least.to_string(), most.to_string()],
                    vec![(most + 1).to_string(), "-1".into(), "+3".into(), "x".into(), "9".repeat(40)],
                ),
                ParameterKind::Choice(words) => {
                    (words.iter().map(|word| (*word).to_owned()).collect(), vec!["7".into(), String::new()])
                }
                ParameterKind::Names { least, most, .. } => {
                    let many =
                        |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>().join(",");
                    (
                        vec![many(least), many(most)],
                        vec![
                            many(most + 1),
                            "a,a".into(),
                            "random".into(),
                            "A".into(),
                            "a b".into(),
                            "?x".into(),
                        ],
                    )
                }
            };
            for value in good {
                let taken = library.values([(parameter.name, value.as_str())]);
                let is_fine = matches!(taken, Ok(_) | Err(RuleLibraryError::Refused { .. }));
                assert!(is_fine, "{} {}={value}", library.name, parameter.name);
            }
            for value in bad {
                let refused = library.values([(parameter.name, value.as_str())]);
                let is_refused = matches!(refused, Err(RuleLibraryError::Value { .. }));
                assert!(is_refused, "{} {}={value}", library.name, parameter.name);
            }
        }
        assert!(library.values([("nothing", "1")]).is_err());
    }
    let lines = find("lines").unwrap();
    let error = lines.values([("width", "3"), ("height", "2"), ("length", "4")]).unwrap_err();
    assert!(error.to_string().contains("no line of 4 cells"), "{error}");
    let error = find("cards").unwrap().values([("hand", "7")]).unwrap_err();
    assert!(error.to_string().contains("14 cards are dealt, and there are 12"), "{error}");
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let mut selection = Selection::new();
    for parts in [&["rank"][..], &["player", "rank"]] {
        assert!(selection.add("turns", parts).is_err());
    }
    selection.add("cards", &["rank"]).unwrap();
    assert_eq!(selection.libraries().unwrap(), ["cards"]);
}

#[test]
fn a_parameter_that_nothing_has_is_refused() {
    let mut selection = Selection::new();
    assert!(selection.set("colour", "red").is_err());
    selection.set("sides", "4").unwrap();
    selection.add("numbers", &[]).unwrap();
    let error = selection.text(Notation::Prefix).unwrap_err();
    assert!(error.to_string().contains("`sides`; it has max"), "{error}");
    assert!(selection.add("numbers", &["minus"]).is_err() && selection.add("trees", &[]).is_err());
}
