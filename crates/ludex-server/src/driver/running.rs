//! Runs matches.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use ludex::matches::Settlement;
use ludex::matches::referee::{Event, Referee};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::clock::DriverClock;
use super::correspondent::Correspondent;
use super::match_referee::MatchReferee;
use super::match_task::{MatchTask, News, WatchedReferee};
use super::turns::{GameTurns, Turns};
use crate::journal::{Journal, JournalError, JournalWriter};

/// How much a driver does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverOptions {
    /// How many seats have running matches. A match waits before it begins until there is room, because
    /// nobody is to wait in the middle of a match. In steps, a seat has a connection at
    /// most, so this is also a limit on connections; in real time, some more.
    pub seats: u32,
    /// How many referees work things out at the same time: of one game no more than half of them. As many threads
    /// look up names of hosts and wait for players to start.
    pub workers: usize,
}

impl Default for DriverOptions {
    fn default() -> Self {
        Self { seats: 512, workers: 256 }
    }
}

/// Where the referees of a game work.
#[derive(Clone)]
pub(super) struct Referees {
    turns: GameTurns,
    threads: Handle,
}

impl Referees {
    /// Has work done as soon as it is its turn.
    pub(super) fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> tokio::task::JoinHandle<Result<T, tokio::task::JoinError>> {
        tokio::spawn(async move {
            let turn = self.turns.take().await;
            // The turn lasts as long as the work, also where nobody waits for it any more.
            let work = move || {
                let done = work();
                turn.end();
                done
            };
            self.threads.spawn_blocking(work).await
        })
    }
}

/// A match to run.
pub struct MatchJob<R = Referee> {
    /// The referee, new or resumed.
    pub referee: R,
    /// Who has each seat.
    pub players: Vec<Arc<dyn Correspondent>>,
    /// Who watches.
    pub watcher: Box<dyn Watcher<R>>,
}

/// Somebody who watches a match from where the referee is.
pub trait Watcher<R = Referee>: Send {
    /// The referee is about to hear something. This is called on the referee's thread, before it works.
    fn works(&mut self) {}

    /// The referee has heard something, and has maybe done something about it. This is called on the
    /// referee's thread, and keeps the match waiting.
    fn changed(&mut self, referee: &R);
}

/// Told of each message that goes out how long after it was due that is: after the referee's match heard of
/// the last thing that the message waited for. It is called on the thread of the network, so it must be quick.
pub type SendWatch = Arc<dyn Fn(Duration) + Send + Sync>;

/// Nobody watches.
impl<R> Watcher<R> for () {
    fn changed(&mut self, _: &R) {}
}

/// Why a match did not end as matches do. Nobody was told anything that is not in the journal.
#[derive(Debug, thiserror::Error)]
pub enum MatchFailure {
    /// The journal cannot be written, not even that the match is over. What is in it can be resumed.
    #[error(transparent)]
    Journal(#[from] Arc<JournalError>),
    /// The referee failed. This is an error of the program.
    #[error("the referee failed")]
    Panicked,
    /// The driver was stopped. The match can be resumed from its journal.
    #[error("the match was cut off")]
    Stopped,
}

/// Runs matches, as many as there is room for. When it goes, running matches are cut off as in a power
/// cut; whoever does not want that waits for them.
pub struct Driver {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    network: Option<JoinHandle<()>>,
    /// Whose threads the referees work on, apart from all else that blocks.
    workers: Option<Runtime>,
    turns: Turns,
    journal: Arc<JournalWriter>,
    clock: DriverClock,
    room: Arc<Semaphore>,
    seats: u32,
    sends: Option<SendWatch>,
}

impl Driver {
    /// Starts the threads. What is to last goes to `journal`.
    ///
    /// # Errors
    /// What the system says where there are no threads to be had.
    pub fn start(journal: Box<dyn Journal>, options: DriverOptions) -> std::io::Result<Self> {
        let journal = Arc::new(JournalWriter::start(journal)?);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .thread_name("referee")
            .max_blocking_threads(options.workers.max(1))
            .build()?;
        let workers = Builder::new_current_thread()
            .thread_name("work")
            .max_blocking_threads(options.workers.max(1))
            .build()?;
        let turns = Turns::new(options.workers);
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let network = std::thread::Builder::new().name("network".into());
        let network = network.spawn(move || {
            // An error means that the driver is gone, which says the same.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        })?;
        let seats = options.seats.max(1);
        let room = Arc::new(Semaphore::new(seats as usize));
        let clock = DriverClock::start();
        let sends = None;
        let (stop, network, workers) = (Some(stop), Some(network), Some(workers));
        Ok(Self { handle, stop, network, workers, turns, journal, clock, room, seats, sends })
    }

    /// Has somebody told how late messages of matches go out that are run from now on.
    #[must_use]
    pub fn with_send_watch(mut self, watch: SendWatch) -> Self {
        self.sends = Some(watch);
        self
    }

    /// Has this called each time somebody interrupts the process (Ctrl-C), which then does not end by
    /// itself any more.
    pub fn on_interrupt(&self, mut call: impl FnMut() + Send + 'static) {
        self.handle.spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                call();
            }
        });
    }

    /// The clock of all its matches: the moments of their referees.
    pub fn clock(&self) -> DriverClock {
        self.clock
    }

    /// Runs a match as soon as there is room.
    pub fn run<R: MatchReferee>(&self, job: MatchJob<R>) -> RunningMatch<R> {
        let MatchJob { mut referee, players, watcher } = job;
        let (news, inbox) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        let seats = u32::try_from(players.len()).unwrap_or(u32::MAX).min(self.seats);
        let (room, journal, clock) = (Arc::clone(&self.room), Arc::clone(&self.journal), self.clock);
        referee.set_time(clock.now());
        let id = referee.match_id().to_owned();
        let turns = self.turns.of(referee.rules_sha256());
        let threads = self.workers.as_ref().map_or(&self.handle, Runtime::handle).clone();
        let referees = Referees { turns, threads };
        let channel = (news.clone(), inbox);
        let task = MatchTask::new(id, players, journal, clock, channel, referees, self.sends.clone());
        let watched = WatchedReferee { referee: Box::new(referee), watcher, now: clock.now() };
        self.handle.spawn(async move {
            // It is never closed.
            let _seats = room.acquire_many_owned(seats).await;
            // Nobody may want to know.
            let _ = end.send(task.run(watched).await);
        });
        RunningMatch { stop: MatchStop { news, clock }, ended }
    }
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("seats", &self.seats).finish_non_exhaustive()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(network) = self.network.take() {
            let _ = network.join();
        }
        if let Some(workers) = self.workers.take() {
            // What is being worked out is wanted by nobody any more.
            workers.shutdown_background();
        }
    }
}

/// Ends a match early, or has it go back, while somebody else waits for its end.
#[derive(Clone, Debug)]
pub struct MatchStop {
    news: mpsc::UnboundedSender<News>,
    clock: DriverClock,
}

impl MatchStop {
    /// Ends the match early, and says why.
    pub fn abort(&self, why: impl Into<String>) {
        self.tell(Event::Abort(why.into()));
    }

    /// Ends the match as its players have agreed.
    pub fn settle(&self, settlement: Settlement) {
        self.tell(Event::Settle(settlement));
    }

    /// Has the match go back to the state after so many steps.
    pub fn take_back(&self, steps: usize) {
        self.tell(Event::TakeBack(steps));
    }

    fn tell(&self, event: Event) {
        // A match that is over needs no end.
        let _ = self.news.send(News::Event(self.clock.now(), event));
    }
}

/// A match that is under way.
#[derive(Debug)]
pub struct RunningMatch<R = Referee> {
    stop: MatchStop,
    ended: oneshot::Receiver<Result<Box<R>, MatchFailure>>,
}

impl<R> RunningMatch<R> {
    /// Ends the match early, and says why.
    pub fn abort(&self, why: impl Into<String>) {
        self.stop.abort(why);
    }

    /// What can end the match early.
    pub fn stop(&self) -> MatchStop {
        self.stop.clone()
    }

    /// Waits for the end of the match. Not to be used in asynchronous code.
    ///
    /// # Errors
    /// [`MatchFailure`].
    pub fn wait(self) -> Result<Box<R>, MatchFailure> {
        self.ended.blocking_recv().unwrap_or(Err(MatchFailure::Stopped))
    }

    /// Waits for the end of the match.
    ///
    /// # Errors
    /// [`MatchFailure`].
    pub async fn ended(self) -> Result<Box<R>, MatchFailure> {
        self.ended.await.unwrap_or(Err(MatchFailure::Stopped))
    }
}
