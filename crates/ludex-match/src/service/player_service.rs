//! The player service itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ludex_game::{TimeBank, TimeTerms};

use super::effect::{Effect, Ending};
use super::event::{CallNumber, Event, JobNumber, Pace, TableNumber};
use super::held::{Held, NO_MOVE};
use super::manner::{Manner, Spelling};
use super::remark::{Remark, RemarkKind};
use super::seating::{Deadlines, Seating, Turn, Waiting};
use super::summary::{shortened, summary};
use crate::message::{Last, Received, Request, Response, Shared, StartMessage, match_key, read_request};
use crate::referee::Moment;

/// The least time for an answer: where a clock leaves none, a late answer is better than none.
const LEAST_TIME: Duration = Duration::from_millis(100);

/// How a player service behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceOptions {
    /// What the player calls itself: a word.
    pub name: String,
    /// In how many matches it plays at once.
    pub matches: usize,
    /// What is kept back from each clock for the way to the manager; `None` for a twentieth of the
    /// clock, but at least 30 ms and at most 250 ms.
    pub margin: Option<Duration>,
    /// A match is left when nothing was heard of it for this long and two play clocks. As long as a message of it is held
    /// back, nothing need be heard.
    pub silence: Duration,
    /// The longest clock. Where a manager gives a longer one, the player answers after this time, and
    /// keeps a silent match no longer for it.
    pub longest_clock: Duration,
}

impl Default for ServiceOptions {
    /// `ludex`, four matches, the usual margin, two minutes, ten minutes.
    fn default() -> Self {
        Self {
            name: "ludex".to_owned(),
            matches: 4,
            margin: None,
            silence: Duration::from_secs(120),
            longest_clock: Duration::from_secs(600),
        }
    }
}

/// So many may wait for one answer. A manager asks again where it lost a connection; whoever asks more often holds
/// connections, and those who have waited longest go with `busy`.
const MOST_WAITING: usize = 8;

/// A message that is later than this, for all that the clocks say, is taken not to come any more when
/// somebody else wants the place.
const GRACE: Duration = Duration::from_secs(15);

impl ServiceOptions {
    /// A clock of a manager, as far as it is kept to.
    fn clock(&self, seconds: u32) -> Duration {
        Duration::from_secs(seconds.into()).min(self.longest_clock)
    }

    /// What is kept back of a clock for the way to the manager.
    pub fn margin_of(&self, clock: Duration) -> Duration {
        self.margin.unwrap_or((clock / 20).clamp(Duration::from_millis(30), Duration::from_millis(250)))
    }

    /// How long a message and its answer are taken to be on their way, which a manager takes off what there is for all
    /// moves together: so long, where that is left.
    fn way(&self, left: Duration) -> Duration {
        self.margin.unwrap_or((left / 400).clamp(Duration::from_millis(5), Duration::from_millis(150)))
    }

    /// When a move has to be on its way, where so much is left for all moves.
    fn latest_move(&self, since: Moment, seconds: u32, bank: Option<TimeBank>) -> Moment {
        let Some(bank) = bank else { return self.latest(since, seconds) };
        let clock = self.clock(seconds).min(bank.total);
        since.saturating_add(clock.saturating_sub(self.margin_of(clock)).max(LEAST_TIME))
    }

    /// When an answer to a message has to be on its way.
    fn latest(&self, since: Moment, seconds: u32) -> Moment {
        let clock = self.clock(seconds);
        let time = clock.saturating_sub(self.margin_of(clock));
        since.saturating_add(time.max(LEAST_TIME))
    }

    /// How long it is waited for more of a match after an answer that leaves at this moment.
    fn deadlines(&self, answered: Moment, start: &StartMessage) -> Deadlines {
        let clock = self.clock(start.play_clock);
        Deadlines {
            overdue_at: answered.saturating_add(clock + GRACE.min(self.silence)),
            free_at: answered.saturating_add(self.silence.saturating_add(2 * clock)),
        }
    }
}

/// The player's side of the wire: see the [module](super).
#[derive(Debug)]
pub struct PlayerService {
    options: ServiceOptions,
    tables: BTreeMap<TableNumber, Seating>,
    next_table: u64,
    next_job: u64,
}

impl PlayerService {
    /// A service without any match.
    pub fn new(options: ServiceOptions) -> Self {
        Self { options, tables: BTreeMap::new(), next_table: 0, next_job: 0 }
    }

    /// How many places are taken.
    pub fn matches(&self) -> usize {
        self.tables.len()
    }

    /// When [`Event::Tick`] is due, unless something else comes before.
    pub fn next_wake(&self) -> Option<Moment> {
        self.tables.values().filter_map(Seating::next_wake).min()
    }

    /// Takes in what came at a moment, and says what is to be done.
    pub fn on(&mut self, now: Moment, event: Event, out: &mut Vec<Effect>) {
        match event {
            Event::Message { call, text, since } => self.message(now, call, &text, since.min(now), out),
            Event::Undelivered(call) => self.undelivered(call, out),
            Event::Abandoned(call) => self.abandoned(now, call, out),
            Event::Prepared { job, result } => self.prepared(job, result, out),
            Event::Legal { job, action } => {
                if let Some(turn) = self.turn_of(job).map(|(_, turn)| turn) {
                    turn.legal = Some(action);
                }
            }
            Event::Chosen { job, result } => self.chosen(job, result, out),
            Event::Moved { table, action } => self.moved(now, table, action, out),
            Event::Tick => {}
            Event::Close => self.close(out),
        }
        self.keep_time(now, out);
    }

    fn message(&mut self, now: Moment, call: CallNumber, text: &str, since: Moment, out: &mut Vec<Effect>) {
        let Received { request, notation } = match read_request(text) {
            Ok(received) => received,
            Err(error) => {
                out.push(Effect::Refuse { call, cause: shortened(error.to_string()) });
                return;
            }
        };
        out.push(Effect::Heard { call, summary: summary(&request) });
        let waiting = (call, Manner::of(text, notation));
        match request {
            Request::Info => self.info(waiting, out),
            Request::Start(start) => self.start(now, waiting, *start, since, out),
            Request::Preview { rules, clock } => self.preview(now, waiting, rules, clock, since, out),
            Request::Play { id, last } => self.play(now, waiting, &id, last, since, out),
            Request::Stop { id, last } => self.end(waiting, &id, Ending::Stopped(last), out),
            Request::Abort { id } => self.end(waiting, &id, Ending::Aborted, out),
        }
    }

    fn is_full(&self) -> bool {
        self.tables.len() >= self.options.matches
    }

    fn info(&self, waiting: Waiting, out: &mut Vec<Effect>) {
        let status = if self.is_full() { "busy" } else { "available" };
        let pairs = [("name", self.options.name.as_str()), ("status", status)];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        answer(waiting, &Response::Available(pairs.to_vec()), out);
    }

    fn start(
        &mut self,
        now: Moment,
        waiting: Waiting,
        start: StartMessage,
        since: Moment,
        out: &mut Vec<Effect>,
    ) {
        if let Some(table) = self.find(&start.id) {
            let Some(seating) = self.tables.get_mut(&table) else { return };
            let known = seating.start.as_deref();
            if known.is_some_and(|known| !known.role.eq_ignore_ascii_case(&start.role)) {
                out.push(Effect::Remark(Remark::new(start.id, RemarkKind::OtherRole)));
                return answer(waiting, &Response::Busy, out);
            }
            if known == Some(&start) && !seating.has_begun() {
                // It came again: the answer may have been lost on its way.
                seating.deadlines.extend(now.saturating_add(self.options.silence));
                if seating.is_ready {
                    return answer(waiting, &Response::Ready, out);
                }
                return join(&mut seating.start_calls, waiting, out);
            }
            out.push(Effect::Remark(Remark::new(start.id.clone(), RemarkKind::Restarted)));
            self.leave(table, Ending::Left, out);
        }
        if !self.make_room(now, out) {
            out.push(Effect::Remark(Remark::new(start.id, RemarkKind::Full)));
            return answer(waiting, &Response::Busy, out);
        }
        let until = self.options.latest(since, start.start_clock);
        let (table, job) = (self.new_table(), self.new_job());
        let start = Arc::new(start);
        let notation = waiting.1.notation;
        out.push(Effect::Prepare { table, job, start: Arc::clone(&start), notation, until });
        let deadlines = self.options.deadlines(until, &start);
        let spelling = Spelling::of(&start.rules, notation);
        self.tables.insert(table, seating(Some(start), spelling, job, until, waiting, deadlines));
    }

    /// Whether there is a place; where all are taken, the match that is overdue for longest gives way.
    fn make_room(&mut self, now: Moment, out: &mut Vec<Effect>) -> bool {
        if !self.is_full() {
            return true;
        }
        let overdue = self.tables.iter().filter(|(_, seating)| seating.is_overdue(now));
        let Some((&table, seating)) = overdue.min_by_key(|(_, seating)| seating.deadlines.overdue_at) else {
            return false;
        };
        out.push(Effect::Remark(Remark::new(seating.id().to_owned(), RemarkKind::GaveWay)));
        self.leave(table, Ending::Left, out);
        true
    }

    fn preview(
        &mut self,
        now: Moment,
        waiting: Waiting,
        rules: Shared<String>,
        clock: u32,
        since: Moment,
        out: &mut Vec<Effect>,
    ) {
        if !self.make_room(now, out) {
            out.push(Effect::Remark(Remark::new(String::new(), RemarkKind::Full)));
            return answer(waiting, &Response::Busy, out);
        }
        let until = self.options.latest(since, clock);
        let (table, job) = (self.new_table(), self.new_job());
        out.push(Effect::Preview { job, rules, notation: waiting.1.notation, until });
        let deadlines = Deadlines::until(until.saturating_add(self.options.silence));
        self.tables.insert(table, seating(None, Spelling::default(), job, until, waiting, deadlines));
    }

    fn play(
        &mut self,
        now: Moment,
        waiting: Waiting,
        id: &str,
        last: Last,
        since: Moment,
        out: &mut Vec<Effect>,
    ) {
        let Some(table) = self.find(id) else {
            out.push(Effect::Remark(Remark::new(shortened(id.to_owned()), RemarkKind::Unknown)));
            return answer(waiting, &Response::Busy, out);
        };
        let Some(seating) = self.tables.get_mut(&table) else { return };
        if let Some(pace) = seating.pace.filter(|&pace| pace != Pace::of(&last)) {
            out.push(Effect::Remark(Remark::new(id.to_owned(), RemarkKind::OtherPace(pace))));
            return answer(waiting, &Response::Busy, out);
        }
        for waiting in std::mem::take(&mut seating.start_calls) {
            // The manager has gone on without this answer.
            answer(waiting, &Response::Ready, out);
        }
        seating.is_ready = true;
        if let Some(preparing) = seating.preparing.take() {
            out.push(Effect::CallOff(preparing));
        }
        match last {
            Last::InTime { time, news } => {
                let Some(start) = &seating.start else { return };
                seating.deadlines = self.options.deadlines(now, start);
                out.push(Effect::Tell { table, time, news, since });
                seating.held.hear(waiting, &seating.spelling, out);
            }
            last => self.ask(now, waiting, table, last, since, out),
        }
    }

    /// Lets the player of a game in steps choose.
    fn ask(
        &mut self,
        now: Moment,
        waiting: Waiting,
        table: TableNumber,
        last: Last,
        since: Moment,
        out: &mut Vec<Effect>,
    ) {
        let job = self.new_job();
        let Some(seating) = self.tables.get_mut(&table) else { return };
        let Some(start) = seating.start.clone() else { return };
        let id = start.id.as_str();
        let mut before = seating.turn.take();
        if let Some(turn) = &mut before {
            if turn.is_surely(&last) && turn.answer.is_some() {
                // It came again, and gets the same answer.
                turn.calls.push(waiting);
                (turn.undelivered, turn.is_charged) = (false, false);
                answer_turn(id, &seating.spelling, turn, out);
                seating.turn = before;
                return;
            }
            if turn.last == last && turn.answer.is_none() && turn.is_open() {
                // The same thinking goes on.
                join(&mut turn.calls, waiting, out);
                seating.turn = before;
                return;
            }
            if turn.is_open() {
                out.push(Effect::Remark(Remark::new(id.to_owned(), RemarkKind::Overtaken)));
                out.push(Effect::CallOff(turn.job));
                answer_turn(id, &seating.spelling, turn, out);
            }
        }
        let (answered, undelivered) = before.map_or((None, false), |turn| (turn.answer, turn.undelivered));
        let time = seating.time;
        let until = self.options.latest_move(since, start.play_clock, time.bank);
        out.push(Effect::Think { table, job, last: last.clone(), answered, undelivered, time, until });
        seating.turn = Some(Turn {
            last,
            job,
            answer_by: until,
            legal: None,
            answer: None,
            calls: vec![waiting],
            answered: Vec::new(),
            undelivered: false,
            since,
            bank: time.bank,
            is_charged: false,
        });
        seating.deadlines = self.options.deadlines(until.max(now), &start);
    }

    /// `stop` and `abort`: of a match that is not known, there is nothing left either.
    fn end(&mut self, waiting: Waiting, id: &str, ending: Ending, out: &mut Vec<Effect>) {
        match self.find(id) {
            Some(table) => self.leave(table, ending, out),
            None => out.push(Effect::Remark(Remark::new(shortened(id.to_owned()), RemarkKind::Unknown))),
        }
        answer(waiting, &Response::Done, out);
    }

    fn prepared(&mut self, job: JobNumber, result: Result<Pace, String>, out: &mut Vec<Effect>) {
        let is_meant = |seating: &Seating| seating.preparation == job && seating.pace.is_none();
        let Some((&table, seating)) = self.tables.iter_mut().find(|(_, seating)| is_meant(seating)) else {
            return;
        };
        seating.pace = result.as_ref().ok().copied();
        seating.preparing = None;
        seating.is_ready = true;
        let is_preview = seating.start.is_none();
        let response = if result.is_ok() { Response::Ready } else { Response::Busy };
        for waiting in std::mem::take(&mut seating.start_calls) {
            answer(waiting, &response, out);
        }
        if let Err(cause) = &result {
            let cause = shortened(cause.clone());
            out.push(Effect::Remark(Remark::new(seating.id().to_owned(), RemarkKind::Unplayable(cause))));
        }
        if is_preview {
            self.tables.remove(&table);
        } else if result.is_err() {
            self.leave(table, Ending::Left, out);
        } else {
            refuse_what_does_not_fit(seating, out);
        }
    }

    fn chosen(&mut self, job: JobNumber, result: Result<String, String>, out: &mut Vec<Effect>) {
        let Some((seating, turn)) = self.turn_of(job) else { return };
        // What comes after the answer was given has no place any more.
        if turn.answer.is_some() {
            return;
        }
        match result {
            Ok(action) => turn.answer = Some(action),
            Err(cause) => {
                let cause = shortened(cause);
                out.push(Effect::Remark(Remark::new(seating.0.to_owned(), RemarkKind::Failed(cause))));
            }
        }
        if turn.is_open() {
            answer_turn(seating.0, seating.1, turn, out);
        }
    }

    fn undelivered(&mut self, call: CallNumber, out: &mut Vec<Effect>) {
        for seating in self.tables.values_mut() {
            seating.held.undelivered(call, &seating.spelling, out);
            if let Some(turn) = seating.turn.as_mut().filter(|turn| turn.answered.contains(&call)) {
                turn.undelivered = true;
            }
        }
    }

    fn abandoned(&mut self, now: Moment, call: CallNumber, out: &mut Vec<Effect>) {
        for seating in self.tables.values_mut() {
            let was_held = seating.held.abandon(call, &seating.spelling, out);
            if let Some(start) = seating.start.as_ref().filter(|_| was_held) {
                seating.deadlines = self.options.deadlines(now, start);
            }
        }
    }

    fn moved(&mut self, now: Moment, table: TableNumber, action: String, out: &mut Vec<Effect>) {
        let Some(seating) = self.tables.get_mut(&table) else { return };
        let Some(start) = seating.start.as_ref().filter(|_| seating.pace != Some(Pace::InSteps)) else {
            return;
        };
        seating.held.moved(action, &seating.spelling, out);
        seating.deadlines = self.options.deadlines(now, start);
    }

    /// Answers what has waited long enough, and leaves matches of which nothing is heard.
    fn keep_time(&mut self, now: Moment, out: &mut Vec<Effect>) {
        let mut silent = Vec::new();
        for (&table, seating) in &mut self.tables {
            let way = seating.time.bank.map_or(Duration::ZERO, |bank| self.options.way(bank.total));
            let id = seating.start.as_ref().map_or("", |start| &start.id);
            if now >= seating.ready_by && !seating.start_calls.is_empty() {
                out.push(Effect::Remark(Remark::new(id.to_owned(), RemarkKind::NotReady)));
                seating.is_ready = true;
                for waiting in std::mem::take(&mut seating.start_calls) {
                    answer(waiting, &Response::Ready, out);
                }
            }
            if let Some(turn) = &mut seating.turn
                && turn.is_open()
                && now >= turn.answer_by
            {
                out.push(Effect::CallOff(turn.job));
                answer_turn(id, &seating.spelling, turn, out);
            }
            seating.charge(now, way);
            if seating.free_at().is_some_and(|free_at| now >= free_at) {
                silent.push(table);
            }
        }
        for table in silent {
            let id = self.tables.get(&table).map_or("", Seating::id).to_owned();
            out.push(Effect::Remark(Remark::new(id, RemarkKind::Silent)));
            self.leave(table, Ending::Left, out);
        }
    }

    /// Forgets a match. Nobody who still waits for an answer waits in vain.
    fn leave(&mut self, table: TableNumber, ending: Ending, out: &mut Vec<Effect>) {
        let Some(mut seating) = self.tables.remove(&table) else { return };
        if let Some(job) = seating.preparing {
            out.push(Effect::CallOff(job));
        }
        let id = seating.id().to_owned();
        for waiting in std::mem::take(&mut seating.start_calls) {
            answer(waiting, &Response::Busy, out);
        }
        if let Some(turn) = seating.turn.as_mut().filter(|turn| turn.is_open()) {
            out.push(Effect::CallOff(turn.job));
            answer_turn(&id, &seating.spelling, turn, out);
        }
        seating.held.let_go(&seating.spelling, out);
        if seating.held.moves() > 0 {
            out.push(Effect::Remark(Remark::new(id.clone(), RemarkKind::Unsent(seating.held.moves()))));
        }
        if seating.start.is_some() {
            let answered = seating.turn.and_then(|turn| turn.answer);
            out.push(Effect::Dismiss { table, answered, ending });
        }
    }

    fn close(&mut self, out: &mut Vec<Effect>) {
        let tables: Vec<TableNumber> = self.tables.keys().copied().collect();
        for table in tables {
            self.leave(table, Ending::Left, out);
        }
    }

    /// The match that a manager calls so.
    fn find(&self, id: &str) -> Option<TableNumber> {
        let key = match_key(id);
        let mut seated = self.tables.iter().filter(|(_, seating)| seating.start.is_some());
        seated.find(|(_, seating)| match_key(seating.id()) == key).map(|(&table, _)| table)
    }

    /// The turn that a job is for, with what its match is called and how its rules are spelled.
    fn turn_of(&mut self, job: JobNumber) -> Option<((&str, &Spelling), &mut Turn)> {
        self.tables.values_mut().find_map(|seating| {
            let id = seating.start.as_ref().map_or("", |start| start.id.as_str());
            let turn = seating.turn.as_mut().filter(|turn| turn.job == job)?;
            Some(((id, &seating.spelling), turn))
        })
    }

    fn new_table(&mut self) -> TableNumber {
        self.next_table += 1;
        TableNumber(self.next_table)
    }

    fn new_job(&mut self) -> JobNumber {
        self.next_job += 1;
        JobNumber(self.next_job)
    }
}

/// A match, or a preview without a message that begins one, whose first job is to get ready.
fn seating(
    start: Option<Arc<StartMessage>>,
    spelling: Spelling,
    job: JobNumber,
    ready_by: Moment,
    waiting: Waiting,
    deadlines: Deadlines,
) -> Seating {
    let time = start.as_ref().map_or_else(TimeTerms::default, |start| start.time_terms());
    Seating {
        start,
        time,
        spelling,
        preparation: job,
        preparing: Some(job),
        pace: None,
        is_ready: false,
        ready_by,
        start_calls: vec![waiting],
        turn: None,
        held: Held::default(),
        deadlines,
    }
}

/// Refuses what came before it was known how the game goes, and is not meant for such games.
fn refuse_what_does_not_fit(seating: &mut Seating, out: &mut Vec<Effect>) {
    let id = seating.id().to_owned();
    let Some(pace) = seating.pace else { return };
    let refused = match pace {
        Pace::InSteps => seating.held.take().into_iter().collect(),
        Pace::InTime => seating.turn.take().map_or(Vec::new(), |turn| {
            out.push(Effect::CallOff(turn.job));
            turn.calls
        }),
    };
    for waiting in refused {
        out.push(Effect::Remark(Remark::new(id.clone(), RemarkKind::OtherPace(pace))));
        answer(waiting, &Response::Busy, out);
    }
}

/// Lets one more wait for an answer.
fn join(calls: &mut Vec<Waiting>, waiting: Waiting, out: &mut Vec<Effect>) {
    if calls.len() >= MOST_WAITING {
        answer(calls.remove(0), &Response::Busy, out);
    }
    calls.push(waiting);
}

fn answer((call, manner): Waiting, response: &Response, out: &mut Vec<Effect>) {
    out.push(Effect::Answer { call, text: manner.write(response) });
}

/// Answers all who wait for a move: with the player's, else with one that is legal, else with none.
fn answer_turn(id: &str, spelling: &Spelling, turn: &mut Turn, out: &mut Vec<Effect>) {
    let id = || id.to_owned();
    if turn.answer.is_none() {
        turn.answer = turn.legal.clone();
        let remark = match turn.answer {
            Some(_) => Remark::new(id(), RemarkKind::FellBack),
            None => Remark::new(id(), RemarkKind::NoMove),
        };
        out.push(Effect::Remark(remark));
    }
    let action = turn.answer.as_deref().unwrap_or(NO_MOVE);
    turn.answered.clear();
    for (call, manner) in std::mem::take(&mut turn.calls) {
        out.push(Effect::Answer { call, text: manner.write_move(action, spelling) });
        turn.answered.push(call);
    }
}
