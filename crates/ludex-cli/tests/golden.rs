//! Sessions with the command, as people see them.
//!
//! Each file of `tests/golden` has lines `$ ludex ARGUMENTS`, possibly followed by `< ` lines of
//! standard input; what follows is the output, with `! ` before what went to standard error and
//! `exit N` where the exit code is not 0. Commands run in `tests/rulesheets`. With the variable
//! `LUDEX_BLESS` set, the files are written anew.

use std::fmt::Write;
use std::path::Path;

use assert_cmd::Command;

/// Splits a command line at blanks; single quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut open, mut quoted) = (String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (quoted, open) = (!quoted, true),
            ' ' if !quoted => {
                if open {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            c => {
                word.push(c);
                open = true;
            }
        }
    }
    if open {
        words.push(word);
    }
    words
}

/// Runs one command and gives the session as text.
fn session(folder: &Path, command: &str, input: &[String]) -> String {
    let arguments = words(command);
    assert_eq!(arguments[0], "ludex", "{command}");
    let output = Command::cargo_bin("ludex")
        .unwrap()
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .args(&arguments[1..])
        .write_stdin(input.iter().map(|l| format!("{l}\n")).collect::<String>())
        .output()
        .unwrap();
    let mut text = format!("$ {command}\n");
    for line in input {
        writeln!(text, "< {line}").unwrap();
    }
    text.push_str(&String::from_utf8(output.stdout).unwrap());
    for line in String::from_utf8(output.stderr).unwrap().lines() {
        writeln!(text, "{}", format!("! {line}").trim_end()).unwrap();
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => writeln!(text, "exit {code}").unwrap(),
        None => writeln!(text, "killed").unwrap(),
    }
    text
}

fn check(name: &str) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let path = tests.join("golden").join(name);
    let expected = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = expected.lines().collect();
    let mut found = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if let Some(command) = line.strip_prefix("$ ") {
            let mut input = Vec::new();
            while let Some(more) = lines.get(at).and_then(|l| l.strip_prefix("< ")) {
                input.push(more.to_owned());
                at += 1;
            }
            if !found.is_empty() {
                found.push('\n');
            }
            found.push_str(&session(&tests.join("rulesheets"), command, &input));
        }
    }
    if std::env::var_os("LUDEX_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
        return;
    }
    if found != expected {
        let different = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
        let line = different.unwrap_or_else(|| found.lines().count().min(lines.len()));
        let context =
            |text: &str| text.lines().skip(line.saturating_sub(3)).take(8).collect::<Vec<_>>().join("\n");
        panic!("{name}:{}\n--- expected\n{}\n--- found\n{}\n", line + 1, context(&expected), context(&found));
    }
}

macro_rules! sessions {
    ($($test:ident $file:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($file);
            }
        )*

        #[test]
        fn every_file_is_a_test() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
            let mut files: Vec<_> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            files.sort();
            let mut tested = vec![$($file),*];
            tested.sort_unstable();
            assert_eq!(files, tested);
        }
    };
}

sessions! {
    analyze_says_what_is_known "analyze.txt";
    new_games_and_libraries_of_rules "new.txt";
    solve_plans_and_translates "solve.txt";
    check_finds_and_draws "check.txt";
    fmt_and_convert "fmt-convert.txt";
    show_describes "show.txt";
    why_explains "why.txt";
    query_answers "query.txt";
    what_rules_leave_open_is_asked_and_planned_for "incomplete.txt";
    step_walks "step.txt";
    games_in_real_time_are_explained "real-time.txt";
    play_shows "play.txt";
    plans_are_judged_and_games_solved "plan.txt";
    players_are_described_and_compared "players.txt";
    tournaments_are_held "tournament.txt";
    perft_counts "perft.txt";
    games_are_compared "same.txt";
    versions_are_compared "diff.txt";
    rulesheets_become_small "minimize.txt";
    verify_compares "verify.txt";
    cases_are_run "test.txt";
    bad_command_lines "usage.txt";
    bad_input "bad-input.txt";
    help_has_examples "help.txt";
}
