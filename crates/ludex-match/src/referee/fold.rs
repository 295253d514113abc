//! A match taken up again where its journal ends.

use std::time::Duration;

use ludex_game::{GameError, Rules};
use ludex_logic::LimitError;

use super::entry::{Entry, EntryNumber};
use super::error::RefereeError;
use super::life::Referee;
use crate::course::MatchStatus;

impl Referee {
    /// A referee that goes on with a match where its journal ends. It then waits for
    /// [`Event::Begin`](super::Event::Begin), and says once more what was not answered, with a full clock.
    ///
    /// # Errors
    /// [`RefereeError`] where the journal is not one of a match by these rules, or the time is over that the budget
    /// of the rules has.
    pub fn resume(rules: Rules, journal: &[Entry]) -> Result<Self, RefereeError> {
        let opened = journal.first().ok_or(RefereeError::Empty)?;
        let Entry::Opened { setup, rulesheet_sha256 } = opened else {
            return Err(RefereeError::Order { number: EntryNumber(0), found: kind(opened) });
        };
        if rulesheet_sha256 != rules.sha256() {
            let (journal, rules) = (rulesheet_sha256.clone(), rules.sha256().to_owned());
            return Err(RefereeError::OtherRules { journal, rules });
        }
        let mut referee = Self::new(rules, (**setup).clone())?;
        referee.apply(opened);
        for (number, entry) in (1..).map(EntryNumber).zip(&journal[1..]) {
            // Each step may be quick and all of them slow.
            if referee.course.rules().question_budget().time_left() == Some(Duration::ZERO) {
                return Err(GameError::from(LimitError::Deadline).into());
            }
            referee.admit(number, entry)?;
            referee.apply(entry);
        }
        // Nobody knows whether the start messages went out.
        referee.told = true;
        Ok(referee)
    }

    /// Whether an entry can follow those before it. A step is worked out.
    fn admit(&mut self, number: EntryNumber, entry: &Entry) -> Result<(), RefereeError> {
        let misplaced = Err(RefereeError::Order { number, found: kind(entry) });
        let per_seat = |values: usize| {
            let seats = self.seats.len();
            if values == seats { Ok(()) } else { Err(RefereeError::Length { number, values, seats }) }
        };
        match entry {
            Entry::Opened { .. } => misplaced,
            Entry::Resumed => Ok(()),
            // Of a match that goes on, those get ready who are new.
            Entry::Ready { .. } if self.ended || (self.ready && !self.just_resumed) => misplaced,
            Entry::Ready { faults, times } => {
                per_seat(faults.len())?;
                per_seat(times.len())
            }
            Entry::Stepped { .. } if !self.ready || self.ended || self.course.is_over() => misplaced,
            Entry::Stepped { joint, faults, times, at, last } => {
                per_seat(faults.len())?;
                per_seat(times.len())?;
                let mut by_role = vec![None; self.course.rules().roles().len()];
                for (seat, fault) in self.seats.iter().zip(faults) {
                    by_role[seat.role().index()].clone_from(fault);
                }
                let joint =
                    self.course.read_joint(joint).map_err(|error| RefereeError::Move { number, error })?;
                let made = self.course.work_out_again(joint, by_role, *at);
                let (_, is_last) = made.map_err(|error| RefereeError::Move { number, error })?;
                // Journals of before say of no step that it is the last.
                if is_last || !last { Ok(()) } else { Err(RefereeError::End { number }) }
            }
            Entry::TakenBack { steps } if self.ended || !self.can_go_back(*steps) => {
                Err(RefereeError::TakenBack { number, steps: *steps })
            }
            Entry::TakenBack { .. } => Ok(()),
            Entry::Ended { .. } if self.ended => misplaced,
            Entry::Ended { aborted: None, settled: Some(settlement) } => {
                let is_seat = (settlement.seat().0 as usize) < self.seats.len();
                let ends = *self.course.status() == MatchStatus::Running && is_seat;
                if ends { Ok(()) } else { Err(RefereeError::End { number }) }
            }
            Entry::Ended { aborted, .. } => match (self.course.status(), aborted) {
                (MatchStatus::Completed, None)
                | (MatchStatus::Running | MatchStatus::Aborted(_), Some(_)) => Ok(()),
                // Who may not run the rules cannot tell that a match is over where it begins.
                (MatchStatus::Completed, Some(_)) if self.course.steps().is_empty() => Ok(()),
                _ => Err(RefereeError::End { number }),
            },
        }
    }
}

/// What an entry is called in journals.
fn kind(entry: &Entry) -> &'static str {
    match entry {
        Entry::Opened { .. } => "opened",
        Entry::Ready { .. } => "ready",
        Entry::Stepped { .. } => "stepped",
        Entry::TakenBack { .. } => "takenback",
        Entry::Resumed => "resumed",
        Entry::Ended { .. } => "ended",
    }
}
