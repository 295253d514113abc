//! Where the system has no thread left, a command does its work on the one that it has.

use std::process::Output;

use crate::command::json;
use assert_cmd::Command;

/// The stack of threads that were not given one: more than there are addresses, so that none of them begins.
const NO_THREADS: (&str, &str) = ("RUST_MIN_STACK", "1000000000000000");

/// Runs the command where no thread can be begun.
fn alone(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("ludex").unwrap();
    let output =
        command.env(NO_THREADS.0, NO_THREADS.1).current_dir(&folder).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    output
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_player_searches_with_the_thread_that_it_has_and_says_so() {
    let clocks = ["--start-clock", "300ms", "--play-clock", "300ms", "--step-limit", "2", "--seed", "1"];
    let game = ["play", "connect-four", "--all", "ludex", "--threads", "3", "--verbose"];
    let said = text(&alone(&[&game[..], &clocks[..]].concat()));
    assert!(said.contains("threads that could be had 1 of 3"), "{said}");
}

#[test]
fn nobody_ponders_without_threads() {
    let clocks = ["--start-clock", "300ms", "--play-clock", "300ms", "--step-limit", "2", "--seed", "1"];
    let game = ["play", "tic-tac-toe", "--all", "ludex", "--ponder", "--quiet"];
    alone(&[&game[..], &clocks[..]].concat());
}

/// The automatic choice would begin with a net; a referee by the rules has players make one. Of a game that is not
/// solved before its first move, so that random games are played on the net's lanes.
#[test]
fn a_net_is_made_by_the_player_itself() {
    let clocks = ["--start-clock", "5s", "--play-clock", "1s", "--step-limit", "1", "--seed", "1"];
    let game = ["play", "connect-four", "--engine", "rules", "--player", "red=ludex", "--verbose"];
    let said = text(&alone(&[&game[..], &clocks[..]].concat()));
    assert!(said.contains("lanes") && !said.contains("runs on the rules"), "{said}");
}

#[test]
fn random_games_are_played_on_one_thread() {
    let output = alone(&["bench", "tic-tac-toe", "--seconds", "100ms", "--threads", "3", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("1 of 3 threads"), "{said}");
    assert_eq!(json(&text(&output))["threads"], 1);
}

#[test]
fn a_tournament_is_played_one_match_after_the_other() {
    let players = ["--players", "random,legal", "--games", "nim,tic-tac-toe", "--rounds", "2"];
    let tournament =
        [&["tournament", "--clock", "10s", "--threads", "3", "--json"][..], &players[..]].concat();
    let outcome = json(&text(&alone(&tournament)));
    assert_eq!(outcome["matches"]["completed"], 8);
}

#[test]
fn states_are_looked_at_on_one_thread() {
    let said = text(&alone(&["check", "tic-tac-toe", "--deep", "--max-time", "60s"]));
    assert!(said.contains("no findings"), "{said}");
}
