//! What people agree on beside moves: that a match is given up, a draw, that moves are taken back.
//!
//! What is agreed on is for the referee to write. What is only offered is nobody's business but theirs who play, and
//! does not outlast the next step, nor the server.

use ludex::MatchRecord;
use ludex::matches::Settlement;
use ludex::matches::referee::SeatNumber;
use ludex::matches::view::{View, Viewer};

use super::live::{Live, Seen};
use crate::model::{Offer, OfferKind, Saying};

/// An offer, and who has agreed.
#[derive(Clone, Debug)]
pub(super) struct StandingOffer {
    offer: Offer,
    agreed: Vec<SeatNumber>,
    /// The state in which it was made.
    made_in: StateMark,
}

/// A state of a match as no other one is: after how many steps, and how often moves were taken back before.
type StateMark = (usize, u32);

fn mark(record: &MatchRecord) -> StateMark {
    (record.moves.len(), record.taken_back)
}

impl Seen {
    /// What is offered in the present state. After a step, or when moves were taken back, that is over.
    pub(super) fn standing_offer(&self, record: &MatchRecord) -> Option<Offer> {
        self.offer.as_ref().filter(|standing| standing.made_in == mark(record)).map(|standing| standing.offer)
    }

    /// What somebody may say on a seat of a person.
    pub(super) fn may_say(&self, seat: SeatNumber, record: &MatchRecord) -> Vec<Saying> {
        let standing = self.standing_offer(record);
        let has_agreed = self.offer.as_ref().is_some_and(|standing| standing.agreed.contains(&seat));
        let is_possible = |saying: &Saying| match saying {
            Saying::Accept => standing.is_some_and(|offer| offer.seat != seat) && !has_agreed,
            Saying::Decline => standing.is_some(),
            // Programs agree to nothing.
            Saying::OfferDraw => self.people.all == 2 && self.people.seats.len() == 2 && standing.is_none(),
            Saying::AskBack => standing.is_none() && self.back_to(seat, record).is_some(),
            // What the others get is clear where there is one at most.
            Saying::Resign => self.people.all <= 2,
        };
        let runs = !record.is_completed && !record.is_aborted && self.running.is_some();
        Saying::ALL.into_iter().filter(|saying| runs && is_possible(saying)).collect()
    }

    /// After how many steps somebody last had a choice, where the match can go back there.
    fn back_to(&self, seat: SeatNumber, record: &MatchRecord) -> Option<usize> {
        View::of_record(record, Viewer::Seat(seat)).last_choice().filter(|_| self.goes_back)
    }

    /// Notes what somebody says, and does what all have agreed on.
    fn hear(&mut self, seat: SeatNumber, saying: Saying, (made_in, back): (StateMark, Option<usize>)) {
        let offered = |kind| StandingOffer { offer: Offer { seat, kind }, agreed: vec![seat], made_in };
        match (saying, back) {
            (Saying::Resign, _) => {
                if let Some(running) = &self.running {
                    running.settle(Settlement::Resigned(seat));
                }
            }
            (Saying::OfferDraw, _) => self.offer = Some(offered(OfferKind::Draw)),
            (Saying::AskBack, Some(steps)) => self.offer = Some(offered(OfferKind::TakeBack { steps })),
            (Saying::Accept, _) => self.offer.iter_mut().for_each(|standing| standing.agreed.push(seat)),
            (Saying::Decline, _) => self.offer = None,
            (Saying::AskBack, None) => {}
        }
        let all_agree = |standing: &StandingOffer| {
            self.people.seats.iter().all(|(number, _)| standing.agreed.contains(number))
        };
        if let Some(running) = &self.running
            && let Some(standing) = self.offer.take_if(|standing| all_agree(standing))
        {
            match standing.offer.kind {
                OfferKind::Draw => running.settle(Settlement::Draw(standing.offer.seat)),
                OfferKind::TakeBack { steps } => running.take_back(steps),
            }
        }
    }
}

impl Live {
    /// Says something on the seat of a person.
    pub(super) fn say(&self, seat: SeatNumber, saying: Saying) -> Result<(), String> {
        let mut seen = self.seen();
        seen.person(seat).ok_or("nobody plays this seat by hand")?;
        let record = seen.record().ok_or("there is nothing to be said in this match now")?;
        if !seen.may_say(seat, record).contains(&saying) {
            return Err(format!("that cannot be said now: {}", saying.name()));
        }
        let (made_in, back) = (mark(record), seen.back_to(seat, record));
        seen.hear(seat, saying, (made_in, back));
        drop(seen);
        self.tell_again();
        Ok(())
    }
}
