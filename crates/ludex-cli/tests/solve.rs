//! Solving games and programs, as the command does it.

use crate::command::{fine, json, ludex};
use serde_json::Value;
use tempfile::TempDir;

/// Where something is hidden, no value, no strategy and no proof is printed, and the exit code says so, but for the
/// values of equilibria.
#[test]
fn games_with_hidden_information_are_not_solved() {
    let folder = TempDir::new().unwrap();
    // Alone, against chance, and among several.
    for game in ["monty-hall", "exploding-bomb", "blind-tic-tac-toe-without-random", "trading"] {
        let too_much = ["blind-tic-tac-toe-without-random", "trading"].contains(&game);
        if too_much {
            let (code, out, errors) = ludex(folder.path(), &["play", game, "--solve"]);
            assert_eq!(code, 3, "{game}: {errors}");
            assert!(out.starts_with("Not solved: GDL-II") && out.contains("do not see everything"), "{out}");
            let (code, out, _) = ludex(folder.path(), &["play", game, "--solve", "--json"]);
            let solved = json(&out);
            assert_eq!((code, &solved["notion"]), (3, &"undecided".into()), "{game}");
            let values = solved["values"].as_object().unwrap();
            assert!(!values.is_empty() && values.values().all(Value::is_null), "{game}: {values:?}");
            assert!(solved["reason"].as_str().unwrap().contains("do not see everything"), "{game}");
        }
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

/// What small games are worth where something is hidden is what can be got without knowing it.
#[test]
fn small_games_with_hidden_information_have_the_value_of_an_equilibrium() {
    let folder = TempDir::new().unwrap();
    let out = fine(folder.path(), &["play", "exploding-bomb", "--solve"]);
    assert!(out.starts_with("The most that can be got: agent 90\n"), "{out}");
    let solved = json(&fine(folder.path(), &["play", "exploding-bomb-tell", "--solve", "--json"]));
    assert_eq!((&solved["notion"], solved["nodes"].as_u64()), (&"zero-sum".into(), Some(15)));
    assert!((number(&solved["values"]["agent"]) - 50.0).abs() < 0.01, "{solved}");
    // What was seen on the way is not known.
    let (code, out, _) =
        ludex(folder.path(), &["play", "exploding-bomb", "--solve", "--moves", "arm(red) noop"]);
    assert!(code == 3 && out.contains("what they saw of the moves"), "{code} {out}");
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn equilibria_of_card_games_are_found_and_told() {
    let folder = TempDir::new().unwrap();
    let arguments = ["solve", "kuhn-poker", "--equilibrium", "--exploitability", "0.0005"];
    let out = fine(folder.path(), &arguments);
    assert!(out.starts_with("An equilibrium of kuhn-poker: alice 48.61"), "{out}");
    assert!(out.contains("information sets: alice 6, bob 6"), "{out}");
    // All of so small a game is shown.
    assert!(
        out.contains("sees dealt(queen); check; sees move(bob,bet)") && !out.contains("--strategy"),
        "{out}"
    );
    let solved = json(&fine(folder.path(), &[&arguments[..], &["--json"]].concat()));
    assert_eq!(solved["result"], "found");
    assert!((number(&solved["values"]["alice"]) - (50.0 - 25.0 / 18.0)).abs() < 0.001, "{solved}");
    assert!(number(&solved["guaranteed"]["bob"]) <= number(&solved["values"]["bob"]));
    assert!(number(&solved["exploitability"]) <= 0.0005);
    let sets = solved["strategies"]["bob"].as_array().unwrap();
    assert_eq!((sets.len(), solved["information_sets"]["bob"].as_u64()), (6, Some(6)));
    assert_eq!(sets[0]["told"][0]["percepts"][0], "(dealt king)");
    let probabilities = sets[0]["moves"].as_array().unwrap().iter();
    assert!((probabilities.map(|made| number(&made["probability"])).sum::<f64>() - 1.0).abs() < 1e-9);
    // One role against chance has a plan.
    let out = fine(folder.path(), &["solve", "monty-hall", "--equilibrium", "--strategy"]);
    assert!(out.starts_with("The best plan in monty-hall: candidate 66.6667"), "{out}");
    assert!(out.contains("switch 100.0 %"), "{out}");
}

#[test]
fn more_than_a_screenful_is_shown_where_it_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let arguments = ["solve", "leduc-poker", "--equilibrium", "--exploitability", "0.5"];
    let out = fine(folder.path(), &arguments);
    assert!(out.contains("268 more information sets; `--strategy` shows all"), "{out}");
    let all = fine(folder.path(), &[&arguments[..], &["--strategy"]].concat());
    assert!(all.lines().count() > 288 && out.lines().count() < 40);
}

#[test]
fn what_has_no_equilibrium_here_is_refused_with_a_reason() {
    let folder = TempDir::new().unwrap();
    let refused = |file: &str, wanted: &str| {
        let (code, _, errors) = ludex(folder.path(), &["solve", file, "--equilibrium"]);
        assert!(code == 1 && errors.contains(wanted), "{file}: {code} {errors}");
    };
    refused("trading", "3 roles beside chance");
    refused("prisoners-dilemma", "do not add up to the same");
    // Limits leave it open.
    let few = ["solve", "high-card", "--engine", "rules", "--equilibrium", "--max-nodes", "1000"];
    let (code, out, _) = ludex(folder.path(), &few);
    assert_eq!(code, 3, "{out}");
    assert!(out.starts_with("No equilibrium of high-card was found") && out.contains("--max-nodes"), "{out}");
    let (code, out, _) = ludex(folder.path(), &[&few[..], &["--json"]].concat());
    assert_eq!((code, &json(&out)["result"]), (3, &"undecided".into()));
    let (code, out, _) = ludex(folder.path(), &["solve", "kuhn-poker", "--equilibrium", "--iterations", "3"]);
    assert!(code == 3 && out.starts_with("No equilibrium of kuhn-poker that is as exact"), "{out}");
    let (code, _, errors) =
        ludex(folder.path(), &["solve", "kuhn-poker", "--equilibrium", "--exploitability", "-1"]);
    assert!(code == 2 && errors.contains("goal points"), "{errors}");
    for beside in [&["--force"][..], &["--role", "alice"], &["--exploit", "random"]] {
        let arguments = [&["solve", "kuhn-poker", "--equilibrium"], beside].concat();
        assert_eq!(ludex(folder.path(), &arguments).0, 2, "{beside:?}");
    }
    assert_eq!(ludex(folder.path(), &["solve", "kuhn-poker", "--pot", "50"]).0, 2, "nobody asked");
    let (code, out, _) =
        ludex(folder.path(), &["solve", "kuhn-poker", "--exploit", "random", "--max-nodes", "9"]);
    assert!(code == 3 && out.contains("more than 9 nodes"), "{code} {out}");
    let (code, _, errors) = ludex(folder.path(), &["solve", "kuhn-poker", "--exploit", "nobody"]);
    assert!(code == 2 && errors.contains("there is no strategy `nobody`"), "{errors}");
}

#[test]
fn it_is_said_how_much_can_be_won_against_a_player() {
    let folder = TempDir::new().unwrap();
    let out = fine(folder.path(), &["solve", "kuhn-poker", "--exploit", "random", "--pot", "50"]);
    assert!(out.starts_with("random in kuhn-poker: 11.4583 goal points can be won against it"), "{out}");
    assert!(out.contains("11.46 % of the range of goals, 0 to 100; 22.92 % of 50"), "{out}");
    let found = json(&fine(folder.path(), &["solve", "kuhn-poker", "--exploit", "legal", "--json"]));
    // Alice always bets with the first legal move, and bob does in his turn.
    let alice = &found["roles"][0];
    assert_eq!((&alice["role"], &alice["asked"], &alice["told"]), (&"alice".into(), &3.into(), &3.into()));
    assert!((number(&alice["gets_at_least"]) - (50.0 - 25.0 / 3.0)).abs() < 1e-6, "{found}");
    assert_eq!(found["strategies"]["alice"][0]["moves"][0]["probability"], 1.0);
    // Alone, a player is compared with the best plan: asking would be worth 90.
    let found = json(&fine(folder.path(), &["solve", "exploding-bomb", "--exploit", "random", "--json"]));
    let agent = &found["roles"][0];
    assert!((number(&agent["value"]) - 90.0).abs() < 1e-9);
    assert!((number(&agent["gets_at_least"]) - 47.5).abs() < 1e-9, "{found}");
    let searching = ["solve", "kuhn-poker", "--exploit", "uct:playouts=20", "--samples", "2", "--json"];
    let found = json(&fine(folder.path(), &searching));
    assert!(number(&found["exploitability"]) > 0.0, "{found}");
}
