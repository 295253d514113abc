//! Looks on, and says when something happens that must never happen.

mod answers;
mod record;
mod sight;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use ludex_game::Rules;
use ludex_match::message::{Last, Request, StartMessage};
use ludex_match::referee::{Entry, MessageNumber, Moment, RefereeSetup, SeatNumber};

use super::truth::Truth;
use answers::Asked;

/// What must never happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Broken {
    /// Somebody was told what is not durable.
    ToldBeforeWritten,
    /// A seat was told of a step in two ways.
    TwoHistories,
    /// A seat was told what the record does not say.
    NotTheRecord,
    /// A seat had less time than was agreed.
    ShortClock,
    /// A move was replaced, or a match aborted, without the cause that the journal names.
    Unexplained,
    /// A correct and timely player was blamed.
    Wronged,
    /// What is written is no match by the rules.
    Rules,
    /// A seat or spectator saw what is hidden from it.
    Secret,
    /// A match does not end.
    Endless,
    /// A random move does not follow from the seed.
    Chance,
    /// The record, or the journal read again, is not the match.
    Record,
    /// The number of a message or entry came twice, or out of order.
    Number,
    /// The competition is not the fold of its results, or a match counts twice or not at all.
    RunningTournament,
    /// A player service gave no answer, or more than one, or was late by its own fault.
    Service,
}

/// Something that must never happen, happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) what: Broken,
    pub(crate) text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.what, self.text)
    }
}

/// What is known of one match.
pub(crate) struct Observed {
    pub(crate) truth: Truth,
    /// What each seat was told with so many steps made, in all lives of the referee.
    told: Vec<BTreeMap<usize, Last>>,
    numbers: BTreeSet<MessageNumber>,
    /// What each seat owes an answer to, in this life of the referee.
    asked: Vec<Option<Asked>>,
    /// Whether somebody wanted the match to end.
    pub(crate) stopped: bool,
    /// The seats that may not be blamed for anything.
    pub(crate) blameless: Vec<bool>,
}

/// Looks on.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) matches: Vec<Observed>,
    pub(crate) violations: Vec<Violation>,
    /// How many moves were replaced, with a good cause.
    pub(crate) replaced: usize,
    /// How many messages were sent.
    pub(crate) sent: usize,
}

impl Watch {
    pub(crate) fn note(&mut self, what: Broken, text: impl Into<String>) {
        self.violations.push(Violation { what, text: text.into() });
    }

    /// A match is agreed. Its number is how many there were before.
    pub(crate) fn agreed(&mut self, rules: &Rules, setup: &RefereeSetup) -> usize {
        let seats = setup.seats.len();
        self.matches.push(Observed {
            truth: Truth::new(rules, setup),
            told: vec![BTreeMap::new(); seats],
            numbers: BTreeSet::new(),
            asked: vec![None; seats],
            stopped: false,
            blameless: vec![false; seats],
        });
        self.matches.len() - 1
    }

    /// An entry is durable.
    pub(crate) fn durable(&mut self, number: usize, entry: &Entry) {
        if let Err(error) = self.matches[number].truth.apply(entry) {
            self.note(Broken::Rules, format!("m{number}: {error}"));
        }
    }

    /// After a power cut the journal of a match is this. Nobody owes an answer any more.
    pub(crate) fn reread(&mut self, number: usize, entries: &[Entry]) {
        let observed = &mut self.matches[number];
        let (rules, setup) = (observed.truth.rules.clone(), observed.truth.setup.clone());
        observed.truth = Truth::new(&rules, &setup);
        observed.asked.fill(None);
        for entry in entries {
            self.durable(number, entry);
        }
    }

    /// A message goes out.
    pub(crate) fn sends(
        &mut self,
        number: usize,
        (seat, message): (SeatNumber, MessageNumber),
        request: &Request,
        (now, until): (Moment, Moment),
    ) {
        self.sent += 1;
        let place = seat.0 as usize;
        let observed = &mut self.matches[number];
        let mut broken = observed.states(place, request);
        if !observed.numbers.insert(message) {
            broken.push((Broken::Number, format!("message {} came twice", message.0)));
        }
        let is_end = matches!(request, Request::Stop { .. } | Request::Abort { .. });
        let clock = observed.truth.clock(place);
        if !is_end && until < now + clock {
            broken.push((Broken::ShortClock, format!("{:?} instead of {clock:?}", until - now)));
        }
        observed.asked[place] = (!is_end).then(|| Asked::new(message, now, clock));
        for (what, text) in broken {
            self.note(what, format!("m{number} seat {place}: {text}"));
        }
    }

    /// The manager was cut off, or the match is of no use any more: nobody owes an answer.
    pub(crate) fn forget_questions(&mut self) {
        for observed in &mut self.matches {
            observed.asked.fill(None);
        }
    }

    /// A match should be over by now, but is not.
    pub(crate) fn endless(&mut self, number: usize, text: &str) {
        self.note(Broken::Endless, format!("m{number}: {text}"));
    }
}

impl Observed {
    /// What is wrong with saying this to a seat now.
    fn states(&mut self, seat: usize, request: &Request) -> Vec<(Broken, String)> {
        let truth = &self.truth;
        let (out_of_turn, last) = match request {
            Request::Start(start) => {
                let mut broken = self.invites(seat, start);
                if truth.entries == 0 || truth.ready {
                    broken.push((Broken::ToldBeforeWritten, "start out of turn".into()));
                }
                return broken;
            }
            Request::Play { last, .. } => (!truth.ready || truth.ended.is_some(), Some(last)),
            Request::Stop { last, .. } => (truth.ended != Some(None), Some(last)),
            Request::Abort { .. } => (!matches!(truth.ended, Some(Some(_))), None),
            Request::Info | Request::Preview { .. } => {
                return vec![(Broken::NotTheRecord, format!("{request:?} in a match"))];
            }
        };
        let mut broken = last.map_or_else(Vec::new, |last| self.tells(seat, last));
        if out_of_turn {
            broken.push((Broken::ToldBeforeWritten, format!("out of turn: {request:?}")));
        }
        broken
    }

    /// What is wrong with a start message.
    fn invites(&self, seat: usize, start: &StartMessage) -> Vec<(Broken, String)> {
        let Self { truth, .. } = self;
        let mut broken = Vec::new();
        let role = truth.text(truth.rules.signature().roles()[truth.roles[seat].index()]);
        let codec = &truth.codecs[seat];
        if start.role != codec.to_seat(&role) || *start.rules != codec.rules() {
            broken.push((Broken::NotTheRecord, format!("it is not {}, or not by these rules", start.role)));
        }
        let clocks = truth.setup.clocks;
        let told = [start.start_clock, start.play_clock].map(|told| Duration::from_secs(told.into()));
        if told[0] > clocks.start || told[1] > clocks.play {
            broken.push((Broken::ShortClock, format!("clocks of {told:?} were promised")));
        }
        broken
    }

    /// What is wrong with telling a seat this now.
    fn tells(&mut self, seat: usize, last: &Last) -> Vec<(Broken, String)> {
        let mut broken = Vec::new();
        let expected = self.truth.last(seat);
        if *last != expected {
            let text = format!("told {last:?}, but it was {expected:?}");
            broken.push((Broken::NotTheRecord, text.clone()));
            if self.truth.has_secrets() {
                broken.push((Broken::Secret, text.clone()));
            }
            if claimed_steps(last) > self.truth.steps.len() || !self.is_durable(seat, last) {
                broken.push((Broken::ToldBeforeWritten, text));
            }
        }
        let step = self.truth.steps.len();
        match self.told[seat].insert(step, last.clone()) {
            Some(before) if before != *last => {
                broken.push((Broken::TwoHistories, format!("step {step}: {before:?}, and then {last:?}")));
            }
            _ => {}
        }
        broken
    }

    /// Whether what a seat is told was true at some time.
    fn is_durable(&self, seat: usize, last: &Last) -> bool {
        let role = self.truth.roles[seat].index();
        let own = |term: &_| self.truth.codecs[seat].to_seat(&self.truth.text(*term));
        self.truth.steps.iter().any(|step| match last {
            Last::Nothing => true,
            Last::InTime { .. } => false,
            Last::Joint(joint) => joint.iter().cloned().eq(step.joint.iter().map(own)),
            Last::Percepts { action, .. } => *action == Some(own(&step.joint[role])),
        })
    }
}

/// How many steps there must be for this to be told.
fn claimed_steps(last: &Last) -> usize {
    match last {
        Last::Nothing | Last::InTime { .. } => 0,
        Last::Joint(_) => 1,
        Last::Percepts { turn, .. } => *turn as usize,
    }
}
