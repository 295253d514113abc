//! What can go wrong with a memory.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What can go wrong with a memory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// There is no such file.
    #[error("there is no memory `{}`: players make one where `--memory-file` names it", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("`{}` is no memory of players", path.display())]
    Other {
        /// The file.
        path: PathBuf,
    },
    /// A newer version of this program wrote it.
    #[error("`{}` was written by a newer version of ludex (its tables are those of version {found}, here they are of \
             version {known}): use that version, or another file", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its tables.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// Others write for too long.
    #[error("`{}` is in use by others for too long: try again later", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// There is no room left, or it may not be written.
    #[error("`{}` cannot be written: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: String,
    },
    /// It cannot be read.
    #[error("`{}` cannot be read: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: String,
    },
    /// There was no time to find out whether a game is one of those that are remembered.
    #[error("there was no time to compare the rules with those in `{}`: nothing is remembered of this match", path.display())]
    Undecided {
        /// The file.
        path: PathBuf,
    },
    /// Several games have that name.
    #[error("several games are called `{name}`: say which by its number, {}", numbers(found))]
    Ambiguous {
        /// The name.
        name: String,
        /// The numbers of the games.
        found: Vec<i64>,
    },
    /// It has nothing of that name.
    #[error("nothing is remembered of {what} `{name}`")]
    Unknown {
        /// The game, or the opponent.
        what: &'static str,
        /// Its name.
        name: String,
    },
}

fn numbers(found: &[i64]) -> String {
    found.iter().map(i64::to_string).collect::<Vec<_>>().join(" or ")
}

impl MemoryError {
    /// What SQLite says, for people.
    pub(crate) fn of(error: &rusqlite::Error, path: &Path) -> Self {
        let (path, cause) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Busy { path },
            Some(ErrorCode::NotADatabase) => Self::Other { path },
            Some(
                ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied,
            ) => Self::Write { path, cause },
            _ => Self::Read { path, cause },
        }
    }
}
