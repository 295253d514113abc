//! What a role can know, as the command says it.

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{fine, json, ludex};

fn known(game: &str, role: &str, history: &str) -> Value {
    let folder = TempDir::new().unwrap();
    json(&fine(folder.path(), &["know", game, "--role", role, "--history", history, "--json"]))
}

/// How likely a fact or move is, of a list of them.
fn likelihood(list: &Value, term: &str) -> f64 {
    let found = list.as_array().unwrap().iter().find(|entry| entry["term"] == term);
    found.map_or(0.0, |entry| entry["likelihood"].as_f64().unwrap())
}

/// Figure 17.1 and exercise 17.1.
#[test]
fn the_numbers_of_the_book() {
    let states = |history| known("blind-tic-tac-toe", "white", history)["states"].as_u64().unwrap();
    let counts = [
        ("(mark 2 2) ok", 9),
        ("(mark 2 2)", 1),
        ("(mark 2 2) ok; (mark 1 3) ok", 36),
        ("(mark 2 2); (mark 1 3) ok", 8),
        ("(mark 2 2); (mark 1 3)", 1),
        ("(mark 2 2) ok; (mark 1 3)", 8),
        ("", 1),
    ];
    for (history, count) in counts {
        assert_eq!(states(history), count, "{history}");
    }
}

#[test]
fn monty_hall_is_two_to_one() {
    let found = known("monty-hall", "candidate", "noop; choose(1); noop opened(3)");
    assert_eq!((&found["states"], &found["all"]), (&2.into(), &true.into()));
    assert!((likelihood(&found["facts"], "car(1)") - 1.0 / 3.0).abs() < 1e-9);
    assert!((likelihood(&found["facts"], "car(2)") - 2.0 / 3.0).abs() < 1e-9);
    let moves = found["moves"].as_array().unwrap();
    assert!(moves.iter().all(|found| found["certain"] == true) && moves.len() == 2);
    assert_eq!(found["over"]["certain"], false);
}

/// Two stars of three throws: 5/6 * 5/6 * 1/6 for the loaded die against 1/8 for the fair one.
#[test]
fn throws_tell_which_die_it_is() {
    let found =
        known("loaded-or-fair-die", "gambler", "noop; noop (up star); noop (up star); noop (up blank)");
    let (loaded, fair) = (25.0 / 216.0, 1.0 / 8.0);
    assert!((likelihood(&found["facts"], "(die loaded)") - loaded / (loaded + fair)).abs() < 1e-9);
}

/// Without a solver nothing is certain of a sample.
#[test]
fn a_sample_is_called_one() {
    let folder = TempDir::new().unwrap();
    let history = "(mark 2 2) ok; (mark 1 3) ok; (mark 1 1)";
    let sample = ["know", "blind-tic-tac-toe", "--history", history, "--limit", "4", "--engine", "rules"];
    let text = fine(folder.path(), &sample);
    assert!(
        text.contains("in a sample of those") && text.contains("In all of them, but not proved:"),
        "{text}"
    );
    assert!(!text.contains("Certain:") && !text.contains("Surely"), "{text}");
    let found = json(&fine(folder.path(), &[&sample[..], &["--json"]].concat()));
    assert_eq!(found["all"], false);
    assert!(found["facts"].as_array().unwrap().iter().all(|fact| fact["certain"] == false));
    assert_eq!(fine(folder.path(), &sample), text, "the seed decides");
}

/// With one, the same is certain that is certain by all states.
#[test]
fn what_is_proved_of_a_sample_is_certain() {
    let folder = TempDir::new().unwrap();
    let history = "(mark 2 2) ok; (mark 1 3) ok; (mark 1 1)";
    let known = |limit: &str| {
        let arguments = ["know", "blind-tic-tac-toe", "--history", history, "--limit", limit, "--json"];
        json(&fine(folder.path(), &arguments))
    };
    let certain = |found: &Value, list: &str| -> Vec<String> {
        let all = found[list].as_array().unwrap().iter();
        all.filter(|entry| entry["certain"] == true).map(|entry| entry["term"].to_string()).collect()
    };
    let (sample, whole) = (known("4"), known("100000"));
    assert_eq!((&sample["all"], &whole["all"]), (&false.into(), &true.into()));
    for list in ["facts", "moves"] {
        assert!(!certain(&whole, list).is_empty());
        assert_eq!(certain(&sample, list), certain(&whole, list));
    }
    let arguments = ["know", "blind-tic-tac-toe", "--history", history, "--limit", "4"];
    let text = fine(folder.path(), &arguments);
    assert!(text.contains("Certain:") && text.contains("Surely legal:"), "{text}");
    assert!(!text.contains("not proved"), "{text}");
}

#[test]
fn what_cannot_be_is_said() {
    let folder = TempDir::new().unwrap();
    let said = |arguments: &[&str]| {
        let (code, _, errors) = ludex(folder.path(), &[&["know", "blind-tic-tac-toe"], arguments].concat());
        (code, errors)
    };
    let (code, errors) = said(&["--history", "(mark 2 2) ok; (mark 2 2) ok"]);
    assert!(code == 2 && errors.contains("no state of"), "{code} {errors}");
    let (code, errors) = said(&["--history", "(mark 2 2) ok; (mork 2 2)"]);
    assert!(code == 2 && errors.contains("step 2") && errors.contains("mork"), "{code} {errors}");
    let (code, errors) = said(&["--role", "blue"]);
    assert!(code == 2 && errors.contains("white, black"), "{code} {errors}");
    let (code, errors) = said(&["--history", "@missing.txt"]);
    assert!(code != 0 && errors.contains("missing.txt"), "{code} {errors}");
}

/// In games of complete information all is known.
#[test]
fn an_open_game_has_one_state() {
    let found = known("tic-tac-toe", "black", "(mark 1 1) noop; noop (mark 2 2)");
    assert_eq!((&found["states"], &found["role"]), (&1.into(), &"black".into()));
}
