//! Pages of the list of tournaments: each begins behind a key.

use rusqlite::{Connection, OptionalExtension, Row, ToSql};

use super::fault::Fault;
use crate::model::PageRequest;
use crate::store::values::rows_of_page;

/// What is wanted of the rows of a list, with the values that stand in it.
#[derive(Default)]
pub(super) struct Conditions {
    texts: Vec<String>,
    values: Vec<Box<dyn ToSql>>,
}

impl Conditions {
    /// A condition in which each `?` stands for the value.
    pub(super) fn want(&mut self, condition: &str, value: impl ToSql + 'static) {
        self.values.push(Box::new(value));
        self.texts.push(condition.replace('?', &format!("?{}", self.values.len())));
    }

    fn text(&self) -> String {
        if self.texts.is_empty() { "1".to_owned() } else { self.texts.join(" AND ") }
    }

    fn values(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(|value| &**value).collect()
    }
}

/// Tournaments, the newest first, and how many there are on all of its pages.
///
/// # Errors
/// As [`behind`].
pub(super) fn newest<T>(
    connection: &Connection,
    columns: &str,
    mut conditions: Conditions,
    request: &PageRequest,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<(Vec<T>, i64), Fault> {
    let sql = format!("SELECT count(*) FROM tournaments t WHERE {}", conditions.text());
    let total = connection.query_row(&sql, &conditions.values()[..], |row| row.get(0))?;
    if let Some(after) = &request.after {
        conditions.want(behind(connection, after)?, after.clone());
    }
    let sql = format!(
        "SELECT {columns} FROM tournaments t WHERE {} ORDER BY t.created DESC, t.id DESC LIMIT {}",
        conditions.text(),
        rows_of_page(request)
    );
    let mut statement = connection.prepare(&sql)?;
    let found = statement.query_map(&conditions.values()[..], row)?.collect::<Result<_, _>>()?;
    Ok((found, total))
}

/// The condition that a tournament stands behind the one with the id `?`.
///
/// # Errors
/// [`Fault::not_found`] where there is no such thing: nothing stands behind it, and nothing before.
fn behind(connection: &Connection, after: &str) -> Result<&'static str, Fault> {
    let sql = "SELECT 1 FROM tournaments WHERE id = ?1";
    let known = connection.prepare_cached(sql)?.query_row([after], |_| Ok(())).optional()?;
    known.ok_or_else(|| Fault::not_found("tournament", after))?;
    Ok("(t.created, t.id) < (SELECT k.created, k.id FROM tournaments k WHERE k.id = ?)")
}
