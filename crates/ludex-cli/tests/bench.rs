//! How fast beliefs are followed, and what a server does under load, as the command says it.

use tempfile::TempDir;

use crate::command::{fine, json, ludex};

#[test]
fn beliefs_are_followed_on_each_engine() {
    let folder = TempDir::new().unwrap();
    for (engine, states) in [("lanes", "50"), ("rules", "50"), ("rules", "100000")] {
        let arguments = ["bench", "krieg-tic-tac-toe", "--belief", "black", "--seconds", "0.2", "--json"];
        let found =
            json(&fine(folder.path(), &[&arguments[..], &["--engine", engine, "--states", states]].concat()));
        let count = |name: &str| found[name].as_u64().unwrap();
        assert_eq!((&found["role"], &found["engine"]), (&"black".into(), &engine.into()));
        assert!(count("matches") > 0 && count("steps") >= count("matches"));
        assert!(count("state_changes") > count("steps"), "{found}");
        assert!(found["mean_states"].as_f64().unwrap() >= 1.0);
        assert_eq!(count("exact_steps") == count("steps"), states == "100000", "{found}");
    }
}

#[test]
fn what_cannot_be_followed_is_said() {
    let folder = TempDir::new().unwrap();
    for (arguments, said) in [
        (&["tic-tac-toe", "--belief"][..], "all roles know the state"),
        (&["krieg-tic-tac-toe", "--belief", "grey"], "no role `grey` plays; the roles are"),
        (&["krieg-tic-tac-toe", "--belief", "--engine", "all"], "one engine at a time"),
    ] {
        let (code, _, text) = ludex(folder.path(), &[&["bench"], arguments].concat());
        assert!(code == 2 && text.contains(said), "{code}: {text}");
    }
}

#[test]
fn a_server_is_measured_under_a_small_load() {
    let folder = TempDir::new().unwrap();
    let sizes = ["--full", "200", "--players", "20", "--games", "3", "--requests", "1", "--running", "4"];
    let load =
        ["--matches", "5", "--watchers", "4", "--think", "50ms", "--seconds", "1", "--game", "tic-tac-toe"];
    let found = json(&fine(folder.path(), &[&["bench", "serve", "--json"][..], &sizes, &load].concat()));
    let figures = found["figures"].as_array().unwrap();
    for row in ["pages", "matches", "watchers", "flood", "restart"] {
        let own: Vec<_> = figures.iter().filter(|figure| figure["row"] == row).collect();
        assert!(!own.is_empty() && own.iter().all(|figure| figure["p50"].is_number()), "{row}: {found}");
        assert!(own.iter().any(|figure| figure["reached"].is_boolean()), "{row}: {found}");
    }
    // Whatever is to be reached on a quiet machine, a message does not come before it is due.
    let delay = figures.iter().find(|figure| figure["what"] == "added delay, 5 matches").unwrap();
    assert!(delay["samples"].as_u64().unwrap() > 20 && delay["p50"].as_f64().unwrap() >= 0.0, "{delay}");
}
