//! How fast beliefs are followed, as the command says it.

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
