//! A world for a referee: time passes and players answer when a test says so.

use std::collections::VecDeque;
use std::time::Duration;

use ludex_game::Rules;
use ludex_match::message::{Last, Request};
use ludex_match::referee::{
    Clocks, Effect, Entry, EntryNumber, Event, MessageNumber, Moment, Patience, Referee, RefereeSetup,
    SeatNumber, SeatSetup, TimerNumber,
};

/// A message that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    pub seat: SeatNumber,
    pub message: MessageNumber,
    pub request: Request,
    pub until: Moment,
    pub at: Moment,
}

/// A referee with its journal, and all that it sent.
pub struct Harness {
    pub referee: Referee,
    /// What is durable.
    pub journal: Vec<Entry>,
    /// What is to be written.
    pub unwritten: VecDeque<(EntryNumber, Entry)>,
    pub sent: Vec<Sent>,
    pub timers: Vec<(TimerNumber, Moment)>,
    pub dropped: Vec<MessageNumber>,
    pub now: Moment,
    pub done: bool,
}

pub const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A match of players called `a`, `b`..., ten seconds each to get ready and to move.
pub fn setup(rules: &Rules) -> RefereeSetup {
    let players = ["Alpha", "Beta", "Gamma", "Delta"].iter().cycle().take(rules.seats().len());
    RefereeSetup {
        given: Vec::new(),
        records: None,
        id: "m23".into(),
        seed: 7,
        clocks: Clocks { start: seconds(10), play: seconds(10), bank: None, grace: Duration::ZERO },
        seats: players.map(|&player| SeatSetup { player: player.into(), ..SeatSetup::default() }).collect(),
        patience: Patience::Keep,
        step_limit: None,
        time_cost: None,
        told: None,
        start_time: Some(1_000_000),
    }
}

impl Harness {
    pub fn new(rules: &Rules, setup: RefereeSetup) -> Self {
        Self::of(Referee::new(rules.clone(), setup).unwrap(), Vec::new())
    }

    /// A match in which all are ready.
    pub fn ready(rules: &Rules, setup: RefereeSetup) -> Self {
        let seats = setup.seats.len();
        let mut harness = Self::new(rules, setup);
        harness.begin();
        harness.answer_all(&vec!["ready"; seats]);
        harness
    }

    pub fn resume(rules: &Rules, journal: &[Entry]) -> Self {
        Self::of(Referee::resume(rules.clone(), journal).unwrap(), journal.to_vec())
    }

    fn of(referee: Referee, journal: Vec<Entry>) -> Self {
        Self {
            referee,
            journal,
            unwritten: VecDeque::new(),
            sent: Vec::new(),
            timers: Vec::new(),
            dropped: Vec::new(),
            now: seconds(100),
            done: false,
        }
    }

    /// Lets an event come and notes the effects.
    pub fn on(&mut self, event: Event) {
        let mut effects = Vec::new();
        self.referee.on(self.now, event, &mut effects);
        for effect in effects {
            match effect {
                Effect::Write(number, entry) => {
                    let next = self.journal.len() + self.unwritten.len();
                    assert_eq!(number.0, next as u64, "entries are written in order");
                    self.unwritten.push_back((number, *entry));
                }
                Effect::Send { seat, message, request, until } => {
                    assert!(self.unwritten.is_empty(), "said before it was written: {request:?}");
                    assert!(self.sent.iter().all(|sent| sent.message != message), "a number came twice");
                    self.sent.push(Sent { seat, message, request: *request, until, at: self.now });
                }
                Effect::Wake { timer, at } => self.timers.push((timer, at)),
                Effect::Drop { message, .. } => self.dropped.push(message),
                Effect::Done => {
                    assert!(!self.done, "done twice");
                    self.done = true;
                }
            }
        }
    }

    /// Makes an entry durable, and says so.
    pub fn write_one(&mut self) -> bool {
        let Some((number, entry)) = self.unwritten.pop_front() else { return false };
        self.journal.push(entry);
        self.on(Event::Written(number));
        true
    }

    /// Makes all entries durable.
    pub fn write(&mut self) {
        while self.write_one() {}
    }

    /// Begins, with a journal that is quick.
    pub fn begin(&mut self) {
        self.on(Event::Begin);
        self.write();
    }

    /// The last message to a seat.
    pub fn last_sent(&self, seat: u32) -> &Sent {
        self.sent.iter().rfind(|sent| sent.seat == SeatNumber(seat)).expect("something was sent")
    }

    /// A seat answers the last message to it.
    pub fn answer(&mut self, seat: u32, text: &str) {
        let message = self.last_sent(seat).message;
        self.on(Event::Reply { seat: SeatNumber(seat), message, bytes: text.as_bytes().to_vec() });
        self.write();
    }

    /// A seat cannot answer the last message to it.
    pub fn fail(&mut self, seat: u32, cause: &str) {
        let message = self.last_sent(seat).message;
        self.on(Event::Fault { seat: SeatNumber(seat), message, cause: cause.into() });
        self.write();
    }

    /// All seats answer.
    pub fn answer_all(&mut self, texts: &[&str]) {
        for (seat, text) in (0..).zip(texts) {
            self.answer(seat, text);
        }
    }

    /// Time passes, and the timers go off that it is time for.
    pub fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(at) = self.timers.iter().map(|timer| timer.1).filter(|&at| at <= end).min() {
            self.now = self.now.max(at);
            let due = self.timers.iter().position(|timer| timer.1 == at).unwrap();
            let (timer, _) = self.timers.remove(due);
            self.on(Event::Timer(timer));
            self.write();
        }
        self.now = end;
    }

    /// The entries of steps: joint moves.
    pub fn joints(&self) -> Vec<Vec<String>> {
        self.journal.iter().filter_map(joint).collect()
    }
}

/// The moves of an entry, if it is of a step.
pub fn joint(entry: &Entry) -> Option<Vec<String>> {
    match entry {
        Entry::Stepped { joint, .. } => Some(joint.clone()),
        _ => None,
    }
}

/// A message in the book's words.
pub fn shown(request: &Request) -> String {
    let last = |last: &Last| match last {
        Last::Nothing => "nil".to_owned(),
        Last::Joint(joint) => format!("[{}]", joint.join(",")),
        Last::Percepts { turn, action, percepts } => {
            format!("{turn},{},[{}]", action.as_deref().unwrap_or("nil"), percepts.join(","))
        }
        Last::InTime { .. } => panic!("the game goes step by step"),
    };
    match request {
        Request::Start(start) => {
            format!("start({},{},{},{})", start.id, start.role, start.start_clock, start.play_clock)
        }
        Request::Play { id, last: moves } => format!("play({id},{})", last(moves)),
        Request::Stop { id, last: moves } => format!("stop({id},{})", last(moves)),
        Request::Abort { id } => format!("abort({id})"),
        other => format!("{other:?}"),
    }
}
