//! Solving games and programs, as the command does it.

use crate::command::{fine, json, ludex};
use serde_json::Value;
use tempfile::TempDir;

/// Where something is hidden, no value, no strategy and no proof is printed, and the exit code says so.
#[test]
fn games_with_hidden_information_are_not_solved() {
    let folder = TempDir::new().unwrap();
    // Alone, against chance, and among several.
    for game in ["monty-hall", "exploding-bomb", "blind-tic-tac-toe-without-random", "trading"] {
        let (code, out, errors) = ludex(folder.path(), &["play", game, "--solve"]);
        assert_eq!(code, 3, "{game}: {errors}");
        assert!(out.starts_with("Not solved: GDL-II") && out.contains("do not see everything"), "{out}");
        let (code, out, _) = ludex(folder.path(), &["play", game, "--solve", "--json"]);
        let solved = json(&out);
        assert_eq!((code, &solved["notion"]), (3, &"undecided".into()), "{game}");
        let values = solved["values"].as_object().unwrap();
        assert!(!values.is_empty() && values.values().all(Value::is_null), "{game}: {values:?}");
        assert!(solved["reason"].as_str().unwrap().contains("do not see everything"), "{game}");
        for goal in ["100", "best"] {
            let (code, out, _) = ludex(folder.path(), &["solve", game, "--force", "--goal", goal, "--json"]);
            let forced = json(&out);
            assert_eq!((code, &forced["result"]), (3, &"undecided".into()), "{game}: {out}");
            assert!(forced["strategy"].is_null() && forced["reward"].is_null(), "{game}: {out}");
            assert!(forced["reason"].as_str().unwrap().contains("do not see everything"), "{game}");
        }
    }
    // What a strategy would have to see is not taken for granted by analyses either.
    let arguments = ["analyze", "monty-hall", "--only", "well-formed"];
    let (code, out, _) = ludex(folder.path(), &arguments);
    let row = out.lines().find(|line| line.contains("candidate wins by a strategy")).unwrap();
    assert!(code == 3 && row.contains("undecided") && row.contains("what a role sees decides"), "{out}");
    // The same game with everything seen is solved.
    let (code, out, _) = ludex(folder.path(), &["play", "tic-tac-toe", "--solve", "--json"]);
    assert_eq!((code, &json(&out)["notion"]), (0, &"zero-sum".into()));
}

/// A game that was written as a program, and is read again, has as many models as it has plans.
#[test]
fn a_game_written_as_a_program_is_solved_as_one() {
    let folder = TempDir::new().unwrap();
    // What `coins` asks for takes four steps, `buttons-and-lights` six.
    for (game, steps, plans) in [("coins", "4", 16), ("buttons-and-lights", "6", 2)] {
        let file = format!("{game}.lp");
        fine(folder.path(), &["solve", game, "--asp-out", &file, "--horizon", steps]);
        let solved = json(&fine(folder.path(), &["solve", &file, "--models", "0", "--json"]));
        assert_eq!((&solved["result"], &solved["are_all"]), (&"found".into(), &true.into()));
        assert_eq!(solved["models"].as_array().unwrap().len(), plans, "{game}");
        let planned = json(&fine(folder.path(), &["solve", game, "--all", "--json"]));
        assert_eq!(planned["plans"].as_array().unwrap().len(), plans, "{game}");
        let first = solved["models"][0].as_array().unwrap();
        let made = first.iter().filter(|atom| atom.as_str().unwrap().starts_with("does("));
        assert_eq!(made.count().to_string(), steps, "one move a step");
        // One step less does not do.
        let less = (steps.parse::<u32>().unwrap() - 1).to_string();
        fine(folder.path(), &["solve", game, "--asp-out", &file, "--horizon", &less]);
        let (code, out, _) = ludex(folder.path(), &["solve", &file, "--json"]);
        assert_eq!((code, &json(&out)["result"]), (4, &"none".into()), "{game}");
    }
}
