//! Matches as tables of Parquet: written by tournaments, read by `verify`, and refused where they are none.

use std::path::Path;

use crate::command::{fine, json, ludex};
use tempfile::TempDir;

/// Players that need no time.
const QUICK: [&str; 7] = ["tournament", "--players", "random,legal", "--clock", "10s", "--seed", "3"];
const TABLES: [&str; 4] = ["players.parquet", "records.parquet", "seats.parquet", "steps.parquet"];

fn tournament(folder: &Path, more: &[&str]) -> String {
    fine(folder, &[&QUICK[..], more].concat())
}

fn files(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// What `verify` calls the matches of the folder `tables`, in order.
fn verified(folder: &Path) -> Vec<String> {
    let out = fine(folder, &["verify", "tables/records.parquet", "--json"]);
    let mut names: Vec<String> = out
        .lines()
        .map(|line| {
            let line = json(line);
            assert_eq!(line["mismatches"], json("[]"), "{line}");
            line["trace"].as_str().unwrap().strip_prefix("tables/records.parquet#").unwrap().to_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn the_tables_of_a_tournament_are_verified() {
    let folder = TempDir::new().unwrap();
    let games = "nim,three-player-tic-tac-toe,timed-tic-tac-toe";
    tournament(folder.path(), &["--games", games, "--parquet", "tables", "--threads", "2"]);
    assert_eq!(files(&folder.path().join("tables")), TABLES);
    let names = verified(folder.path());
    assert_eq!(names.len(), 10);
    assert!(names.iter().any(|name| name.starts_with("timed-tic-tac-toe.1.")), "{names:?}");
    let out = fine(folder.path(), &["verify", "tables/records.parquet"]);
    assert!(out.starts_with("tables/records.parquet#") && out.contains("\n10 traces, "), "{out}");
    // Other tables are no records.
    let (code, _, errors) = ludex(folder.path(), &["verify", "tables/steps.parquet"]);
    let expected = "error: `tables/steps.parquet` has no column `record`, only `match`, `step`, `role`, `move`, `seconds`\n";
    assert!(code == 1 && errors.starts_with(expected), "{errors}");
}

#[test]
fn a_tournament_goes_on_in_its_tables() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    tournament(path, &["--games", "nim", "--out", "t.jsonl", "--parquet", "tables"]);
    let first = verified(path);
    assert_eq!(first.len(), 2);
    tournament(path, &["--games", "nim", "--resume", "t.jsonl", "--parquet", "tables", "--rounds", "3"]);
    let all = verified(path);
    assert_eq!(all.len(), 6);
    assert!(first.iter().all(|name| all.contains(name)));
    assert_eq!(files(&path.join("tables")), TABLES);
    // Neither another tournament nor a new one takes its place.
    let (code, _, errors) = ludex(path, &[&QUICK[..], &["--games", "nim", "--parquet", "tables"]].concat());
    assert!(
        code == 1 && errors.starts_with("error: there is a file `tables/records.parquet` already\n"),
        "{errors}"
    );
    tournament(path, &["--games", "tic-tac-toe", "--out", "other.jsonl"]);
    let resumed = ["--games", "tic-tac-toe", "--resume", "other.jsonl", "--parquet", "tables"];
    let (code, _, errors) = ludex(path, &[&QUICK[..], &resumed].concat());
    assert!(
        code == 1 && errors.starts_with("error: the matches in `tables` are of another tournament\n"),
        "{errors}"
    );
    assert_eq!((verified(path), files(&path.join("tables"))), (all, TABLES.map(str::to_owned).to_vec()));
}

#[test]
fn a_stopped_tournament_leaves_its_records_for_the_next_command() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let games = ["--games", "nim", "--rounds", "2"];
    tournament(path, &[&games[..], &["--out", "t.jsonl", "--record", "records"]].concat());
    let records = files(&path.join("records"));
    let lines: Vec<String> = records
        .iter()
        .map(|file| std::fs::read_to_string(path.join("records").join(file)).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    // The last one was being written, and of one that was over the result was not; it was of two players in reverse.
    std::fs::create_dir(path.join("tables")).unwrap();
    let unplayed = lines[0].replace("nim.1.", "nim.9.").replace("nim.2.", "nim.9.");
    let unfinished = [&unplayed, &lines[0], &lines[1], &lines[2], &lines[3][..40]].concat();
    std::fs::write(path.join("tables/unfinished.jsonl"), unfinished).unwrap();
    let resumed = [&QUICK[..], &games, &["--resume", "t.jsonl", "--parquet", "tables"]].concat();
    let (code, _, errors) = ludex(path, &resumed);
    let expected = "the tables in `tables` are without 1 match that was played before: there is no record\n";
    assert_eq!((code, errors.as_str()), (0, expected));
    let names = verified(path);
    assert_eq!((names.len(), names.iter().any(|name| name.starts_with("nim.9."))), (3, false));
    assert_eq!(files(&path.join("tables")), TABLES);
}

#[test]
fn what_verify_found_is_a_table() {
    let folder = TempDir::new().unwrap();
    tournament(folder.path(), &["--games", "nim", "--parquet", "tables"]);
    let (code, ..) = ludex(
        folder.path(),
        &["verify", "tables/records.parquet", "missing.json", "--parquet", "found.parquet"],
    );
    assert_eq!((code, files(folder.path())), (1, vec!["found.parquet".to_owned(), "tables".to_owned()]));
    let (code, _, errors) = ludex(folder.path(), &["verify", "found.parquet"]);
    assert!(code == 1 && errors.contains("only `file`, `match`, `result`, `message`\n"), "{errors}");
}

#[test]
fn what_is_no_table_is_refused_in_one_sentence() {
    let folder = TempDir::new().unwrap();
    tournament(folder.path(), &["--games", "nim", "--parquet", "tables"]);
    let path = folder.path().join("cut.parquet");
    let whole = std::fs::read(folder.path().join("tables/records.parquet")).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let (code, out, errors) = ludex(folder.path(), &["verify", "cut.parquet"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(errors.starts_with("error: `cut.parquet` is no Parquet file that can be read: "), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    // Where other records are expected, and where nothing is left to read.
    let resumed = ["--games", "nim", "--resume", "cut.parquet"];
    let (code, _, errors) = ludex(folder.path(), &[&QUICK[..], &resumed].concat());
    assert!(
        code == 1 && errors.starts_with("error: `cut.parquet` is Parquet, which is not read here\n"),
        "{errors}"
    );
    let little = ["verify", "tables/records.parquet", "--max-memory", "4K"];
    let (code, _, errors) = ludex(folder.path(), &little);
    assert!(code == 1 && errors.starts_with("error: "), "{errors}");
}
