//! A service in a world where time passes when it is told to.

use std::collections::BTreeMap;
use std::time::Duration;

use ludex_match::message::{Last, News};
use ludex_match::service::{
    CallNumber, Effect, Ending, Event, JobNumber, Pace, PlayerService, Remark, ServiceOptions, TableNumber,
};

pub struct Bench {
    pub service: PlayerService,
    pub now: Duration,
    /// What was answered, and when.
    pub answers: BTreeMap<CallNumber, (String, Duration)>,
    pub refusals: BTreeMap<CallNumber, String>,
    pub effects: Vec<Effect>,
    next_call: u64,
}

/// A question that was put to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    pub table: TableNumber,
    pub job: JobNumber,
    pub last: Last,
    pub answered: Option<String>,
    pub undelivered: bool,
    pub until: Duration,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(ServiceOptions { matches: 2, ..ServiceOptions::default() })
    }

    pub fn with(options: ServiceOptions) -> Self {
        Self {
            service: PlayerService::new(options),
            now: Duration::from_secs(100),
            answers: BTreeMap::new(),
            refusals: BTreeMap::new(),
            effects: Vec::new(),
            next_call: 0,
        }
    }

    pub fn on(&mut self, event: Event) {
        let before = self.effects.len();
        self.service.on(self.now, event, &mut self.effects);
        for effect in &self.effects[before..] {
            let twice = match effect {
                Effect::Answer { call, text } => {
                    self.answers.insert(*call, (text.clone(), self.now)).is_some()
                        || self.refusals.contains_key(call)
                }
                Effect::Refuse { call, cause } => {
                    self.refusals.insert(*call, cause.clone()).is_some() || self.answers.contains_key(call)
                }
                _ => false,
            };
            assert!(!twice, "answered twice: {effect:?}");
        }
    }

    /// Sends a message whose first byte comes now.
    pub fn send(&mut self, text: &str) -> CallNumber {
        self.next_call += 1;
        let call = CallNumber(self.next_call);
        self.on(Event::Message { call, text: text.to_owned(), since: self.now });
        call
    }

    /// Lets time pass, with all that is due on the way.
    pub fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(wake) = self.service.next_wake().filter(|&wake| wake <= end) {
            self.now = wake.max(self.now);
            self.on(Event::Tick);
            assert!(self.service.next_wake().is_none_or(|next| next > self.now), "it wakes for ever");
        }
        self.now = end;
    }

    pub fn answer(&self, call: CallNumber) -> Option<&str> {
        self.answers.get(&call).map(|(text, _)| text.as_str())
    }

    /// Sends a message that is answered at once.
    pub fn ask(&mut self, text: &str) -> String {
        let call = self.send(text);
        self.answer(call).unwrap_or_else(|| panic!("no answer to {text}")).to_owned()
    }

    /// The last player that is to get ready.
    pub fn preparing(&self) -> JobNumber {
        let jobs = self.effects.iter().rev().filter_map(|effect| match effect {
            Effect::Prepare { job, .. } | Effect::Preview { job, .. } => Some(*job),
            _ => None,
        });
        jobs.into_iter().next().expect("a player gets ready")
    }

    /// The questions that were put to players so far.
    pub fn thoughts(&self) -> Vec<Thought> {
        let thoughts = self.effects.iter().filter_map(|effect| match effect.clone() {
            Effect::Think { table, job, last, answered, undelivered, until, .. } => {
                Some(Thought { table, job, last, answered, undelivered, until })
            }
            _ => None,
        });
        thoughts.collect()
    }

    pub fn thought(&self) -> Thought {
        self.thoughts().pop().expect("a player thinks")
    }

    pub fn chosen(&mut self, action: &str) {
        let job = self.thought().job;
        self.on(Event::Chosen { job, result: Ok(action.to_owned()) });
    }

    /// Begins a match; the player is ready at once.
    pub fn begin(&mut self, start: &str) -> String {
        self.begin_at(Pace::InSteps, start)
    }

    /// The same for games of both kinds.
    pub fn begin_at(&mut self, pace: Pace, start: &str) -> String {
        let call = self.send(start);
        let job = self.preparing();
        self.on(Event::Prepared { job, result: Ok(pace) });
        self.answer(call).expect("an answer to start").to_owned()
    }

    /// Sends a play message to a player that chooses at once.
    pub fn play(&mut self, message: &str, choice: &str) -> String {
        let call = self.send(message);
        assert_eq!(self.answer(call), None, "the player thinks");
        self.chosen(choice);
        self.answer(call).expect("an answer to play").to_owned()
    }

    /// What players in real time were told: the match, the time, and the message without it.
    pub fn tellings(&self) -> Vec<(TableNumber, String, News)> {
        let tellings = self.effects.iter().filter_map(|effect| match effect {
            Effect::Tell { table, time, news, .. } => Some((*table, time.to_string(), news.clone())),
            _ => None,
        });
        tellings.collect()
    }

    /// The player in real time that was told something last moves.
    pub fn moves(&mut self, action: &str) {
        let (table, ..) = self.tellings().pop().expect("a player was told something");
        self.on(Event::Moved { table, action: action.to_owned() });
    }

    pub fn remarks(&self) -> Vec<&Remark> {
        let remarks = self.effects.iter().filter_map(|effect| match effect {
            Effect::Remark(remark) => Some(remark),
            _ => None,
        });
        remarks.collect()
    }

    pub fn endings(&self) -> Vec<&Ending> {
        let endings = self.effects.iter().filter_map(|effect| match effect {
            Effect::Dismiss { ending, .. } => Some(ending),
            _ => None,
        });
        endings.collect()
    }

    pub fn called_off(&self) -> Vec<JobNumber> {
        let job = |effect: &Effect| if let Effect::CallOff(job) = effect { Some(*job) } else { None };
        self.effects.iter().filter_map(job).collect()
    }
}

pub const RULES: &str = "(role x) (role o) (<= (legal x noop) (true a))";

/// `(start ID x (...) 10 10)`
pub fn start(id: &str) -> String {
    format!("(start {id} x ({RULES}) 10 10)")
}
