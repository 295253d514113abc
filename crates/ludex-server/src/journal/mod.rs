//! What matches write down before anything is told, and how it survives a power cut.
//!
//! A [`Journal`] makes entries durable, many at a time; a [`JournalWriter`] collects what several matches
//! want written while the last write was under way, so that one of them does for all (group commit).

mod error;
mod file;
mod line;
mod memory;
mod writer;

pub use error::JournalError;
pub use file::FileJournal;
pub use line::{JournalLine, match_entries};
pub use memory::{MemoryJournal, NoJournal};
pub use writer::{JournalWriter, Written};

pub use crate::model::KeptEntry;

/// Where the entries of matches are kept.
pub trait Journal: Send {
    /// Writes entries, in this order. When this comes back well, all of them will be there after a power
    /// cut.
    ///
    /// # Errors
    /// [`JournalError`]; then none of them was written, and the journal is as it was before.
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError>;
}
