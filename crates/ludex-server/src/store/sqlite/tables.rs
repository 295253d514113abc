//! The tables as they are.

use std::path::Path;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Row, ToSql, params_from_iter};

use super::SqliteStore;
use super::schema::APPLICATION;
use crate::store::Answer;
use crate::store::tables::{Cell, Cells, PLACE, Table, Tables};
use crate::store::values::natural;

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(number) => ToSqlOutput::from(*number),
            Self::Real(number) => ToSqlOutput::from(*number),
            Self::Text(text) => ToSqlOutput::from(text.as_str()),
        })
    }
}

pub(super) fn cells(row: &Row<'_>, count: usize) -> rusqlite::Result<Cells> {
    let cell = |number| {
        Ok(match row.get_ref(number)? {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(number) => Cell::Integer(number),
            ValueRef::Real(number) => Cell::Real(number),
            ValueRef::Text(_) | ValueRef::Blob(_) => Cell::Text(row.get(number)?),
        })
    };
    (0..count).map(cell).collect()
}

/// What the rows are read from.
fn source(table: &Table) -> String {
    let Table { name, .. } = table;
    if table.columns.iter().any(|(name, _)| *name == PLACE) {
        // Only what is small is put in order.
        format!(
            "{name} v JOIN (SELECT rowid AS came, row_number() OVER (PARTITION BY game ORDER BY rowid) AS {PLACE}
             FROM {name}) p ON p.came = v.rowid"
        )
    } else {
        (*name).to_owned()
    }
}

impl Tables for SqliteStore {
    fn place(&self) -> &Path {
        self.connections.path()
    }

    fn count(&self, table: &Table) -> Answer<u64> {
        let sql = format!("SELECT count(*) FROM {}", table.name);
        self.connections.read(|connection| Ok(natural(connection.query_row(&sql, [], |row| row.get(0))?)))
    }

    fn rows(&self, table: &Table, behind: Option<&[Cell]>) -> Answer<Vec<Cells>> {
        let key = table.key_names().collect::<Vec<_>>().join(", ");
        let places = vec!["?"; table.key].join(", ");
        let behind_key = if behind.is_some() { format!("WHERE ({key}) > ({places})") } else { String::new() };
        let sql = format!(
            "SELECT {} FROM {} {behind_key} ORDER BY {key} LIMIT {}",
            table.names(),
            source(table),
            table.batch
        );
        self.connections.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let values = params_from_iter(behind.unwrap_or_default());
            let rows = statement.query_map(values, |row| cells(row, table.columns.len()))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn add(&self, table: &Table, rows: &[Cells]) -> Answer<()> {
        let names: Vec<&str> = table.kept().map(|(_, name, _)| name).collect();
        let places = vec!["?"; names.len()].join(", ");
        let sql = format!("INSERT INTO {} ({}) VALUES ({places})", table.name, names.join(", "));
        self.connections.write_lazily(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            for row in rows {
                let values = table.kept().filter_map(|(number, ..)| row.get(number));
                statement.execute(params_from_iter(values))?;
            }
            Ok(())
        })
    }

    fn complete(&self) -> Answer<()> {
        self.connections
            .write(|connection| Ok(connection.pragma_update(None, "application_id", APPLICATION)?))
    }
}
