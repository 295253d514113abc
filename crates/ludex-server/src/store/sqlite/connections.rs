//! The connections to a database: one that writes, some that read.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use rusqlite_migration::{Error as MigrationError, MigrationDefinitionError};

use super::SqliteOptions;
use super::checkpoints::Checkpoints;
use super::fault::{Fault, at_limit};
use super::schema::{APPLICATION, INCOMPLETE, migrations};
use crate::lock::lock;
use crate::model::StoreError;
use crate::private;
use crate::store::Purpose;
use crate::store::values::integer;

/// The name of the database in its folder, and of the file that locks it.
const DATABASE: &str = "ludex.db";
const LOCK: &str = "ludex.lock";

/// The connections to a database.
#[derive(Debug)]
pub(in crate::store) struct Connections {
    path: PathBuf,
    /// None in memory.
    checkpoints: Option<Checkpoints>,
    /// None in memory, where the writer reads.
    readers: Vec<Mutex<Connection>>,
    next: AtomicUsize,
    /// For who watches over the server, and nobody else; none in memory.
    watcher: Option<Mutex<Connection>>,
    /// Closed last: whoever is the last and may write brings all of the log to its place.
    writer: Mutex<Writer>,
    /// Locked as long as this lives.
    _lock: Option<File>,
}

/// The connection that writes.
#[derive(Debug)]
struct Writer {
    connection: Connection,
    flush: Flush,
}

/// When what is written is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flush {
    /// When the transaction is over.
    Now,
    /// With the next transaction that is flushed. The write-ahead log is written in order, so that a power cut
    /// never takes a transaction and leaves a later one.
    Later,
}

impl Writer {
    fn new(connection: Connection) -> Mutex<Self> {
        Mutex::new(Self { connection, flush: Flush::Now })
    }

    fn set_flush(&mut self, flush: Flush) -> rusqlite::Result<()> {
        if self.flush != flush {
            let level = if flush == Flush::Now { "full" } else { "normal" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.flush = flush;
        }
        Ok(())
    }
}

impl Connections {
    pub(super) fn open(folder: &Path, options: &SqliteOptions, purpose: Purpose) -> Result<Self, StoreError> {
        let failed = |cause: io::Error| StoreError::Folder { path: folder.to_owned(), cause };
        if purpose == Purpose::Source && !folder.join(DATABASE).exists() {
            return Err(StoreError::NotFound { what: "store", name: folder.display().to_string() });
        }
        private::make_folder(folder).map_err(failed)?;
        is_private(folder)?;
        let lock = lock_folder(folder, options.patience)?;
        let path = folder.join(DATABASE);
        let told = |fault: Fault| fault.told(&path);
        private::make_file(&path).map_err(|cause| match cause.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly { path: path.clone() }
            }
            _ => failed(cause),
        })?;
        let writer = open_writer(&path, options, purpose).map_err(told)?;
        let reader = || open_reader(&path, options).map(Mutex::new).map_err(|error| told(error.into()));
        let readers = (0..options.readers.max(1)).map(|_| reader()).collect::<Result<_, _>>()?;
        let watcher = Some(reader()?);
        let checkpoints = Some(Checkpoints::begin(open_checkpointer(&path).map_err(told)?));
        let (writer, next) = (Writer::new(writer), AtomicUsize::new(0));
        Ok(Self { path, writer, checkpoints, readers, next, watcher, _lock: Some(lock) })
    }

    pub(super) fn in_memory() -> Result<Self, StoreError> {
        let path = PathBuf::from(":memory:");
        let opened = Connection::open_in_memory().map_err(Fault::from);
        let opened = opened.and_then(|mut connection| {
            connection.pragma_update(None, "foreign_keys", true)?;
            migrate(&mut connection, &path, Purpose::Use)?;
            Ok(connection)
        });
        let writer = Writer::new(opened.map_err(|fault| fault.told(&path))?);
        let (readers, next) = (Vec::new(), AtomicUsize::new(0));
        Ok(Self { path, writer, checkpoints: None, readers, next, watcher: None, _lock: None })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads.
    pub(in crate::store) fn read<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.ask(self.reader(), question)
    }

    /// Reads for who watches over the server: it waits for no other who reads.
    pub(super) fn watch<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.ask(self.watcher.as_ref().map(lock), question)
    }

    /// How many read.
    #[cfg(test)]
    pub(super) fn reading(&self) -> usize {
        self.readers.iter().filter(|reader| reader.try_lock().is_err()).count()
    }

    fn ask<T>(
        &self,
        connection: Option<MutexGuard<'_, Connection>>,
        question: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let answer = match connection {
            Some(connection) => question(&connection),
            None => question(&lock(&self.writer).connection),
        };
        answer.map_err(|fault| fault.told(&self.path))
    }

    /// Writes all of it or nothing; what is written is on the disk when this comes back.
    pub(in crate::store) fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.write_with(Flush::Now, work)
    }

    /// Writes all of it or nothing, in order with all else; a power cut may take it as long as nothing is
    /// written after it. For what could be found out again.
    pub(in crate::store) fn write_lazily<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.write_with(Flush::Later, work)
    }

    /// Whether something can be written: the number of the schema is written as it is, and there is room for the
    /// files to grow.
    pub(super) fn try_writing(&self) -> Result<(), StoreError> {
        self.write_lazily(|connection| {
            let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            Ok(connection.pragma_update(None, "user_version", version)?)
        })?;
        match at_limit(&self.path) {
            Some(limit) => Err(StoreError::TooLarge { path: self.path.clone(), limit }),
            None => Ok(()),
        }
    }

    fn write_with<T>(
        &self,
        flush: Flush,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let mut writer = lock(&self.writer);
        let done = (|| {
            writer.set_flush(flush)?;
            let transaction = writer.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let answer = work(&transaction)?;
            transaction.commit()?;
            Ok(answer)
        })();
        drop(writer);
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.count();
        }
        done.map_err(|fault: Fault| fault.told(&self.path))
    }

    /// A connection that reads, one that nobody uses if there is one; `None` in memory.
    fn reader(&self) -> Option<MutexGuard<'_, Connection>> {
        if let Some(free) = self.readers.iter().find_map(|reader| reader.try_lock().ok()) {
            return Some(free);
        }
        let next = self.next.fetch_add(1, Ordering::Relaxed).checked_rem(self.readers.len())?;
        self.readers.get(next).map(lock)
    }
}

/// How often a lock is tried.
const PAUSE: Duration = Duration::from_millis(10);

/// That nobody else on this machine has a right to the folder or to what lies in it.
fn is_private(folder: &Path) -> Result<(), StoreError> {
    let log = [format!("{DATABASE}-wal"), format!("{DATABASE}-shm"), format!("{DATABASE}-journal")];
    let mut paths = vec![folder.to_owned(), folder.join(DATABASE), folder.join(LOCK)];
    paths.extend(log.iter().map(|name| folder.join(name)));
    match private::open_to_others(&paths) {
        Some(path) => Err(StoreError::NotPrivate { path, folder: folder.to_owned() }),
        None => Ok(()),
    }
}

/// Locks the folder against other managers. One that is just ending is waited for.
fn lock_folder(folder: &Path, patience: Duration) -> Result<File, StoreError> {
    let failed = |cause: io::Error| StoreError::Folder { path: folder.to_owned(), cause };
    let file = private::open(&folder.join(LOCK), OpenOptions::new().create(true).truncate(false).write(true));
    let file = file.map_err(failed)?;
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if waited < patience => {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse { path: folder.to_owned() }),
            // Some network drives know no locks: there the user has to take care.
            Err(TryLockError::Error(cause)) if cause.kind() == ErrorKind::Unsupported => return Ok(file),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
    }
}

fn open_writer(path: &Path, options: &SqliteOptions, purpose: Purpose) -> Result<Connection, Fault> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(options.patience)?;
    is_usable(&connection, path, purpose)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // In a write-ahead log, FULL flushes each transaction; NORMAL would lose the last ones in a power cut.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Checkpoints are made elsewhere; here only where that one cannot follow.
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    if let Some(bytes) = options.most_bytes {
        let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let pages = integer(bytes) / page.max(1);
        connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
    }
    migrate(&mut connection, path, purpose)?;
    Ok(connection)
}

/// The write-ahead log may grow to so many pages before the writer itself makes a checkpoint.
const CHECKPOINT_PAGES: i64 = 16_000;

fn open_checkpointer(path: &Path) -> Result<Connection, Fault> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "synchronous", "full")?;
    Ok(connection)
}

fn open_reader(path: &Path, options: &SqliteOptions) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(options.patience)?;
    Ok(connection)
}

/// That a file which is not empty was made by Ludex, and can be used for this.
fn is_usable(connection: &Connection, path: &Path, purpose: Purpose) -> Result<(), Fault> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let count = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    if count("SELECT count(*) FROM sqlite_master")? == 0 {
        return Ok(());
    }
    let (application, path) = (number("application_id")?, path.to_owned());
    if application == i64::from(INCOMPLETE) {
        return match purpose {
            Purpose::Target => Ok(()),
            Purpose::Use | Purpose::Source => Err(StoreError::Incomplete { path }.into()),
        };
    }
    if application != i64::from(APPLICATION) {
        return Err(StoreError::NotADatabase { path }.into());
    }
    let kept = "SELECT EXISTS (SELECT 1 FROM games) OR EXISTS (SELECT 1 FROM players)
                OR EXISTS (SELECT 1 FROM matches) OR EXISTS (SELECT 1 FROM tournaments)
                OR EXISTS (SELECT 1 FROM entries)";
    if purpose == Purpose::Target && count(kept)? > 0 {
        return Err(StoreError::NotEmpty { path }.into());
    }
    Ok(())
}

/// Before this version of the tables, keys of seats were kept as they are.
const KEYS_IN_CLEAR: i64 = 3;

/// Writes the whole database again, and empties its log: what was in it before is in neither any more.
fn forget(connection: &Connection) -> Result<(), Fault> {
    connection.execute_batch("VACUUM")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

fn migrate(connection: &mut Connection, path: &Path, purpose: Purpose) -> Result<(), Fault> {
    let application = if purpose == Purpose::Target { INCOMPLETE } else { APPLICATION };
    connection.pragma_update(None, "application_id", application)?;
    let before: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match migrations().to_latest(connection) {
        Ok(()) if (1..KEYS_IN_CLEAR).contains(&before) => forget(connection),
        Ok(()) => Ok(()),
        Err(MigrationError::MigrationDefinition(MigrationDefinitionError::DatabaseTooFarAhead)) => {
            Err(StoreError::Newer { path: path.to_owned() }.into())
        }
        Err(MigrationError::RusqliteError { err, .. }) => Err(err.into()),
        Err(error) => Err(StoreError::Other { path: path.to_owned(), cause: error.to_string() }.into()),
    }
}
