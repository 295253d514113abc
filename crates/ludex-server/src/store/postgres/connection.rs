//! One connection to a database, with the questions that it knows already.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::time::Duration;

use bytes::BytesMut;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Row, SimpleQueryMessage, Statement};

use super::fault::Fault;
use crate::model::{MemberNumber, StoreError};
use crate::store::values::{integer, natural};

/// So many questions are known at once. Searches have as many forms as they have words.
const STATEMENTS: usize = 200;

/// A connection.
pub(in crate::store) struct Connection {
    client: Client,
    statements: BTreeMap<String, Statement>,
    /// Who writes, as long as somebody does.
    pub(super) member: Option<MemberNumber>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("statements", &self.statements.len()).finish_non_exhaustive()
    }
}

impl Connection {
    pub(super) fn new(client: Client) -> Self {
        Self { client, statements: BTreeMap::new(), member: None }
    }

    /// Several statements at once, without values.
    pub(super) fn run(&mut self, sql: &str) -> Result<(), Fault> {
        Ok(self.client.batch_execute(sql)?)
    }

    /// Several statements at once; the first value that one of them answers with.
    pub(super) fn run_and_ask(&mut self, sql: &str) -> Result<Option<String>, Fault> {
        let answers = self.client.simple_query(sql)?;
        Ok(answers.iter().find_map(|answer| match answer {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    }

    /// What was told on the channels that it listens to; waits so long for it.
    pub(super) fn heard(&mut self, patience: Duration) -> Result<Vec<String>, Fault> {
        let mut notifications = self.client.notifications();
        let first = notifications.timeout_iter(patience).next()?;
        let mut heard: Vec<String> = first.into_iter().map(|news| news.payload().to_owned()).collect();
        let mut rest = notifications.iter();
        while let Some(news) = rest.next()? {
            heard.push(news.payload().to_owned());
        }
        Ok(heard)
    }

    fn statement(&mut self, sql: &str) -> Result<Statement, Fault> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// The rows that a question is answered with.
    pub(super) fn rows(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, Fault> {
        let statement = self.statement(sql)?;
        Ok(self.client.query(&statement, &references(values))?)
    }

    /// What a function makes of each row.
    pub(super) fn all<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        row: impl FnMut(&Row) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.rows(sql, values)?.iter().map(row).collect()
    }

    /// The first row, where there is one.
    pub(super) fn row(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Option<Row>, Fault> {
        Ok(self.rows(sql, values)?.into_iter().next())
    }

    /// The first value of the first row, where there is one.
    pub(super) fn value<T: Kept>(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Option<T>, Fault> {
        self.row(sql, values)?.map(|row| get(&row, 0)).transpose()
    }

    /// The value of a question that always has one.
    pub(super) fn number(&mut self, sql: &str, values: &[Value<'_>]) -> Result<i64, Fault> {
        Ok(self.value(sql, values)?.unwrap_or(0))
    }

    /// Adds rows to a table, all in one question: `text` is theirs in the text format of `COPY`.
    pub(super) fn copy_in(&mut self, sql: &str, text: &[u8]) -> Result<(), Fault> {
        let mut writer = self.client.copy_in(sql)?;
        writer.write_all(text).map_err(|error| match error.downcast::<postgres::Error>() {
            Ok(error) => Fault::from(error),
            Err(error) => Fault::Store(StoreError::Other { path: "COPY".into(), cause: error.to_string() }),
        })?;
        writer.finish()?;
        Ok(())
    }

    /// How many rows were changed.
    pub(super) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, Fault> {
        let statement = self.statement(sql)?;
        Ok(self.client.execute(&statement, &references(values))?)
    }
}

fn references<'a>(values: &'a [Value<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// A value that stands in a question.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    /// Nothing, whatever it is nothing of.
    Null,
    Text(Option<Cow<'a, str>>),
    Number(Option<i64>),
    Real(Option<f64>),
    Flag(bool),
    Bytes(&'a [u8]),
    Texts(Vec<String>),
    Numbers(Vec<i64>),
}

impl Value<'_> {
    /// A list of texts.
    pub(super) fn texts<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        Self::Texts(texts.map(|text| escaped(text).into_owned()).collect())
    }

    /// A list of numbers.
    pub(super) fn numbers(numbers: impl Iterator<Item = u64>) -> Self {
        Self::Numbers(numbers.map(integer).collect())
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Text(text) => text.as_deref().to_sql_checked(kind, out),
            Self::Number(number) => number.to_sql_checked(kind, out),
            Self::Real(number) => number.to_sql_checked(kind, out),
            Self::Flag(flag) => flag.to_sql_checked(kind, out),
            Self::Bytes(bytes) => bytes.to_sql_checked(kind, out),
            Self::Texts(texts) => texts.to_sql_checked(kind, out),
            Self::Numbers(numbers) => numbers.to_sql_checked(kind, out),
        }
    }

    /// What is in it says so.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Texts of PostgreSQL have no NUL. It is written as two signs, of which the first one stands for nothing else.
const ESCAPE: char = '\u{f8ff}';

/// A text as it is kept.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if text.contains(['\0', ESCAPE]) {
        text.replace(ESCAPE, "\u{f8ff}1").replace('\0', "\u{f8ff}0").into()
    } else {
        text.into()
    }
}

/// A text as it was before it was kept.
fn unescaped(text: String) -> String {
    if text.contains(ESCAPE) {
        text.replace("\u{f8ff}0", "\0").replace("\u{f8ff}1", "\u{f8ff}")
    } else {
        text
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(escaped(text)))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        text.as_str().into()
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Some(escaped(&text).into_owned().into()))
    }
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text.map(escaped))
    }
}

impl<'a> From<&'a Option<String>> for Value<'a> {
    fn from(text: &'a Option<String>) -> Self {
        text.as_deref().into()
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<Option<i64>> for Value<'_> {
    fn from(number: Option<i64>) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        integer(number).into()
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        i64::from(number).into()
    }
}

impl From<Option<u32>> for Value<'_> {
    fn from(number: Option<u32>) -> Self {
        number.map(i64::from).into()
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(number: Option<f64>) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

/// The values of a question, each of whatever can be one.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::store::postgres::connection::Value::from($value)),*] };
}
pub(super) use values;

/// What a column is read as.
pub(super) trait Kept: Sized {
    /// As the database has it.
    type Raw: for<'a> FromSql<'a>;

    fn of(raw: Self::Raw) -> Self;
}

/// The value of a column, from 0.
pub(super) fn get<T: Kept>(row: &Row, column: usize) -> Result<T, Fault> {
    Ok(T::of(row.try_get(column)?))
}

impl Kept for String {
    type Raw = Self;

    fn of(raw: Self) -> Self {
        unescaped(raw)
    }
}

impl Kept for u64 {
    type Raw = i64;

    fn of(raw: i64) -> Self {
        natural(raw)
    }
}

/// What is larger was never written.
impl Kept for u32 {
    type Raw = i64;

    fn of(raw: i64) -> Self {
        Self::try_from(natural(raw)).unwrap_or(Self::MAX)
    }
}

impl<T: Kept> Kept for Option<T> {
    type Raw = Option<T::Raw>;

    fn of(raw: Option<T::Raw>) -> Self {
        raw.map(T::of)
    }
}

macro_rules! kept_as_it_is {
    ($($kind:ty),*) => { $(impl Kept for $kind {
        type Raw = Self;

        fn of(raw: Self) -> Self {
            raw
        }
    })* };
}
kept_as_it_is!(i64, f64, bool, Vec<u8>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_any_sign_come_back() {
        for text in ["", "plain", "a\0b", "\u{f8ff}", "\u{f8ff}0", "\0\u{f8ff}1\0", "\u{f8ff}\u{f8ff}0\0"] {
            let kept = escaped(text).into_owned();
            assert!(!kept.contains('\0'));
            assert_eq!(unescaped(kept), text);
        }
    }
}
