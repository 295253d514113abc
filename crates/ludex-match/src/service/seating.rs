//! What a service keeps of one match.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{TimeBank, TimeTerms};

use super::event::{CallNumber, JobNumber, Pace};
use super::held::Held;
use super::manner::{Manner, Spelling};
use crate::message::{Last, StartMessage};
use crate::referee::Moment;

/// A message that waits for its answer.
pub(super) type Waiting = (CallNumber, Manner);

/// A match the service plays in, or rules it looks at.
#[derive(Debug)]
pub(super) struct Seating {
    /// The message that began it; `None` for a preview.
    pub(super) start: Option<Arc<StartMessage>>,
    pub(super) spelling: Spelling,
    /// What finds out how the game goes.
    pub(super) preparation: JobNumber,
    /// The same while it is waited for.
    pub(super) preparing: Option<JobNumber>,
    /// How the game goes; `None` as long as that is not known.
    pub(super) pace: Option<Pace>,
    /// Whether it did, or the clock was over.
    pub(super) is_ready: bool,
    /// When `ready` is answered at the latest.
    pub(super) ready_by: Moment,
    pub(super) start_calls: Vec<Waiting>,
    pub(super) turn: Option<Turn>,
    /// What time is worth in the match; of a bank, what is left.
    pub(super) time: TimeTerms,
    /// What waits in a match in real time.
    pub(super) held: Held,
    /// How long it is waited for something more.
    pub(super) deadlines: Deadlines,
}

/// How long it is waited for a message that is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deadlines {
    /// From then on the match gives way where somebody else wants its place.
    pub(super) overdue_at: Moment,
    /// Then the match is given up.
    pub(super) free_at: Moment,
}

impl Deadlines {
    /// Up to a moment, whoever wants the place.
    pub(super) fn until(moment: Moment) -> Self {
        Self { overdue_at: moment, free_at: moment }
    }

    /// At least up to a moment.
    pub(super) fn extend(&mut self, moment: Moment) {
        self.overdue_at = self.overdue_at.max(moment);
        self.free_at = self.free_at.max(moment);
    }
}

impl Seating {
    /// What the manager calls the match; empty for a preview.
    pub(super) fn id(&self) -> &str {
        self.start.as_ref().map_or("", |start| &start.id)
    }

    /// Whether a play message came.
    pub(super) fn has_begun(&self) -> bool {
        self.turn.is_some() || self.held.has_begun()
    }

    /// Whether nobody waits for an answer, and a message that should have come has not.
    pub(super) fn is_overdue(&self, now: Moment) -> bool {
        let is_asked = !self.start_calls.is_empty() || self.turn.as_ref().is_some_and(Turn::is_open);
        !is_asked && !self.held.is_open() && now >= self.deadlines.overdue_at
    }

    /// When the match is given up: never as long as a message is held back, since nothing may happen for long in a match in
    /// real time. When its connection ends, it is not held back any longer.
    pub(super) fn free_at(&self) -> Option<Moment> {
        (!self.held.is_open()).then_some(self.deadlines.free_at)
    }

    /// Takes the time of a turn that was answered by a moment off what there is for all moves.
    pub(super) fn charge(&mut self, now: Moment, way: Duration) {
        let Some(turn) = self.turn.as_mut().filter(|turn| !turn.is_open() && !turn.is_charged) else {
            return;
        };
        turn.is_charged = true;
        self.time.bank = turn.bank_after(now, way);
    }

    /// When there is something to do though nothing comes.
    pub(super) fn next_wake(&self) -> Option<Moment> {
        let ready = (!self.start_calls.is_empty()).then_some(self.ready_by);
        let turn = self.turn.as_ref().filter(|turn| turn.is_open()).map(|turn| turn.answer_by);
        ready.into_iter().chain(turn).chain(self.free_at()).min()
    }
}

/// A play message and what became of it.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) last: Last,
    pub(super) job: JobNumber,
    /// When it is answered at the latest.
    pub(super) answer_by: Moment,
    /// A move that is legal.
    pub(super) legal: Option<String>,
    /// The move that was answered.
    pub(super) answer: Option<String>,
    /// Who waits for the answer.
    pub(super) calls: Vec<Waiting>,
    /// Who got the answer, as far as is known.
    pub(super) answered: Vec<CallNumber>,
    /// Whether the answer is known to be lost.
    pub(super) undelivered: bool,
    /// When the first byte of the message came.
    pub(super) since: Moment,
    /// What was left of the time for all moves then.
    pub(super) bank: Option<TimeBank>,
    /// Whether the time of the turn was taken off that.
    pub(super) is_charged: bool,
}

impl Turn {
    /// Whether the manager waits for a move.
    pub(super) fn is_open(&self) -> bool {
        !self.calls.is_empty()
    }

    /// What is left of the time for all moves where the answer leaves at a moment, and is on its way for so long.
    fn bank_after(&self, now: Moment, way: Duration) -> Option<TimeBank> {
        let taken = now.saturating_sub(self.since).saturating_add(way);
        self.bank.map(|bank| bank.after_move(taken))
    }

    /// Whether the message that came again can mean nothing but the same turn, so that no rules are
    /// needed to tell.
    pub(super) fn is_surely(&self, last: &Last) -> bool {
        self.last == *last && !matches!(last, Last::Joint(_))
    }
}
