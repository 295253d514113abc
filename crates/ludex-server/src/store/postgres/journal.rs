//! The journal of all matches in a database.

use std::collections::BTreeMap;

use super::PostgresStore;
use super::connection::{Connection, Value, get, values};
use super::fault::Fault;
use crate::journal::{Journal, JournalError, JournalLine, KeptEntry};
use crate::model::StoreError;
use crate::store::values::{broken, natural};

/// Writes entries of many matches in one transaction.
#[derive(Debug)]
pub(super) struct PostgresJournal {
    store: PostgresStore,
}

impl PostgresJournal {
    pub(super) fn new(store: PostgresStore) -> Self {
        Self { store }
    }
}

impl Journal for PostgresJournal {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        // An entry out of order is an error of the program; it is told apart from those of the database.
        let written = self.store.write(|connection| {
            let appended = append(connection, lines)?;
            Ok(appended)
        });
        match written {
            Ok(Ok(())) => Ok(()),
            Ok(Err(misplaced)) => Err(misplaced),
            Err(error) => Err(JournalError::Store(Box::new(error))),
        }
    }
}

/// Adds entries that follow those there are; one that is there in the same words counts once. All of them or, where one
/// is out of order, none.
fn append(connection: &mut Connection, lines: &[JournalLine]) -> Result<Result<(), JournalError>, Fault> {
    let mut next = next_numbers(connection, lines)?;
    let mut new: BTreeMap<(&str, u64), &str> = BTreeMap::new();
    let mut order = Vec::new();
    for line in lines {
        let (id, number, text) = (line.match_id.as_str(), line.number.0, line.entry.text());
        let expected = next.get(id).copied().unwrap_or(0);
        if number == expected {
            next.insert(id, expected + 1);
            new.insert((id, number), text);
            order.push((id, number, text));
            continue;
        }
        let is_there = match new.get(&(id, number)) {
            Some(there) => *there == text,
            None => kept(connection, id, number)?.as_deref() == Some(text),
        };
        if !is_there {
            let match_id = id.to_owned();
            return Ok(Err(JournalError::Order { match_id, expected, found: number }));
        }
    }
    add(connection, &order)?;
    Ok(Ok(()))
}

/// The number of the next entry of each match that is spoken of.
fn next_numbers<'a>(
    connection: &mut Connection,
    lines: &'a [JournalLine],
) -> Result<BTreeMap<&'a str, u64>, Fault> {
    let mut ids: Vec<&str> = lines.iter().map(|line| line.match_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let sql = "SELECT i.place, (SELECT e.number + 1 FROM entries e WHERE e.match = i.id COLLATE \"C\"
                                ORDER BY e.number DESC LIMIT 1)
               FROM unnest($1::text[]) WITH ORDINALITY AS i (id, place)";
    let texts = Value::texts(ids.iter().copied());
    let found =
        connection.all(sql, &[texts], |row| Ok((get::<u64>(row, 0)?, get::<Option<u64>>(row, 1)?)))?;
    let id =
        |place: u64| usize::try_from(place).ok().and_then(|place| ids.get(place.checked_sub(1)?).copied());
    Ok(found.into_iter().filter_map(|(place, next)| Some((id(place)?, next.unwrap_or(0)))).collect())
}

fn kept(connection: &mut Connection, id: &str, number: u64) -> Result<Option<String>, Fault> {
    connection.value("SELECT entry FROM entries WHERE match = $1 AND number = $2", values![id, number])
}

/// Adds entries, all in one question.
fn add(connection: &mut Connection, entries: &[(&str, u64, &str)]) -> Result<(), Fault> {
    if entries.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO entries (match, number, entry)
               SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])";
    let values = [
        Value::texts(entries.iter().map(|(id, ..)| *id)),
        Value::numbers(entries.iter().map(|(_, number, _)| *number)),
        Value::texts(entries.iter().map(|(.., text)| *text)),
    ];
    connection.execute(sql, &values)?;
    Ok(())
}

/// How many entries a match has.
pub(super) fn count(connection: &mut Connection, id: &str) -> Result<u64, Fault> {
    let sql = "SELECT number + 1 FROM entries WHERE match = $1 ORDER BY number DESC LIMIT 1";
    connection.number(sql, values![id]).map(natural)
}

/// The entries of a match, as they are kept.
pub(super) fn entries(connection: &mut Connection, id: &str) -> Result<Vec<String>, Fault> {
    let sql = "SELECT number, entry FROM entries WHERE match = $1 ORDER BY number";
    let mut expected = 0;
    connection.all(sql, values![id], |row| {
        if get::<i64>(row, 0)? != expected {
            return Err(broken("match", id, format!("entry {expected} is missing")).into());
        }
        expected += 1;
        get(row, 1)
    })
}

/// Adds an entry after all others, unless one says that the match is over.
pub(super) fn add_last(connection: &mut Connection, id: &str, entry: &KeptEntry) -> Result<(), Fault> {
    let sql = "SELECT entry FROM entries WHERE match = $1 ORDER BY number";
    let texts = connection.all(sql, values![id], |row| get::<String>(row, 0))?;
    let number = texts.len() as u64;
    if texts.into_iter().any(|text| KeptEntry::from_text(text).is_end()) {
        return Ok(());
    }
    if count(connection, id)? != number {
        return Err(StoreError::Exists { what: "entry", name: id.to_owned() }.into());
    }
    add(connection, &[(id, number, entry.text())])
}
