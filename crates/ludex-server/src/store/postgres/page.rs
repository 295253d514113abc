//! Pages of lists: each begins behind a key.

use postgres::Row;

use super::connection::{Connection, Value, values};
use super::fault::Fault;
use crate::model::PageRequest;
use crate::store::values::rows_of_page;

/// What there is.
#[derive(Clone, Copy)]
pub(super) enum Dated {
    Match,
    Tournament,
}

impl Dated {
    /// What one is called, the table of them, and its short name.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Match => ("match", "matches", "m"),
            Self::Tournament => ("tournament", "tournaments", "t"),
        }
    }
}

/// What is wanted of the rows of a list, with the values that stand in it.
#[derive(Default)]
pub(super) struct Conditions {
    texts: Vec<String>,
    values: Vec<Value<'static>>,
}

impl Conditions {
    /// A condition without values.
    pub(super) fn demand(&mut self, condition: String) {
        self.texts.push(condition);
    }

    /// A condition in which each `?` stands for the value.
    pub(super) fn want(&mut self, condition: &str, value: impl Into<Value<'static>>) {
        self.values.push(value.into());
        self.texts.push(condition.replace('?', &format!("${}", self.values.len())));
    }

    fn text(&self) -> String {
        if self.texts.is_empty() { "true".to_owned() } else { self.texts.join(" AND ") }
    }
}

/// Rows of a list of the newest first, and how many there are on all of its pages.
///
/// # Errors
/// As [`behind`].
pub(super) fn newest<T>(
    connection: &mut Connection,
    (what, columns): (Dated, &str),
    mut conditions: Conditions,
    request: &PageRequest,
    row: impl FnMut(&Row) -> Result<T, Fault>,
) -> Result<(Vec<T>, i64), Fault> {
    let (_, table, short) = what.names();
    let sql = format!("SELECT count(*) FROM {table} {short} WHERE {}", conditions.text());
    let total = connection.number(&sql, &conditions.values)?;
    if let Some(after) = &request.after {
        conditions.want(&behind(connection, what, after)?, after.clone());
    }
    let sql = format!(
        "SELECT {columns} FROM {table} {short} WHERE {} ORDER BY {short}.created DESC, {short}.id DESC LIMIT {}",
        conditions.text(),
        rows_of_page(request)
    );
    Ok((connection.all(&sql, &conditions.values, row)?, total))
}

/// The condition, for a list of the newest first, that something stands behind what has the id `?`.
///
/// # Errors
/// [`Fault::not_found`] where there is no such thing: nothing stands behind it, and nothing before.
fn behind(connection: &mut Connection, what: Dated, after: &str) -> Result<String, Fault> {
    let (word, table, short) = what.names();
    let sql = format!("SELECT 1 FROM {table} WHERE id = $1");
    connection.row(&sql, values![after])?.ok_or_else(|| Fault::not_found(word, after))?;
    let key = format!("(SELECT k.created, k.id FROM {table} k WHERE k.id = ?)");
    Ok(format!("({short}.created, {short}.id) < {key}"))
}
