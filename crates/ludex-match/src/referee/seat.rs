//! A seat in the course of a match: what it is told, how it is understood, what it has left.

use std::time::Duration;

use ludex_game::{MoveError, RoleId, Rules};
use ludex_logic::TermId;

use super::error::RefereeError;
use super::setup::{Clocks, Patience, SeatNumber, SeatSetup};
use super::waiting::Heard;
use super::wording::Wording;
use crate::course::{Fault, Match, Told};
use crate::message::Last;

/// Longer answers are not looked at: no move is so long, and to read one takes time that others need.
const LONGEST_ANSWER: usize = 1 << 16;

/// What is kept of an answer that was wrong: so many characters at most.
const KEPT: usize = 200;

/// A seat in the course of a match.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    role: RoleId,
    wording: Wording,
    /// What is left on the cumulative clock.
    bank: Option<Duration>,
    /// In how many steps in a row the player failed.
    failures: u32,
}

impl Seat {
    pub(super) fn new(
        rules: &Rules,
        (number, role): (SeatNumber, RoleId),
        setup: &SeatSetup,
        clocks: &Clocks,
    ) -> Result<Self, RefereeError> {
        let unspeakable = |reason| RefereeError::Seat { seat: number, reason };
        let wording = Wording::new(rules, setup).map_err(unspeakable)?;
        Ok(Self { role, wording, bank: clocks.bank.map(|bank| bank.total), failures: 0 })
    }

    pub(super) fn role(&self) -> RoleId {
        self.role
    }

    pub(super) fn wording(&self) -> &Wording {
        &self.wording
    }

    pub(super) fn bank(&self) -> Option<Duration> {
        self.bank
    }

    /// How long the player may think about its next move.
    pub(super) fn limit(&self, clocks: &Clocks) -> Duration {
        self.bank.map_or(clocks.play, |left| left.min(clocks.play))
    }

    /// Whether the player is not asked any more.
    pub(super) fn is_replaced(&self, patience: Patience) -> bool {
        matches!(patience, Patience::Replace(limit) if self.failures >= limit)
    }

    /// In how many steps in a row the player failed, if that is so often that the match is aborted.
    pub(super) fn failed_too_often(&self, patience: Patience) -> Option<u32> {
        matches!(patience, Patience::Abort(limit) if self.failures >= limit).then_some(self.failures)
    }

    /// Takes note of a step: whether the player failed, and how many milliseconds it took.
    pub(super) fn note_step(&mut self, failed: bool, time: Option<u64>, clocks: &Clocks) {
        self.failures = if failed { self.failures.saturating_add(1) } else { 0 };
        if let (Some(left), Some(bank), Some(time)) = (&mut self.bank, clocks.bank, time) {
            *left = left.saturating_sub(Duration::from_millis(time)).saturating_add(bank.increment);
        }
    }

    /// What the seat is told about the last step, in its words.
    pub(super) fn last(&self, course: &Match) -> Last {
        let terms = course.rules().signature().terms();
        let word = |&term: &TermId| self.wording.term(&terms.prefix(term));
        // A game has more steps than fit in 32 bits only after centuries.
        let turn = u32::try_from(course.steps().len()).unwrap_or(u32::MAX);
        match course.told(self.role) {
            None if course.tells_percepts() => Last::Percepts { turn, action: None, percepts: Vec::new() },
            None => Last::Nothing,
            Some(Told::Joint(joint)) => Last::Joint(joint.iter().map(word).collect()),
            Some(Told::Percepts { action, percepts }) => Last::Percepts {
                turn,
                action: Some(word(&action)),
                percepts: percepts.iter().map(word).collect(),
            },
        }
    }

    /// What the answer to a start message says.
    pub(super) fn read_ready(&self, answer: &[u8]) -> Heard {
        match readable(answer) {
            Some(text) if self.wording.is_ready(text) => Heard::Yes,
            _ => Heard::Fault(Fault::Malformed(excerpt(&String::from_utf8_lossy(answer)))),
        }
    }

    /// What the answer to a play message says.
    pub(super) fn read_move(&self, answer: &[u8], course: &Match) -> Heard {
        let malformed = || Heard::Fault(Fault::Malformed(excerpt(&String::from_utf8_lossy(answer))));
        let Some(text) = readable(answer).and_then(|text| self.wording.read_move(text)) else {
            return malformed();
        };
        match course.rules().find_among(course.legal(self.role), self.role, &text) {
            Ok(action) => Heard::Move(action),
            Err(MoveError::Text(_)) => malformed(),
            Err(_) => Heard::Fault(Fault::Illegal(excerpt(&text))),
        }
    }
}

/// An answer as a text, where it can be one.
fn readable(answer: &[u8]) -> Option<&str> {
    if answer.len() > LONGEST_ANSWER { None } else { std::str::from_utf8(answer).ok() }
}

/// The beginning of a text, to be kept.
pub(super) fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(KEPT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}
