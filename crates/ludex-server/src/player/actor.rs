//! Between the wire, the workers and the state machine that tells them what to do.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use ludex::Playable;
use ludex::gdl::Notation;
use ludex::logic::{Budget, Clock};
use ludex::matches::message::{Shared, StartMessage};
use ludex::matches::referee::Moment;
use ludex::matches::service::{
    CallNumber, Effect, Event, JobNumber, Pace, PlayerService, Remark, RemarkKind, TableNumber,
};
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{Notify, oneshot};

use super::blind_players::BlindPlayers;
use super::game_cache::GameCache;
use super::learned_seat::LearnedGames;
use super::options::{PlayerOptions, WireLimits};
use super::reply::Reply;
use super::timed_worker;
use super::worker::{Task, Tools, Worker};
use crate::clock::RealClock;
use crate::http::Head;
use crate::lock::lock;

/// What is said about a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Answer(String),
    Refusal(String),
}

impl Verdict {
    /// What was waited for. Every message is answered, but for those that come when all is over.
    pub(super) fn of(waited: Result<Self, RecvError>) -> Self {
        waited.unwrap_or_else(|_| Self::Refusal("the service has ended".to_owned()))
    }
}

/// Takes events from everywhere, one at a time, and does what the service then wants done.
pub(super) struct ServiceActor {
    options: PlayerOptions,
    /// Whether only programs of this machine can ask.
    is_local: bool,
    clock: Arc<RealClock>,
    games: GameCache,
    blind_players: Arc<BlindPlayers>,
    learned_games: Arc<LearnedGames>,
    state: Mutex<State>,
    next_call: AtomicU64,
    is_closing: AtomicBool,
    /// Called when the next moment to act may have changed.
    alarm: Notify,
}

struct State {
    service: PlayerService,
    calls: BTreeMap<CallNumber, Call>,
    workers: BTreeMap<TableNumber, Worker>,
    /// What calls off the jobs that are under way; those of a match end with it, too.
    jobs: BTreeMap<JobNumber, Arc<AtomicBool>>,
    threads: Vec<JoinHandle<()>>,
}

/// A message that is being answered.
struct Call {
    sender: oneshot::Sender<Verdict>,
    since: Moment,
    summary: String,
}

/// Threads of matches and previews for each place, those of matches that were left included.
const THREADS_PER_PLACE: usize = 2;

impl ServiceActor {
    pub(super) fn new(options: PlayerOptions, is_local: bool) -> Self {
        let state = State {
            service: PlayerService::new(options.service.clone()),
            calls: BTreeMap::new(),
            workers: BTreeMap::new(),
            jobs: BTreeMap::new(),
            threads: Vec::new(),
        };
        Self {
            options,
            is_local,
            clock: Arc::new(RealClock::start()),
            games: GameCache::default(),
            blind_players: Arc::default(),
            learned_games: Arc::default(),
            state: Mutex::new(state),
            next_call: AtomicU64::new(1),
            is_closing: AtomicBool::new(false),
            alarm: Notify::new(),
        }
    }

    pub(super) fn limits(&self) -> &WireLimits {
        &self.options.wire
    }

    /// What a request is refused with for where it comes from, if it is.
    pub(super) fn refusal(&self, head: &Head) -> Option<Reply> {
        self.options.access.refusal(head, self.is_local)
    }

    /// What a message is refused with that the manager has not signed, where it has to.
    pub(super) fn unsigned(&self, head: &Head, body: &str) -> Option<Reply> {
        self.options.access.unsigned(head, body)
    }

    pub(super) fn clock(&self) -> &RealClock {
        &self.clock
    }

    pub(super) fn games(&self) -> &GameCache {
        &self.games
    }

    /// Players without rules.
    pub(super) fn blind_players(&self) -> &Arc<BlindPlayers> {
        &self.blind_players
    }

    /// Games that were learned from records.
    pub(super) fn learned_games(&self) -> &Arc<LearnedGames> {
        &self.learned_games
    }

    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Puts a message to the service. The answer comes later: after a while, or in a match in real time after long.
    pub(super) fn put(
        self: &Arc<Self>,
        peer: SocketAddr,
        from: Option<String>,
        text: String,
        since: Moment,
    ) -> (CallNumber, oneshot::Receiver<Verdict>) {
        let call = CallNumber(self.next_call.fetch_add(1, Ordering::Relaxed));
        let (sender, receiver) = oneshot::channel();
        lock(&self.state).calls.insert(call, Call { sender, since, summary: String::new() });
        let from = from.unwrap_or_default();
        tracing::debug!(call = call.0, %peer, from, bytes = text.len(), "received");
        self.on(Event::Message { call, text, since });
        (call, receiver)
    }

    /// Takes in what happened.
    pub(super) fn on(self: &Arc<Self>, event: Event) {
        let mut state = lock(&self.state);
        let mut events = VecDeque::from([event]);
        let mut effects = Vec::new();
        while let Some(event) = events.pop_front() {
            if let Event::Prepared { job, .. } | Event::Chosen { job, .. } = &event {
                state.jobs.remove(job);
            }
            state.service.on(self.clock.now(), event, &mut effects);
            for effect in effects.drain(..) {
                events.extend(self.perform(&mut state, effect));
            }
        }
        drop(state);
        self.alarm.notify_one();
    }

    /// Does what the service wants done. Gives what came of it, where that is known at once.
    fn perform(self: &Arc<Self>, state: &mut State, effect: Effect) -> Option<Event> {
        match effect {
            Effect::Heard { call, summary } => {
                tracing::info!(call = call.0, "{summary}");
                if let Some(call) = state.calls.get_mut(&call) {
                    call.summary = summary;
                }
                None
            }
            Effect::Answer { call, text } => self.answer(state, call, Verdict::Answer(text)),
            Effect::Refuse { call, cause } => self.answer(state, call, Verdict::Refusal(cause)),
            Effect::Prepare { table, job, start, notation, until } => {
                self.prepare(state, table, job, start, notation, until)
            }
            Effect::Preview { job, rules, notation, until } => {
                self.preview(state, job, rules, notation, until)
            }
            Effect::Think { table, job, last, answered, undelivered, time, until } => {
                if let Some(worker) = state.workers.get(&table) {
                    let budget = job_budget(&mut state.jobs, job, self.until(worker.budget(), until));
                    worker.give(Task::Think { job, last, answered, undelivered, time, budget });
                }
                None
            }
            Effect::Tell { table, time, news, since } => {
                if let Some(worker) = state.workers.get(&table) {
                    worker.give(Task::Tell { time, news, since });
                }
                None
            }
            Effect::CallOff(job) => {
                if let Some(flag) = state.jobs.remove(&job) {
                    flag.store(true, Ordering::Relaxed);
                }
                None
            }
            Effect::Dismiss { table, answered, ending } => {
                if let Some(worker) = state.workers.remove(&table) {
                    worker.finish(answered, ending);
                }
                None
            }
            Effect::Remark(remark) => {
                log_remark(&remark);
                None
            }
        }
    }

    fn answer(&self, state: &mut State, number: CallNumber, verdict: Verdict) -> Option<Event> {
        let call = state.calls.remove(&number)?;
        let took = self.clock.now().saturating_sub(call.since);
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        match &verdict {
            Verdict::Answer(text) => {
                tracing::info!(call = number.0, ms, to = call.summary, "answered {text}")
            }
            Verdict::Refusal(cause) => tracing::warn!(call = number.0, ms, cause, "no message"),
        }
        call.sender.send(verdict).is_err().then_some(Event::Undelivered(number))
    }

    /// Limits of everything in a match.
    fn budget(&self) -> Budget {
        Budget::unlimited().with_memory(self.options.rules_memory)
    }

    /// Limits up to a moment.
    fn until(&self, budget: &Budget, until: Moment) -> Budget {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        budget.clone().with_time(clock, until.saturating_sub(self.clock.now()))
    }

    fn prepare(
        self: &Arc<Self>,
        state: &mut State,
        table: TableNumber,
        job: JobNumber,
        start: Arc<StartMessage>,
        notation: Notation,
        until: Moment,
    ) -> Option<Event> {
        if let Some(refused) = self.refused_for_work(state, job) {
            return Some(refused);
        }
        let mut resources = self.options.resources.clone();
        resources.seed = resources.seed.wrapping_add(table.0 - 1);
        let tools = Tools {
            strategy: self.options.strategy.clone(),
            registry: self.options.registry.clone(),
            resources,
            ponder: self.options.ponder,
            budget: self.budget().as_whole(),
            margin: self.options.service.margin_of(timed_worker::unit(&start)),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
        };
        let span = tracing::info_span!("match", id = start.id, role = start.role);
        match Worker::begin(Arc::downgrade(self), table, tools, span) {
            Ok((worker, thread)) => {
                let budget = job_budget(&mut state.jobs, job, self.until(worker.budget(), until));
                worker.give(Task::Prepare { job, start, notation, budget });
                state.workers.insert(table, worker);
                state.threads.push(thread);
                None
            }
            Err(error) => Some(Event::Prepared { job, result: Err(no_thread(&error)) }),
        }
    }

    /// A match that was left frees its place at once, and its thread when that comes by a limit. Where more of them
    /// are still at work than there are places, nothing else is begun.
    fn refused_for_work(&self, state: &mut State, job: JobNumber) -> Option<Event> {
        state.threads.retain(|thread| !thread.is_finished());
        let most = THREADS_PER_PLACE * self.options.service.matches.max(2);
        let result = Err("matches that were left are still at work".to_owned());
        (state.threads.len() >= most).then_some(Event::Prepared { job, result })
    }

    /// Loads rules, and keeps them for the match that may come.
    fn preview(
        self: &Arc<Self>,
        state: &mut State,
        job: JobNumber,
        rules: Shared<String>,
        notation: Notation,
        until: Moment,
    ) -> Option<Event> {
        if let Some(refused) = self.refused_for_work(state, job) {
            return Some(refused);
        }
        let budget = job_budget(&mut state.jobs, job, self.until(&self.budget(), until));
        let actor = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name("preview".to_owned()).stack_size(super::worker::STACK);
        let spawned = thread.spawn(move || {
            let Some(actor) = actor.upgrade() else { return };
            let loaded = super::worker::unbroken(|| actor.games.game(&rules, notation, &budget));
            let result =
                loaded.and_then(|game| game.map(|game| pace(&game)).map_err(|error| error.to_string()));
            actor.on(Event::Prepared { job, result });
        });
        match spawned {
            Ok(thread) => {
                state.threads.push(thread);
                None
            }
            Err(error) => Some(Event::Prepared { job, result: Err(no_thread(&error)) }),
        }
    }

    /// Lets the service know when time has passed, for ever.
    pub(super) async fn keep_time(self: &Arc<Self>) {
        loop {
            let wake = lock(&self.state).service.next_wake();
            let called = self.alarm.notified();
            let Some(wake) = wake else {
                called.await;
                continue;
            };
            let left = wake.saturating_sub(self.clock.now());
            if tokio::time::timeout(left, called).await.is_err() {
                self.on(Event::Tick);
            }
        }
    }

    /// Answers everybody who waits and ends all matches.
    pub(super) fn close(self: &Arc<Self>) {
        self.is_closing.store(true, Ordering::Relaxed);
        self.on(Event::Close);
    }

    /// Waits for the workers to end; those that take longer are left to the end of the process.
    pub(super) fn join(&self, patience: Duration) {
        let until = self.clock.now() + patience;
        loop {
            let mut state = lock(&self.state);
            state.threads.retain(|thread| !thread.is_finished());
            if state.threads.is_empty() || self.clock.now() >= until {
                return;
            }
            drop(state);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Limits of a job, which can be called off.
fn job_budget(jobs: &mut BTreeMap<JobNumber, Arc<AtomicBool>>, job: JobNumber, limits: Budget) -> Budget {
    let budget = limits.with_own_cancel_flag();
    jobs.insert(job, budget.cancel_flag());
    budget
}

/// How a game goes.
pub(super) fn pace(game: &Playable) -> Pace {
    match game {
        Playable::InSteps(_) => Pace::InSteps,
        Playable::InTime(_) => Pace::InTime,
    }
}

fn no_thread(error: &std::io::Error) -> String {
    format!("no thread can be begun: {error}")
}

fn log_remark(remark: &Remark) {
    match remark.kind {
        RemarkKind::Restarted | RemarkKind::Unknown => tracing::info!(id = remark.id, "{remark}"),
        _ => tracing::warn!(id = remark.id, "{remark}"),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::mpsc::channel;

    use super::*;

    const GAME: &str = "((role x) (legal x go) (init (a)) (next (b)) (<= terminal (true (b))) (goal x 100))";

    async fn ask(actor: &Arc<ServiceActor>, text: &str) -> Verdict {
        let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
        let (_, answer) = actor.put(peer, None, text.to_owned(), actor.clock.now());
        Verdict::of(answer.await)
    }

    /// Threads stand for matches that were left and do not notice it.
    #[tokio::test]
    async fn new_matches_are_refused_as_long_as_left_ones_work() {
        let mut options = PlayerOptions { strategy: "random".into(), ..PlayerOptions::default() };
        options.service.matches = 2;
        let actor = Arc::new(ServiceActor::new(options, true));
        let (held, holds): (Vec<_>, Vec<_>) = (0..4).map(|_| channel::<()>()).unzip();
        let threads = holds.into_iter().map(|hold| {
            std::thread::spawn(move || {
                // Until it is let go.
                let _ = hold.recv();
            })
        });
        lock(&actor.state).threads.extend(threads);
        let start = format!("(start m x {GAME} 100 100)");
        let busy = Verdict::Answer("busy".to_owned());
        assert_eq!(ask(&actor, &start).await, busy);
        assert_eq!(ask(&actor, &format!("(preview {GAME} 100)")).await, busy);
        drop(held);
        while lock(&actor.state).threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::yield_now();
        }
        assert_eq!(ask(&actor, &start).await, Verdict::Answer("ready".to_owned()));
        actor.close();
        actor.join(Duration::from_secs(60));
    }

    /// A look at rules has a clock, and the match that is played with them afterwards has its own.
    #[tokio::test]
    async fn a_game_outlives_the_time_of_the_look_at_it() {
        let actor = Arc::new(ServiceActor::new(PlayerOptions::default(), true));
        let budget = actor.until(&actor.budget(), actor.clock.now() + Duration::from_secs(600));
        let game = actor.games.game(&GAME[1..GAME.len() - 1], Notation::Prefix, &budget).unwrap();
        let Playable::InSteps(game) = game else { panic!("a game in steps") };
        assert_eq!(game.question_budget().time_left(), None);
        budget.cancel_flag().store(true, Ordering::Relaxed);
        assert!(game.question_budget().meter().check().is_ok());
    }
}
