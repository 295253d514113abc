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
mod results;
mod tournaments;
mod views;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ludex::players::Registry;
use serde::Serialize;
use tokio::sync::watch;

use super::ManagerError;
use super::core::{Core, Threads};
use super::options::ManagerOptions;
use crate::lock::lock;
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
    core: Arc<Core>,
    threads: Mutex<Option<Threads>>,
}

impl Running {
    fn stop(&self, grace: Duration) {
        let threads = lock(&self.threads).take();
        if let Some(mut threads) = threads {
            self.core.stop(&mut threads, grace);
        }
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

impl Manager {
    /// Starts a manager: takes up tournaments where they were, and resumes each match that ran from its
    /// journal, where what was not answered is said once more with a full clock.
    ///
    /// # Errors
    /// [`ManagerError::Store`] where the store cannot be read or written, [`ManagerError::System`] where there
    /// are no threads to be had.
    pub fn start(store: Arc<dyn Store>, options: ManagerOptions) -> Answer<Self> {
        let (core, threads) = Core::start(store, options)?;
        Ok(Self(Arc::new(Running { core, threads: Mutex::new(Some(threads)) })))
    }

    /// A manager that keeps everything in memory.
    #[cfg(test)]
    pub(crate) fn in_memory(options: ManagerOptions) -> Self {
        Self::start(Arc::new(crate::store::SqliteStore::in_memory().unwrap()), options).unwrap()
    }

    fn core(&self) -> &Arc<Core> {
        &self.0.core
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
        Ok(self.core().metrics.write(&self.status()?))
    }

    /// The strategies of built-in players.
    pub fn registry(&self) -> &Registry {
        &self.core().options.registry
    }

    /// Ends: no more matches begin; those that run have so long to end, and are then cut off, to be resumed
    /// when a manager starts on the same store. What would change something answers
    /// [`ManagerError::Stopped`] from now on.
    pub fn shutdown(&self, grace: Duration) {
        self.0.stop(grace);
    }

    /// News that something in a list has changed: games, players, matches, tournaments. The number grows.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.core().changes.subscribe()
    }
}
