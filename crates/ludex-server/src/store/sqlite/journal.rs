//! The journal of all matches in a database.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use super::connections::Connections;
use super::fault::Fault;
use crate::journal::{Journal, JournalError, JournalLine, KeptEntry};
use crate::model::StoreError;
use crate::store::values::{integer, natural};

/// Writes entries of many matches in one transaction.
#[derive(Debug)]
pub(super) struct SqliteJournal {
    connections: Arc<Connections>,
}

impl SqliteJournal {
    pub(super) fn new(connections: Arc<Connections>) -> Self {
        Self { connections }
    }
}

impl Journal for SqliteJournal {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        // An entry out of order is an error of the program; it is told apart from those of the disk.
        let mut misplaced = None;
        let written = self.connections.write(|connection| {
            for line in lines {
                let number = integer(line.number.0);
                if let Err(expected) = append(connection, &line.match_id, number, line.entry.text())? {
                    misplaced = Some(JournalError::Order {
                        match_id: line.match_id.clone(),
                        expected,
                        found: line.number.0,
                    });
                    return Err(Fault::not_found("entry", &line.match_id));
                }
            }
            Ok(())
        });
        match (written, misplaced) {
            (Ok(()), _) => Ok(()),
            (Err(_), Some(error)) => Err(error),
            (Err(error), None) => Err(JournalError::Store(Box::new(error))),
        }
    }
}

/// How many entries a match has.
pub(super) fn count(connection: &Connection, id: &str) -> Result<u64, Fault> {
    next_number(connection, id).map(natural)
}

/// The number of the next entry of a match.
fn next_number(connection: &Connection, id: &str) -> Result<i64, Fault> {
    let mut next =
        connection.prepare_cached("SELECT coalesce(max(number) + 1, 0) FROM entries WHERE match = ?1")?;
    Ok(next.query_row([id], |row| row.get(0))?)
}

/// Adds an entry that follows those there are; one that is there in the same words counts once. The number
/// that is due where it does not follow.
fn append(connection: &Connection, id: &str, number: i64, text: &str) -> Result<Result<(), u64>, Fault> {
    let expected = next_number(connection, id)?;
    if number == expected {
        let mut add =
            connection.prepare_cached("INSERT INTO entries (match, number, entry) VALUES (?1, ?2, ?3)")?;
        add.execute(params![id, number, text])?;
        return Ok(Ok(()));
    }
    let mut find = connection.prepare_cached("SELECT entry FROM entries WHERE match = ?1 AND number = ?2")?;
    let there: Option<String> = find.query_row(params![id, number], |row| row.get(0)).optional()?;
    Ok(if there.as_deref() == Some(text) { Ok(()) } else { Err(natural(expected)) })
}

/// The entries of a match, as they are kept.
pub(super) fn entries(connection: &Connection, id: &str) -> Result<Vec<String>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT number, entry FROM entries WHERE match = ?1 ORDER BY number")?;
    let rows = statement.query_map([id], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let mut entries = Vec::new();
    for (row, expected) in rows.zip(0..) {
        let (number, text) = row?;
        if number != expected {
            return Err(Fault::broken("match", id, format!("entry {expected} is missing")));
        }
        entries.push(text);
    }
    Ok(entries)
}

/// Adds an entry after all others, unless one says that the match is over.
pub(super) fn add_last(connection: &Connection, id: &str, entry: &KeptEntry) -> Result<(), Fault> {
    let mut statement =
        connection.prepare_cached("SELECT entry FROM entries WHERE match = ?1 ORDER BY number")?;
    let mut rows = statement.query([id])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        if KeptEntry::from_text(row.get(0)?).is_end() {
            return Ok(());
        }
        count += 1;
    }
    if append(connection, id, count, entry.text())?.is_err() {
        return Err(StoreError::Exists { what: "entry", name: id.to_owned() }.into());
    }
    Ok(())
}
