//! Rulesheets that would eat all memory or run for ever end with a typed error, soon.

use std::path::PathBuf;
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;

fn run(arguments: &[&str]) -> Output {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rulesheets");
    // The limit of the test is far above that of the command: it only keeps a hang from lasting.
    Command::cargo_bin("ludex")
        .unwrap()
        .current_dir(folder)
        .timeout(Duration::from_secs(120))
        .args(arguments)
        .output()
        .unwrap()
}

fn ends_with(arguments: &[&str], what: &str) {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
    assert!(errors.contains(what), "{arguments:?}: {errors}");
}

const MEMORY: &str = "stopped at the memory limit of 8388608 bytes";

#[test]
fn states_that_grow_end_at_the_memory_limit() {
    for command in ["play", "perft", "bench"] {
        ends_with(&[command, "growing.kif", "--max-memory", "8M", "--max-time", "100s"], MEMORY);
    }
    let moves = "grow;grow;grow;grow;grow;grow";
    ends_with(&["why", "growing.kif", "terminal", "--moves", moves, "--max-memory", "8M"], MEMORY);
}

#[test]
fn a_cross_product_ends_at_the_memory_limit() {
    ends_with(&["play", "cross-product.kif", "--max-memory", "8M", "--max-time", "100s"], MEMORY);
    let query = ["query", "cross-product.kif", "legal(R,M)", "--max-memory", "8M", "--max-time", "100s"];
    ends_with(&query, MEMORY);
}

#[test]
fn a_cross_product_ends_at_the_time_limit() {
    ends_with(&["perft", "cross-product.kif", "--max-time", "500ms"], "stopped at the time limit");
    ends_with(&["query", "cross-product.kif", "legal(R,M)", "--max-time", "500ms"], "time limit");
}

#[test]
fn answers_found_before_a_limit_are_shown() {
    let query = ["query", "cross-product.kif", "legal(R,M)", "--max-memory", "4M"];
    let output = run(&query);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("(say ") && text.contains(" answers"), "{text}");
    let output = run(&[&query[..], &["--json"]].concat());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&object["complete"], &object["holds"]), (&false.into(), &true.into()));
    assert!(object["reason"].as_str().unwrap().contains("memory limit"));
    assert!(object["answers"].as_array().unwrap().len() > 100);
    // That nothing was found yet does not mean no.
    let output =
        run(&["query", "cross-product.kif", "legal(R,M) & distinct(M,M)", "--max-memory", "1M", "--json"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&object["complete"], &object["holds"]), (&false.into(), &serde_json::Value::Null));
    let output = run(&["query", "cross-product.kif", "legal(R,M)", "--tree", "--max-memory", "4M"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("The tree was cut"));
}

#[test]
fn no_section_is_lost_to_a_limit() {
    let sections = |arguments: &[&str]| {
        let output = run(&[&["analyze", "tic-tac-toe", "--json"], arguments].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {errors}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        object["sections"].as_object().unwrap().clone()
    };
    let small = sections(&["--max-memory", "100K", "--max-time", "100s"]);
    assert_eq!(small.len(), 7);
    // What needs no more is there, and what there was to find before the limit.
    assert_eq!(small["boards"]["boards"][0]["name"], "cell");
    assert_eq!(small["goals"]["roles"].as_array().unwrap().len(), 2);
    let latches = &small["latches"];
    assert_eq!(latches["undecided"], true);
    assert!(latches["reason"].as_str().unwrap().contains("memory limit"), "{latches}");
    // Latches are proved; only the states cannot be kept.
    let some = sections(&["--max-memory", "400K", "--max-time", "100s", "--only", "latches"]);
    assert_eq!(some["latches"]["positive"].as_array().unwrap().len(), 18);
    assert!(some["latches"]["reason"].as_str().unwrap().contains("states"), "{}", some["latches"]);
}

#[test]
fn a_deep_check_keeps_what_a_look_at_the_rules_shows() {
    let output =
        run(&["check", "--deep", "--json", "cross-product.kif", "--max-memory", "8M", "--max-time", "100s"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> =
        object["diagnostics"].as_array().unwrap().iter().map(|d| d["name"].as_str().unwrap()).collect();
    let shallow = run(&["check", "--json", "cross-product.kif"]);
    let shallow: serde_json::Value = serde_json::from_slice(&shallow.stdout).unwrap();
    for diagnostic in shallow["diagnostics"].as_array().unwrap() {
        assert!(names.contains(&diagnostic["name"].as_str().unwrap()), "{names:?}");
    }
    assert!(names.contains(&"deep-undecided"), "{names:?}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn checking_never_runs_the_rules() {
    for file in ["growing.kif", "cross-product.kif"] {
        assert_eq!(run(&["check", file]).status.code(), Some(0), "{file}");
    }
}

#[test]
fn a_million_brackets_do_no_harm() {
    for text in ["(".repeat(1_000_000), format!("p({}", "f(".repeat(500_000)), ")".repeat(1_000_000)] {
        for command in ["check", "fmt", "show"] {
            let output = Command::cargo_bin("ludex")
                .unwrap()
                .args([command, "-"])
                .timeout(Duration::from_secs(120))
                .write_stdin(text.clone())
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1), "{command}");
            assert!(output.stdout.len() + output.stderr.len() < 200_000, "{command}: the report is short");
        }
    }
    let deep = format!("{}x{}", "f(".repeat(20_000), ")".repeat(20_000));
    ends_with(&["query", "nim", &format!("legal(white,{deep})")], "nested deeper than");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("ludex"))
        .args(["play", "checkers", "--all", "random", "--seed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

/// Devices that never end, and pipes into which nobody writes.
#[cfg(unix)]
#[test]
fn input_without_end_is_read_under_the_limits() {
    let endless = ["--max-memory", "64M"];
    for command in [["check", "/dev/zero"], ["verify", "/dev/zero"], ["fmt", "/dev/zero"]] {
        ends_with(&[&command[..], &endless[..]].concat(), "`/dev/zero` has more than");
    }
    let moves = ["step", "tic-tac-toe", "--moves", "@/dev/zero", "--max-memory", "64M"];
    ends_with(&moves, "`/dev/zero` has more than");

    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let pipe = pipe.to_string_lossy();
    for command in ["check", "verify", "show"] {
        ends_with(&[command, &pipe, "--max-time", "500ms"], "time limit");
    }
}

#[cfg(unix)]
#[test]
fn standard_input_without_end_is_read_under_the_limits() {
    use std::process::{Command, Stdio};
    let endless = std::fs::File::open("/dev/zero").unwrap();
    let output = Command::new(assert_cmd::cargo::cargo_bin("ludex"))
        .args(["check", "-", "--max-memory", "64M"])
        .stdin(Stdio::from(endless))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("standard input has more than"), "{errors}");
}

#[test]
fn no_command_starts_thousands_of_threads() {
    let game: &[&str] = &["tic-tac-toe"];
    let games: &[&str] = &["--players", "random", "--games", "tic-tac-toe"];
    for (command, what) in
        [("analyze", game), ("bench", game), ("play", game), ("tournament", games), ("player", &[])]
    {
        let output = run(&[&[command], what, &["--threads", "5000"]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {errors}");
        assert!(errors.contains("5000 is not in 1..=1024"), "{command}: {errors}");
    }
}

/// Runs a command that may not take more than a gigabyte of memory; what it says, on both streams.
fn within_a_gigabyte(arguments: &[&str]) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rulesheets");
    let program = assert_cmd::cargo::cargo_bin("ludex");
    let limited = format!("ulimit -v 1048576 && exec '{}' \"$@\"", program.display());
    let output = Command::new("sh")
        .current_dir(folder)
        .timeout(Duration::from_secs(300))
        .args(["-c", &limited, "ludex"])
        .args(arguments)
        .output()
        .unwrap();
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(matches!(output.status.code(), Some(0..=4)), "{arguments:?}: {:?} {said:.2000}", output.status);
    assert!(said.len() < 8 << 20, "{arguments:?}: {} bytes", said.len());
    said
}

#[test]
fn terms_that_double_on_paper_are_refused_or_cut() {
    let too_long = "bytes as text, and 1048576 bytes is the most";
    let moves = "go;".repeat(30);
    let moves = moves.trim_end_matches(';');
    let refused: [&[&str]; 6] = [
        &["play", "doubling.kif", "--all", "random", "--seed", "1"],
        &["step", "doubling.kif", "--moves", moves],
        &["why", "doubling.kif", "terminal", "--moves", moves],
        &["play", "sixty-doublings.kif", "--all", "random", "--seed", "1"],
        &["step", "sixty-doublings.kif"],
        &["perft", "sixty-doublings.kif"],
    ];
    for arguments in refused {
        let said = within_a_gigabyte(arguments);
        assert!(said.contains(too_long), "{arguments:?}: {said:.2000}");
    }
    for file in ["doubling.kif", "sixty-doublings.kif", "unseen-doublings.kif"] {
        for command in ["check", "show", "propnet", "analyze"] {
            within_a_gigabyte(&[command, file, "--max-memory", "256M", "--max-time", "5s"]);
        }
    }
    let said = within_a_gigabyte(&["query", "unseen-doublings.kif", "(p60 ?x)"]);
    assert!(said.contains("… (") && said.contains(" bytes)"), "{said:.2000}");
    let said = within_a_gigabyte(&["query", "unseen-doublings.kif", "(p60 ?x)", "--json"]);
    assert!(said.contains("the answers would take"), "{said:.2000}");
    let said = within_a_gigabyte(&["query", "unseen-doublings.kif", "(p60 ?x)", "--tree"]);
    assert!(!said.is_empty());
}

/// A game of one move that never ends.
const ENDLESS: &str = "(role x) (init (at a)) (legal x go) (<= (next (at b)) (does x go)) (<= terminal (true (at c))) (goal x 0)";

/// In a folder: `endless.kif`, and `hostile.kif` with 10^12 legal moves behind its first step.
fn games_without_end() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let numbers: String = (0..100).map(|n| format!("(n {n}) ")).collect();
    let moves =
        "(<= (legal x (all ?a ?b ?c ?d ?e ?f)) (true (at b)) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))";
    std::fs::write(folder.path().join("endless.kif"), ENDLESS).unwrap();
    std::fs::write(folder.path().join("hostile.kif"), format!("{ENDLESS} {moves} {numbers}")).unwrap();
    folder
}

/// What is asked in one turn, and what players think, are parts of the time of the command.
#[test]
fn turns_end_at_the_time_limit() {
    let folder = games_without_end();
    let hostile = folder.path().join("hostile.kif").display().to_string();
    let over = "stopped at the time limit";
    ends_with(&["play", &hostile, "--all", "legal", "--max-time", "1s"], over);
    ends_with(&["play", &hostile, "--engine", "rules", "--all", "ludex", "--max-time", "1s"], over);
    ends_with(
        &["tournament", "-p", "legal,random", "-g", &hostile, "--clock", "200s", "--max-time", "1s"],
        over,
    );
    let patient = ["--start-clock", "200s", "--play-clock", "200s", "--max-time", "2s"];
    ends_with(&[&["play", "connect-four", "--all", "uct"][..], &patient].concat(), over);
    let players =
        ["tournament", "-p", "uct,legal", "-g", "connect-four", "--clock", "200s", "--max-time", "2s"];
    ends_with(&players, "2 of 2 matches were not played");
}

#[test]
fn steps_end_at_the_time_limit() {
    let folder = games_without_end();
    for (game, lines) in [("endless.kif", "random 1000000000\n"), ("hostile.kif", "1\n")] {
        let mut command = Command::cargo_bin("ludex").unwrap();
        let command = command.current_dir(&folder).timeout(Duration::from_secs(120));
        let output = command.args(["step", game, "--max-time", "1s"]).write_stdin(lines).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{game}: {errors}");
        assert!(errors.contains("stopped at the time limit"), "{game}: {errors}");
    }
}
