//! Why something cannot be kept or found.

use std::io;
use std::path::{Path, PathBuf};

use crate::system_error::reason;

/// Why something cannot be kept or found. Whatever was written before is still there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The data folder cannot be made or used.
    #[error("cannot use the folder `{}`: {}", .path.display(), reason(.cause))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// Others on this machine may read or write what is kept.
    #[error(
        "others on this machine have a right to `{}`: `chmod -R go= {}` takes it from them, and then the \
         folder can be used", .path.display(), quoted(.folder)
    )]
    NotPrivate {
        /// The folder, or the file in it, that they have a right to.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// Files of this process may not become so large.
    #[error(
        "the database `{}` cannot grow: files of this process may have {limit} bytes at most (`ulimit -f`)",
        .path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large files may become, in bytes.
        limit: u64,
    },
    /// Another process has the folder or the database.
    #[error("the {} `{}` is in use by another process of ludex", kind(.path), .path.display())]
    InUse {
        /// The folder, or the address of the database.
        path: PathBuf,
    },
    /// Nothing may be written there.
    #[error("the database `{}` cannot be written: {} is read-only", .path.display(), if is_address(.path) { "it" } else { "the file or its folder" })]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The database was made by a later version of Ludex.
    #[error("the database `{}` was made by a newer version of ludex; this one cannot read it", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
    },
    /// The address of a database cannot be used.
    #[error("{cause}")]
    Address {
        /// Why, without the address, which may have a password.
        cause: String,
    },
    /// The server of the database does not answer, or lets nobody in.
    #[error("the database `{}` cannot be reached: {cause}", .path.display())]
    Unreachable {
        /// Its address.
        path: PathBuf,
        /// What the system or the server says.
        cause: String,
    },
    /// The server of the database was lost while something was written.
    #[error(
        "the connection to the database `{}` was lost, and nobody knows whether the last change was kept",
        .path.display()
    )]
    InDoubt {
        /// Its address.
        path: PathBuf,
    },
    /// The server was taken for dead, and others have what it had: it may not write any more.
    #[error("this server was taken for dead: others go on with what it had in `{}`", .path.display())]
    Superseded {
        /// The address of the database.
        path: PathBuf,
    },
    /// A copy was begun there and is not complete.
    #[error(
        "the database `{}` is a copy that is not complete: `ludex store copy` goes on with it",
        .path.display()
    )]
    Incomplete {
        /// The file, or the address.
        path: PathBuf,
    },
    /// A copy would come among other data.
    #[error("the database `{}` holds other data: a copy needs an empty one", .path.display())]
    NotEmpty {
        /// The file, or the address.
        path: PathBuf,
    },
    /// The copy is not what was copied.
    #[error("the copy in `{}` is not what was copied: the table `{table}` differs", .path.display())]
    CopyDiffers {
        /// The file, or the address.
        path: PathBuf,
        /// The first table that differs.
        table: &'static str,
    },
    /// The file is something else.
    #[error("`{}` is not a database of ludex", .path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error("the database `{}` is damaged; restore a copy of it", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Another program keeps the database locked.
    #[error("the database `{}` is locked by another program", .path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// There is no room.
    #[error("there is no room left on the disk of `{}`", .path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The system cannot read or write.
    #[error("the disk of `{}` fails: {cause}", .path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// What the database says.
        cause: String,
    },
    /// There is no such thing.
    #[error("there is no {what} `{name}`")]
    NotFound {
        /// `game`, `player`, `match`, `tournament`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// There is such a thing already.
    #[error("there is a {what} `{name}` already")]
    Exists {
        /// `game`, `player`, `match`, `tournament`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// What is kept does not fit together.
    #[error("the database has a broken {what} `{name}`: {cause}")]
    Broken {
        /// What is broken.
        what: &'static str,
        /// Its name.
        name: String,
        /// How.
        cause: String,
    },
    /// Something else.
    #[error("the database `{}` fails: {cause}", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What the database says.
        cause: String,
    },
}

impl StoreError {
    /// What strangers may be told: nothing of where files are, nor what the system or the database says.
    pub fn in_general(&self) -> String {
        let told = match self {
            Self::NotFound { .. } | Self::Exists { .. } => return self.to_string(),
            Self::Full { .. } => "there is no room left on the disk",
            Self::TooLarge { .. } => "the database cannot grow: its files may not become larger",
            Self::Locked { .. } => "the database is locked by another program",
            Self::ReadOnly { .. } => "the database cannot be written",
            Self::Damaged { .. } | Self::Broken { .. } => "the database is damaged",
            Self::Disk { .. } => "the disk fails",
            Self::Superseded { .. } => "another server has taken over: try again",
            Self::Unreachable { .. } | Self::InDoubt { .. } => "the database cannot be reached",
            _ => "the database fails",
        };
        told.to_owned()
    }
}

/// Whether this is the address of a database, and not a path.
fn is_address(path: &Path) -> bool {
    path.to_string_lossy().starts_with("postgres://")
}

/// What a path or an address is of.
fn kind(path: &Path) -> &'static str {
    if is_address(path) { "database" } else { "folder" }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,@%:=".contains(c);
    if text.chars().all(is_plain) && !text.is_empty() {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
