//! A match in real time taken up again where its journal ends.

use std::time::Duration;

use ludex_game::{GameError, TimedError, TimedRules};
use ludex_gdl::GameTime;
use ludex_logic::LimitError;

use super::super::entry::EntryNumber;
use super::super::error::RefereeError;
use super::desk::Telling;
use super::entry::{Arrival, TimedEntry, Verdict};
use super::life::TimedReferee;
use super::play::Board;
use crate::course::MatchStatus;
use crate::message::{Last, News};

/// So many messages to each seat, on the average, are sent again after a break.
pub const TOLD_AGAIN: usize = 64;

impl TimedReferee {
    /// A referee that goes on with a match where its journal ends. It then waits for
    /// [`Event::Begin`](super::super::Event::Begin). The game goes on from the last time in the journal.
    ///
    /// # Errors
    /// [`RefereeError`] where the journal is not one of a match by these rules, or the time is over that the budget of
    /// the rules has.
    pub fn resume(rules: TimedRules, journal: &[TimedEntry]) -> Result<Self, RefereeError> {
        let opened = journal.first().ok_or(RefereeError::Empty)?;
        let TimedEntry::Opened { setup, rulesheet_sha256 } = opened else {
            return Err(RefereeError::Order { number: EntryNumber(0), found: opened.kind() });
        };
        if rulesheet_sha256 != rules.sha256() {
            let (journal, rules) = (rulesheet_sha256.clone(), rules.sha256().to_owned());
            return Err(RefereeError::OtherRules { journal, rules });
        }
        let mut referee = Self::new(rules, (**setup).clone())?;
        referee.apply(opened);
        for (number, entry) in (1..).map(EntryNumber).zip(&journal[1..]) {
            // Each update may be quick and all of them slow.
            if referee.course.rules().question_budget().time_left() == Some(Duration::ZERO) {
                return Err(RefereeError::from(GameError::from(LimitError::Deadline)));
            }
            referee.admit(number, entry)?;
            referee.apply(entry);
            forget(&mut referee.tellings, referee.seats.len());
        }
        // Nobody knows whether the start messages went out.
        referee.told = true;
        Ok(referee)
    }

    /// Whether an entry can follow those before it. What happened is worked out.
    fn admit(&mut self, number: EntryNumber, entry: &TimedEntry) -> Result<(), RefereeError> {
        let misplaced = Err(RefereeError::Order { number, found: entry.kind() });
        let seats = self.seats.len();
        let per_seat = |values: usize| {
            if values == seats { Ok(()) } else { Err(RefereeError::Length { number, values, seats }) }
        };
        match entry {
            TimedEntry::Opened { .. } => misplaced,
            TimedEntry::Resumed => Ok(()),
            TimedEntry::Ready { .. } if self.ready || self.ended => misplaced,
            TimedEntry::Ready { faults, times } => {
                per_seat(faults.len())?;
                per_seat(times.len())
            }
            TimedEntry::Happened { .. } if !self.ready || self.ended || self.course.is_over() => misplaced,
            TimedEntry::Happened { moves, until, last } => {
                let (_, outcome) = self.play.run(|board| repeat(board, moves, *until)).map_err(|bad| {
                    let player = |seat: usize| self.seats.get(seat).map_or("nobody", |seat| seat.player());
                    match bad {
                        Unlike::Timed(error) => error.into(),
                        Unlike::Move { seat, time } => {
                            RefereeError::Arrival { number, player: player(seat).to_owned(), time }
                        }
                    }
                })?;
                if outcome.look.over != *last || outcome.look.now != *until {
                    return Err(RefereeError::End { number });
                }
                for arrival in moves {
                    if let (Some(seat), Some(delay)) =
                        (self.seats.get_mut(arrival.seat.0 as usize), arrival.delay)
                    {
                        seat.note_delay(delay);
                    }
                }
                self.coming = Some(outcome);
                Ok(())
            }
            TimedEntry::Ended { .. } if self.ended => misplaced,
            TimedEntry::Ended { aborted } => match (self.course.status(), aborted) {
                (MatchStatus::Completed, None)
                | (MatchStatus::Running | MatchStatus::Aborted(_), Some(_)) => Ok(()),
                _ => Err(RefereeError::End { number }),
            },
        }
    }
}

/// Leaves of what was told what may not have arrived yet: what happened lately. That a move was refused does not matter
/// any longer.
fn forget(tellings: &mut Vec<Telling>, seats: usize) {
    tellings.retain(|telling| !matches!(telling.last, Last::InTime { news: News::Nothing, .. }));
    let old = tellings.len().saturating_sub(TOLD_AGAIN * seats);
    tellings.drain(..old);
}

/// Why an entry is not one of this match.
enum Unlike {
    Timed(TimedError),
    /// The move of a seat.
    Move {
        seat: usize,
        time: GameTime,
    },
}

impl From<TimedError> for Unlike {
    fn from(error: TimedError) -> Self {
        Self::Timed(error)
    }
}

/// Lets the same moves come again at the same times.
fn repeat(board: &mut Board<'_, '_>, moves: &[Arrival], until: GameTime) -> Result<(), Unlike> {
    for Arrival { time, seat, verdict, .. } in moves {
        let (seat, time) = (seat.0 as usize, *time);
        if time < board.first_arrival()? || board.is_over() {
            return Err(Unlike::Move { seat, time });
        }
        board.pass(time)?;
        let made = match verdict {
            _ if board.is_over() => false,
            Verdict::Made(text) => board.make_again(seat, text)?,
            Verdict::Refused(_) => {
                board.refuse(seat);
                true
            }
        };
        if !made {
            return Err(Unlike::Move { seat, time });
        }
    }
    board.pass(until.max(board.now()))?;
    Ok(())
}
