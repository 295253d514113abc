//! The course of a match in real time, as far as it is written.

use ludex_game::{Goal, TimedEvent, TimedRules, TimedState};
use ludex_gdl::GameTime;
use ludex_logic::TermId;

use super::entry::{Arrival, Verdict};
use super::play::Look;
use crate::course::{Fault, MatchStatus};
use crate::message::term_text;

/// The course of a match in real time. This is the true state, which in rtGDL-II is not for everybody to see.
#[derive(Clone, Debug)]
pub struct TimedMatch {
    rules: TimedRules,
    look: Look,
    events: Vec<TimedEvent>,
    arrivals: Vec<Arrival>,
    start_faults: Vec<Option<Fault>>,
    ready_times: Vec<Option<u64>>,
    status: MatchStatus,
    /// The bytes that moves and facts so far take as text.
    text: u64,
}

impl TimedMatch {
    /// A match at its start.
    pub(super) fn new(rules: TimedRules, look: Look, events: Vec<TimedEvent>) -> Self {
        let seats = rules.seats().len();
        let mut begun = Self {
            rules,
            look: look.clone(),
            events: Vec::new(),
            arrivals: Vec::new(),
            start_faults: vec![None; seats],
            ready_times: vec![None; seats],
            status: MatchStatus::Running,
            text: 0,
        };
        begun.go_on(look, events, &[]);
        begun
    }

    /// The rules.
    pub fn rules(&self) -> &TimedRules {
        &self.rules
    }

    /// The time since the start up to which everything is written.
    pub fn now(&self) -> GameTime {
        self.look.now
    }

    /// The state since the last update.
    pub fn state(&self) -> &TimedState {
        &self.look.state
    }

    /// When the last update was: the lifetimes of the state are those of then.
    pub fn updated(&self) -> GameTime {
        self.look.updated
    }

    /// All that happened.
    pub fn events(&self) -> &[TimedEvent] {
        &self.events
    }

    /// All moves that came, legal or not.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }

    /// What the state is worth to each role.
    pub fn goals(&self) -> &[Option<Goal>] {
        &self.look.goals
    }

    /// The legal moves of each role in the state, in canonical order.
    pub fn legal(&self) -> &[Vec<TermId>] {
        &self.look.legal
    }

    /// How far the match is.
    pub fn status(&self) -> &MatchStatus {
        &self.status
    }

    /// Whether nothing can happen any more.
    pub fn is_over(&self) -> bool {
        self.status != MatchStatus::Running
    }

    /// What went wrong before the game began, for each seat.
    pub fn start_faults(&self) -> &[Option<Fault>] {
        &self.start_faults
    }

    /// After how many milliseconds each seat was ready.
    pub fn ready_times(&self) -> &[Option<u64>] {
        &self.ready_times
    }

    /// The bytes of text that the match takes.
    pub(super) fn text(&self) -> u64 {
        self.text
    }

    pub(super) fn note_ready(&mut self, faults: &[Option<Fault>], times: &[Option<u64>]) {
        (self.start_faults, self.ready_times) = (faults.to_vec(), times.to_vec());
    }

    pub(super) fn go_on(&mut self, look: Look, events: Vec<TimedEvent>, moves: &[Arrival]) {
        self.text = self.text.saturating_add(text_of(&self.rules, &events, moves));
        self.look = look;
        self.events.extend(events);
        self.arrivals.extend_from_slice(moves);
        if self.look.over {
            self.status = MatchStatus::Completed;
        }
    }

    pub(super) fn abort(&mut self, cause: String) {
        if self.status == MatchStatus::Running {
            self.status = MatchStatus::Aborted(cause);
        }
    }
}

/// The bytes of text that this takes in a record.
pub(super) fn text_of(rules: &TimedRules, events: &[TimedEvent], moves: &[Arrival]) -> u64 {
    /// For the numbers beside a move.
    const ARRIVAL: usize = 128;
    let terms = rules.machine().terms();
    let of_event = |event: &TimedEvent| match event {
        TimedEvent::Update(update) => {
            let told = update.told.iter().flatten().flatten();
            let made = update.moves.iter().map(|made| &made.1);
            ARRIVAL
                + made
                    .chain(&update.expired)
                    .chain(told)
                    .map(|&term| term_text(terms, term).len())
                    .sum::<usize>()
        }
        TimedEvent::Wasted { action, .. } => ARRIVAL + term_text(terms, *action).len(),
    };
    let of_move = |arrival: &Arrival| {
        ARRIVAL
            + match &arrival.verdict {
                Verdict::Made(text) => text.len(),
                Verdict::Refused(fault) => fault.code().len(),
            }
    };
    (events.iter().map(of_event).sum::<usize>() + moves.iter().map(of_move).sum::<usize>()) as u64
}
