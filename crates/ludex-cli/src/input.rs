//! Bytes from files and standard input, under the limits of the command: a file may be a device without
//! end, or a pipe into which nobody writes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Builder;

use flate2::read::MultiGzDecoder;
use ludex::logic::LimitError;

use crate::failure::Failure;
use crate::limits::{Limits, grouped};
use crate::parquet::is_parquet;
use crate::repository::{file_and_game, file_of_folder, file_of_metadata, rulesheet as rulesheet_in};
use crate::rulesheet::reason;

/// The longest rulesheet that is read, in bytes; the largest known ones have one megabyte.
const MOST_RULES: usize = 64 << 20;
/// The tree and the findings of a rulesheet take so many times the memory of its text, where each bracket or word of
/// it is one of them (measured: 80 to 95).
const MEMORY_PER_RULES: usize = 96;
/// What a record becomes takes so many times the memory of its text (measured: 9 to 15).
pub const MEMORY_PER_RECORD: usize = 15;

/// The text of a file, or for `-` of standard input, that somebody wrote by hand: a rulesheet, moves,
/// names.
///
/// # Errors
/// There is no such file, it is a folder, it is not text, it is longer than any rulesheet, or does not end
/// within the limits.
pub fn read_text(file: &str, limits: &Limits) -> Result<String, Failure> {
    let most = MOST_RULES.min(limits.budget().memory() / MEMORY_PER_RULES);
    utf8(file, read_bytes(file, most, limits)?)
}

/// The rulesheet in a file, or for `-` on standard input: its text, or what servers and repositories make of it
/// ([`crate::repository`]), with what to call it.
///
/// # Errors
/// Those of [`read_text`]; there are several rulesheets in it, or none.
pub fn read_rules(argument: &str, limits: &Limits) -> Result<(String, String), Failure> {
    let most = MOST_RULES.min(limits.budget().memory() / MEMORY_PER_RULES);
    let (file, game) = file_and_game(argument);
    let folder = file_of_folder(file);
    let file = folder.as_deref().unwrap_or(file);
    let bytes = read_bytes(file, most, limits)?;
    if let Some(beside) = file_of_metadata(file, &bytes) {
        return Ok((beside.clone(), utf8(&beside, read_bytes(&beside, most, limits)?)?));
    }
    match rulesheet_in(file, &bytes, game, most)? {
        Some(found) => Ok(found),
        None => Ok((file.to_owned(), utf8(file, bytes)?)),
    }
}

/// The text of a file that programs wrote: traces, records, journals. It may be compressed with gzip.
///
/// # Errors
/// There is no such file, it is a folder, it is not text, or it takes more memory or time than there is.
pub fn read_recorded(file: &str, limits: &Limits) -> Result<String, Failure> {
    let most = limits.budget().memory() / MEMORY_PER_RECORD;
    let bytes = read_bytes(file, most, limits)?;
    if is_parquet(&bytes) {
        return Err(Failure::input(format!("{} is Parquet, which is not read here", called(file)))
            .hint("`ludex verify FILE` reads a file of records, which is not to be a pipe"));
    }
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return utf8(file, bytes);
    }
    // A small file can stand for a huge one.
    let plain = at_most(MultiGzDecoder::new(&bytes[..]), most);
    let plain = plain.map_err(|e| Failure::input(format!("{} cannot be decompressed: {e}", called(file))))?;
    utf8(file, within(plain, most, file)?)
}

/// Whether a file is Parquet. A pipe and standard input are not: that is read from the end.
pub fn is_parquet_file(file: &str) -> bool {
    let mut start = [0; 4];
    let path = Path::new(file);
    let mut read = || File::open(path)?.read_exact(&mut start);
    file != "-" && path.is_file() && read().is_ok() && is_parquet(&start)
}

/// At most `most` bytes of a file, or for `-` of standard input.
///
/// # Errors
/// There is no such file, it is a folder, it is longer, or does not end within the time limit.
pub fn read_bytes(file: &str, most: usize, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let path = Path::new(file);
    if path.is_dir() {
        return Err(Failure::input(format!("`{file}` is a folder, not a file")));
    }
    let bytes = match limits.budget().time_left() {
        // Opening and reading a pipe can take for ever, and only another thread can be left behind.
        Some(left) => {
            let (sender, receiver) = mpsc::channel();
            let name = file.to_owned();
            let reader = Builder::new().spawn(move || sender.send(read_at_most(&name, most)));
            match reader.map(|_| receiver.recv_timeout(left)) {
                Ok(Ok(bytes)) => bytes,
                Ok(Err(RecvTimeoutError::Timeout)) => return Err(LimitError::Deadline.into()),
                Ok(Err(RecvTimeoutError::Disconnected)) => Err(io::Error::other("the reader is gone")),
                // A file does not take for ever.
                Err(_) if path.is_file() => read_at_most(file, most),
                Err(error) => Err(error),
            }
        }
        None => read_at_most(file, most),
    };
    let bytes = bytes.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::input(format!("there is no file `{file}`")),
        _ => Failure::input(format!("cannot read {}: {}", called(file), reason(&error))),
    })?;
    within(bytes, most, file)
}

/// The bytes, unless there are more than `most`.
fn within(bytes: Vec<u8>, most: usize, file: &str) -> Result<Vec<u8>, Failure> {
    if bytes.len() <= most {
        return Ok(bytes);
    }
    Err(Failure::input(format!("{} has more than {} bytes", called(file), grouped(most as u128)))
        .hint("this much is read at most, and less where `--max-memory` is small"))
}

fn read_at_most(file: &str, most: usize) -> io::Result<Vec<u8>> {
    if file == "-" { at_most(io::stdin().lock(), most) } else { at_most(File::open(file)?, most) }
}

/// One byte more than `most` tells that there are more.
fn at_most(source: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take((most as u64).saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn called(file: &str) -> String {
    if file == "-" { "standard input".to_owned() } else { format!("`{file}`") }
}

fn utf8(file: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1;
        Failure::input(format!(
            "{} is not UTF-8 text: the first bad byte is in line {line}, at byte {at}",
            called(file)
        ))
    })
}
