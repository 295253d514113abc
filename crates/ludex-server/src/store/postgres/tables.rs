//! The tables as they are.

use std::path::Path;
use std::sync::LazyLock;

use postgres::Row;

use super::connection::{Connection, Value, escaped, get};
use super::fault::Fault;
use super::{PostgresStore, schema};
use crate::store::Answer;
use crate::store::tables::{Cell, Cells, Kind, PLACE, PLAYER_NAMES, Table, Tables};
use crate::store::values::{broken, natural};

fn cells(row: &Row, table: &Table) -> Result<Cells, Fault> {
    let cell = |(number, (_, kind)): (usize, &(&str, Kind))| {
        let cell = match kind {
            Kind::Text => get::<Option<String>>(row, number)?.map(Cell::Text),
            Kind::Integer => get::<Option<i64>>(row, number)?.map(Cell::Integer),
            Kind::Flag => get::<Option<bool>>(row, number)?.map(|flag| Cell::Integer(flag.into())),
            Kind::Real => get::<Option<f64>>(row, number)?.map(Cell::Real),
            Kind::Document => {
                let text = String::from_utf8(get(row, number)?);
                Some(Cell::Text(text.map_err(|error| broken("table", table.name, error))?))
            }
        };
        Ok(cell.unwrap_or(Cell::Null))
    };
    table.columns.iter().enumerate().map(cell).collect()
}

fn value(cell: &Cell, kind: Kind) -> Value<'_> {
    match (cell, kind) {
        (Cell::Integer(number), Kind::Flag) => (*number != 0).into(),
        (Cell::Integer(number), _) => (*number).into(),
        (Cell::Real(number), _) => Some(*number).into(),
        (Cell::Text(text), Kind::Document) => Value::Bytes(text.as_bytes()),
        (Cell::Text(text), _) => text.into(),
        (Cell::Null, _) => Value::Null,
    }
}

/// What the rows are read from.
fn source(table: &Table) -> String {
    let Table { name, .. } = table;
    if table.columns.iter().any(|(name, _)| *name == PLACE) {
        // Only what is small is put in order.
        format!(
            "{name} v JOIN (SELECT number AS came, row_number() OVER (PARTITION BY game ORDER BY number) AS {PLACE}
             FROM {name}) p ON p.came = v.number"
        )
    } else {
        (*name).to_owned()
    }
}

/// How a table is asked for its rows, from the first one on or behind a key.
fn question(table: &Table, is_behind: bool) -> String {
    let folded = |name: &str, text: String| {
        if table.folds && PLAYER_NAMES.contains(&name) { format!("lower({text})") } else { text }
    };
    let key = table.key_names().map(|name| folded(name, name.to_owned())).collect::<Vec<_>>().join(", ");
    let mut sql = format!("SELECT {} FROM {}", table.names(), source(table));
    if is_behind {
        let place = |(number, (name, kind)): (usize, &(&str, Kind))| match kind {
            Kind::Integer => format!("${}::bigint", number + 1),
            _ => folded(name, format!("${}::text COLLATE \"C\"", number + 1)),
        };
        let places = table.columns.iter().take(table.key).enumerate().map(place);
        sql += &format!(" WHERE ({key}) > ({})", places.collect::<Vec<_>>().join(", "));
    }
    sql + &format!(" ORDER BY {key} LIMIT {}", table.batch)
}

/// Rows in the text format of `COPY`.
fn lines(table: &Table, rows: &[Cells]) -> Vec<u8> {
    let mut text = String::new();
    for row in rows {
        for (place, (number, _, kind)) in table.kept().enumerate() {
            if place > 0 {
                text.push('\t');
            }
            match (row.get(number), kind) {
                (None | Some(Cell::Null), _) => text.push_str("\\N"),
                (Some(Cell::Integer(number)), Kind::Flag) => text.push(if *number != 0 { 't' } else { 'f' }),
                (Some(Cell::Integer(number)), _) => text.push_str(&number.to_string()),
                (Some(Cell::Real(number)), _) => text.push_str(&number.to_string()),
                (Some(Cell::Text(document)), Kind::Document) => {
                    text.push_str("\\\\x");
                    document.bytes().for_each(|byte| text.push_str(HEXADECIMAL[usize::from(byte)].as_str()));
                }
                (Some(Cell::Text(words)), _) => push_escaped(&mut text, &escaped(words)),
            }
        }
        text.push('\n');
    }
    text.into_bytes()
}

static HEXADECIMAL: LazyLock<Vec<String>> =
    LazyLock::new(|| (0..=u8::MAX).map(|byte| format!("{byte:02x}")).collect());

/// What would end a value or a row stands behind a backslash.
fn push_escaped(text: &mut String, words: &str) {
    for sign in words.chars() {
        match sign {
            '\\' => text.push_str("\\\\"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            other => text.push(other),
        }
    }
}

fn insert(connection: &mut Connection, table: &Table, rows: &[Cells]) -> Result<(), Fault> {
    let names: Vec<&str> = table.kept().map(|(_, name, _)| name).collect();
    let sql = format!("COPY {} ({}) FROM STDIN", table.name, names.join(", "));
    connection.copy_in(&sql, &lines(table, rows))
}

impl Tables for PostgresStore {
    fn place(&self) -> &Path {
        self.connections.place()
    }

    fn count(&self, table: &Table) -> Answer<u64> {
        let sql = format!("SELECT count(*) FROM {}", table.name);
        self.read(|connection| connection.number(&sql, &[]).map(natural))
    }

    fn rows(&self, table: &Table, behind: Option<&[Cell]>) -> Answer<Vec<Cells>> {
        let sql = question(table, behind.is_some());
        let key = behind.unwrap_or_default().iter().zip(table.columns);
        let values: Vec<Value<'_>> = key.map(|(cell, (_, kind))| value(cell, *kind)).collect();
        self.read(|connection| connection.all(&sql, &values, |row| cells(row, table)))
    }

    fn add(&self, table: &Table, rows: &[Cells]) -> Answer<()> {
        self.write_lazily(|connection| insert(connection, table, rows))
    }

    fn complete(&self) -> Answer<()> {
        self.write(schema::complete)
    }
}
