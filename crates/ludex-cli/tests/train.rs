//! Learning beforehand: what is written, what is said of it, and who plays with it.

use std::fs;

use tempfile::TempDir;

use crate::command::{fine, json, keys, ludex};

/// Counted, so that the same is learned each time.
const QUICK: [&str; 6] = ["train", "tic-tac-toe", "--for", "10m", "--games", "3000"];

#[test]
fn what_was_learned_is_written_and_played_with() {
    let folder = TempDir::new().unwrap();
    let text = fine(folder.path(), &[&QUICK[..], &["-o", "t.json", "--curve", "t.svg"]].concat());
    assert!(text.contains("TOLD") && text.contains("written to    t.json"), "{text}");
    let curve = fs::read_to_string(folder.path().join("t.svg")).unwrap();
    assert!(curve.starts_with("<svg") && curve.contains("What was learned of tic-tac-toe"), "{curve}");
    // The same rules under other names, with the file found in a folder beside files that are something else.
    let other = fine(folder.path(), &["convert", "tic-tac-toe", "--scramble", "7"]);
    fs::write(folder.path().join("other.kif"), other).unwrap();
    fs::write(folder.path().join("notes.json"), "{}").unwrap();
    let player = "ludex:leaves=200:trained=.";
    let played = fine(folder.path(), &["play", "other.kif", "--all", player, "--verbose", "--seed", "3"]);
    assert!(played.contains("games with itself"), "{played}");
}

#[test]
fn the_same_is_learned_each_time_and_told_as_json() {
    let folder = TempDir::new().unwrap();
    let learn = |file: &str, more: &[&str]| {
        json(&fine(folder.path(), &[&QUICK[..], &["--json", "-o", file], more].concat()))
    };
    let (one, other) = (learn("one.json", &[]), learn("other.json", &[]));
    let expected = [
        "game",
        "games",
        "seconds",
        "threads",
        "told",
        "told_by_random_games",
        "share",
        "goes_by",
        "file",
        "curve",
        "test",
    ];
    assert_eq!(keys(&one), expected);
    assert_eq!((&one["game"], &one["test"]), (&"tic-tac-toe".into(), &serde_json::Value::Null));
    assert_eq!(
        (&one["games"], &one["told"], &one["share"]),
        (&other["games"], &other["told"], &other["share"])
    );
    assert_eq!(keys(&one["curve"][0]), ["games", "seconds", "told"]);
    let text = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    assert_eq!(text("one.json"), text("other.json"));
    let more = learn("more.json", &["--from", "one.json"]);
    assert!(more["games"].as_u64().unwrap() >= 6000, "{more}");
    // What is there is not lost where nothing comes of it, also where it is to be gone on from.
    let again =
        ["train", "connect-four", "--for", "10m", "--games", "10", "--from", "one.json", "-o", "one.json"];
    let (code, _, error) = ludex(folder.path(), &again);
    assert!(code == 1 && error.contains("says nothing of this game"), "{error}");
    assert_eq!(text("one.json"), text("other.json"));
}

#[test]
fn a_test_against_what_was_known_before_is_decided() {
    let folder = TempDir::new().unwrap();
    let learned = json(&fine(folder.path(), &[&QUICK[..], &["--json", "-o", "t.json", "--test"]].concat()));
    let test = &learned["test"];
    // Both draw every match, or nearly so: the rest of the time was worth nothing.
    assert_eq!(test["verdict"], "rejected", "{test}");
    assert!(test["pairs"].as_u64().unwrap() > 0);
}

#[test]
fn what_cannot_be_learned_or_read_is_told_in_a_sentence() {
    let folder = TempDir::new().unwrap();
    let refused = |arguments: &[&str]| {
        let (code, out, error) = ludex(folder.path(), arguments);
        assert!(code != 0 && out.is_empty(), "{code} {out}");
        error
    };
    let train = |game: &str| refused(&["train", game, "--for", "5s", "-o", "t.json"]);
    assert!(train("hanoi").contains("a puzzle is searched"));
    assert!(train("kuhn-poker").contains("do not see everything"));
    assert!(!folder.path().join("t.json").exists(), "what could not be learned leaves no file");
    let nowhere = refused(&["train", "tic-tac-toe", "--for", "1h", "-o", "no/such/folder/t.json"]);
    assert!(nowhere.contains("cannot write `no/such/folder/t.json`"), "{nowhere}");
    let curve = refused(&["train", "tic-tac-toe", "--for", "1h", "-o", "t.json", "--curve", "no/t.svg"]);
    assert!(curve.contains("cannot write `no/t.svg`"), "{curve}");
    let play = |player: &str| refused(&["play", "tic-tac-toe", "--all", player]);
    assert!(play("ludex:trained=missing.json").contains("there is no file `missing.json`"));
    assert!(play("ludex:trained=.").contains("no trained evaluation in the folder"));
    fs::write(folder.path().join("bad.json"), "{\"format\": 7}").unwrap();
    assert!(play("ludex:trained=bad.json").contains("`bad.json`"));
}

#[cfg(unix)]
#[test]
fn who_interrupts_learning_keeps_what_was_learned() {
    let folder = TempDir::new().unwrap();
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("ludex"))
        .current_dir(folder.path())
        .args(["train", "tic-tac-toe", "--for", "1h", "--test", "-o", "t.json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Nothing is printed before the end; the first games end in a fraction of this time.
    std::thread::sleep(std::time::Duration::from_secs(5));
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(text.contains("learned from") && text.contains("written to    t.json"), "{text}");
    fine(folder.path(), &["play", "tic-tac-toe", "--all", "ludex:leaves=100:trained=t.json", "--quiet"]);
}
