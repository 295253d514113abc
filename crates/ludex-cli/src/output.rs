//! Files that commands write.

use std::fs::{self, OpenOptions};
use std::path::Path;

use crate::failure::Failure;
use crate::rulesheet::reason;

/// Writes a text to a file, in place of what was there.
///
/// # Errors
/// It cannot be written.
pub fn write_file(file: &str, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| cannot_write(file, &error))
}

/// Finds out whether a file can be written, and leaves what is in it: whoever worked for long is not to find out only
/// then that nothing can be written.
///
/// # Errors
/// It cannot be written.
pub fn check_writable(file: &str) -> Result<(), Failure> {
    let path = Path::new(file);
    let is_new = !path.exists();
    OpenOptions::new().create(true).append(true).open(path).map_err(|error| cannot_write(file, &error))?;
    if is_new {
        fs::remove_file(path).map_err(|error| cannot_write(file, &error))?;
    }
    Ok(())
}

/// What is said where a file cannot be written.
pub fn cannot_write(file: &str, error: &std::io::Error) -> Failure {
    Failure::input(format!("cannot write `{file}`: {}", reason(error)))
}
