//! The book and the README tell the truth: every command they show is run, every link leads somewhere.
//!
//! In a fenced block marked `console`, a line `$ ludex ...` is a command and what follows is its output,
//! where a line `...` stands for any lines and `[..]` for anything within a line; `console,fails` marks
//! commands that fail. A block marked `file=NAME` is a file that later commands of the chapter read.
//! With `LUDEX_BLESS=1`, outputs that differ are written into the chapters.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The chapters, and the summary of them.
fn chapters() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(root().join("book/src")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "md"));
    found.sort();
    assert!(found.len() > 5, "the chapters were found");
    found
}

/// Whether an output is as expected, with the two kinds of omission.
fn fits(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"...", rest)) => (0..=found.len()).any(|skipped| fits(rest, &found[skipped..])),
        Some((line, rest)) => {
            found.split_first().is_some_and(|(first, left)| line_fits(line, first) && fits(rest, left))
        }
    }
}

fn line_fits(expected: &str, found: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected.trim_end() == found.trim_end(),
        Some((before, after)) => found.strip_prefix(before).is_some_and(|left| {
            left.char_indices().map(|(at, _)| at).chain([left.len()]).any(|at| line_fits(after, &left[at..]))
        }),
    }
}

/// Runs a command line in the chapter's folder: whether it succeeds, and what it writes.
fn run(command: &str, folder: &Path) -> (bool, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_ludex")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "90")
        .current_dir(folder)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

/// The chapter with the outputs its commands give now, and what differs.
fn replay(text: &str, name: &str) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (mut out, mut failures) = (Vec::<String>::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push(line.to_owned());
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some(file) = info.split(',').find_map(|word| word.strip_prefix("file=")) {
            std::fs::write(folder.path().join(file), block.join("\n") + "\n").unwrap();
        }
        if info.starts_with("console") {
            replay_block(&block, info.contains("fails"), name, folder.path(), &mut out, &mut failures);
        } else {
            let shown = |line: &&&str| line.starts_with("ludex ") || line.starts_with("$ ludex");
            // A manifest names the packages of the project.
            let command = block.iter().find(shown).filter(|_| info != "toml");
            if let Some(command) = command {
                failures.push(format!("{name}: `{command}` is not in a block that is run"));
            }
            out.extend(block.iter().map(|&line| line.to_owned()));
        }
        out.push("```".to_owned());
    }
    (out.join("\n") + "\n", failures)
}

fn replay_block(
    block: &[&str],
    fails: bool,
    name: &str,
    folder: &Path,
    out: &mut Vec<String>,
    failures: &mut Vec<String>,
) {
    let mut left = block;
    while let Some((line, rest)) = left.split_first() {
        let Some(command) = line.strip_prefix("$ ") else {
            failures.push(format!("{name}: `{line}` is no command"));
            break;
        };
        let end = rest.iter().position(|line| line.starts_with("$ ")).unwrap_or(rest.len());
        let expected = &rest[..end];
        left = &rest[end..];
        let (success, output) = run(command, folder);
        let found: Vec<&str> = output.lines().map(str::trim_end).collect();
        out.push((*line).to_owned());
        let kept = if fits(expected, &found) {
            expected
        } else {
            failures.push(format!("{name}: $ {command}\n{}\n", found.join("\n")));
            &found
        };
        out.extend(kept.iter().map(|&line| line.to_owned()));
        if success == fails {
            failures.push(format!("{name}: $ {command}\nsucceeds: {success}\n{output}"));
        }
    }
}

#[test]
fn the_commands_shown_give_the_output_shown() {
    let mut failures = Vec::new();
    for path in chapters().into_iter().chain([root().join("README.md")]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (now, differences) = replay(&text, &name);
        if !differences.is_empty() && std::env::var_os("LUDEX_BLESS").is_some() {
            std::fs::write(&path, now).unwrap();
        }
        failures.extend(differences);
    }
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_summary_lists_every_chapter() {
    let summary = std::fs::read_to_string(root().join("book/src/SUMMARY.md")).unwrap();
    for path in chapters().iter().filter(|path| !path.ends_with("SUMMARY.md")) {
        let name = path.file_name().unwrap().to_string_lossy();
        assert_eq!(summary.matches(&format!("]({name})")).count(), 1, "{name}");
    }
}

#[test]
fn links_lead_somewhere() {
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "benches/README.md",
        "fuzz/README.md",
        "games/README.md",
    ];
    for path in chapters().into_iter().chain(documents.map(|name| root().join(name))) {
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains("://") {
                let target = path.parent().unwrap().join(file);
                assert!(target.exists(), "{}: {link}", path.display());
            }
        }
    }
}

#[test]
fn omissions_stand_for_anything() {
    assert!(fits(&["a", "...", "d"], &["a", "b", "c", "d"]) && fits(&["..."], &[]));
    assert!(!fits(&["a", "...", "d"], &["a", "b"]) && !fits(&["a"], &["a", "b"]));
    assert!(line_fits("took [..] s, [..] MB", "took 3 s, 4 MB") && line_fits("[..]", ""));
    assert!(!line_fits("took [..] s", "took 3 ms"));
}
