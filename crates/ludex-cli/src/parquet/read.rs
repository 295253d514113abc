//! Reading records of matches.

use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::vec;

use ::parquet::basic::{Compression, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, ByteArrayType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::guarded::GuardedFile;
use super::{MATCH, RECORD, RecordRow};
use crate::failure::Failure;
use crate::input::MEMORY_PER_RECORD;
use crate::limits::Limits;
use crate::rulesheet::reason;

/// So many rows are read at once.
const BATCH: usize = 16;
/// What is in memory of the file at once is a page of each of two columns, and the page before it is decompressed.
const PAGES_AT_ONCE: usize = 4;
/// What the reader makes of the end of a file takes at most so many times its memory: a list of columns for each row
/// group, with statistics.
const MEMORY_PER_END: u64 = 32;

/// Reads the records of matches in a file one by one: columns `match` and `record` of texts. Other columns are not
/// looked at.
///
/// # Errors
/// It cannot be read, or has no such columns.
pub fn read_records(
    file: &str,
    limits: &Limits,
) -> Result<Box<dyn Iterator<Item = Result<RecordRow, Failure>>>, Failure> {
    let memory = limits.budget().memory();
    let opened = File::open(file).and_then(|opened| {
        let most = (memory / PAGES_AT_ONCE) as u64;
        let end = end_of_file(&opened)?;
        Ok((GuardedFile::new(opened, most)?, end > most / MEMORY_PER_END))
    });
    let (guarded, is_too_large) =
        opened.map_err(|error| Failure::input(format!("cannot read `{file}`: {}", reason(&error))))?;
    if is_too_large {
        return Err(Failure::input(format!("the list of parts of `{file}` takes too much memory"))
            .hint("`--max-memory` allows more, such as `--max-memory 8G`"));
    }
    let reader = caught(|| SerializedFileReader::new(guarded)).map_err(|error| damaged(file, &error))?;
    let columns = [find_column(file, &reader, MATCH)?, find_column(file, &reader, RECORD)?];
    Ok(Box::new(Records {
        file: file.to_owned(),
        reader,
        columns,
        next_group: 0,
        group: None,
        batch: Vec::new().into_iter(),
        rows: 0,
        longest: memory / MEMORY_PER_RECORD,
        is_over: false,
    }))
}

/// How many bytes the description of the parts has, which is the last thing in a file but eight bytes.
fn end_of_file(mut file: &File) -> std::io::Result<u64> {
    use std::io::{Read, Seek, SeekFrom};
    let length = file.metadata()?.len();
    let mut bytes = [0; 4];
    if length >= 8 {
        file.seek(SeekFrom::Start(length - 8))?;
        file.read_exact(&mut bytes)?;
    }
    // What claims to be longer than the file is found out later.
    Ok(u64::from(u32::from_le_bytes(bytes)).min(length))
}

/// The records of a file, row by row.
struct Records {
    file: String,
    reader: SerializedFileReader<GuardedFile>,
    /// The places of the two columns.
    columns: [usize; 2],
    next_group: usize,
    group: Option<[Texts; 2]>,
    batch: vec::IntoIter<RecordRow>,
    /// How many rows were read.
    rows: usize,
    /// So many bytes a record has at most.
    longest: usize,
    is_over: bool,
}

impl Iterator for Records {
    type Item = Result<RecordRow, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            if let Some(row) = self.batch.next() {
                return Some(Ok(row));
            }
            match self.read_batch() {
                Ok(true) => {}
                Ok(false) => self.is_over = true,
                Err(failure) => {
                    self.is_over = true;
                    return Some(Err(failure));
                }
            }
        }
        None
    }
}

impl Records {
    /// Reads some rows more; whether there may be any.
    fn read_batch(&mut self) -> Result<bool, Failure> {
        let Some([names, records]) = &mut self.group else {
            if self.next_group == self.reader.num_row_groups() {
                return Ok(false);
            }
            self.group = Some(self.open_group()?);
            self.next_group += 1;
            return Ok(true);
        };
        let read = caught(|| Ok((names.read()?, records.read()?)));
        let (names, records) = read.map_err(|error| damaged(&self.file, &error))?;
        if names.len() != records.len() {
            return Err(Failure::input(format!(
                "`{}` is damaged: its columns `{MATCH}` and `{RECORD}` are not of the same length",
                self.file
            )));
        }
        if names.is_empty() {
            self.group = None;
            return Ok(true);
        }
        let mut batch = Vec::with_capacity(names.len());
        for (name, record) in names.into_iter().zip(records) {
            self.rows += 1;
            let name = self.text(name, MATCH)?;
            batch.push(RecordRow { name, record: self.text(record, RECORD)? });
        }
        self.batch = batch.into_iter();
        Ok(true)
    }

    fn open_group(&self) -> Result<[Texts; 2], Failure> {
        let group =
            caught(|| self.reader.get_row_group(self.next_group)).map_err(|e| damaged(&self.file, &e))?;
        let open = |place: usize, name: &str| {
            let compression = group.metadata().column(place).compression();
            if !matches!(compression, Compression::UNCOMPRESSED | Compression::SNAPPY) {
                // Without the level, which is only known to who compressed.
                let said = compression.to_string();
                let method = said.split('(').next().unwrap_or_default();
                return Err(Failure::input(format!(
                    "`{}` is compressed with {method}, which is not read",
                    self.file
                ))
                .hint("write it with `compression=\"snappy\"`, or with none"));
            }
            match caught(|| group.get_column_reader(place)).map_err(|e| damaged(&self.file, &e))? {
                ColumnReader::ByteArrayColumnReader(reader) => {
                    let may_be_null = group.metadata().column(place).column_descr().max_def_level() > 0;
                    Ok(Texts { reader, may_be_null })
                }
                _ => Err(no_text(&self.file, name)),
            }
        };
        Ok([open(self.columns[0], MATCH)?, open(self.columns[1], RECORD)?])
    }

    /// What is in a column of the last row as text.
    fn text(&self, bytes: Option<ByteArray>, column: &str) -> Result<String, Failure> {
        let place = || format!("`{}`, row {}", self.file, self.rows);
        let bytes = bytes.ok_or_else(|| Failure::input(format!("{}: there is no `{column}`", place())))?;
        if bytes.len() > self.longest {
            return Err(Failure::input(format!("{}: `{column}` has {} bytes", place(), bytes.len()))
                .hint(format!("{} are read at most, and more with `--max-memory`", self.longest)));
        }
        let text = bytes.as_utf8().map_err(|_| {
            Failure::input(format!("{}: what is in column `{column}` is not UTF-8 text", place()))
        })?;
        Ok(text.to_owned())
    }
}

/// A column of texts in a row group.
struct Texts {
    reader: ColumnReaderImpl<ByteArrayType>,
    may_be_null: bool,
}

impl Texts {
    /// The next rows; none where there are no more.
    fn read(&mut self) -> Result<Vec<Option<ByteArray>>, ParquetError> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let (rows, ..) =
            self.reader.read_records(BATCH, self.may_be_null.then_some(&mut levels), None, &mut values)?;
        let mut values = values.into_iter();
        if !self.may_be_null {
            return Ok(values.map(Some).take(rows).collect());
        }
        Ok(levels.into_iter().take(rows).map(|level| if level > 0 { values.next() } else { None }).collect())
    }
}

/// Has the reader of Parquet do something. It panics on some files that contradict themselves, such as pages that use
/// a dictionary where there is none; for the user that is a damaged file like any other. What it was reading is not
/// used any more then.
fn caught<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    panic::set_hook(hook);
    result.unwrap_or_else(|_| Err(ParquetError::General("it contradicts itself".to_owned())))
}

/// The place of a column of texts.
fn find_column(file: &str, reader: &impl FileReader, name: &str) -> Result<usize, Failure> {
    let columns = reader.metadata().file_metadata().schema_descr().columns();
    let is_it = |column: &ColumnDescriptor| column.path().parts() == [name];
    let Some(place) = columns.iter().position(|column| is_it(column)) else {
        // The whole list may be long.
        let names: Vec<String> =
            columns.iter().take(20).map(|c| format!("`{}`", c.path().string())).collect();
        return Err(Failure::input(format!("`{file}` has no column `{name}`, only {}", names.join(", ")))
            .hint("records of matches are in the `records.parquet` of `ludex tournament --parquet`"));
    };
    let column = &columns[place];
    if column.physical_type() != Physical::BYTE_ARRAY || column.max_rep_level() > 0 {
        return Err(no_text(file, name));
    }
    Ok(place)
}

fn no_text(file: &str, column: &str) -> Failure {
    Failure::input(format!("column `{column}` of `{file}` does not hold texts"))
}

fn damaged(file: &str, error: &ParquetError) -> Failure {
    let text = error.to_string();
    let said = ["Parquet error: ", "EOF: "].iter().find_map(|prefix| text.strip_prefix(prefix));
    Failure::input(format!("`{file}` is no Parquet file that can be read: {}", said.unwrap_or(&text)))
}
