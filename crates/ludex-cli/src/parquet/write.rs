//! Writing a table.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{ColumnPath, Type};

use super::{Cell, Column, Kind, Table};
use crate::failure::Failure;
use crate::rulesheet::reason;

/// Rows are kept until their texts have so many bytes, and are a row group then.
const GROUP_BYTES: usize = 16 << 20;
/// Or until there are so many.
const GROUP_ROWS: usize = 1 << 16;

/// A table that is being written, under another name than it gets at the end.
pub struct TableWriter {
    table: &'static Table,
    path: PathBuf,
    file: SerializedFileWriter<BufWriter<File>>,
    /// The rows of the next row group, by column.
    cells: Vec<Vec<Cell>>,
    bytes: usize,
}

/// A table that is whole, and has not got its name yet.
pub struct Written {
    path: PathBuf,
}

impl TableWriter {
    /// Begins a file that is to have this name.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(path: &Path, table: &'static Table) -> Result<Self, Failure> {
        let begun = File::create(unfinished(path)).map_err(ParquetError::from);
        let file = begun.and_then(|file| {
            SerializedFileWriter::new(BufWriter::new(file), schema(table)?, Arc::new(properties(table)))
        });
        let file = file.map_err(|error| cannot_write(path, &error))?;
        let cells = table.columns.iter().map(|_| Vec::new()).collect();
        Ok(Self { table, path: path.to_owned(), file, cells, bytes: 0 })
    }

    /// Adds a row, with a cell for each column.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn push(&mut self, row: Vec<Cell>) -> Result<(), Failure> {
        debug_assert_eq!(row.len(), self.table.columns.len());
        for (cell, column) in row.into_iter().zip(&mut self.cells) {
            if let Cell::Text(text) = &cell {
                self.bytes += text.len();
            }
            column.push(cell);
        }
        let rows = self.cells.first().map_or(0, Vec::len);
        if self.bytes < GROUP_BYTES && rows < GROUP_ROWS {
            return Ok(());
        }
        self.write_group().map_err(|error| cannot_write(&self.path, &error))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn close(mut self) -> Result<Written, Failure> {
        let written = self.write_group().and_then(|()| {
            let mut file = self.file.into_inner()?;
            file.flush()?;
            // What gets its name is there, whatever happens next.
            Ok(file.get_ref().sync_all()?)
        });
        written.map_err(|error| cannot_write(&self.path, &error))?;
        Ok(Written { path: self.path })
    }

    /// Writes the rows that were added.
    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.cells.first().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for (column, cells) in self.table.columns.iter().zip(&mut self.cells) {
            let cells = std::mem::take(cells);
            if let Some(mut writer) = group.next_column()? {
                write_column(column, cells, &mut writer)?;
                writer.close()?;
            }
        }
        group.close()?;
        self.bytes = 0;
        Ok(())
    }
}

impl Written {
    /// Gives the file its name, in place of one that was there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn publish(self) -> Result<(), Failure> {
        let renamed = std::fs::rename(unfinished(&self.path), &self.path);
        renamed.map_err(|error| cannot_write(&self.path, &error.into()))
    }
}

/// The name of a file while it is written.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

fn cannot_write(path: &Path, error: &ParquetError) -> Failure {
    let said = match error {
        ParquetError::External(inner) => {
            inner.downcast_ref::<io::Error>().map_or_else(|| inner.to_string(), reason)
        }
        other => other.to_string(),
    };
    Failure::input(format!("cannot write `{}`: {said}", path.display()))
}

fn schema(table: &Table) -> Result<Arc<Type>, ParquetError> {
    let fields = table.columns.iter().map(|column| {
        let (physical, logical) = match column.kind {
            Kind::Text | Kind::Name => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Bool => (Physical::BOOLEAN, None),
            Kind::Int32 => (Physical::INT32, None),
            Kind::Int64 => (Physical::INT64, None),
            Kind::Float64 => (Physical::DOUBLE, None),
        };
        let repetition = if column.may_be_null { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        Type::primitive_type_builder(column.name, physical)
            .with_logical_type(logical)
            .with_repetition(repetition)
            .build()
            .map(Arc::new)
    });
    let fields = fields.collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?))
}

fn properties(table: &Table) -> WriterProperties {
    let builder = WriterProperties::builder()
        .set_created_by(concat!("ludex ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY);
    // Texts that are all different gain nothing by a dictionary or by the first and the last of them.
    let texts = table.columns.iter().filter(|column| column.kind == Kind::Text);
    let plain = texts.fold(builder, |builder, column| {
        let path = ColumnPath::from(column.name);
        builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_statistics_enabled(path, EnabledStatistics::None)
    });
    plain.build()
}

fn write_column(
    column: &Column,
    cells: Vec<Cell>,
    writer: &mut SerializedColumnWriter<'_>,
) -> Result<(), ParquetError> {
    match column.kind {
        Kind::Text | Kind::Name => write_values::<ByteArrayType>(column, cells, writer, |cell| match cell {
            Cell::Text(text) => Some(ByteArray::from(text.into_bytes())),
            _ => None,
        }),
        Kind::Bool => write_values::<BoolType>(column, cells, writer, |cell| match cell {
            Cell::Bool(is) => Some(is),
            _ => None,
        }),
        Kind::Int32 => write_values::<Int32Type>(column, cells, writer, |cell| match cell {
            Cell::Int32(number) => Some(number),
            _ => None,
        }),
        Kind::Int64 => write_values::<Int64Type>(column, cells, writer, |cell| match cell {
            Cell::Int64(number) => Some(number),
            _ => None,
        }),
        Kind::Float64 => write_values::<DoubleType>(column, cells, writer, |cell| match cell {
            Cell::Float64(number) => Some(number),
            _ => None,
        }),
    }
}

/// Writes the cells that are values of the column; any other is null.
fn write_values<T: DataType>(
    column: &Column,
    cells: Vec<Cell>,
    writer: &mut SerializedColumnWriter<'_>,
    value: impl Fn(Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let found: Vec<Option<T::T>> = cells.into_iter().map(value).collect();
    let there: Vec<i16> = found.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = found.into_iter().flatten().collect();
    // A column without nulls has no levels; one that lacks a value all the same is refused by the writer.
    let levels = column.may_be_null.then_some(&there[..]);
    writer.typed::<T>().write_batch(&values, levels, None)?;
    Ok(())
}
