//! Why a journal cannot be written or read.

use std::io;
use std::path::PathBuf;

use crate::system_error::reason;

/// Why a journal cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be opened.
    #[error("cannot open the journal `{}`: {}", .path.display(), reason(.cause))]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// There is such a file already, and it was to be a new one.
    #[error("there is a file `{}` already", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else writes to the file.
    #[error("the journal `{}` is in use by another process", .path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("cannot read the journal `{}`: {}", .path.display(), reason(.cause))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A line that is not the last is not what it should be.
    #[error("the journal `{}`, line {line}: {what}", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Entries could not be written; the file is as it was before.
    #[error("cannot write to the journal `{}`: {}", .path.display(), reason(.cause))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says: no space left, input/output error.
        cause: io::Error,
    },
    /// A write failed before in a way that leaves in doubt what is on the disk, so nothing more is
    /// written.
    #[error("the journal `{}` is closed since a write failed", .path.display())]
    Closed {
        /// The file.
        path: PathBuf,
    },
    /// An entry cannot be put into words.
    #[error("cannot write an entry of the journal: {0}")]
    Words(#[from] serde_json::Error),
    /// An entry does not follow the one before.
    #[error("entry {found} of the match {match_id} comes where entry {expected} is due")]
    Order {
        /// The match.
        match_id: String,
        /// The number that is due.
        expected: u64,
        /// The number that came.
        found: u64,
    },
    /// The store of a manager cannot keep them; it is as it was before.
    #[error(transparent)]
    Store(Box<crate::model::StoreError>),
    /// The lease of this server has run out, and others may have what it had. Entries may have been written.
    #[error("this server may have been taken for dead: it writes no journal")]
    Lapsed,
    /// The thread that writes is gone.
    #[error("the journal is not written any more")]
    Stopped,
}
