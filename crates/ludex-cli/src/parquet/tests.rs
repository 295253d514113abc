use std::path::{Path, PathBuf};

use super::*;
use crate::failure::Failure;
use crate::limits::{LimitArguments, Limits};

fn limits() -> Limits {
    Limits::new(&LimitArguments { max_memory: None, max_time: None })
}

fn row(number: usize, record: &str) -> Vec<Cell> {
    vec![
        Cell::Text(format!("match {number}")),
        "nim".into(),
        "0123".into(),
        if number.is_multiple_of(2) { Cell::Null } else { Cell::Int64(number as i64) },
        Cell::Bool(true),
        Cell::count(number),
        record.into(),
    ]
}

fn written(folder: &Path, rows: impl Iterator<Item = Vec<Cell>>) -> PathBuf {
    let path = folder.join(RECORDS.file);
    let mut writer = TableWriter::create(&path, &RECORDS).unwrap();
    rows.for_each(|row| writer.push(row).unwrap());
    writer.close().unwrap().publish().unwrap();
    path
}

fn rows(path: &Path) -> Result<Vec<RecordRow>, String> {
    let said = |failure: Failure| match failure {
        Failure::Input { message, .. } => message,
        other => panic!("{other:?}"),
    };
    read_records(&path.to_string_lossy(), &limits()).map_err(said)?.map(|row| row.map_err(said)).collect()
}

#[test]
fn what_was_written_is_read() {
    let folder = tempfile::TempDir::new().unwrap();
    // Of 17 megabytes each, so that there are several row groups.
    let large = "x".repeat(17 << 20);
    let record = |number: usize| if number < 2 { large.clone() } else { format!("{{\"ä\": {number}}}") };
    let path = written(folder.path(), (0..100).map(|number| row(number, &record(number))));
    let read = rows(&path).unwrap();
    assert_eq!(read.len(), 100);
    for (number, row) in read.iter().enumerate() {
        assert_eq!((&row.name, &row.record), (&format!("match {number}"), &record(number)));
    }
    // Nothing is left beside it.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_table_without_rows_is_a_table() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = written(folder.path(), std::iter::empty());
    assert_eq!(rows(&path), Ok(Vec::new()));
}

#[test]
fn other_tables_and_other_files_are_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("seats.parquet");
    TableWriter::create(&path, &SEATS).unwrap().close().unwrap().publish().unwrap();
    let message = rows(&path).unwrap_err();
    assert!(
        message.ends_with("has no column `record`, only `match`, `game`, `role`, `player`, `goal`"),
        "{message}"
    );
    static NUMBERS: Table =
        Table { file: "", columns: &[always(MATCH, Kind::Text), always(RECORD, Kind::Int32)] };
    TableWriter::create(&path, &NUMBERS).unwrap().close().unwrap().publish().unwrap();
    assert!(rows(&path).unwrap_err().starts_with("column `record` of "), "{:?}", rows(&path));
    for text in ["PAR1", "PAR1PAR1", "PAR1\u{4}\0\0\0PAR1", "PAR1 and so on, but no end"] {
        std::fs::write(&path, text).unwrap();
        let message = rows(&path).unwrap_err();
        assert!(message.contains("is no Parquet file that can be read: "), "{message}");
    }
}

#[test]
fn what_is_missing_or_no_text_has_its_row_in_the_message() {
    let folder = tempfile::TempDir::new().unwrap();
    static NULLS: Table =
        Table { file: "", columns: &[always(MATCH, Kind::Text), maybe(RECORD, Kind::Text)] };
    let path = folder.path().join("nulls.parquet");
    let mut writer = TableWriter::create(&path, &NULLS).unwrap();
    writer.push(vec!["a".into(), "{}".into()]).unwrap();
    writer.push(vec!["b".into(), Cell::Null]).unwrap();
    writer.close().unwrap().publish().unwrap();
    assert!(rows(&path).unwrap_err().ends_with("row 2: there is no `record`"));
    let path = written(folder.path(), (0..3).map(|number| row(number, "{\"plain\": \"as it is\"}")));
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(5).position(|window| window == b"as it").unwrap();
    bytes[at] = 0xff;
    std::fs::write(&path, bytes).unwrap();
    let message = rows(&path).unwrap_err();
    assert!(message.ends_with("row 1: what is in column `record` is not UTF-8 text"), "{message}");
}

/// No file makes the command panic or take much memory: each byte is changed, and the file cut off everywhere.
#[test]
fn damaged_files_are_refused_or_read() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = written(folder.path(), (0..40).map(|number| row(number, "{\"a\": 1}")));
    let bytes = std::fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(rows(&path).is_err(), "{length}");
    }
    for place in 0..bytes.len() {
        for other in [0, 0x7f, 0xff, bytes[place] ^ 1, bytes[place].wrapping_add(0x10)] {
            let mut changed = bytes.clone();
            changed[place] = other;
            std::fs::write(&path, &changed).unwrap();
            // Some of it may be what nobody looks at, such as statistics.
            let _ = rows(&path);
        }
    }
}
