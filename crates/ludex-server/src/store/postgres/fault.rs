//! From what PostgreSQL says to what users are told.

use std::error::Error as _;
use std::path::Path;

use postgres::error::{Severity, SqlState};

use crate::model::StoreError;

/// What goes wrong in the middle of a question to the database.
#[derive(Debug)]
pub(in crate::store) enum Fault {
    /// The database itself.
    Sql(postgres::Error),
    /// What is asked for.
    Store(StoreError),
}

impl From<postgres::Error> for Fault {
    fn from(error: postgres::Error) -> Self {
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
    pub(super) fn exists(self, what: &'static str, name: &str) -> Self {
        match &self {
            Self::Sql(error) if error.code().is_some_and(is_constraint) => {
                Self::Store(StoreError::Exists { what, name: name.to_owned() })
            }
            _ => self,
        }
    }

    /// Whether the connection is gone with it.
    pub(super) fn is_loss(&self) -> bool {
        match self {
            Self::Sql(error) => is_loss(error),
            Self::Store(_) => false,
        }
    }

    /// As users are told.
    pub(super) fn told(self, place: &Path) -> StoreError {
        match self {
            Self::Sql(error) => told(&error, place),
            Self::Store(error) => error,
        }
    }
}

/// The class of what breaks a constraint.
fn is_constraint(state: &SqlState) -> bool {
    state.code().starts_with("23")
}

fn is_loss(error: &postgres::Error) -> bool {
    match error.as_db_error() {
        Some(said) => {
            matches!(said.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
                || said.code().code().starts_with("08")
                || matches!(said.severity(), "FATAL" | "PANIC")
        }
        None => error.is_closed() || error.source().is_some_and(|cause| cause.is::<std::io::Error>()),
    }
}

/// What the server says, or what the system says; never the address.
fn cause_of(error: &postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(said), _) => said.message().to_owned(),
        (None, Some(cause)) => cause.to_string(),
        (None, None) => error.to_string(),
    }
}

/// Why there is no connection.
pub(super) fn unreachable(error: &postgres::Error, place: &Path) -> StoreError {
    StoreError::Unreachable { path: place.to_owned(), cause: cause_of(error) }
}

fn told(error: &postgres::Error, place: &Path) -> StoreError {
    if is_loss(error) {
        return unreachable(error, place);
    }
    let (path, cause) = (place.to_owned(), cause_of(error));
    match error.code().map(SqlState::code) {
        // lock_not_available, and deadlock_detected
        Some("55P03" | "40P01") => StoreError::Locked { path },
        // disk_full
        Some("53100") => StoreError::Full { path },
        // read_only_sql_transaction
        Some("25006") => StoreError::ReadOnly { path },
        // data_corrupted, index_corrupted
        Some("XX001" | "XX002") => StoreError::Damaged { path },
        // io_error
        Some("58030") => StoreError::Disk { path, cause },
        _ => StoreError::Other { path, cause },
    }
}
