//! What all parts of a manager share, and what it does by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ludex::matches::tournament::Fixture;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{oneshot, watch};

use super::archive::Archive;
use super::error::ManagerError;
use super::game_cache::GameCache;
use super::live::Live;
use super::metrics::{MeasuredJournal, Metrics};
use super::options::ManagerOptions;
use super::presence::Watch;
use super::processes::Processes;
use super::quarantine::{Resuming, WatchedJournal};
use super::seat_key::{SeatKeys, drawn_key, drawn_seed};
use super::tournaments::HeldTournament;
use crate::clock::now;
use crate::driver::{AddressPolicy, Driver, DriverOptions, HttpClient, unix_milliseconds};
use crate::lock::lock;
use crate::model::{
    MatchPlan, MatchRow, MatchStage, MatchSummary, PlayerQuery, SeatKey, SeatSummary, TournamentStage,
    all_pages,
};
use crate::preparation::Preparation;
use crate::store::Store;

/// How often a manager looks around when nobody wakes it.
const ROUND: Duration = Duration::from_millis(500);
/// Of many matches that are due together, so many begin at once, and the next ones after this.
const BEGIN_TOGETHER: usize = 2;
const BEGIN_GAP: Duration = Duration::from_millis(10);
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
    pub(super) options: ManagerOptions,
    pub(super) games: GameCache,
    pub(super) archive: Archive,
    pub(super) preparation: Preparation,
    /// The keys of seats that nobody has taken yet, as long as this process lives: they are kept nowhere.
    pub(super) keys: SeatKeys,
    pub(super) resuming: Arc<Resuming>,
    pub(super) watch: Watch,
    pub(super) processes: Arc<Processes>,
    /// For remote players, and for built-in ones, which are on this machine.
    pub(super) client: Arc<HttpClient>,
    pub(super) local_client: Arc<HttpClient>,
    pub(super) live: Mutex<BTreeMap<String, Arc<Live>>>,
    /// Matches that wait: when they are due, in milliseconds since 1970, and who plays.
    waiting: Mutex<BTreeMap<String, Waiting>>,
    /// Matches that were cut off because the store did not work; their players still know them.
    pub(super) put_off: Mutex<BTreeSet<String>>,
    /// Held for what takes no longer than a look: pages wait for it.
    pub(super) tournaments: Mutex<BTreeMap<String, HeldTournament>>,
    /// Held by whoever writes what happens in tournaments, from when it is looked what may happen until it has. Taken
    /// before [`Core::tournaments`], which is not held while something is written.
    pub(super) tournament_writes: Mutex<()>,
    /// Whether it is being tried if something can be written, or when that was tried last.
    tried_writing: Mutex<Tried>,
    driver: Mutex<Option<Arc<Driver>>>,
    network: Handle,
    pub(super) changes: watch::Sender<u64>,
    troubles: Mutex<BTreeMap<String, String>>,
    stopping: AtomicBool,
    wake: (Mutex<bool>, Condvar),
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

/// A match that waits.
#[derive(Clone, Debug)]
struct Waiting {
    due: u64,
    players: Vec<String>,
    tournament: Option<String>,
    /// Why it is to end as soon as it goes on.
    abort: Option<String>,
    /// Whether the server may have ended because of it when it was gone on with the last time.
    suspect: bool,
}

/// What came of the wish that a match ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedAbort {
    /// It ends as soon as it can.
    Noted,
    /// It has not begun, and waits no more.
    NeverBegun,
    /// It is ending already.
    Ending,
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
    ) -> Result<(Arc<Self>, Threads), ManagerError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .thread_name("manager")
            .max_blocking_threads(BEGINNING * 2)
            .build()?;
        let network = runtime.handle().clone();
        let seats = u32::try_from(options.matches.running).unwrap_or(u32::MAX).saturating_mul(8);
        let driver_options = DriverOptions { seats: seats.min(1 << 16), workers: options.matches.workers };
        let metrics = Arc::new(Metrics::default());
        let journal = MeasuredJournal { journal: store.journal()?, metrics: Arc::clone(&metrics) };
        let resuming = Arc::new(Resuming::new(Arc::clone(&store)));
        let journal = WatchedJournal { journal, resuming: Arc::clone(&resuming) };
        let sends = Arc::clone(&metrics);
        let driver = Driver::start(Box::new(journal), driver_options)?
            .with_send_watch(Arc::new(move |delay| sends.sent(delay)));
        let core = Arc::new(Self {
            games: GameCache::new(options.games),
            archive: Archive::new(&options.matches),
            preparation: Preparation::new(options.preparation.clone(), options.games.for_work()),
            keys: SeatKeys::default(),
            resuming: Arc::clone(&resuming),
            watch: Watch::new(options.ping),
            processes: Arc::new(Processes::new(options.built_in.clone())),
            client: Arc::new(HttpClient::new(options.policy, options.http)),
            local_client: Arc::new(HttpClient::new(AddressPolicy::Anywhere, options.http)),
            live: Mutex::default(),
            waiting: Mutex::default(),
            put_off: Mutex::default(),
            tournaments: Mutex::default(),
            tournament_writes: Mutex::default(),
            tried_writing: Mutex::new(Tried::Never),
            driver: Mutex::new(Some(Arc::new(driver))),
            network,
            changes: watch::channel(0).0,
            troubles: Mutex::default(),
            stopping: AtomicBool::new(false),
            wake: (Mutex::new(false), Condvar::new()),
            metrics,
            last_id: Mutex::new(0),
            store,
            options,
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
        Ok((core, Threads { stop_network: Some(stop_network), threads: vec![network, rounds] }))
    }

    /// Ends everything; what runs has so long to end by itself.
    pub(super) fn stop(&self, threads: &mut Threads, grace: Duration) {
        self.stopping.store(true, Ordering::SeqCst);
        self.wake();
        let until = now() + grace;
        while now() < until && !lock(&self.live).is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        // What runs is cut off as in a power cut; its journal is there.
        let driver = lock(&self.driver).take();
        drop(driver);
        self.processes.stop();
        self.preparation.stop();
        // Whatever was gone on with, the server has come through.
        self.resuming.all_came_through();
        self.keep_availability();
        threads.stop_network = None;
        for thread in threads.threads.drain(..) {
            // A thread that is gone has ended.
            let _ = thread.join();
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// An error when the manager ends.
    pub(super) fn is_open(&self) -> Result<(), ManagerError> {
        if self.is_stopping() { Err(ManagerError::Stopped) } else { Ok(()) }
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

    /// Something may be to do.
    pub(super) fn wake(&self) {
        *lock(&self.wake.0) = true;
        self.wake.1.notify_all();
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
        std::iter::once(letter).chain(digits.into_iter().rev()).collect()
    }

    /// Takes up what the store has: tournaments, and matches that wait or run.
    fn take_up(&self) -> Result<(), ManagerError> {
        let mut tournaments = lock(&self.tournaments);
        for row in self.store.open_tournaments()? {
            let id = row.summary.id.clone();
            match HeldTournament::resume(row, &*self.store) {
                Ok(held) => drop(tournaments.insert(id, held)),
                Err(error) => self.trouble(&format!("tournament {id}"), Some(error.in_general())),
            }
        }
        for row in self.store.open_matches()? {
            if let (Some(tournament), Some(fixture)) = (&row.summary.tournament, &row.fixture)
                && let Some(held) = tournaments.get_mut(tournament)
            {
                held.running.insert(row.summary.id.clone(), fixture.clone());
            }
            // One that ran goes on at once.
            let due = if row.summary.stage == MatchStage::Running { 0 } else { row.summary.due };
            self.wait_for(&row.summary, due);
            if row.resumptions > 0
                && let Some(waiting) = lock(&self.waiting).get_mut(&row.summary.id)
            {
                waiting.suspect = true;
            }
        }
        Ok(())
    }

    /// A match begins when it is due and there is room.
    pub(super) fn wait_for(&self, summary: &MatchSummary, due: u64) {
        let players = summary.seats.iter().map(|seat| seat.player.clone()).collect();
        let waiting =
            Waiting { due, players, tournament: summary.tournament.clone(), abort: None, suspect: false };
        lock(&self.waiting).insert(summary.id.clone(), waiting);
    }

    /// A match that was under way waits until then. What was wanted of it is still wanted. It is at no time
    /// neither under way nor waiting, and the store is not asked, which may not work.
    pub(super) fn wait_again(&self, live: &Live, due: u64) {
        let mut under_way = lock(&self.live);
        let (players, tournament) = (live.players.clone(), live.tournament.clone());
        let waiting = Waiting { due, players, tournament, abort: live.is_to_be_aborted(), suspect: false };
        lock(&self.waiting).insert(live.id.clone(), waiting);
        under_way.remove(&live.id);
    }

    /// Has a match ended early that is under way or waits, where that can be: one that has never begun is to
    /// be given up by whoever asks, and does not wait any more.
    pub(super) fn want_abort(&self, id: &str, has_begun: bool, why: &str) -> WantedAbort {
        // Held all the time, so that the match does not begin or is put off in between.
        let under_way = lock(&self.live);
        if let Some(live) = under_way.get(id) {
            live.abort(why);
            return WantedAbort::Noted;
        }
        let mut waiting = lock(&self.waiting);
        let Some(found) = waiting.get_mut(id) else { return WantedAbort::Ending };
        if !has_begun {
            waiting.remove(id);
            return WantedAbort::NeverBegun;
        }
        found.abort = Some(why.to_owned());
        found.due = 0;
        drop((waiting, under_way));
        self.wake();
        WantedAbort::Noted
    }

    /// Whether a match waits, or is about to begin.
    pub(super) fn is_waiting(&self, id: &str) -> bool {
        lock(&self.waiting).contains_key(id)
    }

    /// Does what is to be done, until the manager ends.
    fn go_round(self: &Arc<Self>) {
        while !self.is_stopping() {
            self.hold_tournaments();
            let is_more_due = self.begin_matches();
            self.ask_players();
            self.keep_availability();
            self.try_writing();
            self.processes.tidy();
            let mut woken = lock(&self.wake.0);
            if !*woken {
                let wait = self.wake.1.wait_timeout(woken, if is_more_due { BEGIN_GAP } else { ROUND });
                woken = wait.unwrap_or_else(PoisonError::into_inner).0;
            }
            *woken = false;
        }
    }

    /// How many more matches can begin.
    fn room(&self) -> usize {
        self.options.matches.running.saturating_sub(lock(&self.live).len())
    }

    /// Begins some of the matches that are due; whether there are more of them, and room. Many that are due
    /// together begin one after the other, so that those under way do not wait for all of them.
    fn begin_matches(self: &Arc<Self>) -> bool {
        let (now, room) = (unix_milliseconds(), self.room());
        let mut due: Vec<String> = {
            let waiting = lock(&self.waiting);
            let mut due: Vec<_> = waiting.iter().filter(|(_, waiting)| waiting.due <= now).collect();
            due.sort_by_key(|(id, waiting)| (waiting.suspect, waiting.due, (*id).clone()));
            // Of several that may have ended the server, it is known which one did when they go on one by one.
            let mut is_free = !self.resuming.is_any_under_way();
            due.retain(|(_, waiting)| !waiting.suspect || std::mem::take(&mut is_free));
            due.into_iter().take(room).map(|(id, _)| id.clone()).collect()
        };
        let is_more_due = due.len() > BEGIN_TOGETHER;
        due.truncate(BEGIN_TOGETHER);
        for id in due {
            let mut under_way = lock(&self.live);
            // It may have been aborted just now.
            let Some(waiting) = lock(&self.waiting).remove(&id) else { continue };
            let Waiting { players, tournament, abort, .. } = waiting;
            let live = Arc::new(Live::new(&id, players, tournament));
            if let Some(why) = abort {
                live.abort(&why);
            }
            under_way.insert(id, Arc::clone(&live));
            drop(under_way);
            let core = Arc::clone(self);
            self.network.spawn_blocking(move || core.begin(&live));
        }
        is_more_due
    }

    /// Begins the next matches of all tournaments, as far as players are free.
    fn hold_tournaments(&self) {
        let ids: Vec<String> = lock(&self.tournaments).keys().cloned().collect();
        for id in ids {
            let _writing = lock(&self.tournament_writes);
            self.begin_fixtures(&id);
            let is_over = |held: &HeldTournament| held.competition.is_over() && held.running.is_empty();
            if !lock(&self.tournaments).get(&id).is_some_and(is_over) {
                continue;
            }
            match self.store.set_tournament_stage(&id, TournamentStage::Over, unix_milliseconds()) {
                Ok(()) => drop(lock(&self.tournaments).remove(&id)),
                Err(error) => {
                    let told = ManagerError::from(error).in_general();
                    self.trouble(&format!("tournament {id}"), Some(told));
                }
            }
            self.changed();
        }
    }

    /// Begins the next matches of a tournament, for somebody who writes what happens in tournaments.
    fn begin_fixtures(&self, id: &str) {
        let elsewhere = self.players_at_work(id);
        let is_busy = |name: &str| elsewhere.iter().any(|other| other == name) || self.watch.is_away(name);
        let room = self.room().saturating_sub(lock(&self.waiting).len());
        let next: Vec<(Fixture, MatchPlan)> = {
            let tournaments = lock(&self.tournaments);
            let Some(held) = tournaments.get(id) else { return };
            if held.rest.is_some_and(|rest| now() < rest) {
                return;
            }
            let next = held.next(is_busy, room).into_iter();
            next.map(|fixture| (fixture.clone(), held.plan(&fixture))).collect()
        };
        for (fixture, plan) in next {
            let begun = self.begin_fixture(id, fixture, plan);
            let failed = begun.is_err();
            self.trouble(&format!("tournament {id}"), begun.err().map(|error| error.in_general()));
            if failed {
                if let Some(held) = lock(&self.tournaments).get_mut(id) {
                    held.rest = Some(now() + RETRY);
                }
                return;
            }
        }
    }

    /// Who is in a match that does not belong to this tournament.
    fn players_at_work(&self, tournament: &str) -> Vec<String> {
        let now = unix_milliseconds();
        let is_other = |other: &Option<String>| other.as_deref() != Some(tournament);
        let mut players = Vec::new();
        for live in lock(&self.live).values().filter(|live| is_other(&live.tournament)) {
            players.extend(live.players.iter().cloned());
        }
        for waiting in lock(&self.waiting).values() {
            if is_other(&waiting.tournament) && waiting.due <= now {
                players.extend(waiting.players.iter().cloned());
            }
        }
        players
    }

    fn begin_fixture(&self, id: &str, fixture: Fixture, plan: MatchPlan) -> Result<(), ManagerError> {
        let (row, keys) = self.match_row(plan, Some(id.to_owned()), Some(fixture.clone()))?;
        self.store.add_match(&row)?;
        self.keys.add(&row.summary.id, keys);
        if let Some(held) = lock(&self.tournaments).get_mut(id) {
            held.running.insert(row.summary.id.clone(), fixture);
        }
        self.wait_for(&row.summary, 0);
        self.changed();
        Ok(())
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
        let seat = |player: &str| SeatSummary {
            role: String::new(),
            player: player.to_owned(),
            goal: None,
            reward: None,
            faults: 0,
        };
        let summary = MatchSummary {
            id: self.new_id('m'),
            game: plan.game.clone(),
            version: game.version.sha256.clone(),
            stage: MatchStage::Planned,
            seats: plan.seats.iter().map(|plan| seat(&plan.player)).collect(),
            tournament,
            created,
            due: plan.begin.unwrap_or(created),
            began: None,
            ended: None,
            steps: 0,
            aborted: None,
        };
        let hidden = game.version.dialect == ludex::gdl::Dialect::GdlII.to_string();
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
        for ping in self.watch.due() {
            let core = Arc::clone(self);
            self.network.spawn(async move {
                let answer = ping.ask(&core.client).await;
                core.watch.note(&ping, answer);
                core.changed();
                core.wake();
            });
        }
    }

    fn keep_availability(&self) {
        let news = self.watch.news();
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

    /// Watches all players that are registered.
    fn watch_players(&self) -> Result<(), ManagerError> {
        let players = all_pages(|page| self.store.players(&PlayerQuery { page, ..PlayerQuery::default() }))?;
        for player in &players {
            self.watch.watch(&player.name, &player.kind, &player.availability);
        }
        Ok(())
    }
}
