//! Matches that run: what may be seen of them, and the people who play in them.

use std::sync::{Arc, Mutex, MutexGuard};

use ludex::game::TimedRules;
use ludex::matches::Fault;
use ludex::matches::referee::real_time::{TimedReferee, Verdict};
use ludex::matches::referee::{Referee, SeatNumber};
use ludex::matches::view::{SeatClock, StateView, StepView, View, Viewer};
use ludex::{MatchRecord, MatchStatus, TimedRecord};
use tokio::sync::watch;

use super::agreements::StandingOffer;
use super::core::Core;
use super::error::ManagerError;
use super::excerpt::{SomeSteps, WantedSteps, seen_step};
use super::metrics::Metrics;
use super::person::{People, Person};
use super::quarantine::Resuming;
use super::timed_sight::{Present, TimedSight};
use crate::driver::{DriverClock, MatchStop, Watcher, unix_milliseconds};
use crate::lock::lock;
use crate::model::{MatchNews, MatchStage, MatchView};

/// A match that runs, or is about to.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) id: String,
    /// Who plays, by name.
    pub(super) players: Vec<String>,
    pub(super) tournament: Option<String>,
    /// Since when it is under way here, in milliseconds since 1970.
    pub(super) since: u64,
    seen: Mutex<Seen>,
    news: watch::Sender<MatchNews>,
}

/// What is known of a match, and who has to do with it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The match as far as it is written, once it has begun: the truth, which everybody sees through a view.
    course: Option<Course>,
    pub(super) people: People,
    pub(super) running: Option<MatchStop>,
    /// Whether moves can be taken back.
    pub(super) goes_back: bool,
    /// What a person offers the others.
    pub(super) offer: Option<StandingOffer>,
    /// Why it is to be aborted: at once, as soon as it runs, or when it goes on after it was put off.
    abort: Option<String>,
}

/// A match as far as it is written.
#[derive(Debug)]
enum Course {
    InSteps {
        record: Box<MatchRecord>,
        clocks: Vec<SeatClock>,
        /// When the clocks were looked at, in milliseconds since 1970.
        looked: u64,
    },
    InTime {
        rules: TimedRules,
        /// Both are shared with whoever looks, so that nobody waits for a state that is played again.
        record: Arc<TimedRecord>,
        present: Arc<Present>,
    },
}

impl Live {
    pub(super) fn new(id: &str, players: Vec<String>, tournament: Option<String>) -> Self {
        let first = MatchNews { revision: 0, stage: MatchStage::Planned, steps: 0 };
        Self {
            id: id.to_owned(),
            players,
            tournament,
            since: unix_milliseconds(),
            seen: Mutex::default(),
            news: watch::channel(first).0,
        }
    }

    /// Whoever may look at the match looks.
    pub(super) fn open(&self, referee: &Referee, people: People) {
        // The rules are with the game.
        let record = Box::new(MatchRecord { rulesheet: None, ..referee.record() });
        let clocks = referee.clocks(DriverClock::start().now());
        let course = Course::InSteps { record, clocks, looked: unix_milliseconds() };
        // Only those who play here learn where the match is then, and in a tournament what is done is done.
        let goes_back = referee.goes_back() && !people.has_remote && self.tournament.is_none();
        lock(&self.seen).goes_back = goes_back;
        self.begin(course, people, referee.course().steps().len());
    }

    /// Whoever may look at a match in real time looks.
    pub(super) fn open_in_time(&self, referee: &TimedReferee, clock: DriverClock, people: People) {
        let record = Arc::new(TimedRecord { rulesheet: String::new(), ..referee.record() });
        let rules = referee.course().rules().clone();
        let course = Course::InTime { rules, record, present: Arc::new(Present::of(referee, clock)) };
        self.begin(course, people, referee.course().events().len());
    }

    fn begin(&self, course: Course, people: People, steps: usize) {
        let mut seen = lock(&self.seen);
        (seen.course, seen.people, seen.running) = (Some(course), people, None);
        drop(seen);
        self.tell(MatchStage::Running, steps);
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

    /// Those who look are shown what has changed beside steps.
    pub(super) fn tell_again(&self) {
        let MatchNews { stage, steps, .. } = self.news();
        self.tell(stage, steps);
    }

    /// What is known of the match, to look at it or to say something.
    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        lock(&self.seen)
    }

    fn tell(&self, stage: MatchStage, steps: usize) {
        self.news.send_modify(|news| *news = MatchNews { revision: news.revision + 1, stage, steps });
    }

    /// What somebody may see of the state after so many steps, and of the step that follows; nothing before the match has
    /// begun, and no state where there is none. States in real time are played again by the rules as `limited` has them.
    pub(super) fn step(
        &self,
        viewer: Viewer,
        step: usize,
        limited: impl FnOnce(&TimedRules) -> TimedRules,
    ) -> Option<Result<SeenStep, ManagerError>> {
        let seen = lock(&self.seen);
        let (rules, record, present) = match seen.course.as_ref()? {
            Course::InSteps { record, .. } => return Some(Ok(seen_step(record, viewer, step))),
            Course::InTime { rules, record, present } => {
                (limited(rules), Arc::clone(record), Arc::clone(present))
            }
        };
        // The match goes on meanwhile.
        drop(seen);
        Some(TimedSight { rules: &rules, record: &record, present: Some(&present) }.step(viewer, step))
    }

    /// What somebody sees now, and the steps that are wanted; nothing before the match has begun. States in real time are
    /// played again as in [`Live::step`].
    pub(super) fn view(
        &self,
        viewer: Viewer,
        wanted: &WantedSteps,
        limited: impl FnOnce(&TimedRules) -> TimedRules,
    ) -> Option<Result<(MatchView, SomeSteps), ManagerError>> {
        let news = self.news();
        let seen = lock(&self.seen);
        let person = match viewer {
            Viewer::Seat(seat) => seen.person(seat),
            Viewer::Spectator | Viewer::Referee => None,
        };
        let (rules, record, present) = match seen.course.as_ref()? {
            Course::InSteps { record, clocks, looked } => {
                let (mut view, steps) = wanted.seen_in(record, viewer, news.stage);
                view.revision = news.revision;
                view.own_moves = View::of_record(record, viewer).own_moves();
                view.awaited = person.is_some_and(|person| person.is_asked());
                view.offer = seen.standing_offer(record);
                view.may_say = match viewer {
                    Viewer::Seat(seat) if person.is_some() => seen.may_say(seat, record),
                    _ => Vec::new(),
                };
                view.snapshot.clocks = running_down(clocks, *looked);
                return Some(Ok((view, steps)));
            }
            Course::InTime { rules, record, present } => {
                (limited(rules), Arc::clone(record), Arc::clone(present))
            }
        };
        let is_person = person.is_some();
        // The match goes on meanwhile.
        drop(seen);
        let sight = TimedSight { rules: &rules, record: &record, present: Some(&present) };
        Some(sight.seen(wanted, viewer, news.stage).map(|(mut view, steps)| {
            view.revision = news.revision;
            view.awaited &= is_person && view.real_time.as_ref().is_some_and(|time| time.is_running);
            (view, steps)
        }))
    }

    /// The move of a seat where it has no choice, in a match in steps.
    pub(super) fn only_move(&self, seat: SeatNumber) -> Option<String> {
        let seen = lock(&self.seen);
        let mut own = View::of_record(seen.record()?, Viewer::Seat(seat)).own_moves();
        own.pop().filter(|_| own.is_empty())
    }

    /// Makes the move of a person: in steps, in the state after so many of them; in real time, now.
    pub(super) fn submit(&self, seat: SeatNumber, step: usize, action: &str) -> Result<(), String> {
        let seen = lock(&self.seen);
        let person = seen.person(seat).ok_or("nobody plays this seat by hand")?;
        let wanted = written(action);
        let (own, in_time) = match seen.course.as_ref().ok_or("the match has not begun")? {
            Course::InSteps { record, .. } => {
                let steps = record.moves.len();
                if step != steps {
                    return Err(format!("the match is at step {} already", steps + 1));
                }
                (View::of_record(record, Viewer::Seat(seat)).own_moves(), false)
            }
            Course::InTime { rules, record, present } => {
                let sight = TimedSight { rules, record, present: Some(present) };
                (sight.own_moves(seat), true)
            }
        };
        let Some(legal) = own.iter().find(|legal| **legal == wanted) else {
            return Err(format!("`{action}` is not a legal move"));
        };
        if in_time { person.say(legal) } else { person.answer(legal) }
    }
}

/// What somebody may see of a state, if there is such, and of the step that follows.
pub(super) type SeenStep = Option<(StateView, Option<StepView>)>;

/// The clocks as they are now that were looked at then.
fn running_down(clocks: &[SeatClock], looked: u64) -> Vec<SeatClock> {
    let passed = unix_milliseconds().saturating_sub(looked);
    let mut clocks = clocks.to_vec();
    for clock in &mut clocks {
        clock.left = clock.left.map(|left| left.saturating_sub(passed));
    }
    clocks
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
    /// The match as far as it is written, where it goes in steps and has begun.
    pub(super) fn record(&self) -> Option<&MatchRecord> {
        match self.course.as_ref()? {
            Course::InSteps { record, .. } => Some(record),
            Course::InTime { .. } => None,
        }
    }

    pub(super) fn person(&self, seat: SeatNumber) -> Option<&Arc<Person>> {
        self.people.seats.iter().find(|(number, _)| *number == seat).map(|(_, person)| person)
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
        core: &Core,
        start_faults: &[Option<Fault>],
    ) -> Self {
        let (metrics, resuming) = (Arc::clone(&core.metrics), Arc::clone(&core.scheduler.resuming));
        Self { live, clock, metrics, resuming, start_counted: start_faults.to_vec() }
    }

    fn count_starts(&mut self, start_faults: &[Option<Fault>]) {
        for (fault, counted) in start_faults.iter().zip(&mut self.start_counted) {
            if let Some(fault) = fault.as_ref().filter(|_| counted.is_none()) {
                self.metrics.failed(fault);
                *counted = Some(fault.clone());
            }
        }
    }

    /// Counts what is new in a match of which so many steps were known.
    fn count(&mut self, referee: &Referee, known: usize) {
        let course = referee.course();
        self.count_starts(course.start_faults());
        let steps = course.steps().get(known..).unwrap_or_default();
        self.metrics.stepped(steps.len());
        for fault in steps.iter().flat_map(|step| step.faults.iter().flatten()) {
            self.metrics.failed(fault);
        }
    }

    /// Counts what is new in a match in real time of which so many moves were known.
    fn count_in_time(&mut self, referee: &TimedReferee, known: usize) {
        let course = referee.course();
        self.count_starts(course.start_faults());
        let moves = course.arrivals().get(known..).unwrap_or_default();
        self.metrics.stepped(moves.len());
        for came in moves {
            if let Verdict::Refused(fault) = &came.verdict {
                self.metrics.failed(fault);
            }
        }
    }

    fn tell(&self, status: &MatchStatus, steps: usize) {
        let stage = match status {
            MatchStatus::Running => MatchStage::Running,
            MatchStatus::Completed | MatchStatus::Settled(_) => MatchStage::Completed,
            MatchStatus::Aborted(_) => MatchStage::Aborted,
        };
        self.live.tell(stage, steps);
        self.resuming.rests(&self.live.id);
    }
}

impl Watcher for LiveWatcher {
    fn works(&mut self) {
        self.resuming.works(&self.live.id);
    }

    fn changed(&mut self, referee: &Referee) {
        let now = self.clock.now();
        if let Some(Course::InSteps { record, clocks, looked }) = &mut lock(&self.live.seen).course {
            referee.course().extend(record);
            *clocks = referee.clocks(now);
            *looked = unix_milliseconds();
        }
        self.count(referee, self.live.news().steps);
        self.tell(referee.status(), referee.course().steps().len());
    }
}

impl Watcher<TimedReferee> for LiveWatcher {
    fn works(&mut self) {
        self.resuming.works(&self.live.id);
    }

    fn changed(&mut self, referee: &TimedReferee) {
        let mut known = 0;
        if let Some(Course::InTime { record, present, .. }) = &mut lock(&self.live.seen).course {
            known = record.moves.len();
            referee.extend(Arc::make_mut(record));
            *present = Arc::new(Present::of(referee, self.clock));
        }
        self.count_in_time(referee, known);
        self.tell(referee.status(), referee.course().events().len());
    }
}
