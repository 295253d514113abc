use std::sync::Arc;

use ludex_game::Rules;
use ludex_gdl::{Notation, Source, parse, print};
use ludex_logic::Budget;
use ludex_testkit::{playable, playable_bundled};

use super::*;
use crate::cases::{CaseFile, CaseOptions};
use crate::mutation::{Fate, MutantLimits, mutations, try_mutant};
use crate::property::PropertyOptions;

fn bundled(name: &str) -> Rules {
    playable_bundled(name).unwrap()
}

fn text_of(rules: &Rules) -> String {
    rules.source().text().to_owned()
}

fn changes(first: &Rules, second: &Rules) -> ClauseChanges {
    clause_changes(first.rulesheet(), second.rulesheet(), &NameMap::new())
}

fn played(first: &Rules, second: &Rules, options: &DifferenceOptions) -> Behaviour {
    compare_play(first, second, options, &Budget::unlimited()).unwrap()
}

#[test]
fn notation_order_layout_and_variables_change_nothing() {
    for name in ["tic-tac-toe", "nim", "monty-hall", "connect-four"] {
        let first = bundled(name);
        let other = if first.notation() == Notation::Prefix { Notation::Infix } else { Notation::Prefix };
        let ending = if other == Notation::Prefix { "kif" } else { "gdl" };
        let text = print(first.rulesheet(), other);
        let second = playable(&format!("{name}.{ending}"), &text).unwrap();
        assert!(changes(&first, &second).is_empty(), "{name}");
    }
    let read = |text: &str| parse(Arc::new(Source::new("a.kif", text)), None).0;
    let first = read("(p) (<= (q ?x ?y) (r ?x ?z) (or (s ?z ?y) (t ?y)) (distinct ?x ?y))");
    let second = read("(<= (q ?b ?a) (distinct ?a ?b) (or (t ?a) (s ?c ?a)) (r ?b ?c)) p");
    assert!(clause_changes(&first, &second, &NameMap::new()).is_empty());
    let third = read("(<= (q ?b ?a) (distinct ?a ?b) (or (t ?a) (s ?c ?a)) (r ?c ?b)) p");
    assert_eq!(clause_changes(&first, &third, &NameMap::new()).changed, [(1, 0)]);
}

#[test]
fn names_can_be_mapped() {
    let first = bundled("tic-tac-toe");
    let text = text_of(&first).replace("white", "cross").replace("mark", "put");
    let second = playable("other.kif", &text).unwrap();
    assert!(matches!(played(&first, &second, &DifferenceOptions::default()), Behaviour::Differs(_)));
    let names: NameMap =
        [("white", "cross"), ("mark", "put")].map(|(old, new)| (old.to_owned(), new.to_owned())).into();
    assert!(clause_changes(first.rulesheet(), second.rulesheet(), &names).is_empty());
    let options = DifferenceOptions { names, ..DifferenceOptions::default() };
    assert!(matches!(played(&first, &second, &options), Behaviour::Alike { states: 5478 }));
}

/// A walk of five places; the last step can be made twice.
const WALK: &str = "(role you) (init (at 1)) (step 1 2) (step 2 3) (step 3 4) (step 4 5) (step 4 4)
    (<= (legal you (go ?n)) (true (at ?m)) (step ?m ?n)) (<= (next (at ?n)) (does you (go ?n)))
    (<= terminal (true (at 5))) (<= (goal you 100) (true (at 5))) (<= (goal you 0) (not (true (at 5))))";

#[test]
fn the_shortest_difference_is_found() {
    let first = playable("walk.kif", WALK).unwrap();
    let differs = |from: &str, to: &str, options: &DifferenceOptions| {
        assert!(WALK.contains(from));
        let second = playable("other.kif", &WALK.replace(from, to)).unwrap();
        match played(&first, &second, options) {
            Behaviour::Differs(found) => {
                let again = differs_after(&first, &second, &found.first, options, &Budget::unlimited());
                assert_eq!(again.unwrap().as_ref(), Some(&found.aspects));
                Some((found.first.len(), found.aspects))
            }
            _ => None,
        }
    };
    let plain = DifferenceOptions::default();
    let (steps, aspects) = differs("(step 4 4)", "(step 4 1)", &plain).unwrap();
    assert!(
        steps == 3
            && matches!(&aspects[..], [Aspect::Legal { first, second, .. }] if first.len() == 1 && second.len() == 1)
    );
    let (steps, aspects) =
        differs("(<= terminal (true (at 5)))", "(<= terminal (true (at 4)))", &plain).unwrap();
    assert_eq!((steps, aspects), (3, vec![Aspect::Terminal { first: false }]));
    let (steps, aspects) = differs("(goal you 0)", "(goal you 10)", &plain).unwrap();
    assert_eq!((steps, aspects.len()), (0, 1));
    let final_goals = DifferenceOptions { final_goals: true, ..plain.clone() };
    assert_eq!(differs("(goal you 0)", "(goal you 10)", &final_goals), None);
    assert_eq!(
        differs("(role you)", "(role you) (role me) (legal me wait) (goal me 0)", &plain),
        Some((0, vec![Aspect::Roles]))
    );
    // Another way to keep the state is nothing that players notice.
    let (from, to) = ("(init (at 1))", "(init (at 1)) (init clock) (<= (next clock) (true clock))");
    assert_eq!(differs(from, to, &plain), None);
    let facts = DifferenceOptions { facts: true, ..plain };
    assert!(
        matches!(differs(from, to, &facts), Some((0, found)) if matches!(found[..], [Aspect::Facts { .. }]))
    );
}

#[test]
fn random_games_find_what_lies_deep() {
    let first = playable("walk.kif", WALK).unwrap();
    let second = playable("other.kif", &WALK.replace("(goal you 100)", "(goal you 90)")).unwrap();
    let options = DifferenceOptions { most_states: 2, ..DifferenceOptions::default() };
    let Behaviour::Differs(found) = played(&first, &second, &options) else { panic!() };
    assert_eq!((found.first.len(), found.is_shortest), (4, false));
    let alike = played(&first, &first, &options);
    assert!(matches!(alike, Behaviour::NotFound { games: 100, limit: None, .. }), "{alike:?}");
}

#[test]
fn percepts_are_compared() {
    let text = "(role you) (role random) (init start) (legal you wait) (legal random (toss heads)) (legal random (toss tails))
        (<= (sees you ?x) (does random (toss ?x))) (<= (next over) (does you wait)) (<= terminal (true over)) (goal you 50)";
    let first = playable("toss.kif", text).unwrap();
    let blind = text.replace("(does random (toss ?x))", "(does random (toss ?x)) (distinct ?x tails)");
    let second = playable("blind.kif", &blind).unwrap();
    let Behaviour::Differs(found) = played(&first, &second, &DifferenceOptions::default()) else { panic!() };
    let [Aspect::Sees { first: here, second: there, .. }] = &found.aspects[..] else { panic!("{found:?}") };
    assert_eq!((found.first.len(), here.len(), there.len()), (1, 1, 0));
    assert_eq!(first.texts(here), ["tails"]);
}

#[test]
fn mutants_that_cases_notice_differ() {
    let first = bundled("tic-tac-toe");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let found = walk(&path).into_iter().find(|path| path.ends_with("tic-tac-toe.cases")).unwrap();
    let text = std::fs::read_to_string(found).unwrap();
    let cases = CaseFile::read(Arc::new(Source::new("tic-tac-toe.cases", text))).unwrap();
    let budget = Budget::unlimited().with_work(20_000_000);
    let property = PropertyOptions {
        games: 10,
        most_states: 1_000,
        most_moves: 5_000,
        most_steps: 0,
        ..PropertyOptions::default()
    };
    let options = CaseOptions { property, proof_budget: budget.clone(), ..CaseOptions::default() };
    let limits = MutantLimits { budget: budget.clone(), options };
    let mut noticed = 0;
    for mutation in mutations(first.rulesheet()) {
        if !matches!(try_mutant(&mutation, &first, &cases, &limits), Ok(Fate::Noticed(_))) {
            continue;
        }
        let text = mutation.text(first.rulesheet());
        let Ok(second) = playable("mutant.kif", &text) else { continue };
        // What a case says of facts, no player has to notice.
        let options = DifferenceOptions { facts: true, ..DifferenceOptions::default() };
        let Behaviour::Differs(found) = compare_play(&first, &second, &options, &budget).unwrap() else {
            panic!("{text}")
        };
        let again = differs_after(&first, &second, &found.first, &options, &budget).unwrap();
        assert_eq!(again, Some(found.aspects));
        noticed += 1;
    }
    assert!(noticed > 10, "{noticed} mutants");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| if entry.path().is_dir() { walk(&entry.path()) } else { vec![entry.path()] })
        .collect()
}

#[test]
fn limits_leave_what_was_found() {
    let first = bundled("connect-four");
    let budget = Budget::unlimited().with_work(20_000);
    match compare_play(&first, &first, &DifferenceOptions::default(), &budget) {
        Ok(Behaviour::NotFound { limit: Some(_), .. }) | Err(_) => {}
        other => panic!("{other:?}"),
    }
}
