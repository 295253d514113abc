//! What can be done with a manager.

mod accounts;
mod analysis;
mod games;
mod going_on;
mod guides;
mod knowledge;
mod matches;
mod outlook;
mod players;
mod ratings;
mod results;
mod tournaments;
mod views;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use ludex::players::Registry;
use serde::Serialize;
use tokio::sync::watch;

use super::ManagerError;
use super::claims::Whereabouts;
use super::core::{Core, Threads};
use super::member::{MemberThread, Membered};
use super::options::ManagerOptions;
use crate::lock::lock;
use crate::model::{MemberKind, MemberNumber, NewMember};
use crate::store::Store;
pub(crate) use analysis::NoAnalysis;
pub(crate) use outlook::{MatchWait, TournamentOutlook, TournamentWait};
pub use views::RecordText;

/// A Game Manager. Clones are the same manager; it ends with the last of them, or by [`Manager::shutdown`].
///
/// All methods may be called from any thread. They block: for the database, and where it is said so for
/// games that have to be prepared first. Asynchronous code calls them where blocking is allowed. The
/// receivers of news do not block.
#[derive(Clone)]
pub struct Manager(Arc<Running>);

/// A manager with its threads, which end with it.
struct Running {
    /// What does all the work; another one after it was taken for dead by others that share the store.
    core: Mutex<Arc<Core>>,
    threads: Mutex<Option<Threads>>,
    stopped: AtomicBool,
    member: Mutex<Option<MemberThread>>,
    registry: Registry,
}

impl Running {
    fn stop(&self, grace: Duration) {
        self.stopped.store(true, Ordering::SeqCst);
        // One that is just beginning anew is waited for.
        let threads = lock(&self.threads).take();
        if let Some(mut threads) = threads {
            let core = Arc::clone(&lock(&self.core));
            core.stop(&mut threads, grace);
        }
        let member = lock(&self.member).take();
        if let Some(member) = member {
            member.leave();
        }
    }

    /// Begins anew under another number, as a server that has just been started. What the one before had, others have.
    fn begin_anew(&self, number: MemberNumber) -> Result<(), ManagerError> {
        let mut own = lock(&self.threads);
        let before = Arc::clone(&lock(&self.core));
        if self.stopped.load(Ordering::SeqCst) {
            return Ok(());
        }
        if let Some(threads) = own.take() {
            before.cut_off(threads);
        }
        let Some(membered) = &before.membered else { return Ok(()) };
        let membered = Membered { number, ..membered.clone() };
        let store = membered.shared.as_member(number);
        let metrics = Arc::clone(&before.metrics);
        let (core, threads) = Core::start(store, before.options.clone(), Some(membered), metrics)?;
        *lock(&self.core) = core;
        *own = Some(threads);
        before.changed();
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop(Duration::ZERO);
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager").finish_non_exhaustive()
    }
}

/// How a manager is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ManagerStatus {
    /// Games in the library.
    pub games: u64,
    /// Players that are not retired.
    pub players: u64,
    /// Matches that run.
    pub running: u64,
    /// Matches that wait, for their time or for room.
    pub waiting: u64,
    /// Matches that were played to the end.
    pub completed: u64,
    /// Matches that ended early.
    pub aborted: u64,
    /// Tournaments that are not over.
    pub tournaments: u64,
    /// Games that are kept ready.
    pub ready_games: u64,
    /// Processes of built-in players.
    pub processes: u64,
    /// Steps of all matches since the manager started.
    pub steps: u64,
    /// What does not work at present, in plain words: the disk is full, a match could not be resumed.
    pub troubles: Vec<String>,
}

/// So many words can be searched for at once.
const MOST_WORDS: usize = 16;

/// Checks what is searched for: each word is a condition of its own.
///
/// # Errors
/// [`ManagerError::Invalid`] where it has too many words.
fn check_search(text: &str) -> Result<(), ManagerError> {
    match text.split_whitespace().nth(MOST_WORDS) {
        Some(_) => Err(ManagerError::Invalid(format!("no more than {MOST_WORDS} words can be searched for"))),
        None => Ok(()),
    }
}

type Answer<T> = Result<T, ManagerError>;

/// How long it takes until it is tried again to begin anew.
const AGAIN: Duration = Duration::from_secs(1);

/// Begins anew each time the server got another number, as long as there is a manager.
fn begin_anew_when_removed(running: &Weak<Running>, numbers: &Receiver<MemberNumber>) {
    while let Ok(mut number) = numbers.recv() {
        loop {
            let Some(running) = running.upgrade() else { return };
            // Only the last one counts.
            while let Ok(later) = numbers.try_recv() {
                number = later;
            }
            match running.begin_anew(number) {
                Ok(()) => break,
                Err(error) => tracing::error!(%error, "the server cannot begin anew"),
            }
            drop(running);
            std::thread::sleep(AGAIN);
        }
    }
}

impl Manager {
    /// Starts a manager: takes up tournaments where they were, and resumes each match that ran from its
    /// journal, where what was not answered is said once more with a full clock.
    ///
    /// # Errors
    /// [`ManagerError::Store`] where the store cannot be read or written, [`ManagerError::System`] where there
    /// are no threads to be had.
    pub fn start(store: Arc<dyn Store>, options: ManagerOptions) -> Answer<Self> {
        let (anew, numbers) = mpsc::channel();
        let registry = options.registry.clone();
        let (membered, member) = match store.shared() {
            None => (None, None),
            Some(shared) => {
                let address = options.sharing.address.clone();
                let release = env!("CARGO_PKG_VERSION").to_owned();
                let about = NewMember { kind: MemberKind::Server, name: address.clone(), address, release };
                let (membered, thread) = MemberThread::start(shared, about, options.sharing.lease, anew)?;
                (Some(membered), Some(thread))
            }
        };
        let store = match &membered {
            Some(membered) => membered.shared.as_member(membered.number),
            None => store,
        };
        let started = Core::start(store, options, membered, Arc::default());
        let (core, threads) = match started {
            Ok(started) => started,
            Err(error) => {
                if let Some(member) = member {
                    member.leave();
                }
                return Err(error);
            }
        };
        let running = Arc::new(Running {
            core: Mutex::new(core),
            threads: Mutex::new(Some(threads)),
            stopped: AtomicBool::new(false),
            member: Mutex::new(member),
            registry,
        });
        let weak = Arc::downgrade(&running);
        let successor = std::thread::Builder::new().name("successor".into());
        successor.spawn(move || begin_anew_when_removed(&weak, &numbers))?;
        Ok(Self(running))
    }

    /// A manager that keeps everything in memory.
    #[cfg(test)]
    pub(crate) fn in_memory(options: ManagerOptions) -> Self {
        Self::start(Arc::new(crate::store::SqliteStore::in_memory().unwrap()), options).unwrap()
    }

    fn core(&self) -> Arc<Core> {
        Arc::clone(&lock(&self.0.core))
    }

    /// How it is: for `/healthz`.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn status(&self) -> Answer<ManagerStatus> {
        let core = self.core();
        let counts = core.store.counts()?;
        Ok(ManagerStatus {
            games: counts.games,
            players: counts.players,
            running: counts.running,
            waiting: counts.planned,
            completed: counts.completed,
            aborted: counts.aborted,
            tournaments: counts.tournaments,
            ready_games: core.games.len() as u64,
            processes: core.registry.processes.len() as u64,
            steps: core.metrics.steps(),
            troubles: core.troubles(),
        })
    }

    /// How it is, in metrics: the text format of Prometheus, in the form of OpenMetrics 1.0. Beside what
    /// [`Manager::status`] says there are histograms of what the manager and its players take, and counters
    /// of what players did wrong.
    ///
    /// # Errors
    /// As [`Manager::status`].
    pub fn metrics(&self) -> Answer<String> {
        self.metrics_with(|_| ())
    }

    /// As [`Manager::metrics`], and what `others` adds.
    pub(crate) fn metrics_with(
        &self,
        others: impl FnOnce(&mut prometheus_client::registry::Registry),
    ) -> Answer<String> {
        let core = self.core();
        let members = core.membered.as_ref().map_or(0, |membered| membered.lease.members().len());
        Ok(core.metrics.write(&self.status()?, (members, core.scheduler.len()), others))
    }

    /// The strategies of built-in players.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Ends: no more matches begin; those that run have so long to end, and are then cut off, to be resumed
    /// when a manager starts on the same store. What would change something answers
    /// [`ManagerError::Stopped`] from now on.
    pub fn shutdown(&self, grace: Duration) {
        self.0.stop(grace);
    }

    /// By what servers that share the store know each other; none where it is not shared.
    pub(crate) fn member_secret(&self) -> Option<Arc<[u8]>> {
        let core = self.core();
        core.membered.as_ref().map(|membered| Arc::clone(&membered.secret))
    }

    /// Whether the server of this number is a member, as far as was heard lately.
    pub(crate) fn has_member(&self, number: u64) -> bool {
        let core = self.core();
        let members = core.membered.as_ref().map(|membered| membered.lease.members());
        members.is_some_and(|members| members.iter().any(|member| member.number.0 == number))
    }

    /// Whether another server that shares the store has this address.
    pub(crate) fn is_address_of_another(&self, address: IpAddr) -> bool {
        let core = self.core();
        core.membered.as_ref().is_some_and(|membered| {
            let is_theirs = |at: &str| at.parse().is_ok_and(|at: SocketAddr| at.ip() == address);
            let members = membered.lease.members();
            members.iter().any(|other| other.number != membered.number && is_theirs(&other.about.address))
        })
    }

    /// Where a match is, where several servers share the store: whoever asks for more than the store tells asks there.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn where_is_match(&self, id: &str) -> Answer<Whereabouts> {
        self.core().where_is_match(id)
    }

    /// Where a tournament is; see [`Manager::where_is_match`].
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn where_is_tournament(&self, id: &str) -> Answer<Whereabouts> {
        self.core().where_is_tournament(id)
    }

    /// News that something in a list has changed: games, players, matches, tournaments. The number grows. A manager that
    /// shares its store ends this when it was taken for dead, and begins anew: then it is asked for again.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.core().changes.subscribe()
    }
}
