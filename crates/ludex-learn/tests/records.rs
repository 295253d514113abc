//! Records that are read, and such as cannot be.

use ludex_game::{ByRole, Trace, TraceHeader, TraceStep};
use ludex_learn::{LearnOptions, ObservationError, Vocabulary, learn_game, observe};
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
