//! Questions that every database understands.

use rusqlite::{Connection, params_from_iter};

use super::fault::Fault;
use super::tables::cells;
use crate::store::accounts::{Sql, plain_sql};
use crate::store::tables::{Cell, Cells};

/// A connection that is asked so.
pub(in crate::store) fn sql(connection: &Connection) -> &Connection {
    connection
}

impl Sql for &Connection {
    type Fault = Fault;

    fn replaced_record() -> &'static str {
        "replace(record, $1, $2)"
    }

    fn change(&mut self, sql: &str, values: &[Cell]) -> Result<u64, Fault> {
        let mut statement = self.prepare_cached(&plain_sql(sql))?;
        Ok(statement.execute(params_from_iter(values))? as u64)
    }

    fn rows(&mut self, sql: &str, values: &[Cell]) -> Result<Vec<Cells>, Fault> {
        let mut statement = self.prepare_cached(&plain_sql(sql))?;
        let width = statement.column_count();
        let rows = statement.query_map(params_from_iter(values), |row| cells(row, width))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
