//! Pages of lists: each begins behind a key.

use rusqlite::{Connection, OptionalExtension};

use super::fault::{Fault, integer, natural};
use crate::model::{Page, PageRequest};

/// How many rows have to be read for a page: one more than it has, which tells whether there are more.
pub(super) fn rows(request: &PageRequest) -> i64 {
    integer(request.limited_size().saturating_add(1))
}

/// The page of as many rows as [`rows`] says, or of fewer where the list ends.
pub(super) fn of<T>(
    request: &PageRequest,
    mut items: Vec<T>,
    total: i64,
    key: impl FnOnce(&T) -> &str,
) -> Page<T> {
    let size = usize::try_from(request.limited_size()).unwrap_or(usize::MAX);
    let has_more = items.len() > size;
    items.truncate(size);
    let next = items.last().filter(|_| has_more).map(|last| key(last).to_owned());
    Page { items, next, total: natural(total) }
}

/// What there is.
#[derive(Clone, Copy)]
pub(super) enum Dated {
    Match,
    Tournament,
}

/// The condition, for a list of the newest first, that something stands behind what has the id `?number`.
///
/// # Errors
/// [`Fault::not_found`] where there is no such thing: nothing stands behind it, and nothing before.
pub(super) fn behind(
    connection: &Connection,
    what: Dated,
    after: &str,
    number: usize,
) -> Result<String, Fault> {
    let (word, table, short) = match what {
        Dated::Match => ("match", "matches", "m"),
        Dated::Tournament => ("tournament", "tournaments", "t"),
    };
    let sql = format!("SELECT 1 FROM {table} WHERE id = ?1");
    let known = connection.prepare_cached(&sql)?.query_row([after], |_| Ok(())).optional()?;
    known.ok_or_else(|| Fault::not_found(word, after))?;
    let key = format!("(SELECT k.created, k.id FROM {table} k WHERE k.id = ?{number})");
    Ok(format!("({short}.created, {short}.id) < {key}"))
}
