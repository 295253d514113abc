//! What players remember from match to match, and what commands show of it.

use tempfile::TempDir;

use crate::command::{fine, json, keys, ludex};

const MATCHES: [&str; 9] = [
    "tournament",
    "-p",
    "habit:is=last,habit:is=copy",
    "-g",
    "repeated-prisoners-dilemma",
    "--clock",
    "20s",
    "--introduce",
    "--memory-file",
];

#[test]
fn matches_are_remembered_shown_and_forgotten() {
    let folder = TempDir::new().unwrap();
    fine(folder.path(), &[&MATCHES[..], &["m.db"]].concat());
    let shown = json(&fine(folder.path(), &["memory", "show", "m.db", "--json"]));
    assert_eq!(keys(&shown), ["version", "games", "opponents"]);
    assert_eq!(keys(&shown["games"][0]), ["number", "name", "matches", "evaluations", "searched"]);
    // Both players remember both matches.
    assert_eq!(shown["games"][0]["matches"], 4);
    let copy = &shown["opponents"][0];
    assert_eq!(keys(copy), ["name", "game", "matches", "own_goal", "goal", "moves"]);
    assert_eq!((&copy["name"], &copy["own_goal"]), (&"habit:is=copy".into(), &24.0.into()));
    assert_eq!(copy["moves"][0]["move"], "defect");
    let text = fine(folder.path(), &["memory", "show", "m.db"]);
    assert!(text.contains("OPPONENT") && text.contains("defect x38, cooperate x2"), "{text}");
    let forgotten =
        json(&fine(folder.path(), &["memory", "forget", "m.db", "--opponent", "habit:is=copy", "--json"]));
    assert_eq!(keys(&forgotten), ["games", "matches", "overwritten"]);
    assert_eq!((&forgotten["games"], &forgotten["matches"]), (&0.into(), &2.into()));
    assert_eq!(forgotten["overwritten"], true);
    fine(folder.path(), &["memory", "forget", "m.db", "--all"]);
    assert_eq!(fine(folder.path(), &["memory", "show", "m.db"]), "nothing is remembered\n");
}

#[test]
fn what_is_no_memory_is_refused() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("text.db"), "no memory\n".repeat(200)).unwrap();
    let refused = |arguments: &[&str], why: &str| {
        let (code, _, error) = ludex(folder.path(), arguments);
        assert!(code != 0 && error.contains(why), "{arguments:?}: {error}");
    };
    refused(&["memory", "show", "nothing.db"], "there is no memory `nothing.db`");
    refused(&["memory", "show", "text.db"], "`text.db` is no memory of players");
    refused(&["memory", "forget", "text.db"], "--all");
    refused(&["play", "nim", "--memory-file", "text.db"], "`text.db` is no memory of players");
    refused(&[&MATCHES[..], &["text.db"]].concat(), "`text.db` is no memory of players");
    refused(&["play", "nim", "--memory-file", "no/such/folder.db"], "cannot be written");
}

/// The network tells names, too, and its players remember by them.
#[cfg(feature = "server")]
#[test]
fn players_of_a_match_remember_by_the_names_that_they_are_told() {
    let folder = TempDir::new().unwrap();
    let players =
        ["--players", "habit:is=last,habit:is=copy", "--names", "Ann,Bob", "--introduce", "--quiet"];
    let clocks = ["--start-clock", "20s", "--play-clock", "20s", "--memory-file", "m.db"];
    fine(folder.path(), &[&["match", "repeated-prisoners-dilemma"][..], &players, &clocks].concat());
    let shown = json(&fine(folder.path(), &["memory", "show", "m.db", "--json"]));
    let names: Vec<&str> =
        shown["opponents"].as_array().unwrap().iter().filter_map(|known| known["name"].as_str()).collect();
    assert_eq!(names, ["Ann", "Bob"]);
    assert_eq!(shown["opponents"][1]["own_goal"], 24.0);
}
