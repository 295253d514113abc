//! Tournaments: complete, repeatable, and safe to stop.

use crate::command::{fine, json, keys, ludex};
use serde_json::Value;
use tempfile::TempDir;

/// Players that need no time, so that results depend on the seed alone.
const QUICK: [&str; 10] = [
    "tournament",
    "--players",
    "random,legal",
    "--games",
    "nim,untwisty-corridor,three-player-tic-tac-toe",
    "--rounds",
    "2",
    "--clock",
    "10s",
    "--json",
];

#[test]
fn every_pairing_is_played_on_every_seating() {
    let folder = TempDir::new().unwrap();
    let outcome =
        json(&fine(folder.path(), &[&QUICK[..], &["--record", "records", "--threads", "2"]].concat()));
    assert_eq!(keys(&outcome), ["setup", "matches", "players", "pairings", "games", "methods"]);
    // Two rounds of two seatings, of each player alone, and of six seatings.
    assert_eq!(outcome["matches"].to_string(), r#"{"scheduled":20,"completed":20,"aborted":0}"#);
    let played: Vec<&Value> = outcome["games"].as_array().unwrap().iter().map(|g| &g["matches"]).collect();
    assert_eq!(played, [4, 4, 12]);
    let standing = &outcome["players"][0];
    let expected = ["player", "rating", "matches", "goals", "share", "aborted", "faults"];
    assert_eq!(keys(standing), expected);
    assert_eq!((&standing["matches"], keys(&standing["rating"])), (&18.into(), vec!["elo", "low", "high"]));
    let pairing = &outcome["pairings"][0];
    let expected = ["player", "opponent", "matches", "goals", "opponent_goals", "share"];
    assert_eq!((keys(pairing), &pairing["matches"]), (expected.to_vec(), &18.into()));
    let records: Vec<_> = std::fs::read_dir(folder.path().join("records")).unwrap().collect();
    assert_eq!(records.len(), 20);
    for entry in records {
        let path = entry.unwrap().path();
        let (code, out, _) = ludex(folder.path(), &["verify", &path.to_string_lossy()]);
        assert!(code == 0 && out.contains("all as recorded"), "{out}");
    }
}

#[test]
fn a_stopped_tournament_goes_on_where_it_was() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("t.jsonl");
    let whole = fine(folder.path(), &[&QUICK[..], &["--out", "t.jsonl"]].concat());
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 21);
    // Stopped while the eighth match was being written.
    let cut: usize = text.split_inclusive('\n').take(8).map(str::len).sum();
    std::fs::write(&file, &text[..cut + 30]).unwrap();
    let resumed = fine(folder.path(), &[&QUICK[..], &["--resume", "t.jsonl"]].concat());
    assert_eq!(json(&resumed), json(&whole));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    // A round more needs only its own matches.
    let mut more = QUICK;
    more[6] = "3";
    let outcome = json(&fine(folder.path(), &[&more[..], &["--resume", "t.jsonl"]].concat()));
    assert_eq!(outcome["matches"]["completed"], 30);
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 31);
}

/// The four formats other than round robin.
const FORMATS: [&str; 4] = ["swiss", "single", "double", "cumulative"];

/// Quick players in a format.
fn held(format: &str) -> Vec<&str> {
    let players = ["tournament", "--players", "random,legal,depth-limited:depth=1,depth-limited:depth=2"];
    let rest = ["--games", "nim,three-player-tic-tac-toe", "--clock", "60s", "--json", "--format", format];
    [&players[..], &rest[..]].concat()
}

#[test]
fn every_format_is_played_to_its_end() {
    let folder = TempDir::new().unwrap();
    for format in FORMATS {
        let outcome = json(&fine(folder.path(), &[&held(format)[..], &["--threads", "2"]].concat()));
        let has_encounters = format != "cumulative";
        let mut expected = vec!["setup", "matches", "players", "pairings", "games", "ranking"];
        expected.extend(has_encounters.then_some("encounters"));
        expected.push("methods");
        assert_eq!(keys(&outcome), expected);
        assert!(outcome["setup"]["format"].as_str().unwrap().starts_with(format));
        assert_eq!(outcome["matches"]["scheduled"], outcome["matches"]["completed"]);
        let ranking = outcome["ranking"].as_array().unwrap();
        assert_eq!((ranking.len(), &ranking[0]["rank"]), (4, &1.into()));
        if has_encounters {
            let encounters = outcome["encounters"].as_array().unwrap();
            assert!(encounters.iter().all(|encounter| !encounter["decided"].is_null()), "{encounters:?}");
            let number = encounters.len();
            assert_eq!(
                number,
                match format {
                    "swiss" => 4,
                    "single" => 3,
                    _ => 7,
                }
            );
        }
        if format == "single" || format == "double" {
            let last = outcome["encounters"].as_array().unwrap().last().unwrap();
            assert_eq!(last["decided"]["winner"], ranking[0]["player"]);
        }
        // However many are played at once, the same comes of it.
        let alone = json(&fine(folder.path(), &held(format)));
        assert_eq!(alone, outcome);
    }
}

#[test]
fn every_format_goes_on_where_it_was() {
    let folder = TempDir::new().unwrap();
    for format in FORMATS {
        let name = format!("{format}.jsonl");
        let whole = fine(folder.path(), &[&held(format)[..], &["--out", &name]].concat());
        let file = folder.path().join(&name);
        let text = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for kept in [1, lines.len() / 2, lines.len() - 1, lines.len()] {
            std::fs::write(&file, lines[..kept].concat()).unwrap();
            let resumed = fine(folder.path(), &[&held(format)[..], &["--resume", &name]].concat());
            assert_eq!(json(&resumed), json(&whole));
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
        // What was played in one format is not of another, nor with other players.
        let (code, _, errors) = ludex(folder.path(), &[&QUICK[..], &["--resume", &name]].concat());
        assert!(code == 1 && errors.contains("and not round-robin"), "{errors}");
        let mut other = held(format);
        other[2] = "random,legal";
        let (code, _, errors) = ludex(folder.path(), &[&other[..], &["--resume", &name]].concat());
        assert!(code == 1 && errors.contains("were played with players"), "{errors}");
        // A result that does not follow from those before it.
        if format != "cumulative" {
            std::fs::write(&file, [lines[0], lines[lines.len() - 1]].concat()).unwrap();
            let (code, _, errors) = ludex(folder.path(), &[&held(format)[..], &["--resume", &name]].concat());
            assert!(code == 1 && errors.contains("line 2: no match of"), "{errors}");
        }
    }
}

#[test]
fn options_of_other_formats_are_refused() {
    let folder = TempDir::new().unwrap();
    let refused = |more: &[&str]| {
        let arguments = ["tournament", "--players", "random,legal", "--games", "nim,untwisty-corridor"];
        let (code, _, errors) = ludex(folder.path(), &[&arguments[..], more].concat());
        assert_eq!(code, 2, "{errors}");
        errors
    };
    assert!(refused(&["--legs", "2"]).contains("round-robin has no use for --legs"));
    assert!(refused(&["--format", "swiss", "--replays", "2"]).contains("swiss has no use for --replays"));
    assert!(refused(&["--format", "single", "--rounds", "2"]).contains("has no use for --rounds"));
    assert!(refused(&["--format", "double"]).contains("`untwisty-corridor` is played alone"));
    assert!(refused(&["--attempts", "0"]).contains("--attempts"));
    assert!(refused(&["--format", "knockout"]).contains("possible values"));
    assert!(refused(&["--rounds", "4000000000"]).contains("matches are more than the"));
}

#[test]
fn matches_that_end_early_are_begun_again() {
    let folder = TempDir::new().unwrap();
    let arguments = ["tournament", "--players", "random,legal", "--games", "tic-tac-toe", "--clock", "60s"];
    let limits = ["--step-limit", "3", "--json"];
    for (format, attempts, aborted) in [("round-robin", "1", 2), ("round-robin", "3", 6), ("single", "2", 12)]
    {
        let more = ["--format", format, "--attempts", attempts];
        let outcome = json(&fine(folder.path(), &[&arguments[..], &limits, &more].concat()));
        // In a bracket two legs, and again two, and again; then the lot decides.
        assert_eq!(
            (&outcome["matches"]["aborted"], &outcome["matches"]["completed"]),
            (&aborted.into(), &0.into())
        );
        if format == "single" {
            assert_eq!(outcome["encounters"][0]["decided"]["how"], "lot");
        }
    }
}

#[test]
fn matches_on_other_terms_are_not_mixed() {
    let folder = TempDir::new().unwrap();
    fine(folder.path(), &[&QUICK[..], &["--out", "t.jsonl"]].concat());
    let (code, _, errors) = ludex(folder.path(), &[&QUICK[..], &["--out", "t.jsonl"]].concat());
    assert!(code == 1 && errors.contains("`--resume t.jsonl` goes on"), "{errors}");
    let mut other = QUICK;
    other[8] = "9s";
    let (code, _, errors) = ludex(folder.path(), &[&other[..], &["--resume", "t.jsonl"]].concat());
    assert!(code == 1 && errors.contains("were played with clock 10 s and not 9 s"), "{errors}");
    for (more, what) in [
        (&["--introduce"][..], "with `--introduce` off and not on"),
        (&["--memory-file", "m.db"], "with `--memory-file` off and not on"),
    ] {
        let (code, _, errors) = ludex(folder.path(), &[&QUICK[..], &["--resume", "t.jsonl"], more].concat());
        assert!(code == 1 && errors.contains(what), "{errors}");
    }
    std::fs::write(folder.path().join("x"), "something else\n").unwrap();
    let (code, _, errors) = ludex(folder.path(), &[&QUICK[..], &["--resume", "x"]].concat());
    assert!(code == 1 && errors.contains("is not a tournament"), "{errors}");
}

#[test]
fn what_goes_wrong_is_in_the_tables() {
    let folder = TempDir::new().unwrap();
    let arguments = ["tournament", "--players", "random,legal", "--games", "nim,tic-tac-toe"];
    let out = fine(folder.path(), &[&arguments[..], &["--clock", "0ms", "--step-limit", "7"]].concat());
    assert!(out.contains("ABORTED  FAULTS") && out.contains("FAULTS OF  LATE"), "{out}");
    assert!(out.contains("ended early") && out.contains("stopped after 7 steps"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let clean = fine(folder.path(), &[&arguments[..], &["--clock", "10s"]].concat());
    assert!(!clean.contains("FAULTS") && clean.contains("4 matches, 4 completed"), "{clean}");
}

#[test]
fn a_tournament_needs_players_and_games() {
    let folder = TempDir::new().unwrap();
    let refused = |players: &str, games: &str| {
        let (code, _, errors) = ludex(folder.path(), &["tournament", "--players", players, "--games", games]);
        assert_eq!(code, 2, "{errors}");
        errors
    };
    assert!(refused("random", "nim").contains("at least two players"));
    assert!(refused("random,random", "nim").contains("`random` is there twice"));
    assert!(refused("random,legal", "nim,nim").contains("`nim` is there twice"));
    assert!(refused("random,nobody", "nim").contains("there is no strategy `nobody`"));
}

#[test]
fn a_limit_on_time_leaves_the_rest_for_later() {
    let folder = TempDir::new().unwrap();
    let arguments = ["tournament", "--players", "random,legal", "--games", "nim", "--rounds", "100000"];
    let (code, out, errors) =
        ludex(folder.path(), &[&arguments[..], &["--max-time", "3s", "--out", "t.jsonl"]].concat());
    assert!(
        code == 1 && errors.contains("were not played") && errors.contains("--resume t.jsonl"),
        "{errors}"
    );
    assert!(out.contains("not played") || errors.contains("time limit"), "{out}");
}

/// A sequential test of a player that wins everything but by accident, in counted work.
const TEST: [&str; 11] = [
    "tournament",
    "--players",
    "minimax,legal",
    "--games",
    "tic-tac-toe",
    "--sprt",
    "0,100",
    "--opening",
    "5",
    "--clock",
    "10m",
];

#[test]
fn a_sequential_test_stops_when_it_is_decided() {
    let folder = TempDir::new().unwrap();
    let arguments = [&TEST[..], &["--out", "t.jsonl", "--json", "--threads", "2"]].concat();
    let outcome = json(&fine(folder.path(), &arguments));
    let sprt = &outcome["sprt"];
    let expected = [
        "lower",
        "upper",
        "error",
        "verdict",
        "pairs",
        "left_out",
        "share",
        "share_error",
        "log_likelihood_ratio",
        "bound",
    ];
    assert_eq!((keys(sprt), &sprt["verdict"]), (expected.to_vec(), &"accepted".into()));
    let pairs = sprt["pairs"].as_u64().unwrap();
    let matches = |name: &str| outcome["matches"][name].as_u64().unwrap();
    // While one thread is at a match that is needed, the other plays those that come after it: how many
    // there are when it is decided depends on the machine.
    let played = 2 * pairs..matches("scheduled");
    assert!((4..100).contains(&pairs) && played.contains(&matches("completed")), "{outcome}");
    assert!(sprt["log_likelihood_ratio"].as_f64().unwrap() >= sprt["bound"].as_f64().unwrap());
    // What is decided stays so, and needs no more matches.
    let lines = || std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap().lines().count();
    let before = lines();
    let again = fine(folder.path(), &[&TEST[..], &["--resume", "t.jsonl"]].concat());
    assert!(again.contains("Is minimax stronger than legal? yes"), "{again}");
    assert_eq!(lines(), before);
    // How many threads there are makes no difference.
    let alone = json(&fine(folder.path(), &[&TEST[..], &["--json"]].concat()));
    assert_eq!(alone["sprt"], *sprt);
}

#[test]
fn the_other_way_round_it_is_rejected_and_a_budget_ends_it_undecided() {
    let folder = TempDir::new().unwrap();
    let mut test = TEST;
    test[2] = "legal,minimax";
    let outcome = json(&fine(folder.path(), &[&test[..], &["--json"]].concat()));
    assert_eq!(outcome["sprt"]["verdict"], "rejected");
    let short = fine(folder.path(), &[&TEST[..], &["--rounds", "2"]].concat());
    assert!(short.contains("not decided: 2 of 2 rounds"), "{short}");
}

#[test]
fn openings_are_the_same_on_all_seatings_of_a_round() {
    let folder = TempDir::new().unwrap();
    let play = ["tournament", "--players", "legal,random", "--games", "connect-four", "--rounds", "3"];
    let rest = ["--opening", "6", "--clock", "10s", "--record", "records", "--json"];
    let outcome = json(&fine(folder.path(), &[&play[..], &rest[..]].concat()));
    assert_eq!(outcome["setup"]["opening"], 6);
    let mut openings = std::collections::BTreeMap::<String, Vec<String>>::new();
    for entry in std::fs::read_dir(folder.path().join("records")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let round = name.split('.').nth(1).unwrap().to_owned();
        let record = json(&std::fs::read_to_string(&path).unwrap());
        let moves = record["moves"].as_array().unwrap();
        openings.entry(round).or_default().push(Value::from(moves[..6].to_vec()).to_string());
    }
    let pairs: Vec<&Vec<String>> = openings.values().collect();
    assert!(pairs.len() == 3 && pairs.iter().all(|pair| pair.len() == 2 && pair[0] == pair[1]), "{pairs:?}");
    assert!(pairs[0] != pairs[1] && pairs[1] != pairs[2], "{pairs:?}");
    // A game that would be over is left to the players.
    let short = ["tournament", "--players", "legal,random", "--games", "tic-tac-toe", "--opening", "50"];
    let outcome = json(&fine(folder.path(), &[&short[..], &["--clock", "10s", "--json"]].concat()));
    assert_eq!(outcome["matches"]["completed"], 2);
}

#[test]
fn a_sequential_test_is_of_two_players_and_two_numbers() {
    let folder = TempDir::new().unwrap();
    for (players, test, said) in [
        ("legal,random,minimax", "0,20", "--sprt compares two players"),
        ("legal,random", "20,0", "the smaller one"),
        ("legal,random", "x", "is not two numbers"),
    ] {
        let (code, _, errors) =
            ludex(folder.path(), &["tournament", "-p", players, "-g", "nim", "--sprt", test]);
        assert!(code == 2 && errors.contains(said), "{code} {errors}");
    }
}
