//! Waiting for the answers of the seats, each until its clock ends.

use std::time::Duration;

use ludex_logic::TermId;

use super::effect::Effect;
use super::event::TimerNumber;
use super::setup::{MessageNumber, Moment, SeatNumber};
use crate::course::Fault;
use crate::message::Request;
use crate::record::milliseconds;

/// What the seats were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// To get ready.
    Ready,
    /// For a move.
    Move,
    /// To note that the match is over.
    End,
}

/// What a seat was heard to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// What it was asked for, where that is not a move.
    Yes,
    /// A legal move.
    Move(TermId),
    /// Nothing that was asked for.
    Fault(Fault),
}

/// A message that is not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Open {
    message: MessageNumber,
    sent: Moment,
    limit: Duration,
    until: Moment,
    timer: TimerNumber,
}

/// How it stands with a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Slot {
    NotAsked,
    Open(Open),
    /// What was heard, and after how many milliseconds.
    Closed(Heard, u64),
}

/// The answers to one question put to all seats.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    question: Question,
    slots: Vec<Slot>,
}

impl Waiting {
    /// Nobody was asked yet.
    pub(super) fn new(question: Question, seats: usize) -> Self {
        Self { question, slots: vec![Slot::NotAsked; seats] }
    }

    pub(super) fn question(&self) -> Question {
        self.question
    }

    /// Asks a seat. Its clock ends `limit` from now; an answer is waited for a little longer, by `grace`.
    pub(super) fn ask<E>(
        &mut self,
        (seat, message): (SeatNumber, MessageNumber),
        request: Request,
        now: Moment,
        (limit, grace): (Duration, Duration),
        out: &mut Vec<Effect<E>>,
    ) {
        let until = now.saturating_add(limit).saturating_add(grace);
        // Seats whose clocks end together share a timer.
        let shared = self.slots.iter().find_map(|slot| match slot {
            Slot::Open(open) if open.until == until => Some(open.timer),
            _ => None,
        });
        let timer = shared.unwrap_or(TimerNumber(message.0));
        out.push(Effect::Send { seat, message, request: Box::new(request), until });
        if shared.is_none() {
            out.push(Effect::Wake { timer, at: until });
        }
        if let Some(slot) = self.slots.get_mut(seat.0 as usize) {
            *slot = Slot::Open(Open { message, sent: now, limit, until, timer });
        }
    }

    /// Whether the seat owes an answer to this message.
    pub(super) fn is_awaited(&self, seat: SeatNumber, message: MessageNumber) -> bool {
        matches!(self.slots.get(seat.0 as usize), Some(Slot::Open(open)) if open.message == message)
    }

    /// Whether the seat's clock has ended; there is no need to look at what it says then.
    pub(super) fn is_late(&self, seat: SeatNumber, now: Moment) -> bool {
        matches!(self.slots.get(seat.0 as usize), Some(Slot::Open(open)) if now > open.until)
    }

    /// Takes the answer of a seat that owes one.
    pub(super) fn hear(&mut self, seat: SeatNumber, heard: Heard, now: Moment) {
        if let Some(slot) = self.slots.get_mut(seat.0 as usize)
            && let Slot::Open(open) = slot
        {
            let taken = now.saturating_sub(open.sent).min(open.limit);
            *slot = Slot::Closed(heard, milliseconds(taken));
        }
    }

    /// A timer went off: whose clock has ended said nothing. A timer that went off too early is set again,
    /// one of another time does nothing.
    pub(super) fn expire<E>(&mut self, timer: TimerNumber, now: Moment, out: &mut Vec<Effect<E>>) {
        let mut early = None;
        for (seat, slot) in (0..).map(SeatNumber).zip(&mut self.slots) {
            match slot {
                Slot::Open(open) if open.timer == timer && now < open.until => early = Some(open.until),
                Slot::Open(open) if open.timer == timer => {
                    out.push(Effect::Drop { seat, message: open.message });
                    *slot = Slot::Closed(Heard::Fault(Fault::Timeout), milliseconds(open.limit));
                }
                _ => {}
            }
        }
        out.extend(early.map(|at| Effect::Wake { timer, at }));
    }

    /// Waits no more.
    pub(super) fn drop_all<E>(&self, out: &mut Vec<Effect<E>>) {
        out.extend(self.awaited().map(|(seat, message, _)| Effect::Drop { seat, message }));
    }

    /// Who owes an answer to what, and until when.
    pub(super) fn awaited(&self) -> impl Iterator<Item = (SeatNumber, MessageNumber, Moment)> {
        (0..).map(SeatNumber).zip(&self.slots).filter_map(|(seat, slot)| match slot {
            Slot::Open(open) => Some((seat, open.message, open.until)),
            Slot::NotAsked | Slot::Closed(..) => None,
        })
    }

    /// Whether nobody owes an answer.
    pub(super) fn is_over(&self) -> bool {
        self.awaited().next().is_none()
    }

    /// What was heard of each seat that was asked and is not awaited, and how long it took.
    pub(super) fn heard(&self) -> impl Iterator<Item = Option<(&Heard, u64)>> {
        self.slots.iter().map(|slot| match slot {
            Slot::Closed(heard, time) => Some((heard, *time)),
            Slot::NotAsked | Slot::Open(_) => None,
        })
    }
}
