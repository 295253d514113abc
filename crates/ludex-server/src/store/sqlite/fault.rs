//! From what SQLite says to what users are told.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::model::StoreError;
use crate::store::values;

/// What goes wrong in the middle of a question to the database.
#[derive(Debug)]
pub(in crate::store) enum Fault {
    /// The database itself.
    Sql(rusqlite::Error),
    /// What is asked for.
    Store(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Fault {
    /// There is no such thing.
    pub(super) fn not_found(what: &'static str, name: &str) -> Self {
        Self::Store(StoreError::NotFound { what, name: name.to_owned() })
    }

    /// There is such a thing already, if that is why a row could not be added.
    pub(super) fn exists(error: rusqlite::Error, what: &'static str, name: &str) -> Self {
        if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) {
            Self::Store(StoreError::Exists { what, name: name.to_owned() })
        } else {
            Self::Sql(error)
        }
    }

    /// What is kept cannot be read.
    pub(super) fn broken(what: &'static str, name: &str, cause: impl ToString) -> Self {
        Self::Store(values::broken(what, name, cause))
    }

    /// As users are told.
    pub(super) fn told(self, path: &Path) -> StoreError {
        match self {
            Self::Sql(error) => told(&error, path),
            Self::Store(error) => error,
        }
    }
}

fn told(error: &rusqlite::Error, path: &Path) -> StoreError {
    let path = path.to_owned();
    let cause = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            StoreError::Locked { path }
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path }
        }
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path },
        Some(ErrorCode::SystemIoFailure) => match at_limit(&path) {
            Some(limit) => StoreError::TooLarge { path, limit },
            None => StoreError::Disk { path, cause },
        },
        _ => StoreError::Other { path, cause },
    }
}

/// How large the files of this process may become, where the database can hardly grow any more because of that.
pub(super) fn at_limit(path: &Path) -> Option<u64> {
    largest_file().filter(|&limit| is_at(path, limit))
}

/// How large the files of this process may become, where there is a limit.
#[cfg(not(unix))]
fn largest_file() -> Option<u64> {
    None
}

/// How large the files of this process may become, where there is a limit.
#[cfg(unix)]
fn largest_file() -> Option<u64> {
    let (limit, _) = rlimit::Resource::FSIZE.get().ok()?;
    (limit != rlimit::INFINITY).then_some(limit)
}

/// Whether the database or what it keeps beside its file may have reached a limit. It grows by pages; the index
/// of its log by 32 KiB.
fn is_at(path: &Path, limit: u64) -> bool {
    const STRETCH: u64 = 128 << 10;
    let length = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        std::fs::metadata(name).map_or(0, |found| found.len())
    };
    ["", "-wal", "-shm"].into_iter().any(|ending| length(ending).saturating_add(STRETCH) > limit)
}
