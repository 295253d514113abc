//! A world for a referee in real time: time passes and players speak when a test says so.

use std::collections::VecDeque;
use std::time::Duration;

use ludex_game::TimedRules;
use ludex_match::message::{Last, News, Request};
use ludex_match::referee::real_time::{TimedEntry, TimedReferee, TimedSetup};
use ludex_match::referee::{
    Effect, EntryNumber, Event, MessageNumber, Moment, SeatNumber, SeatSetup, TimerNumber,
};

pub const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub const fn milliseconds(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A message that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    pub seat: usize,
    pub message: MessageNumber,
    pub request: Request,
    pub at: Moment,
}

/// A referee with its journal, and all that it sent.
pub struct Harness {
    pub referee: TimedReferee,
    /// What is durable.
    pub journal: Vec<TimedEntry>,
    /// What is to be written.
    pub unwritten: VecDeque<(EntryNumber, TimedEntry)>,
    pub sent: Vec<Sent>,
    /// So many messages were given out.
    told: usize,
    pub timers: Vec<(TimerNumber, Moment)>,
    pub now: Moment,
    pub done: bool,
    /// Whether entries are durable at once.
    pub is_quick: bool,
}

/// A match with a unit of game time of 20 seconds.
pub fn setup(rules: &TimedRules) -> TimedSetup {
    let players = ["Alpha", "Beta", "Gamma"].iter().cycle().take(rules.seats().len());
    TimedSetup {
        id: "m23".into(),
        seed: 7,
        start: seconds(10),
        unit: seconds(20),
        grace: Duration::ZERO,
        seats: players.map(|&player| SeatSetup { player: player.into(), ..SeatSetup::default() }).collect(),
        told: None,
        start_time: Some(1_000_000),
    }
}

impl Harness {
    pub fn new(rules: &TimedRules, setup: TimedSetup) -> Self {
        Self::of(TimedReferee::new(rules.clone(), setup).unwrap(), Vec::new())
    }

    /// A match that has begun: everybody was ready after a second.
    pub fn started(rules: &TimedRules, setup: TimedSetup) -> Self {
        let mut harness = Self::new(rules, setup);
        harness.on(Event::Begin);
        harness.wait(seconds(1));
        for seat in 0..rules.seats().len() {
            harness.say(seat, "READY");
        }
        harness
    }

    pub fn resume(rules: &TimedRules, journal: &[TimedEntry]) -> Self {
        Self::of(TimedReferee::resume(rules.clone(), journal).unwrap(), journal.to_vec())
    }

    fn of(referee: TimedReferee, journal: Vec<TimedEntry>) -> Self {
        Self {
            referee,
            journal,
            unwritten: VecDeque::new(),
            sent: Vec::new(),
            told: 0,
            timers: Vec::new(),
            now: seconds(100),
            done: false,
            is_quick: true,
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
                Effect::Send { seat, message, request, .. } => {
                    assert!(self.unwritten.is_empty(), "said before it was written: {request:?}");
                    assert!(self.sent.iter().all(|sent| sent.message != message), "a number came twice");
                    let (seat, at) = (seat.0 as usize, self.now);
                    self.sent.push(Sent { seat, message, request: *request, at });
                }
                Effect::Wake { timer, at } => {
                    assert!(self.timers.iter().all(|set| set.0 != timer), "a timer was set twice");
                    self.timers.push((timer, at));
                }
                Effect::Drop { .. } => {}
                Effect::Done => {
                    assert!(!self.done, "done twice");
                    self.done = true;
                }
            }
        }
        if self.is_quick {
            self.write();
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

    /// The last message to a seat.
    pub fn last_sent(&self, seat: usize) -> &Sent {
        self.sent.iter().rfind(|sent| sent.seat == seat).expect("something was sent")
    }

    /// A seat answers the last message to it.
    pub fn say(&mut self, seat: usize, text: &str) {
        let message = self.last_sent(seat).message;
        self.on(Event::Reply { seat: SeatNumber(seat as u32), message, bytes: text.as_bytes().to_vec() });
    }

    /// Time passes, and the timers go off that it is time for.
    pub fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(at) = self.timers.iter().map(|timer| timer.1).filter(|&at| at <= end).min() {
            self.now = self.now.max(at);
            let due = self.timers.iter().position(|timer| timer.1 == at).unwrap();
            let (timer, _) = self.timers.remove(due);
            self.on(Event::Timer(timer));
        }
        self.now = end;
    }

    /// All that was sent since this was asked last, as `seat: message`.
    pub fn heard(&mut self) -> Vec<String> {
        let before = std::mem::replace(&mut self.told, self.sent.len());
        self.sent[before..].iter().map(shown).collect()
    }
}

/// A message in a few words, as `seat: message`.
fn shown(sent: &Sent) -> String {
    let last = |last: &Last| match last {
        Last::InTime { time, news: News::Nothing } => format!("nil {time}"),
        Last::InTime { time, news: News::Moves(moves) } => {
            let moves: Vec<&str> = moves.iter().map(|made| made.as_deref().unwrap_or("nil")).collect();
            format!("({}) {time}", moves.join(" "))
        }
        Last::InTime { time, news: News::Percepts { turn, action, percepts } } => {
            let percepts = percepts.as_ref().map_or("nil".to_owned(), |all| format!("({})", all.join(" ")));
            format!("{turn} {} {percepts} {time}", action.as_deref().unwrap_or("nil"))
        }
        other => format!("{other:?}"),
    };
    let message = match &sent.request {
        Request::Start(start) => {
            format!("start {} {} {}", start.role, start.start_clock, start.play_seconds())
        }
        Request::Play { last: moves, .. } => format!("play {}", last(moves)),
        Request::Stop { last: moves, .. } => format!("stop {}", last(moves)),
        Request::Abort { .. } => "abort".to_owned(),
        other => format!("{other:?}"),
    };
    format!("{}: {message}", sent.seat)
}
