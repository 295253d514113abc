//! What belongs to whom.

use super::sql::{PART, Reading, Sql, cells};
use crate::model::{StoreError, Thing, ThingKind};
use crate::store::tables::Cells;
use crate::store::values::broken;

pub(super) fn read(row: &mut Reading) -> Result<Thing, StoreError> {
    let (kind, name) = (row.text()?, row.text()?);
    let known = ThingKind::named(&kind);
    Ok(Thing { kind: known.ok_or_else(|| broken("thing", &name, format!("a kind `{kind}`")))?, name })
}

/// The key of whoever something belongs to.
pub(super) fn of<S: Sql>(sql: &mut S, thing: &Thing) -> Result<Option<String>, S::Fault> {
    let question = "SELECT account FROM owners WHERE kind = $1 AND name = $2";
    let row = sql.row(question, cells![thing.kind.name(), &thing.name])?;
    Ok(row.map(|row| Reading::of("owner", row).text()).transpose()?)
}

pub(super) fn claim<S: Sql>(sql: &mut S, thing: &Thing, key: &str) -> Result<bool, S::Fault> {
    sql.change(
        "INSERT INTO owners (kind, name, account) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        cells![thing.kind.name(), &thing.name, key],
    )?;
    Ok(of(sql, thing)?.as_deref() == Some(key))
}

pub(super) fn set<S: Sql>(sql: &mut S, thing: &Thing, key: Option<&str>) -> Result<(), S::Fault> {
    let values = cells![thing.kind.name(), &thing.name];
    sql.change("DELETE FROM owners WHERE kind = $1 AND name = $2", values)?;
    if let Some(key) = key {
        claim(sql, thing, key)?;
    }
    Ok(())
}

pub(super) fn owned<S: Sql>(sql: &mut S, key: &str, behind: Option<&Thing>) -> Result<Vec<Thing>, S::Fault> {
    let question = "SELECT kind, name FROM owners WHERE account = $1 AND (kind, name) > ($2, $3)
                    ORDER BY kind, name LIMIT $4";
    // Every kind stands behind the empty one.
    let (kind, name) = behind.map_or(("", ""), |thing| (thing.kind.name(), &thing.name));
    let rows = sql.rows(question, cells![key, kind, name, PART])?;
    let thing = |row: Cells| read(&mut Reading::of("owner", row));
    Ok(rows.into_iter().map(thing).collect::<Result<_, _>>()?)
}

pub(super) fn open_matches<S: Sql>(sql: &mut S, key: &str) -> Result<u64, S::Fault> {
    let question = "SELECT count(*) FROM matches m JOIN owners o ON o.kind = 'match' AND o.name = m.id
                    WHERE o.account = $1 AND m.stage IN ('planned', 'running')";
    sql.number(question, cells![key])
}
