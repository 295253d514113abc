//! Files that nobody else on the machine may read: the folder of a server, its database, journals.
//!
//! Where the system knows no owners of files in the manner of Unix, all of this makes files as they are made
//! there.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};

/// Everything for the owner, nothing for others.
#[cfg(unix)]
const FOLDER: u32 = 0o700;
#[cfg(unix)]
const FILE: u32 = 0o600;
/// The rights of the group and of others.
#[cfg(unix)]
const OTHERS: u32 = 0o077;

/// Makes a folder that others can neither read nor look into, whatever the process leaves of the rights of new
/// files. One that is there stays as it is.
///
/// # Errors
/// What the system says.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    builder.mode(FOLDER);
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        // Who may write in a folder above may put something else in its place.
        builder.recursive(true).create(parent)?;
    }
    match builder.recursive(false).create(path) {
        // Somebody else was quicker.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(error),
        // The rights of new files may have taken some away that the owner needs.
        Ok(()) => set_rights(path, Kind::Folder),
    }
}

/// Opens a file by these options; one that is made by it can be read and written by its owner only.
///
/// # Errors
/// What the system says.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let is_new = !path.exists();
    #[cfg(unix)]
    options.mode(FILE);
    let file = options.open(path)?;
    if is_new {
        set_rights(path, Kind::File)?;
    }
    Ok(file)
}

/// Makes an empty file where there is none. What the database keeps beside its file has the rights of that.
///
/// # Errors
/// What the system says.
pub(crate) fn make_file(path: &Path) -> io::Result<()> {
    open(path, OpenOptions::new().create(true).truncate(false).write(true)).map(drop)
}

enum Kind {
    Folder,
    File,
}

#[cfg(unix)]
fn set_rights(path: &Path, kind: Kind) -> io::Result<()> {
    let rights = match kind {
        Kind::Folder => FOLDER,
        Kind::File => FILE,
    };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(rights))
}

#[cfg(not(unix))]
fn set_rights(_: &Path, _: Kind) -> io::Result<()> {
    Ok(())
}

/// The first of these files and folders that is there and that others have any right to.
pub(crate) fn open_to_others(paths: &[PathBuf]) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        let is_open = |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|found| found.mode() & OTHERS != 0);
        paths.iter().find(is_open).cloned()
    }
    #[cfg(not(unix))]
    {
        let _ = paths;
        None
    }
}
