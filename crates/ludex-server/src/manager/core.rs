//! What all parts of a manager share, and what it does by itself.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ludex::gdl::Dialect;
use ludex::matches::tournament::Fixture;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{oneshot, watch};

use super::accounts::Accounts;
use super::analysis::Analyses;
use super::archive::Archive;
use super::error::ManagerError;
use super::game_cache::GameCache;
use super::knowledge::Knowing;
use super::member::{LeasedJournal, Membered};
use super::metrics::{MeasuredJournal, Metrics};
use super::options::ManagerOptions;
use super::quarantine::{Resuming, WatchedJournal};
use super::ratings::Counting;
use super::registry::Registry;
use super::scheduler::Scheduler;
use super::seat_key::{drawn_key, drawn_seed};
use super::tournaments::Tournaments;
use crate::clock::{now, unix_milliseconds};
use crate::driver::{Driver, DriverOptions};
use crate::lock::lock;
use crate::model::{MatchPlan, MatchRow, MatchSummary, PlayerQuery, PlayerSummary, SeatKey, all_pages};
use crate::preparation::Preparation;
use crate::signature::MessageSecret;
use crate::store::Store;

/// What failed for want of room, a lock or the like is tried again after this.
pub(super) const RETRY: Duration = Duration::from_secs(5);
/// So long is waited for what is being written when a manager ends.
const FAREWELL: Duration = Duration::from_secs(5);
/// How often it is tried whether something can be written, so that it is known before something has to be.
const TRY_WRITING: Duration = Duration::from_secs(5);
/// No more matches than this are prepared at the same time.
const BEGINNING: usize = 32;

/// What all parts of a manager share.
pub(super) struct Core {
    pub(super) store: Arc<dyn Store>,
    pub(super) accounts: Option<Arc<Accounts>>,
    /// As what the store has this server, where it is shared.
    pub(super) membered: Option<Membered>,
    /// Whether it may have taken over something and not heard of it.
    pub(super) doubts: AtomicBool,
    pub(super) options: ManagerOptions,
    pub(super) games: GameCache,
    pub(super) archive: Archive,
    pub(super) preparation: Preparation,
    pub(super) analyses: Analyses,
    pub(super) knowing: Knowing,
    pub(super) registry: Registry,
    pub(super) scheduler: Scheduler,
    pub(super) tournaments: Tournaments,
    pub(super) ratings: Counting,
    /// Whether it is being tried if something can be written, or when that was tried last.
    tried_writing: Mutex<Tried>,
    driver: Mutex<Option<Arc<Driver>>>,
    network: Handle,
    pub(super) changes: watch::Sender<u64>,
    troubles: Mutex<BTreeMap<String, String>>,
    pub(super) metrics: Arc<Metrics>,
    last_id: Mutex<u64>,
}

/// When it was last tried whether something can be written.
#[derive(Clone, Copy, Debug)]
enum Tried {
    Never,
    UnderWay,
    At(Instant),
}

/// The threads of a manager.
pub(super) struct Threads {
    stop_network: Option<oneshot::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Core {
    /// Starts the threads, and takes up what the store has of matches and tournaments.
    pub(super) fn start(
        store: Arc<dyn Store>,
        options: ManagerOptions,
        membered: Option<Membered>,
        metrics: Arc<Metrics>,
    ) -> Result<(Arc<Self>, Threads), ManagerError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .thread_name("manager")
            .max_blocking_threads(BEGINNING * 2)
            .build()?;
        let network = runtime.handle().clone();
        let seats = u32::try_from(options.matches.running).unwrap_or(u32::MAX).saturating_mul(8);
        let driver_options = DriverOptions { seats: seats.min(1 << 16), workers: options.matches.workers };
        let journal = MeasuredJournal { journal: store.journal()?, metrics: Arc::clone(&metrics) };
        let resuming = Arc::new(Resuming::new(Arc::clone(&store)));
        let journal = WatchedJournal { journal, resuming: Arc::clone(&resuming) };
        let journal = LeasedJournal { journal, membered: membered.clone() };
        let sends = Arc::clone(&metrics);
        let driver = Driver::start(Box::new(journal), driver_options)?
            .with_send_watch(Arc::new(move |delay| sends.sent(delay)));
        let core = Arc::new(Self {
            games: GameCache::new(options.games),
            archive: Archive::new(&options.matches),
            preparation: Preparation::new(
                options.preparation.clone(),
                options.games.for_preparation(),
                options.games.shown_bytes,
            ),
            analyses: Analyses::new(&options, options.games.for_work()),
            knowing: Knowing::new(&options, options.games.for_work()),
            registry: Registry::new(&options),
            scheduler: Scheduler::new(options.matches.running, resuming),
            tournaments: Tournaments::default(),
            ratings: Counting::default(),
            tried_writing: Mutex::new(Tried::Never),
            driver: Mutex::new(Some(Arc::new(driver))),
            network,
            changes: watch::channel(0).0,
            troubles: Mutex::default(),
            metrics,
            last_id: Mutex::new(0),
            accounts: (options.accounts.clone())
                .map(|options| Arc::new(Accounts::new(Arc::clone(&store), options))),
            store,
            options,
            membered,
            doubts: AtomicBool::new(false),
        });
        core.add_bundled_games()?;
        core.watch_players()?;
        core.take_up()?;
        let (stop_network, stopped) = oneshot::channel();
        let network = std::thread::Builder::new().name("manager".into()).spawn(move || {
            // An error means that the manager is gone, which says the same.
            let _ = runtime.block_on(stopped);
            // What is being written is written to its end.
            runtime.shutdown_timeout(FAREWELL);
        })?;
        let rounds = Arc::clone(&core);
        let rounds = std::thread::Builder::new().name("rounds".into()).spawn(move || rounds.go_round())?;
        let mut threads = vec![network, rounds];
        if core.membered.is_some() {
            let news = Arc::clone(&core);
            threads.push(std::thread::Builder::new().name("news".into()).spawn(move || news.hear_news())?);
        }
        Ok((core, Threads { stop_network: Some(stop_network), threads }))
    }

    /// Ends everything; what runs has so long to end by itself.
    pub(super) fn stop(&self, threads: &mut Threads, grace: Duration) {
        self.scheduler.stop();
        let until = now() + grace;
        while now() < until && !self.scheduler.is_idle() {
            std::thread::sleep(Duration::from_millis(10));
        }
        // What runs is cut off as in a power cut; its journal is there.
        let driver = lock(&self.driver).take();
        drop(driver);
        self.registry.processes.stop();
        self.preparation.stop();
        self.analyses.preparation.stop();
        self.knowing.preparation.stop();
        // Whatever was gone on with, the server has come through.
        self.scheduler.resuming.all_came_through();
        self.keep_availability();
        threads.stop_network = None;
        for thread in threads.threads.drain(..) {
            // A thread that is gone has ended.
            let _ = thread.join();
        }
    }

    /// Ends as in a power cut: others have been told to go on. What takes its time takes it elsewhere.
    pub(super) fn cut_off(self: &Arc<Self>, threads: Threads) {
        self.scheduler.stop();
        let core = Arc::clone(self);
        let farewell = move || {
            let driver = lock(&core.driver).take();
            drop(driver);
            core.registry.processes.stop();
            core.preparation.stop();
            core.analyses.preparation.stop();
            core.knowing.preparation.stop();
            drop(threads);
        };
        if let Err(error) = std::thread::Builder::new().name("farewell".into()).spawn(farewell) {
            tracing::error!(%error, "what ran is not cut off: nothing of it can be written");
        }
    }

    /// An error when the manager ends.
    pub(super) fn is_open(&self) -> Result<(), ManagerError> {
        if self.scheduler.is_stopping() { Err(ManagerError::Stopped) } else { Ok(()) }
    }

    pub(super) fn driver(&self) -> Option<Arc<Driver>> {
        lock(&self.driver).clone()
    }

    pub(super) fn network(&self) -> &Handle {
        &self.network
    }

    /// Something in a list has changed.
    pub(super) fn changed(&self) {
        self.changes.send_modify(|number| *number += 1);
    }

    /// Says what does not work, under a name, until it works again.
    pub(super) fn trouble(&self, name: &str, what: Option<String>) {
        let mut troubles = lock(&self.troubles);
        match what {
            Some(what) => {
                tracing::error!(name, "{what}");
                troubles.insert(name.to_owned(), what);
            }
            None => {
                troubles.remove(name);
            }
        }
    }

    pub(super) fn troubles(&self) -> Vec<String> {
        lock(&self.troubles).values().cloned().collect()
    }

    /// A name that nothing else has: a letter and the time. Letters and digits only, as players want it.
    pub(super) fn new_id(&self, letter: char) -> String {
        let mut last = lock(&self.last_id);
        *last = unix_milliseconds().max(*last + 1);
        let mut number = *last;
        let mut digits = Vec::new();
        while number > 0 {
            digits.push(char::from_digit((number % 36) as u32, 36).unwrap_or('0'));
            number /= 36;
        }
        let id = std::iter::once(letter).chain(digits.into_iter().rev());
        // Two servers may ask at the same moment.
        let own = self.membered.as_ref().map(|membered| membered.number.0);
        let own = own.into_iter().flat_map(|number| [number / 36 % 36, number % 36]);
        id.chain(own.map(|digit| char::from_digit(digit as u32, 36).unwrap_or('0'))).collect()
    }

    /// Does what is to be done, until the manager ends.
    fn go_round(self: &Arc<Self>) {
        while !self.scheduler.is_stopping() {
            self.claim_in_round();
            self.hold_tournaments();
            self.tell_outlooks();
            let (begun, is_more_due) = self.scheduler.begin_due(&self.players_needed());
            for live in begun {
                let core = Arc::clone(self);
                self.network.spawn_blocking(move || core.begin(&live));
            }
            self.ask_players();
            self.keep_availability();
            self.try_writing();
            self.count_matches();
            self.registry.processes.tidy();
            self.preparation.tidy();
            self.scheduler.rest(is_more_due);
        }
    }

    /// A match that is to be played, as it is kept, and the keys of its seats, which are not.
    pub(super) fn match_row(
        &self,
        plan: MatchPlan,
        tournament: Option<String>,
        fixture: Option<Fixture>,
    ) -> Result<(MatchRow, Vec<String>), ManagerError> {
        let game = self.store.game(&plan.game, plan.version.as_deref())?;
        let created = unix_milliseconds();
        let planned = MatchSummary::planned(self.new_id('m'), &plan, game.version.sha256.clone(), created);
        let summary = MatchSummary { tournament, ..planned };
        let hidden = has_percepts(&game.version.dialect);
        let version = Some(game.version.sha256);
        let seed = Some(plan.seed.map_or_else(drawn_seed, Ok)?);
        let texts = plan.seats.iter().map(|_| drawn_key()).collect::<Result<Vec<_>, _>>()?;
        let keys = texts.iter().map(|text| SeatKey::of(text, false)).collect();
        let plan = MatchPlan { version, seed, ..plan };
        let row = MatchRow { summary, plan, fixture, hidden, keys, resumptions: 0, wanted_abort: None };
        Ok((row, texts))
    }

    /// Asks the players whose turn it is whether they are there.
    fn ask_players(self: &Arc<Self>) {
        for ping in self.registry.presence.due() {
            let core = Arc::clone(self);
            self.network.spawn(async move {
                let answer = ping.ask(&core.registry.client).await;
                core.registry.presence.note(&ping, answer);
                core.changed();
                core.scheduler.wake();
            });
        }
    }

    fn keep_availability(&self) {
        let news = self.registry.presence.news();
        if news.is_empty() {
            return;
        }
        let kept = self.store.note_availability(&news);
        self.trouble("players", kept.err().map(|error| ManagerError::from(error).in_general()));
    }

    /// Finds out now and then whether something can be written. That may take a while, and nothing waits for it.
    fn try_writing(self: &Arc<Self>) {
        let mut tried = lock(&self.tried_writing);
        match *tried {
            Tried::UnderWay => return,
            Tried::At(last) if last.elapsed() < TRY_WRITING => return,
            Tried::At(_) | Tried::Never => *tried = Tried::UnderWay,
        }
        let core = Arc::clone(self);
        self.network.spawn_blocking(move || {
            let done = core.store.try_writing();
            let told = |error| format!("nothing can be written: {}", ManagerError::from(error).in_general());
            core.trouble("store", done.err().map(told));
            *lock(&core.tried_writing) = Tried::At(now());
        });
    }

    /// What messages to a player are signed with, if they are. Where that cannot be read, they are not, and the player says so.
    pub(super) fn secret(&self, player: &str) -> Option<MessageSecret> {
        let kept = self.store.accounts().player_secret(player);
        let kept = kept.inspect_err(|error| tracing::error!(player, %error, "a secret cannot be read"));
        MessageSecret::read(&kept.ok()??).ok()
    }

    /// Watches a player, if it is a remote one.
    pub(super) fn watch(&self, player: &PlayerSummary) {
        let PlayerSummary { name, kind, availability, .. } = player;
        self.registry.presence.watch(name, kind, self.secret(name), availability);
    }

    /// Watches all players that are registered.
    pub(super) fn watch_players(&self) -> Result<(), ManagerError> {
        let query = |page| PlayerQuery { page, brief: true, ..PlayerQuery::default() };
        let players = all_pages(|page| self.store.players(&query(page)))?;
        self.registry.presence.watch_these(&players, |name| self.secret(name));
        Ok(())
    }
}

/// Whether players do not see everything in games of a language.
pub(super) fn has_percepts(dialect: &str) -> bool {
    Dialect::named(dialect).is_some_and(Dialect::has_percepts)
}
