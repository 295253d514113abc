//! Matches that run: what may be seen of them, and the people who play in them.

use std::sync::{Arc, Mutex, Weak};

use ludex::matches::Fault;
use ludex::matches::message::Request;
use ludex::matches::referee::{Referee, SeatNumber};
use ludex::matches::view::{SeatClock, View, Viewer};
use ludex::{MatchRecord, MatchStatus};
use tokio::sync::{oneshot, watch};

use super::excerpt::{SomeSteps, WantedSteps};
use super::metrics::Metrics;
use super::quarantine::Resuming;
use crate::driver::{Asking, Correspondent, DriverClock, MatchStop, NoAnswer, Watcher, unix_milliseconds};
use crate::lock::lock;
use crate::model::{MatchNews, MatchStage, MatchView};

/// A match that runs, or is about to.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) id: String,
    /// Who plays, by name.
    pub(super) players: Vec<String>,
    pub(super) tournament: Option<String>,
    seen: Mutex<Seen>,
    news: watch::Sender<MatchNews>,
}

/// What is known of a match, and who has to do with it.
#[derive(Debug, Default)]
struct Seen {
    /// The match as far as it is written, once it has begun: the truth, which everybody sees through a view.
    record: Option<MatchRecord>,
    clocks: Vec<SeatClock>,
    /// When the clocks were looked at, in milliseconds since 1970.
    looked: u64,
    people: Vec<(SeatNumber, Arc<Person>)>,
    running: Option<MatchStop>,
    /// Why it is to be aborted: at once, as soon as it runs, or when it goes on after it was put off.
    abort: Option<String>,
}

impl Live {
    pub(super) fn new(id: &str, players: Vec<String>, tournament: Option<String>) -> Self {
        let first = MatchNews { revision: 0, stage: MatchStage::Planned, steps: 0 };
        Self { id: id.to_owned(), players, tournament, seen: Mutex::default(), news: watch::channel(first).0 }
    }

    /// Whoever may look at the match looks.
    pub(super) fn open(&self, referee: &Referee, people: Vec<(SeatNumber, Arc<Person>)>) {
        let mut seen = lock(&self.seen);
        // The rules are with the game.
        seen.record = Some(MatchRecord { rulesheet: None, ..referee.record() });
        seen.clocks = referee.clocks(DriverClock::start().now());
        seen.looked = unix_milliseconds();
        seen.people = people;
        seen.running = None;
        drop(seen);
        self.tell(MatchStage::Running, referee.course().steps().len());
    }

    /// The match runs now. If it was to be aborted before, it is.
    pub(super) fn set_running(&self, running: MatchStop) {
        let mut seen = lock(&self.seen);
        if let Some(why) = &seen.abort {
            running.abort(why.clone());
        }
        seen.running = Some(running);
    }

    /// Ends the match early, now or as soon as it runs.
    pub(super) fn abort(&self, why: &str) {
        let mut seen = lock(&self.seen);
        if let Some(running) = &seen.running {
            running.abort(why);
        }
        // Whether that is written in the end is not known yet.
        seen.abort = Some(why.to_owned());
    }

    /// Why the match is to end early, if it is.
    pub(super) fn is_to_be_aborted(&self) -> Option<String> {
        lock(&self.seen).abort.clone()
    }

    /// The match has ended, also for the store: nothing more will come.
    pub(super) fn close(&self, stage: MatchStage) {
        let steps = self.news.borrow().steps;
        self.tell(stage, steps);
    }

    pub(super) fn news(&self) -> MatchNews {
        *self.news.borrow()
    }

    pub(super) fn watch(&self) -> watch::Receiver<MatchNews> {
        self.news.subscribe()
    }

    fn tell(&self, stage: MatchStage, steps: usize) {
        self.news.send_modify(|news| *news = MatchNews { revision: news.revision + 1, stage, steps });
    }

    /// Looks at what is recorded so far; nothing before the match has begun.
    pub(super) fn look<T>(&self, look: impl FnOnce(&MatchRecord) -> T) -> Option<T> {
        lock(&self.seen).record.as_ref().map(look)
    }

    /// What somebody sees now, and the steps that are wanted; nothing before the match has begun.
    pub(super) fn view(&self, viewer: Viewer, wanted: &WantedSteps) -> Option<(MatchView, SomeSteps)> {
        let news = self.news();
        let seen = lock(&self.seen);
        let record = seen.record.as_ref()?;
        let (mut view, steps) = wanted.seen_in(record, viewer, news.stage);
        view.revision = news.revision;
        view.own_moves = View::of_record(record, viewer).own_moves();
        view.awaited = match viewer {
            Viewer::Seat(seat) => seen.person(seat).is_some_and(|person| person.is_asked()),
            Viewer::Spectator | Viewer::Referee => false,
        };
        view.snapshot.clocks.clone_from(&seen.clocks);
        let passed = unix_milliseconds().saturating_sub(seen.looked);
        for clock in &mut view.snapshot.clocks {
            clock.left = clock.left.map(|left| left.saturating_sub(passed));
        }
        Some((view, steps))
    }

    /// Makes the move of a person, in the state after so many steps.
    pub(super) fn submit(&self, seat: SeatNumber, step: usize, action: &str) -> Result<(), String> {
        let seen = lock(&self.seen);
        let person = seen.person(seat).ok_or("nobody plays this seat by hand")?;
        let record = seen.record.as_ref().ok_or("the match has not begun")?;
        let steps = record.moves.len();
        if step != steps {
            return Err(format!("the match is at step {} already", steps + 1));
        }
        let own = View::of_record(record, Viewer::Seat(seat)).own_moves();
        let wanted = written(action);
        let Some(legal) = own.iter().find(|legal| **legal == wanted) else {
            return Err(format!("`{action}` is not a legal move"));
        };
        person.answer(legal)
    }
}

/// A move in prefix notation, however it was written.
fn written(action: &str) -> String {
    use ludex::gdl::Notation;
    use ludex::matches::message::{Expected, Response, read_response};
    match read_response(action.as_bytes(), Expected::Move, Notation::Prefix) {
        Ok(Response::Move(action)) => action,
        _ => action.trim().to_owned(),
    }
}

impl Seen {
    fn person(&self, seat: SeatNumber) -> Option<&Arc<Person>> {
        self.people.iter().find(|(number, _)| *number == seat).map(|(_, person)| person)
    }
}

/// Looks at a match for all who may want to see it.
pub(super) struct LiveWatcher {
    live: Arc<Live>,
    clock: DriverClock,
    metrics: Arc<Metrics>,
    resuming: Arc<Resuming>,
    /// What is counted of what went wrong before the first move, for each role.
    start_counted: Vec<Option<Fault>>,
}

impl LiveWatcher {
    /// For a match that begins, or goes on: what happened before was counted before.
    pub(super) fn new(
        live: Arc<Live>,
        clock: DriverClock,
        metrics: Arc<Metrics>,
        resuming: Arc<Resuming>,
        referee: &Referee,
    ) -> Self {
        let start_counted = referee.course().start_faults().to_vec();
        Self { live, clock, metrics, resuming, start_counted }
    }

    /// Counts what is new in a match of which so many steps were known.
    fn count(&mut self, referee: &Referee, known: usize) {
        let course = referee.course();
        for (fault, counted) in course.start_faults().iter().zip(&mut self.start_counted) {
            if let Some(fault) = fault.as_ref().filter(|_| counted.is_none()) {
                self.metrics.failed(fault);
                *counted = Some(fault.clone());
            }
        }
        let steps = course.steps().get(known..).unwrap_or_default();
        self.metrics.stepped(steps.len());
        for fault in steps.iter().flat_map(|step| step.faults.iter().flatten()) {
            self.metrics.failed(fault);
        }
    }
}

impl Watcher for LiveWatcher {
    fn works(&mut self) {
        self.resuming.works(&self.live.id);
    }

    fn changed(&mut self, referee: &Referee) {
        let now = self.clock.now();
        let mut seen = lock(&self.live.seen);
        seen.record.iter_mut().for_each(|record| referee.extend(record));
        seen.clocks = referee.clocks(now);
        seen.looked = unix_milliseconds();
        drop(seen);
        let stage = match referee.status() {
            MatchStatus::Running => MatchStage::Running,
            MatchStatus::Completed => MatchStage::Completed,
            MatchStatus::Aborted(_) => MatchStage::Aborted,
        };
        let steps = referee.course().steps().len();
        self.count(referee, self.live.news().steps);
        self.live.tell(stage, steps);
        self.resuming.rests(&self.live.id);
    }
}

/// Somebody at a screen, who has a seat.
#[derive(Debug)]
pub(super) struct Person {
    live: Weak<Live>,
    /// Where the answer is waited for.
    asked: Mutex<Option<oneshot::Sender<Vec<u8>>>>,
}

impl Person {
    pub(super) fn new(live: &Arc<Live>) -> Self {
        Self { live: Arc::downgrade(live), asked: Mutex::default() }
    }

    fn is_asked(&self) -> bool {
        lock(&self.asked).as_ref().is_some_and(|asked| !asked.is_closed())
    }

    fn answer(&self, action: &str) -> Result<(), String> {
        let asked = lock(&self.asked).take().ok_or("no move of this seat is asked for now")?;
        asked.send(action.as_bytes().to_vec()).map_err(|_| "the move comes too late".to_owned())
    }
}

/// A seat of a person as the referee has it: a person is always ready, and is asked for moves.
#[derive(Debug)]
pub(super) struct PersonSeat(pub(super) Arc<Person>);

impl Correspondent for PersonSeat {
    fn ask(&self, request: &Request) -> Asking {
        let person = Arc::clone(&self.0);
        match request {
            Request::Play { .. } => Box::pin(async move {
                let (sender, answer) = oneshot::channel();
                *lock(&person.asked) = Some(sender);
                // Those who look have to know that there is somebody to answer.
                if let Some(live) = person.live.upgrade() {
                    let MatchNews { stage, steps, .. } = live.news();
                    live.tell(stage, steps);
                }
                answer.await.map_err(|_| NoAnswer("nobody answered".to_owned()))
            }),
            Request::Start(_) => Box::pin(async { Ok(b"ready".to_vec()) }),
            _ => Box::pin(async { Ok(b"done".to_vec()) }),
        }
    }
}
