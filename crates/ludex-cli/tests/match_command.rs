//! `ludex match`: matches between programs over HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::command::{fine, json, ludex};
use serde_json::Value;
use tempfile::TempDir;

/// A program that listens, answers `READY` to all but `PLAY`, and `noop` to that, each after so long. In
/// tic-tac-toe every second of its moves is not legal.
fn program(delay: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer(stream.unwrap(), delay));
        }
    });
    address
}

fn answer(mut stream: TcpStream, delay: Duration) {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    let text = loop {
        let Ok(count @ 1..) = stream.read(&mut piece) else { return };
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let length = text.lines().find_map(|line| line.strip_prefix("Content-length: "));
        if let (Some(length), Some((_, body))) = (length, text.split_once("\r\n\r\n"))
            && body.len() >= length.parse().unwrap()
        {
            break text;
        }
    };
    std::thread::sleep(delay);
    let word = if text.contains("(PLAY") { "noop" } else { "READY" };
    let _ = stream.write_all(format!("HTTP/1.0 200 OK\r\n\r\n{word}").as_bytes());
}

fn verified(folder: &Path, record: &str) -> Value {
    fine(folder, &["verify", record, "--rules", "tic-tac-toe"]);
    json(&std::fs::read_to_string(folder.join(record)).unwrap())
}

#[test]
fn strategies_play_over_the_wire_and_the_match_is_drawn_and_recorded() {
    let folder = TempDir::new().unwrap();
    let out = fine(
        folder.path(),
        &[
            "match",
            "tic-tac-toe",
            "--players",
            "random,legal",
            "--names",
            "Anna,Bert",
            "--seed",
            "5",
            "--messages",
            "prefix,infix",
            "--play-clock",
            "5s",
            "--record",
            "match.json",
        ],
    );
    for part in [
        "tic-tac-toe: white Anna, black Bert (match tictactoe",
        "seed 5",
        "step 1  white (mark ",
        "Result after",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
    assert!(!out.contains("random move was made"), "{out}");
    let record = verified(folder.path(), "match.json");
    assert_eq!(record["playerNamesFromHost"], json(r#"["Anna", "Bert"]"#));
    assert_eq!(record["isCompleted"], true);
    assert!(record["moveTimes"][0][0].is_u64());
}

#[test]
fn scrambled_players_play_the_same_game() {
    let folder = TempDir::new().unwrap();
    let out = fine(
        folder.path(),
        &[
            "match",
            "blind-tic-tac-toe",
            "--players",
            "legal,random",
            "--scramble",
            "--json",
            "--play-clock",
            "5s",
        ],
    );
    let record = json(&out);
    assert_eq!(record["isCompleted"], true, "{out}");
    assert!(record["errors"].as_array().unwrap().iter().flat_map(|e| e.as_array().unwrap()).all(|e| e == ""));
}

#[test]
fn what_players_do_wrong_is_said_in_plain_words() {
    let folder = TempDir::new().unwrap();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let players = format!("{nobody},{}", program(Duration::ZERO));
    let arguments = ["match", "tic-tac-toe", "--players", &players, "--record", "match.json", "--seed", "1"];
    let (code, out, errors) = ludex(folder.path(), &arguments);
    assert_eq!(code, 3, "played to the end, with faults: {out}{errors}");
    for part in [
        format!("white is not ready: no connection to {nobody}: connection refused"),
        format!("white: no move: no connection to {nobody}: connection refused; a random move was made"),
        "black: `noop` is not a legal move; a random move was made".to_owned(),
    ] {
        assert!(out.contains(&part), "{part} in {out}");
    }
    let record = verified(folder.path(), "match.json");
    assert_eq!(record["errors"][0][1], "");
    let (code, out, _) = ludex(folder.path(), &[&arguments[..], &["--patience", "abort:2"]].concat());
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("ended early after 2 steps"), "{out}");
}

#[test]
fn a_bad_command_line_is_explained() {
    let folder = TempDir::new().unwrap();
    for (players, more, code, what) in [
        ("random", &[][..], 2, "the game has 2 roles to play (white, black), but there are 1 players"),
        ("random,randon", &[], 2, "did you mean `random`?"),
        ("random,https://h:1", &[], 2, "players are reached by http, not by https"),
        ("random,h:0", &[], 2, "has a port that is no number from 1 to 65535"),
        ("random,random", &["--names", "one"], 2, "there are 1 names"),
        ("random,random", &["--messages", "prefix,infix,prefix"], 2, "there are 3 notations"),
        ("random,random", &["--patience", "none"], 2, "`none` is not keep, replace:N or abort:N"),
        ("random,random", &["--resume"], 2, "--journal"),
        ("random,random", &["--journal", "no/such/folder"], 1, "cannot open the journal `no/such/folder`"),
        ("random,random", &["--journal", "none.jsonl", "--resume"], 1, "no such file or directory"),
        ("random,random", &["--journal", "m.jsonl", "--time-cost", "-1"], 2, "cannot cost"),
    ] {
        let arguments = [&["match", "tic-tac-toe", "--players", players], more].concat();
        let (found, out, errors) = ludex(folder.path(), &arguments);
        assert_eq!(found, code, "{arguments:?}: {out}{errors}");
        assert!(errors.contains(what), "{what} in {errors}");
        assert!(!folder.path().join("m.jsonl").exists(), "no journal of a match that cannot be");
    }
}

#[test]
fn a_match_that_was_killed_goes_on_from_its_journal() {
    let folder = TempDir::new().unwrap();
    let players = format!("{},random", program(Duration::from_millis(60)));
    let arguments =
        ["match", "tic-tac-toe", "--players", &players, "--journal", "m.jsonl", "--seed", "3", "--quiet"];
    let journal = folder.path().join("m.jsonl");
    let steps = || std::fs::read_to_string(&journal).unwrap_or_default().matches("\"stepped\"").count();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("ludex"))
        .current_dir(folder.path())
        .args(arguments)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while steps() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it lasts longer than two steps");
        std::thread::sleep(Duration::from_millis(5));
    }
    let (code, _, errors) = ludex(folder.path(), &[&arguments[..], &["--resume"]].concat());
    assert!(code == 1 && errors.contains("is in use by another process"), "{errors}");
    child.kill().unwrap();
    child.wait().unwrap();
    let before = std::fs::read_to_string(&journal).unwrap();
    let (code, _, errors) = ludex(folder.path(), &arguments);
    assert!(code == 1 && errors.contains("hint: `--resume` goes on with the match in it"), "{errors}");

    let resume = [&arguments[..], &["--resume", "--record", "match.json"]].concat();
    let (code, out, errors) = ludex(folder.path(), &resume);
    assert_eq!(code, 3, "{out}{errors}");
    let after = std::fs::read_to_string(&journal).unwrap();
    let kept = before.rfind('\n').map_or(0, |end| end + 1);
    assert!(
        after.starts_with(&before[..kept]) && after.contains("\"Resumed\"") | after.contains("\"resumed\"")
    );
    let record = verified(folder.path(), "match.json");
    assert_eq!(record["isCompleted"], true);
    assert_eq!(record["seed"], 3);

    let (code, again, _) = ludex(folder.path(), &resume);
    assert_eq!((code, again), (3, out), "a match that is over stays as it is");
    let other = ["match", "nim", "--players", "random,random", "--journal", "m.jsonl", "--resume"];
    let (code, _, errors) = ludex(folder.path(), &other);
    assert!(code == 1 && errors.contains("the journal belongs to the rulesheet"), "{errors}");
}

#[cfg(unix)]
#[test]
fn who_interrupts_a_match_ends_it_or_can_go_on_with_it() {
    let folder = TempDir::new().unwrap();
    let players = format!("{},random", program(Duration::from_millis(100)));
    for (journal, what) in [
        (None, "The match ended early after"),
        (Some("m.jsonl"), "error: the match is cut off: it was interrupted\n  hint: `--resume` goes on"),
    ] {
        let mut arguments = vec!["match", "tic-tac-toe", "--players", &players];
        arguments.extend(journal.into_iter().flat_map(|file| ["--journal", file]));
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("ludex"))
            .current_dir(folder.path())
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It has begun when the first step is on the screen.
        let mut out = child.stdout.take().unwrap();
        let mut text = String::new();
        let mut piece = [0; 256];
        while !text.contains("step 1") {
            let count = out.read(&mut piece).unwrap();
            assert!(count > 0, "{text}");
            text.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
        let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(interrupted.unwrap().success());
        out.read_to_string(&mut text).unwrap();
        let output = child.wait_with_output().unwrap();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(what), "{what} in {text}");
        assert!(text.contains("it was interrupted"), "{text}");
    }
}

#[test]
fn a_step_limit_ends_the_match_as_it_was_asked_to() {
    let folder = TempDir::new().unwrap();
    let arguments = ["match", "tic-tac-toe", "--players", "random,random", "--step-limit", "2", "--quiet"];
    assert_eq!(
        fine(folder.path(), &arguments),
        "The match ended early after 2 steps: stopped after 2 steps\n"
    );
}
