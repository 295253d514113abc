//! Matches and tournaments in which the time of all moves is limited, or costs something.

use std::path::Path;

use crate::command::{fine, json, ludex};
use serde_json::Value;
use tempfile::TempDir;

/// A record of a match that was played with these arguments.
fn record(folder: &Path, arguments: &[&str]) -> Value {
    json(&fine(folder, &[arguments, &["--seed", "1", "--json"]].concat()))
}

#[test]
fn a_record_has_the_terms_and_what_is_left_of_goals() {
    let folder = TempDir::new().unwrap();
    let terms = ["--bank", "1m", "--increment", "250ms", "--time-cost", "0.5"];
    for command in [&["play", "nim", "--all", "legal"][..], &["match", "nim", "--players", "legal,legal"]] {
        let record = record(folder.path(), &[command, &terms].concat());
        let told = ["timeBank", "timeIncrement", "timeCost"].map(|name| record[name].as_f64());
        assert_eq!(told, [Some(60.0), Some(0.25), Some(0.5)], "{command:?}");
        for (goal, reward) in record["goalValues"].as_array().unwrap().iter().zip(0..) {
            let (goal, reward) = (goal.as_f64().unwrap(), record["rewards"][reward].as_f64().unwrap());
            assert!(reward <= goal && reward > goal - 10.0, "{goal} {reward}");
        }
    }
    let out =
        fine(folder.path(), &["play", "nim", "--all", "legal", "--time-cost", "0", "--seed", "1", "--quiet"]);
    assert_eq!(
        out,
        "Result after 16 steps: white 0, black 100\nless the time taken: white 0.0, black 100.0\n"
    );
    let plain = record(folder.path(), &["play", "nim", "--all", "legal"]);
    assert!(plain["timeBank"].is_null() && plain["rewards"].is_null());
}

#[test]
fn rewards_count_in_tournaments() {
    let folder = TempDir::new().unwrap();
    // At such a price nobody is left with anything.
    let dear = ["--time-cost", "1e12", "--bank", "1h", "--out", "t.jsonl", "--json"];
    let arguments = ["tournament", "--players", "legal,random", "--games", "nim", "--rounds", "2"];
    let outcome = json(&fine(folder.path(), &[&arguments[..], &dear].concat()));
    let setup = &outcome["setup"];
    assert_eq!(
        (&setup["time_cost"], &setup["bank"], &setup["play_clock"]),
        (&1e12.into(), &3600.0.into(), &3600.0.into())
    );
    for standing in outcome["players"].as_array().unwrap() {
        assert_eq!((&standing["rewards"], &standing["share"]["mean"]), (&0.0.into(), &0.5.into()));
        assert!(standing["goals"].is_number() && standing["seconds"].is_number());
    }
    assert!(outcome["methods"]["reward"].is_string());
    let text = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    let result = json(text.lines().nth(1).unwrap());
    assert_eq!(result["rewards"], serde_json::json!([0.0, 0.0]));
    assert_eq!(result["times"].as_array().unwrap().len(), 2);
    // What was played on other terms is not to be compared.
    for (terms, what) in [
        (&["--time-cost", "1e12"][..], "a bank of 3600 s and 0 s after each move"),
        (&["--bank", "1h"], "time at 1000000000000 points a second"),
    ] {
        let resume =
            [&arguments[..], &["--clock", "1h", "--start-clock", "10s", "--resume", "t.jsonl"], terms]
                .concat();
        let (code, _, errors) = ludex(folder.path(), &resume);
        assert!(code == 1 && errors.contains(what), "{code} {errors}");
    }
    let shown = fine(folder.path(), &[&arguments[..], &["--time-cost", "1"]].concat());
    assert!(shown.contains("a second costs 1 points") && shown.contains("REWARD"), "{shown}");
}

#[test]
fn terms_of_time_that_mean_nothing_are_refused() {
    let folder = TempDir::new().unwrap();
    for (arguments, what) in [
        (&["play", "timed-tic-tac-toe", "--bank", "1m"][..], "--bank means nothing in a game in real time"),
        (&["play", "nim", "--increment", "1s"], "--bank"),
        (&["play", "nim", "--time-cost", "nan"], "cannot cost `nan` points"),
        (
            &["tournament", "-p", "legal,random", "-g", "timed-tic-tac-toe", "--time-cost", "1"],
            "--time-cost means nothing in a game in real time",
        ),
    ] {
        let (code, out, errors) = ludex(folder.path(), arguments);
        assert!(code == 2 && errors.contains(what), "{arguments:?}: {out}{errors}");
    }
}
