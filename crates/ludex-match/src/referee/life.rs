//! The life of a referee: from event to effects.

use std::time::Duration;

use ludex_game::{GameError, Rules};
use ludex_logic::LimitError;

use super::beginning::{begun, check, has_no_secrets};
use super::effect::Effect;
use super::entry::{Entry, EntryNumber};
use super::error::RefereeError;
use super::event::Event;
use super::introductions::Introductions;
use super::seat::{Seat, excerpt};
use super::seating::seats;
use super::setup::{MessageNumber, Moment, RefereeSetup, SeatNumber};
use super::waiting::{Heard, Question, Waiting};
use crate::Settlement;
use crate::course::{Fault, Match, MatchStatus, MoveNote, Reply};
use crate::message::{Given, Last};
use crate::record::{MatchRecord, milliseconds};

/// How long a referee waits for the players to say that they know that the match is over. Nothing
/// depends on their answers.
pub(super) const PARTING: Duration = Duration::from_secs(3);

/// A referee of one match.
///
/// It is given what happens ([`Referee::on`]) and says what is to be done about it. What it says of the
/// match, in messages and by its own methods, is never more than what is written: a step is in
/// [`Referee::course`] as soon as its entry is durable.
#[derive(Debug)]
pub struct Referee {
    pub(super) setup: RefereeSetup,
    pub(super) seats: Vec<Seat>,
    pub(super) course: Match,
    /// How many entries are written.
    pub(super) entries: u64,
    /// Whether the first move is to be made, or was.
    pub(super) ready: bool,
    /// Seats whose players are new, and know nothing of the match.
    newcomers: Vec<SeatNumber>,
    /// Whether nothing was written since the referee began again.
    pub(super) just_resumed: bool,
    /// Whether it was written that the match is over.
    pub(super) ended: bool,
    /// Whether the players may have been told of the match.
    pub(super) told: bool,
    /// When the last state came about, in milliseconds since 1970.
    pub(super) last_time: Option<u64>,
    stage: Stage,
    /// What is to be done once what is being written is written.
    wish: Option<Wish>,
    /// A moment, and what a clock on the wall showed then, in milliseconds since 1970.
    wall: Option<(Moment, u64)>,
}

/// What somebody wants of the match beside moves.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wish {
    Abort(String),
    Settle(Settlement),
    TakeBack(usize),
}

/// What a referee is doing.
#[derive(Debug)]
enum Stage {
    /// It has not begun, or not again.
    Idle,
    /// It waits for an entry to be durable.
    Writing(Entry),
    /// It waits for answers.
    Waiting(Waiting),
    /// It is done.
    Done,
}

/// An answer that a referee waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Whose.
    pub seat: SeatNumber,
    /// To which message.
    pub message: MessageNumber,
    /// Until when.
    pub until: Moment,
}

impl Referee {
    /// A referee of a match that is to begin.
    ///
    /// # Errors
    /// [`RefereeError`] where what was agreed makes no match of this game.
    pub fn new(rules: Rules, setup: RefereeSetup) -> Result<Self, RefereeError> {
        check(&rules, &setup)?;
        let seats = seats(&rules, &setup)?;
        Ok(Self::with_seats(begun(rules, &setup)?, seats, setup))
    }

    fn with_seats(course: Match, seats: Vec<Seat>, setup: RefereeSetup) -> Self {
        Self {
            seats,
            course,
            entries: 0,
            ready: false,
            newcomers: Vec::new(),
            just_resumed: false,
            ended: false,
            told: false,
            last_time: setup.start_time,
            stage: Stage::Idle,
            wish: None,
            wall: None,
            setup,
        }
    }

    /// A referee of another match of this game between the same players, who are told the same of it in the same words;
    /// nothing of the match before counts.
    ///
    /// # Errors
    /// As [`Referee::new`].
    pub fn another(&self, id: String, seed: u64, start_time: Option<u64>) -> Result<Self, RefereeError> {
        let setup = RefereeSetup { id, seed, start_time, ..self.setup.clone() };
        check(self.course.rules(), &setup)?;
        let seats = self.seats.iter().map(Seat::anew).collect();
        Ok(Self::with_seats(begun(self.course.rules().clone(), &setup)?, seats, setup))
    }

    /// Says what a clock on the wall shows at a moment, in milliseconds since 1970, so that steps can be
    /// dated. Where nobody says so the match is taken to begin at its start time, if it has one, and to go
    /// on after a break as if there had been none.
    pub fn set_wall_clock(&mut self, now: Moment, unix_milliseconds: u64) {
        self.wall = Some((now, unix_milliseconds));
    }

    /// What was agreed.
    pub fn setup(&self) -> &RefereeSetup {
        &self.setup
    }

    /// The match as far as it is written. This is the true state, which is not for everybody to see: what
    /// may be shown is in [`Referee::view`].
    pub fn course(&self) -> &Match {
        &self.course
    }

    /// The match as a record, as far as it is written. It tells everything, which is not for everybody to
    /// see while the match lasts.
    pub fn record(&self) -> MatchRecord {
        self.course.record()
    }

    /// How far the match is, as far as it is written.
    pub fn status(&self) -> &MatchStatus {
        self.course.status()
    }

    /// Whether all is written and said, and the referee can go.
    pub fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done)
    }

    /// Whether it was written that the match is over.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// How many entries of the journal are written.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Whether moves can be taken back in this match: not where players see what they could not forget.
    pub fn goes_back(&self) -> bool {
        has_no_secrets(self.course.rules())
    }

    /// The players on some seats are new when the match goes on, and know nothing of it: they get ready first, and are told what
    /// was done. Whether that can be: not where players saw what others did not, for then nobody else can tell them. To be
    /// said before [`Event::Begin`].
    #[must_use]
    pub fn introduce(&mut self, seats: &[SeatNumber]) -> bool {
        if self.ready && !self.ended && !self.course.is_over() {
            if !has_no_secrets(self.course.rules()) {
                return seats.is_empty();
            }
            self.newcomers = seats.to_vec();
        }
        true
    }

    /// The answers that the referee waits for.
    pub fn awaited(&self) -> Vec<Awaited> {
        let Stage::Waiting(waiting) = &self.stage else { return Vec::new() };
        waiting.awaited().map(|(seat, message, until)| Awaited { seat, message, until }).collect()
    }

    /// What a seat has left on its cumulative clock, if it has one, as after the last step.
    pub fn bank(&self, seat: SeatNumber) -> Option<Duration> {
        self.seats.get(seat.0 as usize)?.bank()
    }

    /// Takes note of what happened, and says what is to be done. Whatever comes late, twice or from
    /// somebody who was not asked does nothing.
    pub fn on(&mut self, now: Moment, event: Event, out: &mut Vec<Effect>) {
        match event {
            Event::Begin => self.begin(now, out),
            Event::Abort(cause) => self.on_wish(now, Wish::Abort(cause), out),
            Event::Settle(settlement) => self.on_wish(now, Wish::Settle(settlement), out),
            Event::TakeBack(steps) => self.on_wish(now, Wish::TakeBack(steps), out),
            Event::Written(number) => self.on_written(now, number, out),
            Event::Reply { seat, message, bytes } => {
                self.on_answer(now, (seat, message), Ok(&bytes), out);
            }
            Event::Fault { seat, message, cause } => {
                self.on_answer(now, (seat, message), Err(&cause), out);
            }
            Event::Timer(timer) => {
                if let Stage::Waiting(waiting) = &mut self.stage {
                    waiting.expire(timer, now, out);
                    self.conclude(now, out);
                }
            }
        }
    }

    fn begin(&mut self, now: Moment, out: &mut Vec<Effect>) {
        if !matches!(self.stage, Stage::Idle) {
            return;
        }
        if self.wall.is_none() {
            self.wall = self.last_time.map(|time| (now, time));
        }
        let first = if self.entries == 0 {
            let rulesheet_sha256 = self.course.rules().sha256().to_owned();
            Entry::Opened { setup: Box::new(self.setup.clone()), rulesheet_sha256 }
        } else {
            Entry::Resumed
        };
        self.write(first, out);
    }

    fn on_wish(&mut self, now: Moment, wish: Wish, out: &mut Vec<Effect>) {
        // Who wants the match to end is not kept from it by who wants to go on.
        let is_settled = self.wish.as_ref().is_some_and(|wish| !matches!(wish, Wish::TakeBack(_)));
        if self.ended || is_settled || !self.is_possible(&wish) {
            return;
        }
        self.wish = Some(wish);
        match &self.stage {
            // That there was to be a match is worth a record, too.
            Stage::Idle => self.begin(now, out),
            Stage::Waiting(waiting) => {
                waiting.drop_all(out);
                self.go_on(now, out);
            }
            Stage::Writing(_) | Stage::Done => {}
        }
    }

    fn is_possible(&self, wish: &Wish) -> bool {
        match wish {
            Wish::Abort(_) => true,
            Wish::Settle(settlement) => (settlement.seat().0 as usize) < self.seats.len(),
            Wish::TakeBack(steps) => self.can_go_back(*steps),
        }
    }

    /// Whether the match can go back to the state after so many steps. What players saw they cannot forget, and the step
    /// before the first one is nobody's.
    pub(super) fn can_go_back(&self, steps: usize) -> bool {
        self.ready && has_no_secrets(self.course.rules()) && steps < self.course.steps().len()
    }

    fn on_written(&mut self, now: Moment, number: EntryNumber, out: &mut Vec<Effect>) {
        if number.0 != self.entries || !matches!(self.stage, Stage::Writing(_)) {
            return;
        }
        if let Stage::Writing(entry) = std::mem::replace(&mut self.stage, Stage::Idle) {
            self.apply(&entry);
            self.go_on(now, out);
        }
    }

    fn on_answer(
        &mut self,
        now: Moment,
        (seat, message): (SeatNumber, MessageNumber),
        answer: Result<&[u8], &str>,
        out: &mut Vec<Effect>,
    ) {
        let Stage::Waiting(waiting) = &mut self.stage else { return };
        let Some(speaker) = self.seats.get(seat.0 as usize) else { return };
        if !waiting.is_awaited(seat, message) {
            return;
        }
        let heard = match answer {
            _ if waiting.is_late(seat, now) => Heard::Fault(Fault::Timeout),
            Err(cause) => Heard::Fault(Fault::Failed(excerpt(cause))),
            Ok(bytes) => match waiting.question() {
                Question::Ready => speaker.read_ready(bytes),
                Question::Move => speaker.read_move(bytes, &self.course),
                Question::End => Heard::Yes,
            },
        };
        waiting.hear(seat, heard, now);
        self.conclude(now, out);
    }

    /// Makes of the answers what they are good for, if all are there.
    fn conclude(&mut self, now: Moment, out: &mut Vec<Effect>) {
        let Stage::Waiting(waiting) = &self.stage else { return };
        if !waiting.is_over() {
            return;
        }
        let entry = match waiting.question() {
            Question::Ready => {
                let (faults, times) = readiness(waiting);
                Entry::Ready { faults, times }
            }
            Question::Move => self.step(now),
            Question::End => {
                self.stage = Stage::Done;
                out.push(Effect::Done);
                return;
            }
        };
        self.write(entry, out);
    }

    /// Works out a step of the answers. If the machine cannot, the match is over.
    fn step(&mut self, now: Moment) -> Entry {
        let mut replies: Vec<Reply> = vec![Err(Fault::Timeout); self.course.rules().roles().len()];
        let mut times = vec![None; self.seats.len()];
        if let Stage::Waiting(waiting) = &self.stage {
            for ((seat, heard), taken) in self.seats.iter().zip(waiting.heard()).zip(&mut times) {
                *taken = heard.map(|(_, time)| time);
                replies[seat.role().index()] = match heard {
                    Some((Heard::Move(action), _)) => Ok(*action),
                    Some((Heard::Fault(fault), _)) => Err(fault.clone()),
                    Some((Heard::Yes, _)) => Err(Fault::Timeout),
                    None => Err(Fault::Replaced),
                };
            }
        }
        let at = self.wall_time(now);
        let roles: Vec<usize> = self.seats.iter().map(|seat| seat.role().index()).collect();
        let terms = self.course.rules().signature().terms().clone();
        match self.course.work_out(&replies, at) {
            Ok((step, last)) => Entry::Stepped {
                joint: step.joint.iter().map(|&action| terms.prefix(action)).collect(),
                faults: roles.iter().map(|&role| step.faults[role].clone()).collect(),
                times,
                at,
                last,
            },
            Err(error) => Entry::Ended { aborted: Some(cause(&error)), settled: None },
        }
    }

    /// What the clock on the wall shows. Never earlier than when the last state came about.
    fn wall_time(&self, now: Moment) -> Option<u64> {
        let (moment, shown) = self.wall?;
        let time = shown
            .saturating_add(milliseconds(now.saturating_sub(moment)))
            .saturating_sub(milliseconds(moment.saturating_sub(now)));
        Some(time.max(self.last_time.unwrap_or(0)))
    }

    fn write(&mut self, entry: Entry, out: &mut Vec<Effect>) {
        out.push(Effect::Write(EntryNumber(self.entries), Box::new(entry.clone())));
        self.stage = Stage::Writing(entry);
    }

    /// Takes an entry into account that is written. A step must have been worked out.
    pub(super) fn apply(&mut self, entry: &Entry) {
        self.entries += 1;
        self.just_resumed = *entry == Entry::Resumed;
        match entry {
            Entry::Opened { .. } | Entry::Resumed => {}
            Entry::Ready { faults, times } => self.note_ready(faults, times),
            Entry::Stepped { faults, times, at, .. } => {
                for ((seat, fault), &time) in self.seats.iter_mut().zip(faults).zip(times) {
                    let note = MoveNote { time: time.map(Duration::from_millis), report: None };
                    self.course.note_move(seat.role(), note);
                    let failed = fault.as_ref().is_some_and(|fault| seat.is_to_blame(fault));
                    seat.note_step(failed, time);
                }
                self.last_time = at.or(self.last_time);
                self.course.resolve();
            }
            Entry::TakenBack { steps } => {
                self.course.take_back(*steps);
                self.seats.iter_mut().for_each(Seat::forgive);
                self.ready = false;
            }
            Entry::Ended { aborted, settled } => {
                match (aborted, settled) {
                    (Some(cause), _) => self.course.abort(cause.clone()),
                    (None, Some(settlement)) => self.course.settle(*settlement),
                    (None, None) => {}
                }
                self.ended = true;
            }
        }
    }

    /// Some players got ready, or should have: all of them, or where the match goes on those who are new.
    fn note_ready(&mut self, faults: &[Option<Fault>], times: &[Option<u64>]) {
        let (all, steps) = (!self.ready, self.course.steps().len());
        for ((seat, fault), time) in self.seats.iter_mut().zip(faults).zip(times) {
            if let Some(fault) = fault {
                self.course.note_start_fault(seat.role(), fault.clone());
            }
            // How long it took at first stands.
            if let (Some(time), true) = (time, all) {
                self.course.note_ready(seat.role(), Duration::from_millis(*time));
            }
            if all || fault.is_some() || time.is_some() {
                seat.note_ready(steps);
            }
        }
        self.ready = true;
        self.newcomers.clear();
    }

    /// Does what is next after all that is written.
    fn go_on(&mut self, now: Moment, out: &mut Vec<Effect>) {
        if self.ended {
            return self.say_goodbye(now, out);
        }
        let ended = |aborted, settled| Entry::Ended { aborted, settled };
        match self.ending() {
            MatchStatus::Completed => self.write(ended(None, None), out),
            MatchStatus::Aborted(cause) => self.write(ended(Some(cause), None), out),
            MatchStatus::Settled(settlement) => self.write(ended(None, Some(settlement)), out),
            MatchStatus::Running if let Some(steps) = self.wanted_back() => {
                self.write(Entry::TakenBack { steps }, out);
            }
            MatchStatus::Running if self.ready && self.newcomers.is_empty() => self.ask_for_moves(now, out),
            MatchStatus::Running => self.ask_to_get_ready(now, out),
        }
    }

    /// Whether the match is to end now, and how.
    fn ending(&self) -> MatchStatus {
        if self.course.is_over() {
            return self.course.status().clone();
        }
        match &self.wish {
            Some(Wish::Abort(cause)) => return MatchStatus::Aborted(cause.clone()),
            Some(Wish::Settle(settlement)) => return MatchStatus::Settled(*settlement),
            Some(Wish::TakeBack(_)) | None => {}
        }
        for seat in &self.seats {
            if let Some(times) = seat.failed_too_often(self.setup.patience) {
                let steps = if times == 1 { "a step".to_owned() } else { format!("{times} steps in a row") };
                return MatchStatus::Aborted(format!("{} failed in {steps}", seat.player()));
            }
        }
        MatchStatus::Running
    }

    /// The step that the match is to go back to, if it is and can.
    fn wanted_back(&mut self) -> Option<usize> {
        let steps = match self.wish.take() {
            Some(Wish::TakeBack(steps)) => steps,
            other => {
                self.wish = other;
                return None;
            }
        };
        self.can_go_back(steps).then_some(steps)
    }

    fn ask_to_get_ready(&mut self, now: Moment, out: &mut Vec<Effect>) {
        self.told = true;
        let more = Introductions::new(self.course.rules(), &self.setup).with_moves(&self.course);
        let mut waiting = Waiting::new(Question::Ready, self.seats.len());
        for (number, seat) in (0..).map(SeatNumber).zip(&self.seats) {
            let is_asked = !self.ready || self.newcomers.contains(&number);
            if !is_asked || seat.is_replaced(self.setup.patience) {
                continue;
            }
            let request = seat.start(self.course.rules(), &self.setup, &more);
            let address = (number, self.message_number(number));
            waiting.ask(address, request, now, (seat.clocks().start, seat.clocks().grace), out);
        }
        self.stage = Stage::Waiting(waiting);
        self.conclude(now, out);
    }

    fn ask_for_moves(&mut self, now: Moment, out: &mut Vec<Effect>) {
        let mut waiting = Waiting::new(Question::Move, self.seats.len());
        let told = Last::of_each(&self.course, self.seats.iter().map(Seat::role));
        // Who was told with the start message what was done is told no more than that.
        let (is_open, steps) = (has_no_secrets(self.course.rules()), self.course.steps().len());
        for ((number, seat), last) in (0..).map(SeatNumber).zip(&self.seats).zip(told) {
            if seat.is_replaced(self.setup.patience) {
                continue;
            }
            let last = match seat.given() {
                Given::Structure => Last::of_blind(&self.course, seat.role()),
                _ if is_open && seat.is_told(steps) => Last::Nothing,
                _ => last,
            };
            let request = seat.play(&self.course, last);
            let address = (number, self.message_number(number));
            waiting.ask(address, request, now, (seat.limit(), seat.clocks().grace), out);
        }
        self.stage = Stage::Waiting(waiting);
        self.conclude(now, out);
    }

    /// Tells the players that the match is over, if they know of it.
    fn say_goodbye(&mut self, now: Moment, out: &mut Vec<Effect>) {
        let mut waiting = Waiting::new(Question::End, self.seats.len());
        let seats = if self.told { &self.seats[..] } else { &[] };
        let told = Last::of_each(&self.course, seats.iter().map(Seat::role));
        for ((number, seat), last) in (0..).map(SeatNumber).zip(seats).zip(told) {
            let last = match seat.given() {
                Given::Structure => Last::of_blind(&self.course, seat.role()),
                Given::Rules | Given::Records => last,
            };
            let request = seat.goodbye(&self.course, last);
            let address = (number, self.message_number(number));
            waiting.ask(address, request, now, (PARTING, Duration::ZERO), out);
        }
        self.stage = Stage::Waiting(waiting);
        self.conclude(now, out);
    }

    /// The number of the message to a seat that follows the last entry: there is never more than one, and
    /// no entry is the last one in two lives of a referee that send messages.
    fn message_number(&self, seat: SeatNumber) -> MessageNumber {
        let seats = self.seats.len() as u64;
        MessageNumber(self.entries.wrapping_mul(seats).wrapping_add(u64::from(seat.0)))
    }
}

/// Why a match ends where the machine has no answer.
pub(super) fn cause(error: &GameError) -> String {
    match error {
        GameError::Limit(LimitError::Work { .. } | LimitError::Slow { .. } | LimitError::Deadline) => {
            format!("the rules are too slow: a step was {error}")
        }
        _ => error.to_string(),
    }
}

/// What the answers to the start messages are worth.
pub(super) fn readiness(waiting: &Waiting) -> (Vec<Option<Fault>>, Vec<Option<u64>>) {
    let (mut faults, mut times) = (Vec::new(), Vec::new());
    for heard in waiting.heard() {
        let (fault, time) = match heard {
            Some((Heard::Fault(fault), _)) => (Some(fault.clone()), None),
            Some((Heard::Yes | Heard::Move(_), time)) => (None, Some(time)),
            None => (None, None),
        };
        faults.push(fault);
        times.push(time);
    }
    (faults, times)
}
