//! Matches whose players are told no rules, and players that learn them from records.

use std::path::Path;

use crate::command::{fine, json, ludex};
use tempfile::TempDir;

/// So many recorded matches of tic-tac-toe between random players.
fn recorded(folder: &Path, count: usize) -> &'static str {
    let count = count.to_string();
    let blind = ["--blind", "--players", "random,random", "--episodes", &count, "--seed", "1", "--quiet"];
    fine(folder, &[&["match", "tic-tac-toe", "--record", "matches.jsonl"], &blind[..]].concat());
    "matches.jsonl"
}

#[test]
fn episodes_are_counted_summed_up_and_drawn() {
    let folder = TempDir::new().unwrap();
    let arguments =
        ["match", "tic-tac-toe", "--blind", "--players", "random,random", "--episodes", "3", "--seed", "5"];
    let out = fine(folder.path(), &[&arguments[..], &["--svg", "curve.svg", "--record", "e.jsonl"]].concat());
    for part in
        ["episode 1: white ", "episode 3: ", "refused: white ", "tic-tac-toe without rules, 3 episodes"]
    {
        assert!(out.contains(part), "{part} in {out}");
    }
    let svg = std::fs::read_to_string(folder.path().join("curve.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("white: random"), "{svg}");
    let replayed = fine(folder.path(), &["verify", "e.jsonl"]);
    assert!(replayed.contains("0 differences"), "{replayed}");
    let object = json(&fine(folder.path(), &[&arguments[..], &["--json"]].concat()));
    assert_eq!(object["episodes"].as_array().unwrap().len(), 3);
    assert_eq!(object["blind"], json(r#"["white", "black"]"#));
    assert_eq!(object["episodes"][2]["seed"], 7);
    assert_eq!(object["episodes"][0]["faults"]["white"], 0);
    assert!(object["summary"]["white"]["best"].is_u64() && object["stopped"].is_null(), "{object}");
    let refused = |number: usize| object["episodes"][number]["refused"]["white"].as_u64().unwrap();
    assert!((0..3).map(refused).sum::<u64>() > 0);
}

#[test]
fn some_may_know_the_rules_and_words_may_be_others() {
    let folder = TempDir::new().unwrap();
    let arguments = ["match", "tic-tac-toe", "--blind=black", "--players", "legal,random", "--scramble"];
    let object = json(&fine(folder.path(), &[&arguments[..], &["--json", "--episodes", "2"]].concat()));
    assert_eq!(object["blind"], json(r#"["black"]"#));
    assert_eq!(object["episodes"][0]["refused"]["white"], 0);
}

#[test]
fn what_does_not_go_without_rules_is_said() {
    let folder = TempDir::new().unwrap();
    let refused = |arguments: &[&str]| {
        let (code, out, errors) = ludex(folder.path(), arguments);
        assert!(code != 0, "{arguments:?}: {out}");
        errors
    };
    let errors = refused(&["match", "tic-tac-toe", "--blind=green", "--players", "random,random"]);
    assert!(errors.contains("there is no role `green` to play; the roles are white, black"), "{errors}");
    let errors = refused(&["match", "rapid-connect-four", "--blind", "--players", "random,random"]);
    assert!(errors.contains("--blind means nothing in a game in real time"), "{errors}");
    let errors = refused(&["match", "tic-tac-toe", "--players", "random,random", "--episodes", "3"]);
    assert!(errors.contains("--blind"), "{errors}");
    let records = ["--players", "random,random", "--records", "nothing.jsonl"];
    let errors = refused(&[&["match", "tic-tac-toe"], &records[..]].concat());
    assert!(errors.contains("nothing.jsonl"), "{errors}");
    let text = fine(folder.path(), &["players"]);
    assert!(text.contains("WITHOUT RULES"), "{text}");
    let list = json(&fine(folder.path(), &["players", "random", "--json"]));
    let without: Vec<bool> =
        list.as_array().unwrap().iter().map(|one| one["without_rules"].as_bool().unwrap()).collect();
    assert_eq!(without, [false, true]);
}

#[test]
fn rules_from_forty_matches_are_played() {
    let folder = TempDir::new().unwrap();
    let records = recorded(folder.path(), 40);
    let arguments = ["play", "tic-tac-toe", "--learned", records, "--all", "legal", "--seed", "3", "--json"];
    let record = json(&fine(folder.path(), &arguments));
    assert_eq!(record["playerNamesFromHost"], json(r#"["legal by learned rules", "legal"]"#));
    let errors = record["errors"].as_array().unwrap().iter().flat_map(|errors| errors.as_array().unwrap());
    assert!(errors.clone().all(|error| error == ""), "{record}");
    assert_eq!(record["isCompleted"], true);
    let arguments = ["match", "tic-tac-toe", "--records", records, "--learners", "white", "--quiet"];
    let out =
        fine(folder.path(), &[&arguments[..], &["--players", "legal,legal", "--start-clock", "5m"]].concat());
    assert!(out.starts_with("Result after"), "{out}");
}

#[test]
fn records_of_another_game_or_of_nothing_are_refused() {
    let folder = TempDir::new().unwrap();
    let records = recorded(folder.path(), 1);
    let (code, _, errors) = ludex(folder.path(), &["play", "connect-four", "--learned", records]);
    assert!(code == 1 && errors.contains("the records are of a game of white, black"), "{errors}");
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let (code, _, errors) = ludex(folder.path(), &["play", "nim", "--learned", "empty"]);
    assert!(code == 1 && errors.contains("there is no state in the records"), "{errors}");
    let human = ["play", "nim", "--learned", records, "--all", "human"];
    let (code, _, errors) = ludex(folder.path(), &human);
    assert!(code == 2 && errors.contains("is played by a human"), "{errors}");
}

#[test]
fn the_explorer_learns_over_the_network_from_episode_to_episode() {
    let folder = TempDir::new().unwrap();
    let arguments =
        ["match", "buttons-and-lights", "--blind", "--players", "explorer", "--seed", "1", "--json"];
    let object = json(&fine(folder.path(), &[&arguments[..], &["--episodes", "40"]].concat()));
    // Only with the rules that it has learned it finds the way so soon: there are 729 courses, and two are right.
    assert_eq!(object["summary"]["white"]["last_tenth"], 100.0, "{object}");
    let (code, _, errors) = ludex(folder.path(), &["match", "buttons-and-lights", "--players", "explorer"]);
    assert!(code == 2 && errors.contains("--blind"), "{code} {errors}");
}

/// In infix capitals matter, and prefix, in which messages are sent, has none without bars.
const CAPITALS: &str = "
role(robot)
init(atPlace(a))
init(step(0))
legal(robot,moveLeft) :- true(atPlace(b))
legal(robot,moveRight) :- true(atPlace(a))
next(atPlace(b)) :- does(robot,moveRight)
next(atPlace(a)) :- does(robot,moveLeft)
next(step(N)) :- true(step(M)) & succ(M,N)
terminal :- true(step(3))
goal(robot,100) :- true(atPlace(b))
goal(robot,0) :- ~true(atPlace(b))
succ(0,1)
succ(1,2)
succ(2,3)
";

#[test]
fn what_was_refused_is_not_tried_again_whatever_it_is_called() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("capitals.gdl"), CAPITALS).unwrap();
    for player in ["explorer", "q-learning"] {
        for words in [&[][..], &["--scramble"]] {
            let arguments =
                ["match", "capitals.gdl", "--blind", "--players", player, "--seed", "1", "--json"];
            let more = [&arguments[..], &["--episodes", "20"], words].concat();
            let object = json(&fine(folder.path(), &more));
            assert_eq!(object["summary"]["robot"]["refused_last_tenth"], 0.0, "{player} {words:?}: {object}");
        }
    }
}

#[test]
fn records_of_what_cannot_be_played_count_where_lines_may_be_wrong_too() {
    let folder = TempDir::new().unwrap();
    fine(
        folder.path(),
        &["play", "buttons-and-lights", "--all", "random", "--seed", "1", "--record", "one.json", "--quiet"],
    );
    // A record of the match itself as one that cannot be: no rules bear out both.
    let arguments = ["learn", "one.json", "--negatives", "one.json", "--noise", "0.05", "-o", "learned.gdl"];
    let (code, out, errors) = ludex(folder.path(), &arguments);
    assert!(code == 1, "{code} {out} {errors}");
}
