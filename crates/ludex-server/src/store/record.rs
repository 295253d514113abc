//! Records of matches, read a piece at a time: one may be as large as all else together.

use std::io::{self, BufReader, Read};

use ludex::AnyRecord;
use ludex::matches::RecordKind;

use super::{Answer, Store, StoreError};

/// No piece of a record has more bytes.
pub const RECORD_PIECE: usize = 4 << 20;

/// A piece of a record as it is kept: JSON without the rules, which are with the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPiece {
    /// [`RECORD_PIECE`] bytes, or what is left of the record.
    pub bytes: Vec<u8>,
    /// The bytes of the whole record.
    pub length: u64,
}

/// A record that is kept, piece by piece. Nothing of the store is in use between two pieces, and no piece is kept
/// here once it was asked for.
#[derive(Debug)]
pub struct RecordPieces {
    id: String,
    /// The first piece, until it is asked for.
    first: Option<Vec<u8>>,
    read: u64,
    length: u64,
}

impl RecordPieces {
    /// The pieces of the record of a match; `None` where there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(store: &(impl Store + ?Sized), id: &str) -> Answer<Option<Self>> {
        let Some(RecordPiece { bytes, length }) = store.record_piece(id, 0)? else { return Ok(None) };
        let read = bytes.len() as u64;
        Ok(Some(Self { id: id.to_owned(), first: Some(bytes), read, length }))
    }

    /// Whether there is more than one.
    pub fn are_several(&self) -> bool {
        self.length > RECORD_PIECE as u64
    }

    /// The next piece; `None` where the record has ended.
    ///
    /// # Errors
    /// [`StoreError::Broken`] where the record is another one than before, and others.
    pub fn next(&mut self, store: &(impl Store + ?Sized)) -> Answer<Option<Vec<u8>>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        if self.read == self.length {
            return Ok(None);
        }
        match store.record_piece(&self.id, self.read)? {
            Some(RecordPiece { bytes, length }) if length == self.length && !bytes.is_empty() => {
                self.read += bytes.len() as u64;
                Ok(Some(bytes))
            }
            _ => Err(self.broken(&"it changed while it was read")),
        }
    }

    /// What is left of the record, to be read.
    fn reader<'a, S: Store + ?Sized>(&'a mut self, store: &'a S) -> BufReader<Reader<'a, S>> {
        BufReader::new(Reader { store, pieces: self, piece: Vec::new(), given: 0 })
    }

    fn broken(&self, cause: &dyn ToString) -> StoreError {
        StoreError::Broken { what: "record", name: self.id.clone(), cause: cause.to_string() }
    }
}

/// Parses the record of a match as its pieces come; `None` where there is none.
pub(super) fn parse(store: &(impl Store + ?Sized), id: &str) -> Answer<Option<AnyRecord>> {
    let Some(mut pieces) = RecordPieces::open(store, id)? else { return Ok(None) };
    if let Some(whole) = pieces.first.take_if(|first| first.len() as u64 == pieces.length) {
        let text = String::from_utf8(whole).map_err(|error| pieces.broken(&error))?;
        return AnyRecord::read(&text).map(Some).map_err(|error| pieces.broken(&error));
    }
    let kind = AnyRecord::kind_of_reader(pieces.reader(store)).map_err(|error| pieces.broken(&error))?;
    let Some(mut pieces) = RecordPieces::open(store, id)? else { return Ok(None) };
    let read = match kind {
        RecordKind::InSteps => serde_json::from_reader(pieces.reader(store)).map(AnyRecord::InSteps),
        RecordKind::InTime => serde_json::from_reader(pieces.reader(store)).map(AnyRecord::InTime),
    };
    read.map(Some).map_err(|error| pieces.broken(&error))
}

struct Reader<'a, S: Store + ?Sized> {
    store: &'a S,
    pieces: &'a mut RecordPieces,
    piece: Vec<u8>,
    /// How many bytes of the piece were given on.
    given: usize,
}

impl<S: Store + ?Sized> Read for Reader<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.piece.len() {
            // It makes room before the next one comes.
            self.piece = Vec::new();
            self.piece = self.pieces.next(self.store).map_err(io::Error::other)?.unwrap_or_default();
            self.given = 0;
        }
        let count = (&self.piece[self.given..]).read(buffer)?;
        self.given += count;
        Ok(count)
    }
}
