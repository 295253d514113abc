//! A file of lines that grows.

use std::fs::File;
use std::io::Write;

use crate::failure::Failure;
use crate::output::cannot_write;

/// A file to which lines are written as they come: what is there stays, whatever happens later.
#[derive(Debug)]
pub struct LineFile {
    name: String,
    file: File,
}

impl LineFile {
    /// A new file, in place of what was there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(name: &str) -> Result<Self, Failure> {
        let file = File::create(name).map_err(|error| cannot_write(name, &error))?;
        Ok(Self { name: name.to_owned(), file })
    }

    /// Adds a line.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, line: &str) -> Result<(), Failure> {
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(|error| cannot_write(&self.name, &error))
    }
}
