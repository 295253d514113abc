//! Files that commands write, and the JSON that programs read.

use crate::command::{fine, json, keys, ludex};
use tempfile::TempDir;

#[test]
fn a_recorded_match_is_verified() {
    let folder = TempDir::new().unwrap();
    for game in ["tic-tac-toe", "blind-tic-tac-toe", "lowest-unique", "8-puzzle", "monty-hall"] {
        let file = format!("{game}.json");
        fine(folder.path(), &["play", game, "--seed", "7", "--quiet", "--record", &file]);
        let out = fine(folder.path(), &["verify", &file]);
        assert!(out.contains("all as recorded"), "{out}");
    }
    let mut record = json(&std::fs::read_to_string(folder.path().join("tic-tac-toe.json")).unwrap());
    record["goalValues"] = serde_json::json!([1, 2]);
    std::fs::write(folder.path().join("wrong.json"), record.to_string()).unwrap();
    let (code, out, _) = ludex(folder.path(), &["verify", "wrong.json", "--json"]);
    let report = json(&out);
    assert_eq!((code, keys(&report)), (1, vec!["trace", "engine", "steps", "mismatches"]));
    let mismatch = &report["mismatches"][0];
    assert_eq!(keys(mismatch), ["playout", "step", "what", "expected", "found"]);
}

#[test]
fn coverage_of_a_recorded_match_is_of_its_positions() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fine(at, &["play", "tic-tac-toe", "--all", "random", "--seed", "7", "--quiet", "--record", "match.json"]);
    let record = json(&std::fs::read_to_string(at.join("match.json")).unwrap());
    let moves = record["moves"].as_array().unwrap();
    let report = json(&fine(at, &["test", "tic-tac-toe", "--coverage=match.json", "--json"]));
    let coverage = &report["coverage"];
    assert_eq!(coverage["positions"], moves.len() + 1);
    let made = coverage["moves"].as_array().unwrap().iter().filter(|entry| entry["made"] == true).count();
    // Each of them is a mark and a noop.
    assert_eq!(made, moves.len() + 2);
    let (code, _, error) = ludex(at, &["test", "nim", "--coverage=match.json"]);
    assert!(code == 1 && error.contains("match.json, step 0: "), "{error}");
}

#[test]
fn records_that_contradict_themselves_are_refused() {
    let folder = TempDir::new().unwrap();
    fine(folder.path(), &["play", "nim", "--all", "random", "--quiet", "--record", "match.json"]);
    let record = json(&std::fs::read_to_string(folder.path().join("match.json")).unwrap());
    for (key, value, why) in [
        ("isAborted", serde_json::json!(true), "both completed and aborted"),
        ("rulesheet", serde_json::json!("(role white)"), "its rulesheet has the SHA-256"),
    ] {
        let mut changed = record.clone();
        changed[key] = value;
        std::fs::write(folder.path().join("changed.json"), changed.to_string()).unwrap();
        let (code, _, error) = ludex(folder.path(), &["verify", "changed.json"]);
        assert!(code == 1 && error.contains(why), "{error}");
    }
}

#[test]
fn many_matches_in_a_file_are_verified_by_the_rules_they_hold() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    // No game of this name is bundled, and the rulesheet is gone when the match is verified.
    let rules =
        "(role me) (init (n 0)) (legal me (set 1)) (legal me (set 2)) (<= (next (n ?x)) (does me (set ?x)))
        (<= terminal (true (n 2))) (goal me 100)";
    std::fs::write(at.join("my-game.kif"), rules).unwrap();
    let mut lines = String::new();
    for (game, seed) in [("nim", "1"), ("my-game.kif", "2"), ("my-game.kif", "3")] {
        lines += &fine(at, &["play", game, "--all", "random", "--seed", seed, "--json"]);
        lines += "\n";
    }
    std::fs::remove_file(at.join("my-game.kif")).unwrap();
    std::fs::write(at.join("matches.jsonl"), &lines).unwrap();
    let out = fine(at, &["verify", "matches.jsonl"]);
    assert!(out.contains("matches.jsonl#3: ") && out.contains("3 traces, "), "{out}");
    let out = fine(at, &["verify", "matches.jsonl", "--json"]);
    let names: Vec<_> = out.lines().map(|line| json(line)["trace"].clone()).collect();
    assert_eq!(names, ["matches.jsonl#1", "matches.jsonl#2", "matches.jsonl#3"]);

    let wrong = lines.replace("\"goalValues\":[100]", "\"goalValues\":[99]");
    assert_ne!(wrong, lines);
    std::fs::write(at.join("wrong.jsonl"), wrong).unwrap();
    let (code, out, _) = ludex(at, &["verify", "wrong.jsonl", "--quiet"]);
    assert!(code == 1 && out.contains("wrong.jsonl#2: "), "{out}");
    std::fs::write(at.join("broken.jsonl"), lines + "{\"moves\": 1}\n").unwrap();
    let (code, _, error) = ludex(at, &["verify", "broken.jsonl"]);
    // Empty lines count.
    assert!(code != 0 && error.contains("line 7: not a match record"), "{error}");
}

#[test]
fn a_seed_decides_a_match() {
    let folder = TempDir::new().unwrap();
    let play = |seed| {
        let mut record = json(&fine(folder.path(), &["play", "nim", "--seed", seed, "--json"]));
        assert!(record["goalValues"].is_array() && record["isCompleted"] == true);
        for key in ["startTime", "stateTimes", "moveTimes", "matchId"] {
            record.as_object_mut().unwrap().remove(key);
        }
        record.to_string()
    };
    assert_eq!(play("3"), play("3"));
    assert_ne!(play("3"), play("4"));
}

#[test]
fn benchmark_figures_have_stable_names() {
    let folder = TempDir::new().unwrap();
    let arguments = ["bench", "nim", "--seconds", "200ms", "--threads", "2", "--json"];
    let figures = json(&fine(folder.path(), &arguments));
    let expected = [
        "game",
        "rulesheet_sha256",
        "engine",
        "backend",
        "threads",
        "lanes",
        "setup_ms",
        "seconds",
        "state_changes",
        "state_changes_per_s",
        "playouts",
        "playouts_per_s",
        "mean_length",
        "mean_goals",
        "memory_mb",
        "reason",
        "faults",
        "atoms",
        "ground_rules",
        "gates",
        "operations",
    ];
    assert_eq!(keys(&figures), expected);
    assert_eq!((&figures["game"], &figures["threads"]), (&"nim".into(), &2.into()));
    let (playouts, length) =
        (figures["playouts"].as_f64().unwrap(), figures["mean_length"].as_f64().unwrap());
    let changes = figures["state_changes"].as_f64().unwrap();
    assert!(playouts > 10.0 && length > 3.0 && length < 16.0, "{figures}");
    // Every playout counts with its length; only the last of each thread may be unfinished.
    assert!((playouts * length - changes).abs() < 40.0 + playouts / 1000.0, "{figures}");
    let goals: f64 = figures["mean_goals"].as_object().unwrap().values().map(|g| g.as_f64().unwrap()).sum();
    assert!((goals - 100.0).abs() < 0.01, "{figures}");
}

#[test]
fn perft_rows_have_stable_names() {
    let folder = TempDir::new().unwrap();
    let rows = json(&fine(folder.path(), &["perft", "tic-tac-toe", "--depth", "5", "--json"]));
    assert_eq!(keys(&rows[0]), ["depth", "paths", "distinct", "terminals"]);
    let last = [5, 15120, 1260, 1440];
    let found = ["depth", "paths", "distinct", "terminals"].map(|key| rows[5][key].as_u64().unwrap());
    assert_eq!(found, last);
}

#[test]
fn tidying_in_place_changes_what_is_untidy() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("game.kif");
    std::fs::write(&file, "(role you)(<= (legal you go)\n(true   a))").unwrap();
    let (code, out, _) = ludex(folder.path(), &["fmt", "--check", "game.kif"]);
    assert_eq!((code, out.as_str()), (1, "game.kif\n"));
    fine(folder.path(), &["fmt", "--write", "game.kif"]);
    let tidy = std::fs::read_to_string(&file).unwrap();
    assert_eq!(tidy.trim_end(), "(role you)\n(<= (legal you go)\n    (true a))");
    assert_eq!(fine(folder.path(), &["fmt", "--check", "game.kif"]), "");
}

#[test]
fn scrambled_rules_play_alike_and_come_back() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fine(at, &["convert", "nim", "--scramble", "5", "--names", "names.json", "-o", "scrambled.kif"]);
    assert_eq!(fine(at, &["perft", "nim", "-d", "3"]), fine(at, &["perft", "scrambled.kif", "-d", "3"]));
    let text = std::fs::read_to_string(at.join("scrambled.kif")).unwrap();
    assert!(!text.contains("take") && !text.contains("white"));
    fine(at, &["convert", "scrambled.kif", "--unscramble", "names.json", "-o", "back.kif"]);
    let record = ["play", "nim", "--seed", "2", "--quiet", "--record", "match.json"];
    fine(at, &record);
    fine(at, &["verify", "match.json", "--rules", "back.kif"]);
}

#[test]
fn converted_rules_play_alike() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fine(at, &["play", "reversi", "--seed", "2", "--quiet", "--record", "match.json", "--step-limit", "20"]);
    for target in ["infix", "gdl-ii"] {
        fine(at, &["convert", "reversi", "--to", target, "-o", "converted.gdl"]);
        let out = fine(at, &["verify", "match.json", "--rules", "converted.gdl"]);
        assert!(out.contains("all as recorded"), "{target}: {out}");
    }
}

#[test]
fn pictures_are_svg() {
    let folder = TempDir::new().unwrap();
    let svg = fine(folder.path(), &["show", "tic-tac-toe", "--svg", "--moves", "mark(1,1); mark(2,2)"]);
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
}

#[test]
fn a_play_clock_is_kept() {
    let folder = TempDir::new().unwrap();
    let clocks = ["--start-clock", "1", "--play-clock", "0.5"];
    let arguments = [&["play", "nim", "--seed", "1", "--json"][..], &clocks].concat();
    let record = json(&fine(folder.path(), &arguments));
    assert_eq!((&record["startClock"], &record["playClock"]), (&1.into(), &0.5.into()));
    let times: Vec<u64> =
        record["stateTimes"].as_array().unwrap().iter().map(|t| t.as_u64().unwrap()).collect();
    assert_eq!(times.len(), record["states"].as_array().unwrap().len());
    assert!(times.is_sorted());
    // No time at all is never enough.
    let record = json(&fine(folder.path(), &["play", "nim", "--seed", "1", "--json", "--play-clock", "0ms"]));
    assert_eq!(record["errors"][1][0], "TO");
}

#[test]
fn plans_come_from_files() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("plan"), "mark(1,1) noop\nnoop mark(2,1)\nmark(1,2)\nmark(2,2)\n")
        .unwrap();
    let query = ["query", "tic-tac-toe", "true(cell(X,Y,o))", "--moves", "@plan", "--json"];
    let answers = json(&fine(folder.path(), &query));
    assert_eq!(answers["answers"].to_string(), r#"[{"X":"2","Y":"1"},{"X":"2","Y":"2"}]"#);
}

#[test]
fn long_lists_are_cut_unless_all_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let (code, out, errors) = ludex(folder.path(), &["show", "nim", "--ground"]);
    assert_eq!((code, out.lines().count()), (0, 200), "{errors}");
    assert!(
        errors.starts_with("... and ") && errors.contains("more rules (`--all` prints them)"),
        "{errors}"
    );
    let (code, all, errors) = ludex(folder.path(), &["show", "nim", "--ground", "--all"]);
    assert!(code == 0 && errors.is_empty() && all.starts_with(&out), "{errors}");
    let rules = json(&fine(folder.path(), &["show", "nim", "--ground", "--json"]));
    assert_eq!(keys(&rules), ["game", "atoms", "literals", "rules"]);
    assert_eq!(rules["rules"].as_array().unwrap().len(), all.lines().count());
}

#[test]
fn ground_rules_are_read_again_as_they_are_printed() {
    let folder = TempDir::new().unwrap();
    for (notation, arrow) in [("prefix", "<="), ("infix", ":-")] {
        let arguments = ["show", "buttons-and-lights", "--ground", "--notation", notation];
        let rules = fine(folder.path(), &arguments);
        std::fs::write(folder.path().join("rules.gdl"), &rules).unwrap();
        let again = fine(folder.path(), &["fmt", "rules.gdl"]);
        assert_eq!(again.matches(arrow).count(), rules.matches(arrow).count(), "{rules}{again}");
        assert!(rules.matches(arrow).count() > 9, "{rules}");
    }
}

#[test]
fn nets_show_what_is_true_in_a_state() {
    let folder = TempDir::new().unwrap();
    let marked = |arguments: &[&str]| -> Vec<String> {
        let game = ["propnet", "buttons-and-lights", "--notation", "infix", "--json"];
        let net = json(&fine(folder.path(), &[&game, arguments].concat()));
        let nodes = net["net"]["nodes"].as_array().unwrap().clone();
        let base = |node: &&serde_json::Value| node["kind"] == "base" || node["kind"] == "input";
        let found = nodes.iter().filter(base).filter(|node| node["marked"] == true);
        let name = |node: &serde_json::Value| node["name"].as_str().unwrap().to_owned();
        found.map(name).filter(|name| name.starts_with("true") || name.starts_with("does")).collect()
    };
    assert!(marked(&[]).is_empty(), "without a marking nothing is marked");
    let start = marked(&["--marking"]);
    assert!(!start.is_empty() && start.iter().all(|name| name.starts_with("true")), "{start:?}");
    let after = marked(&["--moves", "a"]);
    assert!(after.contains(&"true(p)".to_owned()) && !start.contains(&"true(p)".to_owned()), "{after:?}");
    let moving = marked(&["--moves", "a", "--does", "b"]);
    assert!(moving.contains(&"does(white,b)".to_owned()), "{moving:?}");
    assert_eq!(moving.len(), after.len() + 1);
    assert_eq!(marked(&["--facts", "q"]), ["true(q)"]);
    let (code, _, errors) = ludex(folder.path(), &["propnet", "buttons-and-lights", "--moves", "a"]);
    assert!(code == 2 && errors.contains("--dot, --svg or --json"), "{errors}");
}

/// A record that holds no rules is compared with those of its digest and no others; where there are none, with itself.
#[test]
fn a_record_without_rules_is_verified_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fine(at, &["play", "nim", "--all", "random", "--seed", "1", "--record", "whole.json"]);
    let whole: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(at.join("whole.json")).unwrap()).unwrap();
    let write = |name: &str, change: &dyn Fn(&mut serde_json::Map<String, serde_json::Value>)| {
        let mut record = whole.as_object().unwrap().clone();
        record.remove("rulesheet");
        change(&mut record);
        std::fs::write(at.join(name), serde_json::Value::from(record).to_string()).unwrap();
    };
    write("right.json", &|_| {});
    fine(at, &["verify", "right.json"]);
    write("wrong.json", &|record| drop(record.insert("rulesheetSha256".into(), "00".repeat(32).into())));
    for arguments in [&["verify", "wrong.json"][..], &["verify", "wrong.json", "--rules", "nim"]] {
        let (code, out, _) = ludex(at, arguments);
        assert!(code == 1 && out.contains("SHA-256 of the rules"), "{code} {out}");
    }
    write("nowhere.json", &|record| drop(record.insert("gameName".into(), "no-such-game".into())));
    let (code, out, error) = ludex(at, &["verify", "nowhere.json"]);
    assert!(out.contains("only the lengths of the lists were compared, and they fit"), "{out}");
    assert!(code == 1 && error.contains("no rulesheet of `no-such-game`"), "{code} {error}");
    write("cut.json", &|record| {
        record.insert("gameName".into(), "no-such-game".into());
        record["moves"][1].as_array_mut().unwrap().pop();
    });
    let (code, out, _) = ludex(at, &["verify", "cut.json"]);
    assert!(code == 1 && out.contains("step 1: length of moves[1]"), "{code} {out}");
}

/// The record of a match in real time in which the first player lets its time pass.
fn record_in_real_time() -> ludex::TimedRecord {
    use ludex::game::{TimedRuleMachine, TimedRules};
    use ludex::matches::referee::real_time::{TimedReferee, TimedSetup};
    use ludex::matches::referee::{Effect, Event, SeatSetup};
    use std::time::Duration;

    let bundled = ludex::library::find("timed-tic-tac-toe").unwrap();
    let source = std::sync::Arc::new(ludex::gdl::Source::new("timed-tic-tac-toe.gdl", bundled.text));
    let checked = ludex::gdl::load(source, &Default::default());
    let machine = TimedRuleMachine::new(checked.game.as_ref().unwrap(), &Default::default()).unwrap();
    let machine = std::sync::Arc::new(machine);
    let rules = TimedRules::new(checked, machine, "rules", ludex::logic::Budget::unlimited());
    let seat = |player: &str| SeatSetup { player: player.to_owned(), ..SeatSetup::default() };
    let setup = TimedSetup {
        id: "m1".to_owned(),
        seed: 1,
        start: Duration::from_secs(1),
        unit: Duration::from_millis(500),
        grace: Duration::ZERO,
        seats: vec![seat("a"), seat("b")],
        told: None,
        start_time: None,
    };
    let mut referee = TimedReferee::new(rules, setup).unwrap();
    let mut events = vec![(Duration::ZERO, Event::Begin)];
    while let Some((now, event)) = events.pop() {
        let mut effects = Vec::new();
        referee.on(now, event, &mut effects);
        events.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Write(number, _) => Some((now, Event::Written(number))),
            Effect::Wake { timer, at } => Some((at, Event::Timer(timer))),
            Effect::Send { .. } | Effect::Drop { .. } | Effect::Done => None,
        }));
    }
    referee.record()
}

#[test]
fn records_in_real_time_are_compared() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let record = record_in_real_time();
    std::fs::write(at.join("match.json"), record.write()).unwrap();
    let out = fine(at, &["verify", "match.json"]);
    assert_eq!(out, "match.json: 1 states, all as recorded\n");
    fine(at, &["verify", "match.json", "--rules", "timed-tic-tac-toe"]);

    // Several in a file, beside one that goes step by step.
    fine(at, &["play", "nim", "--all", "random", "--quiet", "--record", "nim.json"]);
    let nim = std::fs::read_to_string(at.join("nim.json")).unwrap();
    let both = format!("{}\n{}\n{}\n", record.write(), nim.trim(), record.write());
    std::fs::write(at.join("matches.jsonl"), both).unwrap();
    let out = fine(at, &["verify", "matches.jsonl"]);
    assert!(out.contains("matches.jsonl#3: 1 states, all as recorded"), "{out}");

    let mut wrong = json(&record.write());
    wrong["events"][0]["expired"] = serde_json::json!([]);
    std::fs::write(at.join("wrong.json"), wrong.to_string()).unwrap();
    let (code, out, _) = ludex(at, &["verify", "wrong.json"]);
    assert!(code == 1 && out.contains("expired") && out.contains("(control xplayer)"), "{out}");
    wrong["time"] = serde_json::json!(1.5);
    std::fs::write(at.join("wrong.json"), wrong.to_string()).unwrap();
    let (code, _, error) = ludex(at, &["verify", "wrong.json"]);
    assert!(code == 1 && error.contains("is not a trace"), "{error}");
    let (code, _, error) = ludex(at, &["verify", "match.json", "--rules", "nim"]);
    assert!(code == 1 && error.contains("have no lifetimes"), "{error}");
}
