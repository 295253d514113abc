//! Questions that every database understands.

use std::borrow::Cow;

use crate::model::{PageRequest, StoreError};
use crate::store::tables::{Cell, Cells};
use crate::store::values::{broken, integer, natural};

/// A connection that is asked in words of SQL which SQLite and PostgreSQL share. The places of values are `$1`, `$2`.
pub(in crate::store) trait Sql {
    /// What goes wrong.
    type Fault: From<StoreError>;

    /// Changes something; how many rows it were.
    fn change(&mut self, sql: &str, values: &[Cell]) -> Result<u64, Self::Fault>;

    /// The rows of an answer: numbers and texts.
    fn rows(&mut self, sql: &str, values: &[Cell]) -> Result<Vec<Cells>, Self::Fault>;

    /// The bytes of the column `record`, with `$2` where `$1` stands.
    fn replaced_record() -> &'static str;

    /// The first row of an answer.
    fn row(&mut self, sql: &str, values: &[Cell]) -> Result<Option<Cells>, Self::Fault> {
        Ok(self.rows(sql, values)?.into_iter().next())
    }

    /// The number that an answer is.
    fn number(&mut self, sql: &str, values: &[Cell]) -> Result<u64, Self::Fault> {
        match self.row(sql, values)?.and_then(|row| row.into_iter().next()) {
            Some(Cell::Integer(number)) => Ok(natural(number)),
            _ => Ok(0),
        }
    }
}

/// A question as SQLite has it.
pub(in crate::store) fn plain_sql(sql: &str) -> Cow<'_, str> {
    if sql.contains('$') { sql.replace('$', "?").into() } else { sql.into() }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Integer(integer(number))
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The values of a question, each of whatever can be one.
macro_rules! cells {
    ($($value:expr),* $(,)?) => { &[$($crate::store::tables::Cell::from($value)),*] };
}
pub(super) use cells;

/// A row whose values are read one after the other.
pub(super) struct Reading {
    what: &'static str,
    cells: std::vec::IntoIter<Cell>,
}

impl Reading {
    pub(super) fn of(what: &'static str, cells: Cells) -> Self {
        Self { what, cells: cells.into_iter() }
    }

    pub(super) fn text(&mut self) -> Result<String, StoreError> {
        self.maybe_text()?.ok_or_else(|| broken(self.what, "in a row", "a text is missing"))
    }

    pub(super) fn number(&mut self) -> Result<u64, StoreError> {
        self.maybe_number()?.ok_or_else(|| broken(self.what, "in a row", "a number is missing"))
    }

    pub(super) fn maybe_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.cells.next() {
            Some(Cell::Text(text)) => Ok(Some(text)),
            Some(Cell::Null) => Ok(None),
            _ => Err(broken(self.what, "in a row", "something is no text")),
        }
    }

    pub(super) fn maybe_number(&mut self) -> Result<Option<u64>, StoreError> {
        match self.cells.next() {
            Some(Cell::Integer(number)) => Ok(Some(natural(number))),
            Some(Cell::Null) => Ok(None),
            _ => Err(broken(self.what, "in a row", "something is no number")),
        }
    }
}

/// So many rows of lists that have no other limit.
pub(super) const PART: u64 = PageRequest::MOST;
