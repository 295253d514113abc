use ludex_logic::Budget;

use super::*;

fn unused(rules: &Rules, recorder: &CoverageRecorder<'_>) -> Vec<String> {
    let parts = recorder.coverage().parts;
    parts.iter().filter(|part| !part.is_used).map(|part| rules.source().slice(part.span).to_owned()).collect()
}

const WALK: &str = "(role you) (init (at 1)) (succ 1 2) (succ 2 3)
(<= (legal you go) (or (true (at 1)) (true (at 2)) (true (at 7))))
(<= (legal you jump) (true (at 7)))
(<= (next (at ?n)) (does you go) (true (at ?m)) (succ ?m ?n))
(<= (next (at 7)) (does you jump))
(<= terminal (true (at 3)))
(goal you 50)";

#[test]
fn what_is_never_used_is_found() {
    let rules = ludex_testkit::playable("walk.kif", WALK).unwrap();
    let mut recorder = CoverageRecorder::new(&rules, &Budget::unlimited()).unwrap();
    recorder.note_random_games(3, 1).unwrap();
    assert_eq!(
        unused(&rules, &recorder),
        ["(true (at 7))", "(<= (legal you jump) (true (at 7)))", "(<= (next (at 7)) (does you jump))"]
    );
    let moves = recorder.coverage().moves;
    assert_eq!(
        moves.iter().map(|m| (rules.text(m.action), m.was_made)).collect::<Vec<_>>(),
        [("go".to_owned(), true)]
    );
}

#[test]
fn a_position_uses_what_led_there() {
    let rules = ludex_testkit::playable("walk.kif", WALK).unwrap();
    let mut recorder = CoverageRecorder::new(&rules, &Budget::unlimited()).unwrap();
    let mut position = rules.start();
    recorder.note_position(&position).unwrap();
    assert!(unused(&rules, &recorder).contains(&"(true (at 2))".to_owned()));
    position.play_joint(&["go"]).unwrap();
    recorder.note_position(&position).unwrap();
    assert!(!unused(&rules, &recorder).contains(&"(true (at 2))".to_owned()));
}

#[test]
fn rules_with_steps_count_once() {
    let rules = ludex_testkit::playable_bundled("tic-tac-toe-history").unwrap();
    let mut recorder = CoverageRecorder::new(&rules, &Budget::unlimited()).unwrap();
    recorder.note_random_games(50, 1).unwrap();
    let rules_written = rules.rulesheet().items.iter().filter(|item| item.body.is_some()).count();
    let parts = recorder.coverage().parts;
    assert!(
        parts.len() <= rules_written && parts.len() + 3 > rules_written,
        "{} {rules_written}",
        parts.len()
    );
    assert!(unused(&rules, &recorder).is_empty(), "{:?}", unused(&rules, &recorder));
}
