//! `ludex player` as a program.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::command::{fine, json, ludex};
use ludex::matches::{Fault, Match, MatchSetup, Told};
use ludex::{Game, GameOptions};
use serde_json::Value;
use tempfile::TempDir;

/// Begins the service at any port, and reads the port from the first line of its output.
fn begin(arguments: &[&str]) -> (Child, String) {
    begin_with(&[&["--strategy", "random", "--max-time", "3s"], arguments].concat())
}

fn begin_with(arguments: &[&str]) -> (Child, String) {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("ludex"))
        .args(["player", "--port", "0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line:?}")).to_owned();
    (child, address)
}

fn ask(address: &str, text: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn a_player_answers_and_logs_what_it_heard_and_said() {
    let (child, address) = begin(&["--name", "tester", "--matches", "1", "--json"]);
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    assert_eq!(ask(&address, "(info)"), "((name tester) (status available))");
    let rules = "(role you) (init a) (<= (legal you (go 1)) (true a)) (<= terminal (not (true a))) \
                 (goal you 100)";
    assert_eq!(ask(&address, &format!("(start m1 you ({rules}) 1 1)")), "ready");
    assert_eq!(ask(&address, "(start m2 you ((role you)) 1 1)"), "busy");
    assert_eq!(ask(&address, "(play m1 nil)"), "(go 1)");
    assert_eq!(ask(&address, "(stop m1 ((go 1)))"), "done");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "it ends by itself");
    let log = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<_> = log.lines().map(json).collect();
    let said: Vec<&str> = lines.iter().filter_map(|line| line["message"].as_str()).collect();
    for expected in [
        "info",
        "start m1 you (131 bytes of rules) 1 1",
        "answered ready",
        "answered busy",
        "refused: all places are taken",
        "play m1 nil",
        "answered (go 1)",
        "stop m1 ((go 1))",
        "the match is over",
    ] {
        let found = said.iter().any(|said| {
            said == &expected || expected.starts_with("start") && said.starts_with("start m1 you (")
        });
        assert!(found, "{expected} in {log}");
    }
    let answer = lines.iter().find(|line| line["message"] == "answered (go 1)").unwrap();
    assert!(answer["ms"].is_u64() && answer["to"] == "play m1 nil", "{answer}");
    assert!(!log.contains("(legal you"), "rules are not logged");
}

#[test]
fn what_cannot_be_begun_is_told() {
    let folder = TempDir::new().unwrap();
    let help = fine(folder.path(), &["player", "--help"]);
    assert!(help.contains("Examples:") && help.contains("--port <PORT>"), "{help}");
    let wrong = |arguments: &[&str]| ludex(folder.path(), &[&["player"], arguments].concat());
    assert_eq!(wrong(&["--strategy", "nobody"]).0, 2);
    assert_eq!(wrong(&["--name", "Not A Word"]).0, 2);
    assert_eq!(wrong(&["--matches", "0"]).0, 2);
    let (mut child, address) = begin(&[]);
    let port = address.rsplit(':').next().unwrap();
    let (code, _, errors) = wrong(&["--port", port]);
    assert!(code == 1 && errors.contains("cannot listen") && errors.contains("hint: "), "{errors}");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What a player logs of its choices in a match of breakthrough against one that moves at random and takes its time.
fn choices_against(delay: Duration) -> Vec<Value> {
    let (child, address) = begin_with(&[
        "--strategy",
        "ludex:playouts=3000:evaluation=off",
        "--memory",
        "64M",
        "--seed",
        "1",
        "--json",
    ]);
    let game = Game::bundled("breakthrough", &GameOptions { hasty: true, ..GameOptions::default() }).unwrap();
    let role = game.seats()[0];
    let rules = ludex::library::find("breakthrough").unwrap().text;
    let start = format!("(start m {} ({rules}\n) 300 300)", game.role_name(role));
    assert_eq!(ask(&address, &start), "ready");
    let mut referee = Match::new(game.rules().clone(), MatchSetup { seed: 5, ..Default::default() }).unwrap();
    for step in 0..7 {
        let last = match referee.told(role) {
            Some(Told::Joint(joint)) => format!("({})", game.texts(&joint).join(" ")),
            _ => "nil".to_owned(),
        };
        let answer = ask(&address, &format!("(play m {last})"));
        let mut replies = vec![Err(Fault::Timeout); game.roles().len()];
        replies[role.index()] = Ok(game.read_term(&answer).unwrap());
        let made = referee.submit(&replies, None).unwrap().unwrap();
        assert_eq!(made.faults[role.index()], None, "{step}: {answer}");
        if step % 2 == 1 {
            std::thread::sleep(delay);
        }
    }
    assert_eq!(ask(&address, "(abort m)"), "done");
    let told = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(told.unwrap().success());
    let log = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    let lines = log.lines().map(json);
    lines.filter(|line| line["message"].as_str().is_some_and(|said| said.starts_with("chose "))).collect()
}

/// Whether the other one answers at once or takes its time: it thinks of every move in lanes, and as long as it is let.
#[cfg(unix)]
#[test]
fn a_player_thinks_while_others_do_and_says_in_a_line_what_it_expects() {
    for (delay, ponders) in [(Duration::ZERO, false), (Duration::from_secs(1), true)] {
        let choices = choices_against(delay);
        assert_eq!(choices.len(), 7, "one line for each move");
        let (only, open): (Vec<_>, Vec<_>) =
            choices.iter().partition(|line| line["message"].as_str().unwrap().ends_with(", the only move"));
        assert_eq!((only.len(), open.len()), (3, 4));
        for line in &open {
            // What is proven needs no search.
            let lanes = line["lanes"].as_str().map(|lanes| lanes.parse::<u32>().unwrap());
            assert!(lanes.is_some_and(|lanes| lanes > 1) || line["proven"].is_u64(), "{line}");
            assert!(line["value"].as_f64().is_some_and(|value| (0.0..=100.0).contains(&value)), "{line}");
            let chosen = line["message"].as_str().unwrap().strip_prefix("chose ").unwrap();
            assert!(line["line"].as_str().unwrap().starts_with(chosen), "{line}");
        }
        assert!(!ponders || open[1..].iter().any(|line| line["pondered"].is_string()), "{open:?}");
    }
}

/// Whoever asks it to end gets an end in good order, and whoever waits for a move gets one.
#[cfg(unix)]
#[test]
fn a_player_that_is_asked_to_end_answers_and_ends_well() {
    for signal in ["-TERM", "-INT"] {
        let (child, address) = begin_with(&["--strategy", "monte-carlo", "--json"]);
        let rules = ludex::library::find("tic-tac-toe").unwrap().text;
        assert_eq!(ask(&address, &format!("(start m1 white ({rules}\n) 60 60)")), "ready");
        let asked = {
            let address = address.clone();
            std::thread::spawn(move || ask(&address, "(play m1 nil)"))
        };
        std::thread::sleep(Duration::from_millis(300));
        assert!(!asked.is_finished(), "it thinks");
        let told = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(told.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{signal}");
        assert!(asked.join().unwrap().starts_with("(mark "), "a legal move");
        let log = String::from_utf8(output.stderr).unwrap();
        assert!(log.contains("the service ends"), "{log}");
        assert!(TcpStream::connect(&address).is_err(), "nobody is there any more");
    }
}
