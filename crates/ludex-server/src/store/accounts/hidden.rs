//! What is hidden, and what moderators did.

use super::owners;
use super::sql::{PART, Reading, Sql, cells};
use crate::model::{AuditEntry, HiddenThing, StoreError, Thing};
use crate::store::tables::Cells;

const COLUMNS: &str = "kind, name, at, who, why";

fn read(cells: Cells) -> Result<HiddenThing, StoreError> {
    let mut row = Reading::of("hidden thing", cells);
    Ok(HiddenThing { thing: owners::read(&mut row)?, at: row.number()?, by: row.text()?, why: row.text()? })
}

pub(super) fn set<S: Sql>(sql: &mut S, thing: &Thing, hidden: Option<&HiddenThing>) -> Result<(), S::Fault> {
    let (kind, name) = (thing.kind.name(), &thing.name);
    sql.change("DELETE FROM hidden_things WHERE kind = $1 AND name = $2", cells![kind, name])?;
    if let Some(HiddenThing { at, by, why, .. }) = hidden {
        sql.change(
            "INSERT INTO hidden_things (kind, name, at, who, why) VALUES ($1, $2, $3, $4, $5)",
            cells![kind, name, *at, by, why],
        )?;
    }
    Ok(())
}

pub(super) fn find<S: Sql>(sql: &mut S, thing: &Thing) -> Result<Option<HiddenThing>, S::Fault> {
    let question = format!("SELECT {COLUMNS} FROM hidden_things WHERE kind = $1 AND name = $2");
    Ok(sql.row(&question, cells![thing.kind.name(), &thing.name])?.map(read).transpose()?)
}

pub(super) fn list<S: Sql>(sql: &mut S, behind: Option<&Thing>) -> Result<Vec<HiddenThing>, S::Fault> {
    let question = format!(
        "SELECT {COLUMNS} FROM hidden_things WHERE (kind, name) > ($1, $2) ORDER BY kind, name LIMIT $3"
    );
    let (kind, name) = behind.map_or(("", ""), |thing| (thing.kind.name(), &thing.name));
    let rows = sql.rows(&question, cells![kind, name, PART])?;
    Ok(rows.into_iter().map(read).collect::<Result<_, _>>()?)
}

pub(super) fn note<S: Sql>(sql: &mut S, entry: &AuditEntry) -> Result<(), S::Fault> {
    let AuditEntry { at, who, action, what, detail, .. } = entry;
    let number = sql.number("SELECT coalesce(max(number), 0) + 1 FROM audit", &[])?;
    sql.change(
        "INSERT INTO audit (number, at, who, action, what, detail) VALUES ($1, $2, $3, $4, $5, $6)",
        cells![number, *at, who, action, what, detail],
    )?;
    Ok(())
}

pub(super) fn deeds<S: Sql>(sql: &mut S, before: Option<u64>) -> Result<Vec<AuditEntry>, S::Fault> {
    let question = "SELECT number, at, who, action, what, detail FROM audit WHERE number < $1
                    ORDER BY number DESC LIMIT $2";
    let rows = sql.rows(question, cells![before.unwrap_or(u64::MAX), PART])?;
    let read = |cells: Cells| {
        let mut row = Reading::of("log", cells);
        Ok(AuditEntry {
            number: row.number()?,
            at: row.number()?,
            who: row.text()?,
            action: row.text()?,
            what: row.text()?,
            detail: row.text()?,
        })
    };
    Ok(rows.into_iter().map(read).collect::<Result<_, StoreError>>()?)
}
