//! A journal in a file: one JSON object a line, appended and flushed to the disk.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{Journal, JournalError, JournalLine};
use crate::private;

/// A journal in a file. It is locked against other processes as long as it is open.
///
/// A crash in the middle of a write leaves an unfinished last line; [`FileJournal::open`] cuts it off. It
/// was never said to be written, so nobody was told what is in it.
#[derive(Debug)]
pub struct FileJournal {
    path: PathBuf,
    file: File,
    /// How much of the file is surely there: up to here lines are whole.
    length: u64,
    closed: bool,
    buffer: Vec<u8>,
}

impl FileJournal {
    /// A new file, which others on the machine cannot read: seeds and hidden moves are in it.
    ///
    /// # Errors
    /// [`JournalError::Exists`], [`JournalError::Open`].
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, JournalError> {
        let path = path.into();
        let file = private::open(&path, OpenOptions::new().read(true).append(true).create_new(true));
        let file = match file {
            Ok(file) => file,
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
                return Err(JournalError::Exists { path });
            }
            Err(cause) => return Err(JournalError::Open { path, cause }),
        };
        lock(&file, &path)?;
        // The name of the file has to last as well as what is in it.
        if let Err(cause) = flush_folder(&path) {
            return Err(JournalError::Open { path, cause });
        }
        Ok(Self { path, file, length: 0, closed: false, buffer: Vec::new() })
    }

    /// A file that is there already, and what is in it.
    ///
    /// # Errors
    /// [`JournalError::Open`], [`JournalError::InUse`], [`JournalError::Read`],
    /// [`JournalError::Corrupt`] where a line is broken that was followed by others, and
    /// [`JournalError::Write`] where an unfinished line cannot be cut off.
    pub fn open(path: impl Into<PathBuf>) -> Result<(Self, Vec<JournalLine>), JournalError> {
        let path = path.into();
        let mut file = match OpenOptions::new().read(true).append(true).open(&path) {
            Ok(file) => file,
            Err(cause) => return Err(JournalError::Open { path, cause }),
        };
        // A device may have no end.
        if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            let cause = io::Error::other("not a file that can be read again");
            return Err(JournalError::Open { path, cause });
        }
        lock(&file, &path)?;
        let mut bytes = Vec::new();
        if let Err(cause) = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)) {
            return Err(JournalError::Read { path, cause });
        }
        let (lines, length) = read_lines(&bytes, &path)?;
        if length < bytes.len()
            && let Err(cause) = file.set_len(length as u64).and_then(|()| file.sync_data())
        {
            return Err(JournalError::Write { path, cause });
        }
        Ok((Self { path, file, length: length as u64, closed: false, buffer: Vec::new() }, lines))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self) -> Result<(), JournalError> {
        if let Err(cause) = self.file.write_all(&self.buffer) {
            // What got through of it must not stand before what is written next.
            if self.file.set_len(self.length).is_err() {
                self.closed = true;
            }
            return Err(JournalError::Write { path: self.path.clone(), cause });
        }
        if let Err(cause) = self.file.sync_data() {
            // The system may have thrown away what it could not write, and say of the next flush that all
            // is well.
            self.closed = true;
            let _ = self.file.set_len(self.length);
            return Err(JournalError::Write { path: self.path.clone(), cause });
        }
        self.length += self.buffer.len() as u64;
        Ok(())
    }
}

impl Journal for FileJournal {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        if self.closed {
            return Err(JournalError::Closed { path: self.path.clone() });
        }
        self.buffer.clear();
        for line in lines {
            serde_json::to_writer(&mut self.buffer, line)?;
            self.buffer.push(b'\n');
        }
        if self.buffer.is_empty() { Ok(()) } else { self.write() }
    }
}

/// A lock is tried so often, after a pause each time: a program that is just being started by somebody who had
/// the file open holds it for a moment, too.
const TRIES: u32 = 20;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(10);

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    let path = path.to_owned();
    for _ in 0..TRIES {
        if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse { path }),
        // Some network drives know no locks: there the user has to take care.
        Err(TryLockError::Error(cause)) if cause.kind() == ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(cause)) => Err(JournalError::Open { path, cause }),
    }
}

/// Makes the entry of a file in its folder durable. Only Unix opens folders.
fn flush_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

/// The lines of a file, and how many of its bytes they are. A last line that is not whole is left out.
fn read_lines(bytes: &[u8], path: &Path) -> Result<(Vec<JournalLine>, usize), JournalError> {
    let (mut lines, mut length) = (Vec::new(), 0);
    for (number, text) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_last = length + text.len() == bytes.len();
        if !text.ends_with(b"\n") {
            break;
        }
        match serde_json::from_slice(text) {
            Ok(line) => lines.push(line),
            Err(_) if is_last => break,
            Err(error) => {
                let what = format!("not an entry of a journal: {error}");
                return Err(JournalError::Corrupt { path: path.to_owned(), line: number + 1, what });
            }
        }
        length += text.len();
    }
    Ok((lines, length))
}

#[cfg(test)]
mod tests {
    use ludex::matches::referee::{Entry, EntryNumber};

    use super::super::KeptEntry;
    use super::*;

    fn line(number: u64) -> JournalLine {
        let entry = Entry::Stepped {
            joint: vec!["(mark 1 1)".into(), "noop".into()],
            faults: vec![None, Some(ludex::Fault::Failed("no connection".into()))],
            times: vec![Some(12), None],
            at: Some(1_800_000_000_000 + number),
            last: false,
        };
        let entry = KeptEntry::of(&entry).unwrap();
        JournalLine { match_id: "m1".into(), number: EntryNumber(number), entry }
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.jsonl");
        (folder, path)
    }

    #[test]
    fn what_was_written_is_read_again() {
        let (_folder, path) = place();
        let mut journal = FileJournal::create(&path).unwrap();
        journal.append(&[line(0), line(1)]).unwrap();
        journal.append(&[]).unwrap();
        drop(journal);
        let (mut journal, lines) = FileJournal::open(&path).unwrap();
        assert_eq!(lines, [line(0), line(1)]);
        journal.append(&[line(2)]).unwrap();
        drop(journal);
        assert_eq!(FileJournal::open(&path).unwrap().1, [line(0), line(1), line(2)]);
    }

    #[test]
    fn a_new_journal_does_not_replace_an_old_one() {
        let (_folder, path) = place();
        drop(FileJournal::create(&path).unwrap());
        assert!(matches!(FileJournal::create(&path), Err(JournalError::Exists { .. })));
        let missing = path.with_extension("other");
        let error = FileJournal::open(&missing).unwrap_err().to_string();
        assert!(error.ends_with("match.other`: no such file or directory"), "{error}");
    }

    #[test]
    fn two_do_not_write_to_one_file() {
        let (_folder, path) = place();
        let _first = FileJournal::create(&path).unwrap();
        assert!(matches!(FileJournal::open(&path), Err(JournalError::InUse { .. })));
    }

    #[test]
    fn a_crash_at_any_byte_loses_only_the_line_under_way() {
        let (_folder, path) = place();
        FileJournal::create(&path).unwrap().append(&[line(0), line(1), line(2)]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = (1..=whole.len()).filter(|&end| whole[end - 1] == b'\n').collect();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, lines) = FileJournal::open(&path).unwrap();
            let kept = ends.iter().filter(|&&end| end <= length).count();
            assert_eq!(lines.len(), kept, "cut at {length}");
            journal.append(&[line(kept as u64)]).unwrap();
            drop(journal);
            let (_, lines) = FileJournal::open(&path).unwrap();
            assert_eq!(lines.len(), kept + 1, "goes on after a cut at {length}");
        }
    }

    #[test]
    fn a_last_line_of_rubbish_is_cut_off_and_one_in_the_middle_is_not() {
        let (_folder, path) = place();
        FileJournal::create(&path).unwrap().append(&[line(0)]).unwrap();
        let good = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&good[..], &[0; 40], b"\n"].concat()).unwrap();
        assert_eq!(FileJournal::open(&path).unwrap().1.len(), 1);
        assert_eq!(std::fs::read(&path).unwrap(), good);
        std::fs::write(&path, [&good[..], b"{}\n", &good].concat()).unwrap();
        let error = FileJournal::open(&path).unwrap_err();
        assert!(matches!(error, JournalError::Corrupt { line: 2, .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_no_journal() {
        for path in ["/dev/zero", "/"] {
            assert!(matches!(FileJournal::open(path), Err(JournalError::Open { .. })), "{path}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_in_plain_words() {
        let path = PathBuf::from("/dev/full");
        let file = OpenOptions::new().append(true).open(&path).unwrap();
        let mut journal = FileJournal { path, file, length: 0, closed: false, buffer: Vec::new() };
        let error = journal.append(&[line(0)]).unwrap_err().to_string();
        assert_eq!(error, "cannot write to the journal `/dev/full`: no space left on device");
        // A device cannot be cut off, so what is in it is in doubt.
        assert!(matches!(journal.append(&[line(0)]), Err(JournalError::Closed { .. })));
    }
}
