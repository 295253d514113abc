//! The life of a referee in real time: from event to effects.

use std::collections::VecDeque;
use std::time::Duration;

use ludex_game::{TimedError, TimedRules};
use ludex_gdl::GameTime;

use super::super::beginning::check_names;
use super::super::effect::Effect;
use super::super::entry::EntryNumber;
use super::super::error::RefereeError;
use super::super::event::{Event, TimerNumber};
use super::super::life::{PARTING, cause, readiness};
use super::super::seat::excerpt;
use super::super::setup::{MessageNumber, Moment, SeatNumber};
use super::super::waiting::{Heard, Question, Waiting};
use super::clock::GameClock;
use super::course::{TimedMatch, text_of};
use super::desk::Telling;
use super::entry::{Arrival, TimedEntry};
use super::play::{Board, Outcome, Play};
use super::seat::{TimedSeat, introductions, seats};
use super::setup::TimedSetup;
use crate::course::{Fault, MATCH_TEXT_LIMIT, MatchStatus};
use crate::message::{Last, News, Request};

/// So many answers of a seat may wait to be considered. Any more that come before are passed over.
const WAITING: usize = 1_000;

/// A message to be answered as long as the match lasts.
const ALWAYS: Moment = Moment::MAX;

/// A referee of one match in real time: the Game Manager of rtGDL.
///
/// It is given what happens ([`TimedReferee::on`]) and says what is to be done about it. What it says of the match, in
/// messages and by its own methods, is never more than what is written.
pub struct TimedReferee {
    pub(super) setup: TimedSetup,
    /// The play clock in seconds.
    play_seconds: GameTime,
    pub(super) seats: Vec<TimedSeat>,
    pub(super) course: TimedMatch,
    pub(super) play: Play,
    /// How many entries are written.
    pub(super) entries: u64,
    /// Whether the game has begun.
    pub(super) ready: bool,
    /// Whether it was written that the match is over.
    pub(super) ended: bool,
    /// Whether the players may have been told of the match.
    pub(super) told: bool,
    /// What was worked out and is being written.
    pub(super) coming: Option<Outcome>,
    /// What is written and not told.
    pub(super) tellings: Vec<Telling>,
    /// What each seat is told with the end.
    pub(super) parting: Vec<News>,
    stage: Stage,
    /// Runs as long as the game does in this life of the referee.
    clock: Option<GameClock>,
    /// When the referee wants to be woken.
    alarm: Option<(TimerNumber, Moment)>,
    /// What came and was not considered, in order.
    queue: VecDeque<Said>,
    /// How many numbers were given to messages and timers since the last entry.
    numbers: u64,
    /// Why the match is to end, once what is being written is written.
    abort: Option<String>,
}

/// What a referee is doing.
#[derive(Debug)]
enum Stage {
    /// It has not begun, or not again.
    Idle,
    /// It waits for an entry to be durable.
    Writing(TimedEntry),
    /// It waits for everybody to be ready, or to say goodbye.
    Waiting(Waiting),
    /// The clock runs.
    Playing,
    /// It is done.
    Done,
}

/// What a player said.
struct Said {
    at: Moment,
    seat: usize,
    /// A term in prefix notation, in the words of the match.
    what: Result<String, Fault>,
    taken: Option<u64>,
    delay: Option<u64>,
}

impl TimedReferee {
    /// A referee of a match that is to begin.
    ///
    /// # Errors
    /// [`RefereeError`] where what was agreed makes no match of this game.
    pub fn new(rules: TimedRules, setup: TimedSetup) -> Result<Self, RefereeError> {
        check_names(&setup.id, rules.seats().len(), setup.seats.len())?;
        let play_seconds = setup.play_seconds()?;
        if let Some(seat) = setup.seats.iter().find(|seat| !seat.given.is_rules()) {
            return Err(RefereeError::InTimeWithoutRules { player: seat.player.clone() });
        }
        let seats = seats(&rules, &setup)?;
        let (play, begun) = Play::begin(rules.clone(), setup.seed)?;
        Ok(Self {
            play_seconds,
            seats,
            course: TimedMatch::new(rules, begun.look, begun.events),
            play,
            entries: 0,
            ready: false,
            ended: false,
            told: false,
            coming: None,
            tellings: begun.tellings,
            parting: begun.parting,
            stage: Stage::Idle,
            clock: None,
            alarm: None,
            queue: VecDeque::new(),
            numbers: 0,
            abort: None,
            setup,
        })
    }

    /// What was agreed.
    pub fn setup(&self) -> &TimedSetup {
        &self.setup
    }

    /// The match as far as it is written.
    pub fn course(&self) -> &TimedMatch {
        &self.course
    }

    /// How far the match is, as far as it is written.
    pub fn status(&self) -> &MatchStatus {
        self.course.status()
    }

    /// The clock of the game, where it runs.
    pub fn clock(&self) -> Option<GameClock> {
        self.clock.filter(|_| !self.course.is_over())
    }

    /// The measured delay of a seat: the fewest milliseconds in which its player has answered a message.
    pub fn delay(&self, seat: SeatNumber) -> Option<u64> {
        self.seats.get(seat.0 as usize)?.delay()
    }

    /// The measured delays of all seats.
    pub fn delays(&self) -> Vec<Option<u64>> {
        self.seats.iter().map(TimedSeat::delay).collect()
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

    /// Takes note of what happened, and says what is to be done. Events must come in the order in which they happened.
    ///
    /// An answer to any play message of this life of the referee is a move, whenever it comes and however many there are.
    /// A fault while the game goes on means nothing, since nobody has to move.
    pub fn on(&mut self, now: Moment, event: Event, out: &mut Vec<Effect<TimedEntry>>) {
        match event {
            Event::Begin => self.begin(out),
            Event::Abort(cause) => self.on_abort(now, cause, out),
            // Time does not go back, and nobody agrees on anything while it goes on.
            Event::Settle(_) | Event::TakeBack(_) => {}
            Event::Written(number) => self.on_written(now, number, out),
            Event::Reply { seat, message, bytes } => self.on_reply(now, (seat, message), &bytes, out),
            Event::Fault { seat, message, cause } => {
                let heard = |_: &TimedSeat| Heard::Fault(Fault::Failed(excerpt(&cause)));
                self.on_answer(now, (seat, message), heard, out);
            }
            Event::Timer(timer) => self.on_timer(now, timer, out),
        }
    }

    fn begin(&mut self, out: &mut Vec<Effect<TimedEntry>>) {
        if !matches!(self.stage, Stage::Idle) {
            return;
        }
        let first = if self.entries == 0 {
            let rulesheet_sha256 = self.course.rules().sha256().to_owned();
            TimedEntry::Opened { setup: Box::new(self.setup.clone()), rulesheet_sha256 }
        } else {
            TimedEntry::Resumed
        };
        self.write(first, out);
    }

    fn on_abort(&mut self, now: Moment, cause: String, out: &mut Vec<Effect<TimedEntry>>) {
        if self.ended || self.abort.is_some() {
            return;
        }
        self.abort = Some(cause);
        match &self.stage {
            // That there was to be a match is worth a record, too.
            Stage::Idle => self.begin(out),
            Stage::Waiting(waiting) => {
                waiting.drop_all(out);
                self.go_on(now, out);
            }
            Stage::Playing => self.go_on(now, out),
            Stage::Writing(_) | Stage::Done => {}
        }
    }

    fn on_written(&mut self, now: Moment, number: EntryNumber, out: &mut Vec<Effect<TimedEntry>>) {
        if number.0 != self.entries || !matches!(self.stage, Stage::Writing(_)) {
            return;
        }
        if let Stage::Writing(entry) = std::mem::replace(&mut self.stage, Stage::Idle) {
            self.apply(&entry);
            self.go_on(now, out);
        }
    }

    fn on_timer(&mut self, now: Moment, timer: TimerNumber, out: &mut Vec<Effect<TimedEntry>>) {
        if self.alarm.is_some_and(|alarm| alarm.0 == timer) {
            self.alarm = None;
        }
        match &mut self.stage {
            Stage::Waiting(waiting) => {
                waiting.expire(timer, now, out);
                self.conclude(out);
            }
            Stage::Playing => self.work(now, out),
            // What is due by then is worked out when the entry is written.
            Stage::Idle | Stage::Writing(_) | Stage::Done => {}
        }
    }

    fn on_reply(
        &mut self,
        now: Moment,
        (seat, message): (SeatNumber, MessageNumber),
        bytes: &[u8],
        out: &mut Vec<Effect<TimedEntry>>,
    ) {
        let place = seat.0 as usize;
        match self.seats.get_mut(place) {
            Some(speaker) if speaker.was_asked(message) => {
                let taken = speaker.note_answer(message, now);
                if self.course.is_over() || self.ended {
                    return;
                }
                let delay = speaker.delay();
                let waiting = self.queue.iter().filter(|said| said.seat == place).count();
                if waiting < WAITING
                    && let Some(what) = speaker.read_move(bytes)
                {
                    self.queue.push_back(Said { at: now, seat: place, what, taken, delay });
                }
                if matches!(self.stage, Stage::Playing) {
                    self.work(now, out);
                }
            }
            _ => self.on_answer(now, (seat, message), |speaker| speaker.read_ready(bytes), out),
        }
    }

    /// An answer that is waited for.
    fn on_answer(
        &mut self,
        now: Moment,
        (seat, message): (SeatNumber, MessageNumber),
        heard: impl FnOnce(&TimedSeat) -> Heard,
        out: &mut Vec<Effect<TimedEntry>>,
    ) {
        let Stage::Waiting(waiting) = &mut self.stage else { return };
        let Some(speaker) = self.seats.get(seat.0 as usize) else { return };
        if !waiting.is_awaited(seat, message) {
            return;
        }
        let heard = match waiting.question() {
            _ if waiting.is_late(seat, now) => Heard::Fault(Fault::Timeout),
            Question::Ready => heard(speaker),
            Question::Move | Question::End => Heard::Yes,
        };
        waiting.hear(seat, heard, now);
        self.conclude(out);
    }

    /// Goes on when everybody has answered.
    fn conclude(&mut self, out: &mut Vec<Effect<TimedEntry>>) {
        let Stage::Waiting(waiting) = &self.stage else { return };
        if !waiting.is_over() {
            return;
        }
        if waiting.question() == Question::Ready {
            let (faults, times) = readiness(waiting);
            self.write(TimedEntry::Ready { faults, times }, out);
        } else {
            self.stage = Stage::Done;
            out.push(Effect::Done);
        }
    }

    /// Considers what came, and lets the time pass. What comes of it is written; if nothing does, the referee sleeps
    /// until something expires.
    fn work(&mut self, now: Moment, out: &mut Vec<Effect<TimedEntry>>) {
        let Some(clock) = self.clock else { return };
        let queue = std::mem::take(&mut self.queue);
        let worked = self.play.run(|board| {
            let moves = consider(board, &clock, queue)?;
            board.pass(clock.time(now).max(board.now()))?;
            Ok::<_, TimedError>(moves)
        });
        let entry = match worked {
            Ok((moves, outcome)) if moves.is_empty() && outcome.events.is_empty() => {
                return self.sleep(&clock, outcome.look.next, out);
            }
            Ok((moves, outcome)) => {
                let text = text_of(self.course.rules(), &outcome.events, &moves);
                if self.course.text().saturating_add(text) > MATCH_TEXT_LIMIT {
                    let cause =
                        format!("a record of the match would take more than {MATCH_TEXT_LIMIT} bytes");
                    TimedEntry::Ended { aborted: Some(cause) }
                } else {
                    let (until, last) = (outcome.look.now, outcome.look.over);
                    self.coming = Some(outcome);
                    TimedEntry::Happened { moves, until, last }
                }
            }
            Err(error) => TimedEntry::Ended { aborted: Some(timed_cause(&error)) },
        };
        self.write(entry, out);
    }

    fn sleep(&mut self, clock: &GameClock, next: Option<GameTime>, out: &mut Vec<Effect<TimedEntry>>) {
        self.stage = Stage::Playing;
        let at = next.map(|next| clock.moment(next)).filter(|&at| at < ALWAYS);
        if self.alarm.map(|alarm| alarm.1) == at {
            return;
        }
        self.alarm = at.map(|at| {
            let timer = TimerNumber(self.number());
            out.push(Effect::Wake { timer, at });
            (timer, at)
        });
    }

    fn write(&mut self, entry: TimedEntry, out: &mut Vec<Effect<TimedEntry>>) {
        out.push(Effect::Write(EntryNumber(self.entries), Box::new(entry.clone())));
        self.stage = Stage::Writing(entry);
    }

    /// Takes an entry into account that is written. What happened must have been worked out.
    pub(super) fn apply(&mut self, entry: &TimedEntry) {
        self.entries += 1;
        self.numbers = 0;
        match entry {
            TimedEntry::Opened { .. } | TimedEntry::Resumed => {}
            TimedEntry::Ready { faults, times } => {
                self.course.note_ready(faults, times);
                for (seat, time) in self.seats.iter_mut().zip(times) {
                    time.iter().for_each(|&time| seat.note_delay(time));
                }
                self.ready = true;
            }
            TimedEntry::Happened { moves, .. } => {
                if let Some(outcome) = self.coming.take() {
                    self.course.go_on(outcome.look, outcome.events, moves);
                    self.tellings.extend(outcome.tellings);
                    self.parting = outcome.parting;
                }
            }
            TimedEntry::Ended { aborted } => {
                if let Some(cause) = aborted {
                    self.course.abort(cause.clone());
                }
                self.ended = true;
            }
        }
    }

    /// Does what is next after all that is written.
    fn go_on(&mut self, now: Moment, out: &mut Vec<Effect<TimedEntry>>) {
        if self.ended {
            // After a break, that is what may not have been told.
            self.tell_rest(now, out);
            return self.say_goodbye(now, out);
        }
        if self.ready {
            self.tell(now, out);
        }
        match (self.course.status(), &self.abort) {
            (MatchStatus::Completed | MatchStatus::Settled(_), _) => {
                self.write(TimedEntry::Ended { aborted: None }, out)
            }
            (MatchStatus::Aborted(cause), _) | (MatchStatus::Running, Some(cause)) => {
                let aborted = Some(cause.clone());
                self.write(TimedEntry::Ended { aborted }, out);
            }
            (MatchStatus::Running, None) if self.ready => self.work(now, out),
            (MatchStatus::Running, None) => self.ask_to_get_ready(now, out),
        }
    }

    /// Tells what is written. By the first of these messages the game begins; after a break, what may not have been
    /// told comes before it.
    fn tell(&mut self, now: Moment, out: &mut Vec<Effect<TimedEntry>>) {
        let is_first = self.clock.is_none();
        let clock = *self.clock.get_or_insert(GameClock::new(now, self.course.now(), self.setup.unit));
        let begins = self.course.now() == GameTime::ZERO && self.course.arrivals().is_empty();
        let greeting = |time| Last::InTime { time, news: News::Nothing };
        let everybody = 0..self.seats.len();
        if is_first && begins {
            everybody.clone().for_each(|seat| self.send(seat, greeting(GameTime::ZERO), now, out));
        }
        self.tell_rest(now, out);
        if is_first && !begins && !self.course.is_over() {
            everybody.for_each(|seat| self.send(seat, greeting(clock.time(now)), now, out));
        }
    }

    /// Tells what is written and was not told in this life of the referee.
    fn tell_rest(&mut self, now: Moment, out: &mut Vec<Effect<TimedEntry>>) {
        for Telling { seat, last } in std::mem::take(&mut self.tellings) {
            self.send(seat, last, now, out);
        }
    }

    fn send(&mut self, place: usize, last: Last, now: Moment, out: &mut Vec<Effect<TimedEntry>>) {
        let message = MessageNumber(self.number());
        let Some(seat) = self.seats.get_mut(place) else { return };
        seat.note_sent(message, now);
        let request = Box::new(seat.play(&self.setup.id, last));
        out.push(Effect::Send { seat: SeatNumber(place as u32), message, request, until: ALWAYS });
    }

    fn ask_to_get_ready(&mut self, now: Moment, out: &mut Vec<Effect<TimedEntry>>) {
        self.told = true;
        let more = introductions(self.course.rules(), &self.setup);
        let start = |seat: &TimedSeat| seat.start(&self.setup, self.play_seconds, &more);
        let requests = self.seats.iter().map(start).collect();
        let clocks = (self.setup.start, self.setup.grace);
        self.ask(Question::Ready, requests, now, clocks, out);
    }

    /// Tells the players that the match is over, if they know of it.
    fn say_goodbye(&mut self, now: Moment, out: &mut Vec<Effect<TimedEntry>>) {
        let (id, time) = (&self.setup.id, self.course.now());
        let goodbye = |(seat, news): (&TimedSeat, &News)| match self.course.status() {
            MatchStatus::Completed => seat.stop(id, time, news.clone()),
            MatchStatus::Running | MatchStatus::Aborted(_) | MatchStatus::Settled(_) => {
                Request::Abort { id: id.clone() }
            }
        };
        let seats = if self.told { &self.seats[..] } else { &[] };
        let requests = seats.iter().zip(&self.parting).map(goodbye).collect();
        self.ask(Question::End, requests, now, (PARTING, Duration::ZERO), out);
    }

    /// Sends each seat a message that it is to answer.
    fn ask(
        &mut self,
        question: Question,
        requests: Vec<Request>,
        now: Moment,
        clocks: (Duration, Duration),
        out: &mut Vec<Effect<TimedEntry>>,
    ) {
        let mut waiting = Waiting::new(question, self.seats.len());
        for (seat, request) in (0..).map(SeatNumber).zip(requests) {
            let address = (seat, MessageNumber(self.number()));
            waiting.ask(address, request, now, clocks, out);
        }
        self.stage = Stage::Waiting(waiting);
        self.conclude(out);
    }

    /// A number that follows the last entry: no entry is the last one in two lives of a referee that send messages, so
    /// it never comes again.
    fn number(&mut self) -> u64 {
        let number = (self.entries << 32).wrapping_add(self.numbers);
        self.numbers += 1;
        number
    }
}

/// Considers what was said, in order, up to the end of the game.
fn consider(
    board: &mut Board<'_, '_>,
    clock: &GameClock,
    queue: VecDeque<Said>,
) -> Result<Vec<Arrival>, TimedError> {
    let mut moves = Vec::new();
    for Said { at, seat, what, taken, delay } in queue {
        let time = clock.time(at).max(board.first_arrival()?);
        board.pass(time)?;
        if board.is_over() {
            break;
        }
        if let Some(verdict) = board.consider(seat, what.as_deref())? {
            moves.push(Arrival { time, seat: SeatNumber(seat as u32), verdict, taken, delay });
        }
        if board.is_over() {
            break;
        }
    }
    Ok(moves)
}

/// Why a match ends where the machine has no answer.
fn timed_cause(error: &TimedError) -> String {
    match error {
        TimedError::Game(error) => cause(error),
        _ => error.to_string(),
    }
}
