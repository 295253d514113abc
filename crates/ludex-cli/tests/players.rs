//! Players in matches and tournaments, as the command runs them.

use crate::command::{fine, json, keys, ludex};
use serde_json::Value;
use tempfile::TempDir;

#[test]
fn every_strategy_is_listed_and_described() {
    let folder = TempDir::new().unwrap();
    let list = json(&fine(folder.path(), &["players", "--json"]));
    let table = fine(folder.path(), &["players"]);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    for info in list.as_array().unwrap() {
        assert_eq!(keys(info), ["name", "description", "options", "without_rules"]);
        let name = info["name"].as_str().unwrap();
        assert!(table.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}");
        let one = fine(folder.path(), &["players", name]);
        assert!(
            one.starts_with(&format!("{name}: ")) && one.lines().all(|l| l.chars().count() <= 80),
            "{one}"
        );
        for option in info["options"].as_array().unwrap() {
            assert_eq!(keys(option), ["name", "default", "description"]);
            let setting =
                format!("{}={}", option["name"].as_str().unwrap(), option["default"].as_str().unwrap());
            assert!(one.contains(&setting) && table.contains(&setting), "{setting}");
        }
    }
}

const UCT: &str = "white=uct:playouts=300";

#[test]
fn players_explain_their_moves_where_they_are_asked_to() {
    let folder = TempDir::new().unwrap();
    let arguments = ["play", "tic-tac-toe", "--player", UCT, "--play-clock", "20s", "--step-limit", "1"];
    let out = fine(folder.path(), &[&arguments[..], &["--verbose", "--seed", "1"]].concat());
    for part in ["  white: took", "playouts 300", "    MOVE  ", "VISITS  VALUE", "    expects (mark"] {
        assert!(out.contains(part), "{part} in {out}");
    }
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert!(!out.contains("  black:"), "who says nothing is not shown: {out}");
    let quiet = fine(folder.path(), &[&arguments[..], &["--seed", "1"]].concat());
    assert!(!quiet.contains("took"), "{quiet}");
}

#[test]
fn records_keep_what_players_said() {
    let folder = TempDir::new().unwrap();
    let arguments =
        ["play", "tic-tac-toe", "--player", UCT, "--seed", "1", "--quiet", "--ponder", "--record", "m.json"];
    fine(folder.path(), &arguments);
    let record = json(&std::fs::read_to_string(folder.path().join("m.json")).unwrap());
    assert_eq!((&record["playClock"], &record["startClock"]), (&1.into(), &10.into()), "the default clocks");
    let steps = record["moves"].as_array().unwrap().len();
    for key in ["moveTimes", "reports"] {
        assert_eq!(record[key].as_array().unwrap().len(), steps, "{key}");
    }
    let report = &record["reports"][0][0];
    assert_eq!(keys(report), ["entries", "moves", "variation"]);
    assert_eq!(keys(&report["moves"][0]), ["move", "visits", "value", "proven"]);
    assert_eq!(report["moves"][0]["move"], record["moves"][0][0], "the best move is made");
    assert_eq!(record["reports"][0][1], Value::Null);
    let out = fine(folder.path(), &["verify", "m.json"]);
    assert!(out.contains("all as recorded"), "{out}");
}

#[test]
fn players_without_a_clock_of_the_match_need_none() {
    let folder = TempDir::new().unwrap();
    let record = json(&fine(folder.path(), &["play", "nim", "--all", "random", "--seed", "1", "--json"]));
    assert!(record["playClock"].is_null() && record["moveTimes"].is_array());
}

#[test]
fn trees_are_drawn_by_players_that_have_one() {
    let folder = TempDir::new().unwrap();
    let arguments = ["play", "nim", "--quiet", "--seed", "1", "--tree-dot", "tree.dot"];
    // What is proven beside the tree is not searched.
    for player in ["white=ludex:playouts=200:proving=0", "white=uct:playouts=200"] {
        fine(folder.path(), &[&arguments[..], &["--player", player]].concat());
        let file = folder.path().join("tree.dot");
        let dot = std::fs::read_to_string(&file).unwrap();
        assert!(dot.contains("digraph") && dot.contains("->"), "{player}: {dot}");
        std::fs::remove_file(file).unwrap();
    }
    let (code, _, errors) = ludex(folder.path(), &arguments);
    assert!(code == 1 && errors.contains("no player has a tree to draw"), "{errors}");
}

#[test]
fn games_are_solved() {
    let folder = TempDir::new().unwrap();
    let solved = json(&fine(folder.path(), &["play", "nim", "--solve", "--json"]));
    let expected = [
        "game",
        "rulesheet_sha256",
        "notion",
        "reason",
        "values",
        "variation",
        "nodes",
        "table_states",
        "table_bytes",
    ];
    assert_eq!(keys(&solved), expected);
    assert_eq!(solved["notion"], "zero-sum");
    assert_eq!(solved["values"].to_string(), r#"{"white":0.0,"black":100.0}"#, "1, 3, 5 and 7 xor to 0");
    let after = ["play", "nim", "--solve", "--json", "--moves", "take(a,1)"];
    assert_eq!(json(&fine(folder.path(), &after))["values"]["black"], 100.0);
    let mistake = ["play", "nim", "--solve", "--json", "--moves", "take(a,1); take(d,2)"];
    assert_eq!(json(&fine(folder.path(), &mistake))["values"]["white"], 100.0, "3, 5 and 5 do not");
    // The time holds for making the net, too, which takes long where much else runs.
    let (code, out, _) = ludex(folder.path(), &["play", "checkers", "--solve", "--json", "--max-time", "8s"]);
    assert_eq!((code, &json(&out)["notion"]), (3, &"undecided".into()));
}

#[test]
fn plans_are_judged() {
    let folder = TempDir::new().unwrap();
    let plan = |game: &str, moves: &str| {
        let (code, out, errors) = ludex(folder.path(), &["plan", game, "--moves", moves, "--json"]);
        assert!(errors.is_empty(), "{errors}");
        (code, json(&out))
    };
    let (code, good) = plan("buttons-and-lights", "a,b,c,a,b,a");
    let expected = [
        "game",
        "role",
        "moves",
        "legal",
        "illegal",
        "complete",
        "minimal",
        "reward",
        "optimal",
        "undecided",
        "better",
        "nodes",
    ];
    assert_eq!(keys(&good), expected);
    let said =
        |plan: &Value| ["legal", "complete", "minimal", "reward", "optimal"].map(|key| plan[key].to_string());
    assert_eq!((code, said(&good)), (0, ["true", "true", "true", "100", "true"].map(str::to_owned)));
    let (code, bad) = plan("buttons-and-lights", "a,a,a,a,a,a");
    assert_eq!((code, said(&bad)), (0, ["true", "true", "true", "0", "false"].map(str::to_owned)));
    assert_eq!(bad["better"]["reward"], 100);
    let (code, short) = plan("buttons-and-lights", "a");
    assert_eq!(
        (code, said(&short)[..3].to_vec()),
        (0, ["true", "false", "true"].map(str::to_owned).to_vec())
    );
    let (code, illegal) = plan("buttons-and-lights", "a,zz");
    assert_eq!((code, &illegal["illegal"]["step"], &illegal["legal"]), (4, &2.into(), &false.into()));
}
