//! Copies of stores, from one database to another, and digests that say whether two hold the same.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::tables::{Cell, Cells, TABLES, Table, Tables};
use super::{Answer, Purpose, StoreError, StorePlace};

/// What a table holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDigest {
    /// Its name.
    pub table: &'static str,
    /// How many rows it has.
    pub rows: u64,
    /// The SHA-256 of its rows in the order of their keys, in hexadecimal. It does not depend on the database.
    pub sha256: String,
}

/// What a store holds: games, players, tournaments, matches, their journals and their records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreDigest {
    /// Its tables.
    pub tables: Vec<TableDigest>,
    /// The SHA-256 of the names, counts and digests of all tables, in hexadecimal.
    pub sha256: String,
}

/// How far a copy or a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyProgress {
    /// The table that is read.
    pub table: &'static str,
    /// Whether what was copied is read again.
    pub verifies: bool,
    /// How many of its rows were read.
    pub done: u64,
    /// How many there are.
    pub total: u64,
}

/// Copies a store to another place, where nothing is kept yet, or a part of the same copy, which was cut off: then it
/// goes on with it. The copy is read again before it counts; until then it is refused as a store.
///
/// # Errors
/// [`StoreError::NotFound`] where there is nothing to copy, [`StoreError::NotEmpty`] where the other place holds other
/// data, [`StoreError::InUse`] where managers use one of them, [`StoreError::CopyDiffers`] where something else came
/// out than went in, and others.
pub fn copy_store(
    from: &StorePlace,
    to: &StorePlace,
    report: &mut dyn FnMut(CopyProgress),
) -> Answer<StoreDigest> {
    let source = from.tables(Purpose::Source)?;
    let target = to.tables(Purpose::Target)?;
    let copied: Vec<TableDigest> =
        TABLES.iter().map(|table| copy_table(&*source, &*target, table, report)).collect::<Result<_, _>>()?;
    let kept = digest(&*target, true, report)?;
    if let Some(differs) = kept.tables.iter().zip(&copied).find(|(kept, copied)| kept != copied) {
        return Err(StoreError::CopyDiffers { path: target.place().to_owned(), table: differs.0.table });
    }
    target.complete()?;
    Ok(kept)
}

/// What a store holds. It reads all of it.
///
/// # Errors
/// [`StoreError::NotFound`] where there is no store, [`StoreError::InUse`] where a manager uses it, and others.
pub fn check_store(place: &StorePlace, report: &mut dyn FnMut(CopyProgress)) -> Answer<StoreDigest> {
    digest(&*place.tables(Purpose::Source)?, false, report)
}

fn digest(tables: &dyn Tables, verifies: bool, report: &mut dyn FnMut(CopyProgress)) -> Answer<StoreDigest> {
    let digests: Vec<TableDigest> = TABLES
        .iter()
        .map(|table| {
            let mut reading = Reading::begin(table, tables.count(table)?, verifies);
            loop {
                let rows = tables.rows(table, reading.last())?;
                if rows.is_empty() {
                    return Ok(reading.end());
                }
                reading.read(&rows, report);
            }
        })
        .collect::<Answer<_>>()?;
    let mut all = Sha256::new();
    for TableDigest { table, rows, sha256 } in &digests {
        all.update(format!("{table} {rows} {sha256}\n"));
    }
    Ok(StoreDigest { tables: digests, sha256: hexadecimal(&all.finalize()) })
}

/// Copies what is not there yet of a table.
fn copy_table(
    source: &dyn Tables,
    target: &dyn Tables,
    table: &'static Table,
    report: &mut dyn FnMut(CopyProgress),
) -> Answer<TableDigest> {
    let mut reading = Reading::begin(table, source.count(table)?, false);
    loop {
        let there = target.rows(table, reading.last())?;
        let mut rows = source.rows(table, reading.last())?;
        if rows.get(..there.len()) != Some(&there) {
            return Err(StoreError::NotEmpty { path: target.place().to_owned() });
        }
        if there.is_empty() {
            if rows.is_empty() {
                return Ok(reading.end());
            }
            target.add(table, &rows)?;
        } else {
            rows.truncate(there.len());
        }
        reading.read(&rows, report);
    }
}

/// A table that is read row by row.
struct Reading {
    table: &'static Table,
    digest: Sha256,
    last: Option<Cells>,
    progress: CopyProgress,
}

impl Reading {
    fn begin(table: &'static Table, total: u64, verifies: bool) -> Self {
        let progress = CopyProgress { table: table.name, verifies, done: 0, total };
        Self { table, digest: Sha256::new(), last: None, progress }
    }

    /// The key of the last row that was read.
    fn last(&self) -> Option<&[Cell]> {
        self.last.as_deref()
    }

    fn read(&mut self, rows: &[Cells], report: &mut dyn FnMut(CopyProgress)) {
        rows.iter().flatten().for_each(|cell| update(&mut self.digest, cell));
        self.last = rows.last().map(|row| row.iter().take(self.table.key).cloned().collect());
        self.progress.done += rows.len() as u64;
        report(self.progress);
    }

    fn end(self) -> TableDigest {
        let sha256 = hexadecimal(&self.digest.finalize());
        TableDigest { table: self.table.name, rows: self.progress.done, sha256 }
    }
}

/// Each value is written with its kind and its length, so that no two rows are written the same way.
fn update(digest: &mut Sha256, cell: &Cell) {
    let mut add = |kind: u8, bytes: &[u8]| {
        digest.update([kind]);
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    match cell {
        Cell::Null => add(0, &[]),
        Cell::Integer(number) => add(1, &number.to_le_bytes()),
        Cell::Real(number) => add(2, &number.to_bits().to_le_bytes()),
        Cell::Text(text) => add(3, text.as_bytes()),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Nothing goes wrong in memory.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
