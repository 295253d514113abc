use ludex_gdl::{CHECKS, Check, Diagnostic};
use ludex_logic::Budget;
use ludex_testkit::{playable, playable_bundled};

use super::check_deeply;
use crate::Subject;
use crate::well_formed::WellFormedOptions;

fn check(text: &str) -> Vec<Diagnostic> {
    let rules = playable("test.kif", text).unwrap();
    let options = WellFormedOptions { most_states: 10_000, most_steps: 6, ..WellFormedOptions::default() };
    check_deeply(&Subject::new(&rules), &options, &Budget::unlimited())
}

/// The name of each diagnostic, with the text that it points at.
fn found(text: &str) -> Vec<(&'static str, &str)> {
    let name = |diagnostic: &Diagnostic| Check::of(diagnostic.code).unwrap().name;
    let place = |diagnostic: &Diagnostic| &text[diagnostic.span.start as usize..diagnostic.span.end as usize];
    check(text).iter().map(|diagnostic| (name(diagnostic), place(diagnostic))).collect()
}

const COUNTER: &str = "(role left) (init (step 0)) (succ 0 1) (succ 1 2)
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= terminal (true (step 2)))";

#[test]
fn nothing_is_said_of_a_good_game() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let found = check_deeply(&Subject::new(&rules), &WellFormedOptions::default(), &Budget::unlimited());
    assert_eq!(found, []);
}

#[test]
fn goals_out_of_reach_and_roles_that_cannot_win() {
    let text = format!(
        "{COUNTER} (legal left go) (<= (goal left 50) (true (step ?n)))
         (<= (goal left 100) (true (step 1)) (true (step 2)))"
    );
    let found = found(&text);
    assert_eq!(found[0], ("role-cannot-win", "(role left)"));
    assert!(found.contains(&("goal-out-of-reach", "(<= (goal left 100) (true (step 1)) (true (step 2)))")));
}

#[test]
fn moves_that_are_never_legal() {
    let text = format!(
        "{COUNTER} (legal left go) (goal left 100)
         (<= (legal left stop) (true (step 0)) (true (step 1)))"
    );
    assert_eq!(found(&text), [("never-legal", "(<= (legal left stop) (true (step 0)) (true (step 1)))")]);
}

#[test]
fn a_loop_is_shown_by_its_moves() {
    let text = "(role left) (init off) (legal left flip) (legal left stop)
        (<= (next off) (true on) (does left flip)) (<= (next on) (true off) (does left flip))
        (<= (next over) (does left stop)) (<= terminal (true over)) (goal left 100)";
    let found = check(text);
    let [only] = &found[..] else { panic!("{found:?}") };
    assert_eq!(Check::of(only.code).unwrap().name, "need-not-end");
    assert_eq!(&text[only.span.start as usize..only.span.end as usize], "(<= terminal (true over))");
    let hint = only.hint.as_ref().unwrap();
    assert!(hint.contains("flip; flip"), "{hint}");
}

#[test]
fn a_role_gets_stuck_and_an_ending_has_no_goal() {
    let text = format!("{COUNTER} (<= (legal left go) (true (step 0))) (<= (goal left 100) (true (step 2)))");
    let names: Vec<&str> = found(&text).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"role-gets-stuck") && names.contains(&"role-cannot-win"), "{names:?}");
    let text = format!("{COUNTER} (legal left go) (<= (goal left 100) (true (step 1)))");
    let names: Vec<&str> = found(&text).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"no-single-goal"), "{names:?}");
}

/// One move leads to an end with two values, the other one to an end with none.
#[test]
fn both_faults_of_a_goal_are_told() {
    let text = "(role left) (init p) (legal left a) (legal left b)
        (<= (next q) (does left a)) (<= (next r) (does left b))
        (<= terminal (true q)) (<= terminal (true r))
        (<= (goal left 100) (true q)) (<= (goal left 0) (true q))";
    let found = check(text);
    let mut messages: Vec<(&str, &str)> =
        found.iter().map(|found| (&*found.message, found.hint.as_deref().unwrap_or_default())).collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        [
            ("`left` cannot win: no course of the game brings goal 100 alone", ""),
            ("`left` may have no goal value at the end of the game", "that is so after b"),
            ("`left` may have several goal values at the end of the game: 0, 100", "that is so after a"),
        ]
    );
}

/// Ends without a value for white beside many with two: the kinds are told apart by the net.
#[test]
fn a_rare_fault_of_a_goal_is_found_among_many_others() {
    let mut text = "(role left) (init (at 0)) (init (step 0)) (legal left up) (legal left stay)
        (<= (next (at ?n)) (does left up) (true (at ?m)) (succ ?m ?n))
        (<= (next (at ?n)) (does left stay) (true (at ?n)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 12)))
        (<= (goal left 100) (not (true (at 12)))) (<= (goal left 50) (not (true (at 12))))"
        .to_owned();
    (0..12).for_each(|n| text += &format!(" (succ {n} {})", n + 1));
    let found = check(&text);
    let starts = |begin: &str| found.iter().filter(|found| found.message.starts_with(begin)).count();
    assert_eq!(starts("`left` may have several goal values"), 1, "{found:?}");
    assert_eq!(starts("`left` may have no goal value at the end of the game"), 1, "{found:?}");
}

#[test]
fn propositions_that_never_change() {
    let text = format!(
        "{COUNTER} (legal left go) (goal left 100) (init wall) (<= (next wall) (true wall))
         (<= (next ghost) (true ghost)) (<= (next ghost) (true wall) (true (step 7)))"
    );
    let found = found(&text);
    assert!(found.contains(&("never-changes", "(init wall)")), "{found:?}");
}

#[test]
fn what_is_not_found_out_is_said() {
    let rules = playable_bundled("connect-four").unwrap();
    let options = WellFormedOptions { most_states: 100, ..WellFormedOptions::default() };
    let found = check_deeply(&Subject::new(&rules), &options, &Budget::unlimited().with_work(20_000));
    let names: Vec<&str> = found.iter().map(|d| Check::of(d.code).unwrap().name).collect();
    assert_eq!(names, ["deep-undecided"]);
}

/// The diagnostics of one kind with the texts that they and their labels point at.
fn pointed(text: &str, name: &str) -> Vec<(String, String, Vec<String>)> {
    let place = |span: ludex_gdl::Span| text[span.start as usize..span.end as usize].to_owned();
    let of_kind = check(text).into_iter().filter(|d| Check::of(d.code).unwrap().name == name);
    of_kind.map(|d| (d.message, place(d.span), d.labels.iter().map(|l| place(l.span)).collect())).collect()
}

#[test]
fn what_a_role_gets_is_said_where_its_clauses_stand() {
    let two = "(role left) (role right) (init (step 0)) (succ 0 1) (succ 1 2)
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 2)))
        (legal left go) (goal left 100)";
    let several = format!("{two} (legal right go) (goal right 0) (<= (goal right 50) terminal)");
    let found = pointed(&several, "no-single-goal");
    let [(message, place, labels)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(message, "`right` may have several goal values at the end of the game: 0, 50");
    assert_eq!(place, "(goal right 0)");
    assert_eq!(labels, &["(goal right 0)", "(<= (goal right 50) terminal)"]);

    let none = format!("{two} (legal right go) (<= (goal right 50) (true (step 0)))");
    let found = pointed(&none, "no-single-goal");
    let [(message, place, _)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(message, "`right` may have no goal value at the end of the game");
    assert_eq!(place, "(<= (goal right 50) (true (step 0)))");

    let stuck = format!("{two} (goal right 0) (<= (legal right go) (true (step 0)))");
    let found = pointed(&stuck, "role-gets-stuck");
    let [(message, place, _)] = &found[..] else { panic!("{found:?}") };
    assert!(message.starts_with("`right` may have no legal move"), "{message}");
    assert_eq!(place, "(<= (legal right go) (true (step 0)))");
}

#[test]
fn explanations_show_what_they_are_for() {
    let deep = |source: &ludex_gdl::Source, budget: &Budget| {
        let rules = playable(source.name(), source.text()).unwrap();
        check_deeply(&Subject::new(&rules), &WellFormedOptions::default(), budget)
    };
    for check in CHECKS.iter().filter(|check| check.needs_states()) {
        let explanation = check.explanation();
        // That something is not found out shows where hardly any work is allowed.
        let work = if check.name == "deep-undecided" { 1 } else { 50_000_000 };
        let example = deep(&explanation.example_source(), &Budget::unlimited().with_work(work));
        assert!(example.iter().any(|found| found.code == check.code), "{}: {example:?}", check.code);
        let mended = deep(&explanation.mended_source(), &Budget::unlimited());
        assert!(mended.iter().all(|found| found.code != check.code), "{}: {mended:?}", check.code);
    }
}
