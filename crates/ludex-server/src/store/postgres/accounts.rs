//! Questions that every database understands.

use postgres::types::Type;

use super::connection::{Connection, Value, get};
use super::fault::Fault;
use crate::store::accounts::Sql;
use crate::store::tables::{Cell, Cells};

/// A connection that is asked so.
pub(in crate::store) fn sql(connection: &mut Connection) -> &mut Connection {
    connection
}

fn values(cells: &[Cell]) -> Vec<Value<'_>> {
    let value = |cell| match cell {
        &Cell::Null => Value::Null,
        &Cell::Integer(number) => number.into(),
        &Cell::Real(number) => Some(number).into(),
        Cell::Text(text) => text.into(),
    };
    cells.iter().map(value).collect()
}

impl Sql for &mut Connection {
    type Fault = Fault;

    fn replaced_record() -> &'static str {
        "convert_to(replace(convert_from(record, 'UTF8'), $1, $2), 'UTF8')"
    }

    fn change(&mut self, sql: &str, cells: &[Cell]) -> Result<u64, Fault> {
        self.execute(sql, &values(cells))
    }

    fn rows(&mut self, sql: &str, cells: &[Cell]) -> Result<Vec<Cells>, Fault> {
        self.all(sql, &values(cells), |row| {
            let cell = |(number, column): (usize, &postgres::Column)| {
                let cell = match *column.type_() {
                    Type::INT8 => get::<Option<i64>>(row, number)?.map(Cell::Integer),
                    _ => get::<Option<String>>(row, number)?.map(Cell::Text),
                };
                Ok(cell.unwrap_or(Cell::Null))
            };
            row.columns().iter().enumerate().map(cell).collect()
        })
    }
}
