//! A file that the reader of Parquet gets to see only where it holds what it says: the reader itself makes room for
//! all that a header promises, and takes some of it for granted.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

/// The longest header of a page that is looked at; it may have the first and the last value of the page in it.
const MOST_HEADER: u64 = 1 << 16;

/// The codes of the encodings whose pages are read: plain, and two names of a dictionary.
const PLAIN: i64 = 0;
const PLAIN_DICTIONARY: i64 = 2;
const RLE_DICTIONARY: i64 = 8;

/// A file whose pages are looked at before they are read.
pub struct GuardedFile {
    file: File,
    length: u64,
    /// So many bytes of it are in memory at once.
    most: u64,
}

impl GuardedFile {
    pub fn new(file: File, most: u64) -> std::io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file, length, most })
    }

    fn from(&self, start: u64) -> Result<BufReader<File>, ParquetError> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(file))
    }
}

impl Length for GuardedFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for GuardedFile {
    type T = BufReader<File>;

    /// What is read so is the end of the file, eight bytes, and the headers of pages.
    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let mut header = Vec::new();
        self.from(start)?.take(MOST_HEADER).read_to_end(&mut header)?;
        if header.len() > 8 {
            let page = PageHeader::read(&header).ok_or_else(|| wrong("the header of a page is damaged"))?;
            page.check(self.most)?;
        }
        self.from(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let wanted = length as u64;
        if start.checked_add(wanted).is_none_or(|end| end > self.length) {
            return Err(wrong("it ends too early"));
        }
        if wanted > self.most {
            return Err(too_large(self.most));
        }
        let mut bytes = Vec::new();
        self.from(start)?.take(wanted).read_to_end(&mut bytes)?;
        if bytes.len() != length {
            return Err(wrong("it ends too early"));
        }
        Ok(bytes.into())
    }
}

fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

fn too_large(most: u64) -> ParquetError {
    ParquetError::General(format!("a part of it takes more than {most} bytes"))
}

/// What the header of a page says about what comes.
#[derive(Debug, Default, PartialEq)]
struct PageHeader {
    /// Bytes, when they are decompressed.
    plain_bytes: i64,
    is_dictionary: bool,
    values: i64,
    encoding: i64,
}

impl PageHeader {
    /// Reads as much of a header (Thrift, compact protocol) as matters: its fields up to those about its values.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut thrift = Thrift { bytes, field: 0 };
        let mut header = Self::default();
        loop {
            match thrift.field()? {
                (1, INT32) => header.is_dictionary = thrift.number()? == 2,
                (2, INT32) => header.plain_bytes = thrift.number()?,
                (3 | 4, INT32) => drop(thrift.number()?),
                // Of a data page, of a dictionary, and of a data page of the second version.
                (kind @ (5 | 7 | 8), STRUCT) => {
                    thrift.field = 0;
                    let place = if kind == 8 { 4 } else { 2 };
                    loop {
                        match thrift.field()? {
                            (1, INT32) => header.values = thrift.number()?,
                            (field, INT32) if field < place => drop(thrift.number()?),
                            (field, INT32) if field == place => {
                                header.encoding = thrift.number()?;
                                return Some(header);
                            }
                            _ => return None,
                        }
                    }
                }
                _ => return None,
            }
        }
    }

    fn check(&self, most: u64) -> Result<(), ParquetError> {
        if ![PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY].contains(&self.encoding) {
            return Err(wrong("its texts are encoded otherwise than plain or by a dictionary"));
        }
        let plain_bytes = u64::try_from(self.plain_bytes).map_err(|_| wrong("a page has a negative size"))?;
        if plain_bytes > most {
            return Err(too_large(most));
        }
        // Each text of a dictionary has four bytes that say how long it is.
        if self.values < 0 || self.is_dictionary && self.values as u64 > plain_bytes / 4 {
            return Err(wrong("a page is said to have more values than it can hold"));
        }
        Ok(())
    }
}

const INT32: u8 = 5;
const STRUCT: u8 = 12;

/// A structure of the compact protocol of Thrift, as far as it was read.
struct Thrift<'b> {
    bytes: &'b [u8],
    /// The number of the last field.
    field: i64,
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    /// The number and the type of the next field.
    fn field(&mut self) -> Option<(i64, u8)> {
        let byte = self.byte()?;
        let step = i64::from(byte >> 4);
        self.field = if step == 0 { self.number()? } else { self.field.checked_add(step)? };
        Some((self.field, byte & 0x0f))
    }

    /// A number: seven bits a byte, the lowest first, the sign in the last.
    fn number(&mut self) -> Option<i64> {
        let mut bits = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            bits |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some((bits >> 1) as i64 ^ -((bits & 1) as i64));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_pages_are_read() {
        // A data page of 24 bytes, 20 of them compressed, with 3 values in plain encoding.
        let data = [0x15, 0, 0x15, 48, 0x15, 40, 0x2c, 0x15, 6, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0];
        let expected = PageHeader { plain_bytes: 24, is_dictionary: false, values: 3, encoding: 0 };
        assert_eq!(PageHeader::read(&data), Some(expected));
        // A dictionary that claims too many texts.
        let dictionary = [0x15, 4, 0x15, 48, 0x15, 40, 0x4c, 0x15, 80, 0x15, 4, 0];
        let header = PageHeader::read(&dictionary).unwrap();
        assert_eq!(header, PageHeader { plain_bytes: 24, is_dictionary: true, values: 40, encoding: 2 });
        assert!(header.check(1000).is_err());
        assert!(PageHeader { values: 6, ..header }.check(1000).is_ok());
        for length in 0..10 {
            assert_eq!(PageHeader::read(&dictionary[..length]), None);
        }
    }
}
