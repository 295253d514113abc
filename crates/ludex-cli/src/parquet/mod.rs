//! Tables of matches as Parquet files: what a tournament played, and what `verify` found.
//!
//! The schemas below are what other programs rely on, the `ludex.distributed` of the Python package among them. A
//! column may be added at the end of a table; none is renamed, moved or given another type. Files are complete only when they
//! are closed: they are written under another name, and get theirs at the end.

#[cfg(not(feature = "parquet"))]
mod absent;
#[cfg(feature = "parquet")]
mod guarded;
#[cfg(feature = "parquet")]
mod read;
#[cfg(all(test, feature = "parquet"))]
mod tests;
#[cfg(feature = "parquet")]
mod write;

#[cfg(not(feature = "parquet"))]
pub use absent::{TableWriter, available, read_records};
#[cfg(feature = "parquet")]
pub use {read::read_records, write::TableWriter};

/// What every Parquet file begins with.
const MAGIC: &[u8] = b"PAR1";

/// A table: the name of its file and its columns.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "nothing is written without Parquet"))]
#[derive(Debug)]
pub struct Table {
    pub file: &'static str,
    pub columns: &'static [Column],
}

#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "nothing is written without Parquet"))]
#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// Whether a row may have nothing there.
    pub may_be_null: bool,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    Text,
    /// Few different texts, each of them in many rows.
    Name,
    Bool,
    Int32,
    Int64,
    Float64,
}

/// What a row has in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Text(String),
    Bool(bool),
    Int32(i32),
    Int64(i64),
    Float64(f64),
}

impl Cell {
    /// A count; one that is too large is the largest.
    pub fn count(number: impl TryInto<i32>) -> Self {
        Self::Int32(number.try_into().unwrap_or(i32::MAX))
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Null, Self::Float64)
    }
}

const fn always(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, may_be_null: false }
}

const fn maybe(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, may_be_null: true }
}

/// The column of [`RECORDS`] with the matches' names.
pub const MATCH: &str = "match";
/// The column of [`RECORDS`] with the records.
pub const RECORD: &str = "record";

/// A row for each match. `record` is the line of JSON that the command writes of it elsewhere, and all else is in
/// there, too; `seed` is null where it does not fit.
pub const RECORDS: Table = Table {
    file: "records.parquet",
    columns: &[
        always(MATCH, Kind::Text),
        always("game", Kind::Name),
        always("sha256", Kind::Name),
        maybe("seed", Kind::Int64),
        always("completed", Kind::Bool),
        always("steps", Kind::Int32),
        always(RECORD, Kind::Text),
    ],
};

/// A row for each role of each match, `random` included.
pub const SEATS: Table = Table {
    file: "seats.parquet",
    columns: &[
        always("match", Kind::Name),
        always("game", Kind::Name),
        always("role", Kind::Name),
        always("player", Kind::Name),
        maybe("goal", Kind::Int32),
    ],
};

/// A row for each move of each match.
pub const STEPS: Table = Table {
    file: "steps.parquet",
    columns: &[
        always("match", Kind::Name),
        always("step", Kind::Int32),
        always("role", Kind::Name),
        always("move", Kind::Name),
        maybe("seconds", Kind::Float64),
    ],
};

/// A row for each player, best first.
pub const PLAYERS: Table = Table {
    file: "players.parquet",
    columns: &[
        always("player", Kind::Text),
        always("matches", Kind::Int32),
        maybe("share", Kind::Float64),
        maybe("rating", Kind::Float64),
        maybe("share_low", Kind::Float64),
        maybe("share_high", Kind::Float64),
        maybe("rating_low", Kind::Float64),
        maybe("rating_high", Kind::Float64),
        maybe("goals", Kind::Float64),
        always("aborted", Kind::Int32),
        always("late", Kind::Int32),
        always("illegal", Kind::Int32),
        always("failed", Kind::Int32),
        maybe("rank", Kind::Int32),
        maybe("points", Kind::Float64),
    ],
};

/// A row for each trace that was verified; its file is called as the user says.
pub const FINDINGS: Table = Table {
    file: "",
    columns: &[
        always("file", Kind::Name),
        always("match", Kind::Text),
        always("result", Kind::Name),
        maybe("message", Kind::Text),
    ],
};

/// Whether a file begins as Parquet files do.
pub fn is_parquet(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// Refuses where the command was built without Parquet.
#[cfg(feature = "parquet")]
pub fn available() -> Result<(), crate::failure::Failure> {
    Ok(())
}

/// A match as a row of [`RECORDS`] has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordRow {
    /// The name of the match.
    pub name: String,
    /// The record, as JSON.
    pub record: String,
}
