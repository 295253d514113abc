//! The connections to a database: one that writes, some that read, and those of members. One that is lost is made again
//! when it is needed.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use postgres::NoTls;

use super::connection::{Connection, values};
use super::fault::{Fault, unreachable};
use super::schema;
use super::{PostgresAddress, PostgresOptions, news};
use crate::lock::lock;
use crate::model::{MemberNumber, StoreError};
use crate::store::Purpose;

/// The connections to a database.
#[derive(Debug)]
pub(in crate::store) struct Connections {
    address: PostgresAddress,
    options: PostgresOptions,
    readers: Vec<Slot>,
    next: AtomicUsize,
    /// For who watches over the server, and nobody else.
    watcher: Slot,
    /// For what members say of themselves, which waits for nothing else, and for what they hear.
    keeper: Slot,
    listener: Slot,
    writer: Mutex<Writer>,
}

/// A place for a connection; empty where it was lost, or was not needed yet.
type Slot = Mutex<Option<Connection>>;

/// The connection that writes. It holds the lock of its purpose: servers share the tables, and while they are copied
/// nobody else has them.
#[derive(Debug)]
struct Writer {
    connection: Option<Connection>,
    /// The last connection, as the database knows it: where this side lost it first, it may still be there.
    session: Option<Session>,
    purpose: Purpose,
}

/// A connection as the database knows it.
#[derive(Clone, Debug)]
struct Session {
    process: i64,
    began: String,
}

/// When what is written is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flush {
    /// When the transaction is over.
    Now,
    /// With the next transaction that is flushed, or soon after. The log of the database is written in order, so that a
    /// power cut never takes a transaction and leaves a later one.
    Later,
}

/// So long a transaction may wait for this side at least.
const IDLE: Duration = Duration::from_secs(5);
/// So long is waited for what a member asks at least.
const SOON: Duration = Duration::from_millis(500);

/// How often a lock is tried, and a server that is not there.
const PAUSE: Duration = Duration::from_millis(20);

impl Connections {
    pub(super) fn open(
        address: &PostgresAddress,
        options: &PostgresOptions,
        purpose: Purpose,
    ) -> Result<Self, StoreError> {
        let slot = || Mutex::new(None);
        let connections = Self {
            address: address.clone(),
            options: *options,
            readers: (0..options.readers.max(1)).map(|_| slot()).collect(),
            next: AtomicUsize::new(0),
            watcher: slot(),
            keeper: slot(),
            listener: slot(),
            writer: Mutex::new(Writer { connection: None, session: None, purpose }),
        };
        if address.is_remote() {
            tracing::warn!("the connection to the database goes over a network without TLS");
        }
        let opened = aside(|| connections.begin(), |error| Fault::Store(no_thread(error, address.place())));
        opened.map_err(|fault| fault.told(address.place()))?;
        Ok(connections)
    }

    /// Makes the first connection.
    fn begin(&self) -> Result<(), Fault> {
        let mut writer = lock(&self.writer);
        self.writing(&mut writer).and_then(|connection| {
            if connection.run_and_ask("SHOW fsync")?.as_deref() == Some("off") {
                tracing::warn!(
                    "the database does not flush to the disk (fsync = off): a power cut can damage it"
                );
            }
            Ok(())
        })
    }

    pub(super) fn place(&self) -> &Path {
        self.address.place()
    }

    /// Reads. The question is asked once more where the connection was lost.
    pub(in crate::store) fn read<T>(
        &self,
        question: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Result<T, StoreError>
    where
        T: Send,
    {
        aside(|| self.ask(self.reader(), question), |error| no_thread(error, self.place()))
    }

    /// Reads for who watches over the server: it waits for no other who reads.
    pub(super) fn watch<T>(
        &self,
        question: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Result<T, StoreError>
    where
        T: Send,
    {
        aside(|| self.ask(lock(&self.watcher), question), |error| no_thread(error, self.place()))
    }

    /// Asks for a member, on a connection that is for that alone. What is asked may write, in one statement.
    pub(super) fn keep<T>(
        &self,
        question: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Result<T, StoreError>
    where
        T: Send,
    {
        let ask = move || {
            let mut slot = lock(&self.keeper);
            let connection = match &mut *slot {
                Some(connection) => connection,
                slot => slot.insert(self.keeping_connection()?),
            };
            let answer = question(connection);
            if answer.as_ref().is_err_and(Fault::is_loss) {
                *slot = None;
            }
            answer
        };
        let asked = move || ask().map_err(|fault: Fault| fault.told(self.place()));
        aside(asked, |error| no_thread(error, self.place()))
    }

    /// Hears what members tell each other; `None` where the connection was made by this, and something may have been
    /// missed.
    pub(super) fn listen<T>(
        &self,
        hear: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Result<Option<T>, StoreError>
    where
        T: Send,
    {
        let listen = move || {
            let mut slot = lock(&self.listener);
            let Some(connection) = &mut *slot else {
                let mut connection = self.reading_connection()?;
                news::listen(&mut connection)?;
                *slot = Some(connection);
                return Ok(None);
            };
            let heard = hear(connection);
            if heard.is_err() {
                *slot = None;
            }
            heard.map(Some)
        };
        let heard = move || listen().map_err(|fault: Fault| fault.told(self.place()));
        aside(heard, |error| no_thread(error, self.place()))
    }

    fn ask<T>(
        &self,
        mut slot: MutexGuard<'_, Option<Connection>>,
        question: impl Fn(&mut Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let was_there = slot.is_some();
        let first = self.ask_once(&mut slot, &question);
        match first {
            Err(fault) if fault.is_loss() && was_there => self.ask_once(&mut slot, &question),
            first => first,
        }
        .map_err(|fault| fault.told(self.place()))
    }

    fn ask_once<T>(
        &self,
        slot: &mut Option<Connection>,
        question: &impl Fn(&mut Connection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let connection = match slot {
            Some(connection) => connection,
            None => slot.insert(self.reading_connection()?),
        };
        let answer = question(connection);
        if answer.as_ref().is_err_and(Fault::is_loss) {
            *slot = None;
        }
        answer
    }

    /// Writes all of it or nothing; what is written is on the disk when this comes back. What was begun when the
    /// connection was lost is done again.
    pub(in crate::store) fn write<T>(
        &self,
        member: Option<MemberNumber>,
        work: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Result<T, StoreError>
    where
        T: Send,
    {
        aside(|| self.write_with(member, Flush::Now, work), |error| no_thread(error, self.place()))
    }

    /// Writes all of it or nothing, in order with all else; a power cut may take it as long as nothing is
    /// written after it. For what could be found out again.
    pub(in crate::store) fn write_lazily<T>(
        &self,
        member: Option<MemberNumber>,
        work: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Result<T, StoreError>
    where
        T: Send,
    {
        aside(|| self.write_with(member, Flush::Later, work), |error| no_thread(error, self.place()))
    }

    fn write_with<T>(
        &self,
        member: Option<MemberNumber>,
        flush: Flush,
        work: impl Fn(&mut Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let mut writer = lock(&self.writer);
        let was_there = writer.connection.is_some();
        let first = self.write_once(&mut writer, member, flush, &work);
        match first {
            Err(fault) if fault.is_loss() && was_there => self.write_once(&mut writer, member, flush, &work),
            first => first,
        }
        .map_err(|fault| fault.told(self.place()))
    }

    /// Writes in one transaction. Where it fails, nothing was written, unless it says that nobody knows. A member holds
    /// its row meanwhile: whoever removes it waits, and when it was removed, it does not write.
    fn write_once<T>(
        &self,
        writer: &mut Writer,
        member: Option<MemberNumber>,
        flush: Flush,
        work: &impl Fn(&mut Connection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let connection = self.writing(writer)?;
        let lazily = if flush == Flush::Later { "SET LOCAL synchronous_commit = off;" } else { "" };
        let fence = member.map_or_else(String::new, |MemberNumber(number)| {
            format!("FROM members WHERE number = {number} FOR KEY SHARE")
        });
        let begin = format!("BEGIN; {lazily} SELECT pg_current_xact_id() {fence}");
        connection.member = member;
        let done = connection.run_and_ask(&begin).and_then(|number| match number {
            None => Err(StoreError::Superseded { path: self.place().to_owned() }.into()),
            number => Ok((work(connection)?, number)),
        });
        let (answer, number) = match done {
            Ok(done) => done,
            Err(fault) => {
                if fault.is_loss() || connection.run("ROLLBACK").is_err() {
                    writer.connection = None;
                }
                return Err(fault);
            }
        };
        match connection.run("COMMIT") {
            Ok(()) => Ok(answer),
            Err(fault) if !fault.is_loss() => {
                writer.connection = None;
                Err(fault)
            }
            Err(fault) => {
                writer.connection = None;
                if self.was_kept(writer, number.as_deref())? { Ok(answer) } else { Err(fault) }
            }
        }
    }

    /// Whether a transaction was kept, of which the connection was lost when it was to end.
    fn was_kept(&self, writer: &mut Writer, number: Option<&str>) -> Result<bool, Fault> {
        let in_doubt = || Fault::from(StoreError::InDoubt { path: self.place().to_owned() });
        let number: u64 = number.and_then(|number| number.parse().ok()).ok_or_else(in_doubt)?;
        let sql = format!("SELECT pg_xact_status('{number}'::xid8)");
        let mut waited = Duration::ZERO;
        while waited < self.options.patience {
            // The old connection is gone when the new one has the lock, and with it what it was at.
            match self.writing(writer).and_then(|connection| connection.run_and_ask(&sql)) {
                Ok(Some(status)) if status == "committed" => return Ok(true),
                Ok(Some(status)) if status == "aborted" => return Ok(false),
                Ok(None) => return Err(in_doubt()),
                Ok(Some(_)) => {}
                Err(Fault::Sql(_) | Fault::Store(StoreError::Unreachable { .. })) => writer.connection = None,
                Err(_) => return Err(in_doubt()),
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
        Err(in_doubt())
    }

    /// A connection that reads, one that nobody uses if there is one.
    fn reader(&self) -> MutexGuard<'_, Option<Connection>> {
        if let Some(free) = self.readers.iter().find_map(|reader| reader.try_lock().ok()) {
            return free;
        }
        let next = self.next.fetch_add(1, Ordering::Relaxed) % self.readers.len();
        lock(&self.readers[next])
    }

    fn connect(&self) -> Result<Connection, Fault> {
        let mut config = self.address.config().clone();
        config.connect_timeout(self.options.patience);
        let client = config.connect(NoTls).map_err(|error| unreachable(&error, self.place()))?;
        let mut connection = Connection::new(client);
        let PostgresOptions { patience, question, .. } = self.options;
        // Who stops in the middle of a transaction holds nobody up for long.
        connection.run(&format!(
            "SET client_min_messages = warning; SET lock_timeout = {}; SET statement_timeout = {};
             SET idle_in_transaction_session_timeout = {};",
            patience.as_millis(),
            question.as_millis(),
            patience.max(IDLE).as_millis(),
        ))?;
        Ok(connection)
    }

    /// A connection for what members say of themselves: it is given up soon, so that it is tried again in time.
    fn keeping_connection(&self) -> Result<Connection, Fault> {
        let soon = (self.options.patience / 5).max(SOON);
        let mut config = self.address.config().clone();
        config.connect_timeout(soon).tcp_user_timeout(soon);
        let client = config.connect(NoTls).map_err(|error| unreachable(&error, self.place()))?;
        let mut connection = Connection::new(client);
        connection.run(&format!(
            "SET client_min_messages = warning; SET lock_timeout = {}; SET statement_timeout = {};
             SET synchronous_commit = on",
            soon.as_millis(),
            (soon * 2).as_millis(),
        ))?;
        Ok(connection)
    }

    fn reading_connection(&self) -> Result<Connection, Fault> {
        let mut connection = self.connect()?;
        connection.run("SET default_transaction_read_only = on")?;
        Ok(connection)
    }

    /// The connection that writes, made again where it was lost.
    fn writing<'a>(&self, writer: &'a mut Writer) -> Result<&'a mut Connection, Fault> {
        if writer.connection.is_none() {
            let mut connection = self.connect()?;
            schema::is_usable(&mut connection, self.place())?;
            self.end_lost(&mut connection, writer.session.as_ref())?;
            self.take_lock(&mut connection, writer.purpose)?;
            // What is kept is flushed even where the database was told not to.
            let flush = "SELECT set_config('synchronous_commit', 'on', false)
                         WHERE current_setting('synchronous_commit') = 'off'";
            connection.run(flush)?;
            schema::bring_up_to_date(&mut connection, self.place(), writer.purpose)?;
            if writer.purpose != Purpose::Use {
                self.wait_for_no_members(&mut connection)?;
            }
            writer.session = Some(session(&mut connection)?);
            return Ok(writer.connection.insert(connection));
        }
        writer.connection.as_mut().ok_or_else(|| self.in_use().into())
    }

    fn in_use(&self) -> StoreError {
        StoreError::InUse { path: self.place().to_owned() }
    }

    /// Locks the tables as long as the connection lives: servers share them; to be copied they have to be nobody's. Who
    /// is just ending is waited for.
    fn take_lock(&self, connection: &mut Connection, purpose: Purpose) -> Result<(), Fault> {
        let how = if purpose == Purpose::Use { "_shared" } else { "" };
        let sql = format!("SELECT pg_try_advisory_lock{how}({LOCK})");
        let mut waited = Duration::ZERO;
        while connection.value::<bool>(&sql, &[])? != Some(true) {
            if waited >= self.options.patience {
                return Err(self.in_use().into());
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
        Ok(())
    }

    /// What is copied is nobody's: a server that was lost is, when its lease has run out.
    fn wait_for_no_members(&self, connection: &mut Connection) -> Result<(), Fault> {
        let mut waited = Duration::ZERO;
        while schema::has_members(connection)? {
            if waited >= self.options.patience {
                return Err(self.in_use().into());
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
        Ok(())
    }

    /// Ends a connection that this side has lost, and waits until it is gone with what it was at.
    fn end_lost(&self, connection: &mut Connection, lost: Option<&Session>) -> Result<(), Fault> {
        let Some(Session { process, began }) = lost else { return Ok(()) };
        let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                   WHERE pid = $1::bigint AND backend_start::text = $2::text";
        let mut waited = Duration::ZERO;
        while connection.number(sql, values![*process, began])? > 0 {
            if waited >= self.options.patience {
                return Err(self.in_use().into());
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
        Ok(())
    }
}

/// Does something that waits for the database. The thread of a runtime may not wait for the runtime of a connection; so
/// where there is one, another thread does.
fn aside<T: Send, E: Send>(
    work: impl FnOnce() -> Result<T, E> + Send,
    no_thread: impl FnOnce(std::io::Error) -> E,
) -> Result<T, E> {
    if tokio::runtime::Handle::try_current().is_err() {
        return work();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("database".into()).spawn_scoped(scope, work);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(no_thread(error)),
        }
    })
}

/// The system has no thread to give.
fn no_thread(error: std::io::Error, place: &Path) -> StoreError {
    StoreError::Other { path: place.to_owned(), cause: error.to_string() }
}

/// The lock of the schema in which the tables are; `Ludx` tells it from the locks of others.
const LOCK: &str = "(SELECT (1282761848::bigint << 32) | oid::bigint FROM pg_namespace
                     WHERE nspname = current_schema())";

fn session(connection: &mut Connection) -> Result<Session, Fault> {
    let sql = "SELECT pid::bigint, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()";
    let row = connection.row(sql, &[])?;
    let row = row.ok_or_else(|| Fault::not_found("connection", "of this server"))?;
    Ok(Session { process: super::connection::get(&row, 0)?, began: super::connection::get(&row, 1)? })
}

/// A connection ends with messages to the server, for which a thread is needed that does nothing else.
impl Drop for Connections {
    fn drop(&mut self) {
        let slots = self.readers.iter_mut().chain([&mut self.watcher, &mut self.keeper, &mut self.listener]);
        let mut open: Vec<Connection> =
            slots.filter_map(|slot| slot.get_mut().ok().and_then(Option::take)).collect();
        open.extend(self.writer.get_mut().ok().and_then(|writer| writer.connection.take()));
        let thread = std::thread::Builder::new().name("farewell".into()).spawn(move || drop(open));
        if let Ok(thread) = thread {
            // Nothing can be lost with it.
            let _ = thread.join();
        }
    }
}
