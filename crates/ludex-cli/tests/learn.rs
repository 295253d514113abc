//! Rules from records: what is written, replayed and scored, and what cannot be learned from.

use std::fs;

use tempfile::TempDir;

use crate::command::{fine, json, keys, ludex};

/// A folder with records of matches of tic-tac-toe.
fn records() -> TempDir {
    let folder = TempDir::new().unwrap();
    let matches =
        ["tournament", "-p", "random,legal", "-g", "tic-tac-toe", "-r", "20", "--record", "matches"];
    fine(folder.path(), &matches);
    folder
}

#[test]
fn rules_are_learned_from_matches_and_played() {
    let folder = records();
    let text = fine(folder.path(), &["learn", "matches", "-o", "learned.gdl"]);
    assert!(text.contains("6 of 6 tasks perfect") && text.contains("states are replayed"), "{text}");
    let learned = fs::read_to_string(folder.path().join("learned.gdl")).unwrap();
    assert!(learned.contains("(line x)") && learned.contains("(role white)\n(role black)"), "{learned}");
    fine(folder.path(), &["play", "learned.gdl", "--all", "random", "--seed", "1"]);
}

#[test]
fn it_is_told_as_json_and_scored_on_others() {
    let folder = records();
    let files: Vec<String> = fs::read_dir(folder.path().join("matches"))
        .unwrap()
        .map(|entry| format!("matches/{}", entry.unwrap().file_name().to_string_lossy()))
        .collect();
    let told = |threads: &str| {
        json(&fine(folder.path(), &["learn", "matches", "--test", &files[0], "--json", "--threads", threads]))
    };
    let one = told("1");
    let expected = ["seconds", "tasks", "mean_balanced", "perfect", "file", "notes", "replayed"];
    assert_eq!(keys(&one), expected);
    let task = [
        "task", "rules", "cost", "examples", "balanced", "held_out", "test", "perfect", "stopped", "support",
        "silent",
    ];
    assert_eq!(keys(&one["tasks"][0]), task);
    assert_eq!(keys(&one["replayed"]), ["states", "differences", "records", "negatives", "accepted"]);
    assert_eq!((&one["perfect"], &one["mean_balanced"]), (&6.into(), &1.0.into()));
    assert_eq!(one["tasks"], told("2")["tasks"]);
}

#[test]
fn facts_that_hold_in_all_states_can_be_given() {
    let folder = TempDir::new().unwrap();
    // Places that no order of numbers or letters leads through.
    let places = ["cave", "hill", "lake", "mill"];
    let mut lines = vec![r#"{"game":"walk","roles":["one"]}"#.to_owned()];
    for (step, place) in places.iter().enumerate() {
        let is_over = step + 1 == places.len();
        let (legal, joint) = if is_over { ("", "") } else { (r#""go""#, r#","joint":["go"]"#) };
        let goal = if is_over { 100 } else { 0 };
        lines.push(format!(
            r#"{{"playout":0,"step":{step},"state":["(at {place})"],"terminal":{is_over},"legals":{{"one":[{legal}]}},"goals":{{"one":{goal}}}{joint}}}"#
        ));
    }
    fs::write(folder.path().join("walk.jsonl"), lines.join("\n")).unwrap();
    let roads = "; from place to place\n(road cave hill)\n(road hill lake) ; a long one\n(road lake mill)\n";
    fs::write(folder.path().join("roads.kif"), roads).unwrap();
    let text = fine(folder.path(), &["learn", "walk.jsonl", "--background", "roads.kif"]);
    assert!(text.contains("(road ?b ?a)") && text.contains("all 4 states are replayed"), "{text}");
}

#[test]
fn a_task_of_the_data_set_is_learned_and_scored_on_the_test_beside_it() {
    let folder = TempDir::new().unwrap();
    let task = |values: &[u32]| {
        let state = |value: &u32| {
            format!("---\nbackground:\n\ttrue_step({value})\n---\npositives:\n\tnext_step({})\n", value + 1)
        };
        let atoms = (1..9).map(|value| format!("\tnext_step({value})\n")).collect::<String>();
        let statics = (1..8).map(|value| format!("\tafter({value},{})\n", value + 1)).collect::<String>();
        let states = values.iter().map(state).collect::<String>();
        format!("atoms:\n{atoms}---\nstatics:\n{statics}{states}")
    };
    fs::write(folder.path().join("count_next_train.dat"), task(&[1, 2, 3, 4, 5])).unwrap();
    fs::write(folder.path().join("count_next_test.dat"), task(&[6, 7])).unwrap();
    let arguments = ["learn", "--format", "iggp", "count_next_train.dat", "-o", "rules.gdl", "--json"];
    let told = json(&fine(folder.path(), &arguments));
    let task = &told["tasks"][0];
    assert_eq!(
        (&task["task"], &task["test"], &told["perfect"]),
        (&"count_next".into(), &1.0.into(), &1.into())
    );
    assert_eq!((&told["file"], &told["replayed"]), (&"rules.gdl".into(), &serde_json::Value::Null));
    let rules = fs::read_to_string(folder.path().join("rules.gdl")).unwrap();
    assert!(rules.contains("(after ?b ?a)"), "{rules}");
}

#[test]
fn contradictory_records_are_explained_as_far_as_they_can_be() {
    let folder = TempDir::new().unwrap();
    let step = |playout: u32, number: u32, fact: &str, joint: &str| {
        format!(
            r#"{{"playout":{playout},"step":{number},"state":["({fact})"],"terminal":false,"legals":{{}},"goals":{{}}{joint}}}"#
        )
    };
    let joint = r#","joint":["go"]"#;
    let lines = [
        r#"{"game":"a","roles":["one"]}"#.to_owned(),
        step(0, 0, "at a", joint),
        step(0, 1, "at b", ""),
        step(1, 0, "at a", joint),
        step(1, 1, "at c", ""),
    ];
    fs::write(folder.path().join("odd.jsonl"), lines.join("\n")).unwrap();
    let (code, text, _) = ludex(folder.path(), &["learn", "odd.jsonl"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(" difference"), "{text}");
    assert!(
        text.contains(
            "odd.jsonl, playout 0, step 0, and odd.jsonl, playout 1, step 0: the same state, and not"
        ),
        "{text}"
    );
    assert!(text.contains("terminal: the records are silent, it never holds"), "{text}");
}

#[test]
fn what_cannot_be_learned_from_is_said() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("empty")).unwrap();
    fs::write(path.join("p.dat"), "atoms:\n\tterminal\nbackground:\n\tp(1\n").unwrap();
    fs::write(path.join("facts.txt"), "(succ 1 ?x)").unwrap();
    let trace = r#"{"playout":0,"step":0,"state":["(p"],"terminal":true,"legals":{},"goals":{}}"#;
    fs::write(path.join("broken.jsonl"), format!("{{\"game\":\"a\",\"roles\":[\"one\"]}}\n{trace}\n"))
        .unwrap();
    let cut = format!("{{\"game\":\"a\",\"roles\":[\"one\"]}}\n{}\n{{\"pl", trace.replace("(p", "p"));
    fs::write(path.join("cut.jsonl"), cut).unwrap();
    for (arguments, says) in [
        (&["learn", "empty"][..], "there is no state in the records"),
        (&["learn", "missing.json"], "there is no file `missing.json`"),
        (&["learn", "broken.jsonl"], "playout 0, step 0: `(p`: the bracket at 0 is not closed"),
        (&["learn", "--format", "iggp", "p.dat"], "line 4: this is no atom: `p(1`"),
        (&["learn", "--format", "xml", "p.dat"], "the formats are records and iggp"),
        (
            &["learn", "--format", "iggp", "p.dat", "--test", "p.dat"],
            "--background, --test and --negatives are for records",
        ),
        (&["learn", "--noise", "0.5", "p.dat"], "`0.5` is no number from 0 to 0.3"),
        (&["learn", "cut.jsonl"], "`cut.jsonl` is not a trace: line 3: "),
        (&["learn", "--noise", "0.01", "cut.jsonl"], "1 of 2 lines cannot be read"),
        (&["learn", "p.dat"], "`p.dat` is not a trace"),
        (&["learn", "p.dat", "-o", "no/folder.gdl"], "cannot write `no/folder.gdl`"),
    ] {
        let (code, _, error) = ludex(path, arguments);
        assert!(code != 0 && error.contains(says), "{arguments:?}: {error}");
    }
}

#[test]
fn of_very_many_records_some_are_learned_from() {
    let folder = records();
    let told = json(&fine(folder.path(), &["learn", "matches", "--states", "150", "--json"]));
    let note = told["notes"][0].as_str().unwrap();
    assert!(note.contains("more than --states 150: 20 of 40 playouts are learned from"), "{note}");
    assert!(told["replayed"]["states"].as_u64().unwrap() <= 300, "{told}");
}

#[test]
fn records_without_legal_moves_make_a_game_and_what_cannot_be_played_is_none_of_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("full")).unwrap();
    for seed in 1..=60 {
        let (seed, file) = (seed.to_string(), format!("full/{seed}.json"));
        fine(path, &["play", "tic-tac-toe", "--all", "random", "--seed", &seed, "--record", &file]);
    }
    fs::create_dir(path.join("moves")).unwrap();
    for entry in fs::read_dir(path.join("full")).unwrap() {
        let entry = entry.unwrap();
        let mut record: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(entry.path()).unwrap()).unwrap();
        record.as_object_mut().unwrap().remove("legalMoves");
        fs::write(path.join("moves").join(entry.file_name()), record.to_string()).unwrap();
    }
    // Both players mark at once.
    let board = "\"(cell 1 1 b)\",\"(cell 1 2 b)\",\"(cell 1 3 b)\",\"(cell 2 1 b)\",\"(cell 2 2 b)\",\"(cell 2 3 b)\",\"(cell 3 1 b)\",\"(cell 3 2 b)\",\"(cell 3 3 b)\"";
    let step = |number: u32, state: &str, joint: &str| {
        format!(
            r#"{{"playout":0,"step":{number},"state":[{state}],"terminal":false,"legals":{{}},"goals":{{}}{joint}}}"#
        )
    };
    let wrong = [
        r#"{"game":"tic-tac-toe","roles":["white","black"]}"#.to_owned(),
        step(0, &format!("{board},\"(control white)\""), r#","joint":["(mark 1 1)","(mark 3 3)"]"#),
        step(1, &board.replace("1 1 b", "1 1 x").replace("3 3 b", "3 3 o"), ""),
    ];
    fs::write(path.join("wrong.jsonl"), wrong.join("\n")).unwrap();
    let text = fine(path, &["learn", "moves", "--negatives", "wrong.jsonl", "-o", "learned.gdl"]);
    assert!(text.contains("of 1 record of what cannot be played, 0 can be by the rules"), "{text}");
    for seed in 1..=60 {
        fine(path, &["verify", "--rules", "learned.gdl", &format!("full/{seed}.json")]);
    }
}
