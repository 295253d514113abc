//! Records that are read, and such as cannot be.

use ludex_game::{ByRole, Trace, TraceHeader, TraceStep};
use ludex_learn::{LearnOptions, ObservationError, Vocabulary, deny, learn_game, observe};
use ludex_logic::Budget;

fn step(number: u32, state: &[&str], joint: Option<&[&str]>) -> TraceStep {
    let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    TraceStep {
        playout: 0,
        step: number,
        state: texts(state),
        terminal: joint.is_none(),
        legals: ByRole::default(),
        goals: ByRole::default(),
        joint: joint.map(texts),
    }
}

fn trace(roles: &[&str], steps: Vec<TraceStep>) -> Trace {
    let roles = roles.iter().map(|&role| role.to_owned()).collect();
    Trace { header: TraceHeader { game: "a".to_owned(), file: None, sha256: None, roles }, steps }
}

#[test]
fn a_counter_is_learned_with_an_order_that_nobody_wrote_down() {
    let texts: Vec<String> = (1..9).map(|number| format!("(step {number})")).collect();
    let steps = texts
        .iter()
        .enumerate()
        .map(|(number, text)| step(number as u32, &[text], if number < 7 { Some(&["wait"]) } else { None }));
    let mut vocabulary = Vocabulary::default();
    let observed = observe(&[trace(&["one"], steps.collect())], None, &mut vocabulary).unwrap();
    let fits = learn_game(&observed, &vocabulary, LearnOptions::default(), 1, &Budget::unlimited());
    let next = fits.iter().find(|fit| vocabulary.get(fit.learned.relation()).shape.name() == "step").unwrap();
    assert_eq!((next.score.is_perfect(), next.learned.rules()), (true, 1));
    let clauses = next.learned.clauses(&observed, &vocabulary);
    assert!(clauses.contains("(number_after "), "{clauses}");
}

#[test]
fn terms_may_be_nested_and_facts_may_be_constants() {
    let steps = vec![
        step(0, &["(at (place a 1) x)", "dark"], Some(&["(go (place a 2))"])),
        step(1, &["(at (place a 2) x)"], None),
    ];
    let mut vocabulary = Vocabulary::default();
    let observed = observe(&[trace(&["one"], steps)], None, &mut vocabulary).unwrap();
    let texts = |facts: &ludex_learn::Facts| {
        let mut texts: Vec<String> = facts.iter().map(|(it, tuple)| vocabulary.text(it, tuple)).collect();
        texts.sort();
        texts
    };
    assert_eq!(
        texts(&observed.states[0]),
        ["(does one (go (place a 2)))", "(true (at (place a 1) x))", "(true dark)"]
    );
    assert!(texts(&observed.statics).contains(&"(role one)".to_owned()));
}

#[test]
fn facts_may_have_very_many_arguments() {
    let fact = |last: u32| format!("(wide {} {last})", vec!["a"; 70].join(" "));
    let (before, after) = (fact(1), fact(2));
    let steps = vec![
        step(0, &[&before, "(step 1)"], Some(&["go"])),
        step(1, &[&after, "(step 2)"], Some(&["go"])),
        step(2, &[&after, "(step 3)"], None),
    ];
    let mut vocabulary = Vocabulary::default();
    let observed = observe(&[trace(&["one"], steps)], None, &mut vocabulary).unwrap();
    let fits = learn_game(&observed, &vocabulary, LearnOptions::default(), 1, &Budget::unlimited());
    assert_eq!(fits.len(), observed.targets.len());
}

#[test]
fn what_is_wrong_is_said() {
    let mut vocabulary = Vocabulary::default();
    let mut error = |traces: &[Trace], background| observe(traces, background, &mut vocabulary).unwrap_err();
    assert_eq!(error(&[], None), ObservationError::Empty);
    assert_eq!(error(&[trace(&["one"], Vec::new())], None), ObservationError::Empty);
    let broken = trace(&["one"], vec![step(3, &["(p 1"], None)]);
    assert_eq!(
        error(&[broken], None).to_string(),
        "playout 0, step 3: `(p 1`: the bracket at 0 is not closed"
    );
    let good = |role| trace(&[role], vec![step(0, &["p"], None)]);
    assert_eq!(
        error(&[good("one"), good("two")], None).to_string(),
        "one record is of a game of one, another of two"
    );
    assert!(error(&[good("one")], Some("(p ?x)")).to_string().starts_with("the background is no list"));
}

#[test]
fn what_records_say_against_each_other_is_found() {
    let playout = |last: &str| {
        let steps = vec![step(0, &["(at a)"], Some(&["go"])), step(1, &[last], None)];
        trace(&["one"], steps)
    };
    let mut vocabulary = Vocabulary::default();
    let good = observe(&[playout("(at b)"), playout("(at b)")], None, &mut vocabulary).unwrap();
    assert_eq!(good.contradictions(&vocabulary), []);
    let odd = observe(&[playout("(at b)"), playout("(at c)")], None, &mut vocabulary).unwrap();
    let found = odd.contradictions(&vocabulary);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].first, found[0].second), (0, 2));
    assert_eq!(vocabulary.pattern(found[0].relation), "(next (at _))");
}

#[test]
fn what_never_came_is_told() {
    let steps = vec![
        step(0, &["(at a)", "(from b)"], Some(&["go"])),
        step(1, &["(at b)", "(from a)"], Some(&["go"])),
        step(2, &["(at a)", "(from c)"], None),
    ];
    let mut vocabulary = Vocabulary::default();
    let observed = observe(&[trace(&["one"], steps)], None, &mut vocabulary).unwrap();
    let next = observed.targets.iter().find(|it| vocabulary.pattern(it.relation) == "(next (at _))").unwrap();
    let silent: Vec<(usize, Vec<&str>)> = observed
        .silent(next, &vocabulary)
        .into_iter()
        .map(|(column, values)| (column, values.into_iter().map(|it| vocabulary.name(it)).collect()))
        .collect();
    assert_eq!(silent, [(0, vec!["c"])]);
}

/// A walk in which a counter goes on by one, and some lines say something else.
fn counted(wrong: impl Fn(u32) -> bool) -> Trace {
    let mut steps = Vec::new();
    for playout in 0..40 {
        for number in 0..10 {
            let told = if wrong(10 * playout + number) { (number + 5) % 10 } else { number };
            let fact = format!("(count {told})");
            let joint: Option<&[&str]> = if number < 9 { Some(&["wait"]) } else { None };
            steps.push(TraceStep { playout, ..step(number, &[&fact], joint) });
        }
    }
    trace(&["one"], steps)
}

#[test]
fn rules_need_not_explain_what_is_wrong() {
    let noisy = counted(|line| line % 33 == 7);
    let mut vocabulary = Vocabulary::default();
    let observed = observe(&[noisy], None, &mut vocabulary).unwrap();
    let others = counted(|_| false);
    let test = ludex_learn::observe_others(&[others], &observed, &mut vocabulary).unwrap();
    let target =
        test.targets.iter().find(|it| vocabulary.pattern(it.relation) == "(next (count _))").unwrap();
    let learned = |noise| {
        let options = LearnOptions { noise, ..LearnOptions::default() };
        let fits = learn_game(&observed, &vocabulary, options, 1, &Budget::unlimited());
        fits.into_iter().find(|fit| fit.learned.relation() == target.relation).unwrap().learned
    };
    let tolerant = learned(0.04);
    assert_eq!(tolerant.rules(), 1, "{}", tolerant.clauses(&observed, &vocabulary));
    let score = tolerant.score(&test, target, &vocabulary);
    assert!(score.is_perfect(), "{score:?} {}", tolerant.clauses(&observed, &vocabulary));
    assert!(learned(0.0).cost() > tolerant.cost());
}

#[test]
fn what_cannot_be_played_is_learned_from() {
    // From each place one may go to the next; nobody ever went from d, and the records do not say what was legal.
    let walk = |places: &[&str]| {
        let steps = places.iter().zip(0..).map(|(place, number)| {
            let fact = format!("(at {place})");
            let next = places.get(number as usize + 1).map(|next| format!("(go {next})"));
            match &next {
                Some(joint) => step(number, &[&fact], Some(&[joint.as_str()])),
                None => step(number, &[&fact], None),
            }
        });
        trace(&["one"], steps.collect())
    };
    let good: Vec<Trace> = [&["a", "b", "c"][..], &["a", "c", "d"], &["b", "d", "a"]]
        .iter()
        .map(|places| walk(places))
        .collect();
    let mut vocabulary = Vocabulary::default();
    let mut observed = observe(&good, None, &mut vocabulary).unwrap();
    let legal = |observed: &ludex_learn::Observations, vocabulary: &Vocabulary| {
        let target =
            observed.targets.iter().position(|it| vocabulary.pattern(it.relation) == "(legal _ (go _))");
        target.unwrap()
    };
    let at = legal(&observed, &vocabulary);
    assert!(!observed.targets[at].is_whole && observed.targets[at].denied.is_empty());
    // A move that was made correctly in the same state is none to be denied, and neither is what follows it.
    for (bad, is_new) in [(walk(&["a", "b"]), false), (walk(&["a", "a"]), true)] {
        let [from, to] = &bad.steps[..] else { panic!() };
        let denied = deny(from, to, &bad.header.roles, &mut observed, &mut vocabulary).unwrap();
        assert_eq!(denied, is_new);
    }
    let target = &observed.targets[at];
    assert_eq!(target.denied.len(), 1);
    let fits = learn_game(&observed, &vocabulary, LearnOptions::default(), 1, &Budget::unlimited());
    let fit = fits.iter().find(|fit| fit.learned.relation() == target.relation).unwrap();
    assert_eq!(fit.score.false_positives, 0, "{}", fit.learned.clauses(&observed, &vocabulary));
}
