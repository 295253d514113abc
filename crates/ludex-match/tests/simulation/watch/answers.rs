//! What seats answer, and what a referee may make of it.

use std::time::Duration;

use ludex_logic::TermId;
use ludex_match::Fault;
use ludex_match::message::{Expected, Response, read_response};
use ludex_match::referee::{Entry, MessageNumber, Moment, Patience, SeatNumber};

use super::{Broken, Observed, Watch};

/// Longer answers need not be read.
const LONGEST: usize = 1 << 16;

/// A message that wants an answer.
#[derive(Clone)]
pub(super) struct Asked {
    message: MessageNumber,
    at: Moment,
    until: Moment,
    /// The first answer that came in time.
    heard: Option<(Moment, Result<Vec<u8>, String>)>,
}

impl Asked {
    pub(super) fn new(message: MessageNumber, at: Moment, clock: Duration) -> Self {
        Self { message, at, until: at + clock, heard: None }
    }
}

/// What an answer is worth.
#[derive(Debug, PartialEq)]
enum Worth {
    Good(Option<TermId>),
    Timeout,
    Illegal,
    Malformed,
    Failed,
    /// Nobody was asked.
    Replaced,
}

impl Watch {
    /// The referee is about to be given an answer.
    pub(crate) fn answered(
        &mut self,
        number: usize,
        (seat, message): (SeatNumber, MessageNumber),
        answer: &Result<Vec<u8>, String>,
        now: Moment,
    ) {
        let slot = self.matches[number].asked.get_mut(seat.0 as usize);
        if let Some(Some(asked)) = slot
            && asked.message == message
            && asked.heard.is_none()
            && now <= asked.until
        {
            asked.heard = Some((now, answer.clone()));
        }
    }

    /// The referee writes an entry. It must follow from what it was given.
    pub(crate) fn writes(&mut self, number: usize, entry: &Entry, now: Moment) {
        let observed = &self.matches[number];
        let mut broken = Vec::new();
        match entry {
            Entry::Opened { .. } | Entry::Resumed | Entry::TakenBack { .. } => {}
            Entry::Ready { faults, times } => {
                for (seat, (fault, time)) in faults.iter().zip(times).enumerate() {
                    broken.extend(observed.judge(seat, None, fault.as_ref(), *time, now));
                }
            }
            Entry::Stepped { joint, faults, times, .. } => {
                for (seat, (fault, time)) in faults.iter().zip(times).enumerate() {
                    let made = joint.get(observed.truth.roles[seat].index()).map_or("", String::as_str);
                    broken.extend(observed.judge(seat, Some(made), fault.as_ref(), *time, now));
                    self.replaced += usize::from(fault.is_some());
                }
            }
            Entry::Ended { aborted, .. } => {
                broken.extend(aborted.as_deref().and_then(|cause| observed.judge_abort(cause)));
            }
        }
        if let Entry::Ready { faults, .. } | Entry::Stepped { faults, .. } = entry {
            for ((seat, fault), blameless) in faults.iter().enumerate().zip(&observed.blameless) {
                if *blameless && fault.is_some() {
                    broken.push((Broken::Wronged, format!("seat {seat} did all right, but {fault:?}")));
                }
            }
        }
        // A question is asked once; what comes later is for the next one.
        self.matches[number].asked.fill(None);
        for (what, text) in broken {
            self.note(what, format!("m{number}: {text}"));
        }
    }
}

impl Observed {
    /// What is wrong with an entry as far as a seat goes.
    fn judge(
        &self,
        seat: usize,
        made: Option<&str>,
        fault: Option<&Fault>,
        time: Option<u64>,
        now: Moment,
    ) -> Option<(Broken, String)> {
        let at_the_end = |asked: &Asked| asked.heard.as_ref().is_some_and(|(at, _)| *at == asked.until);
        let asked = self.asked[seat].as_ref();
        let worth = self.worth(seat, made.is_some());
        let agrees = match (&worth, fault) {
            (Worth::Good(None), None)
            | (Worth::Timeout, Some(Fault::Timeout))
            | (Worth::Illegal, Some(Fault::Illegal(_)))
            | (Worth::Malformed, Some(Fault::Malformed(_)))
            | (Worth::Failed, Some(Fault::Failed(_)))
            | (Worth::Replaced, Some(Fault::Replaced)) => true,
            (Worth::Good(Some(action)), None) => made == Some(&self.truth.prefix(*action)),
            // An answer that comes in the very moment in which the clock ends may come before or after.
            (_, Some(Fault::Timeout)) => asked.is_some_and(at_the_end),
            _ => false,
        };
        if !agrees {
            let what = match worth {
                Worth::Good(_) => Broken::Wronged,
                _ => Broken::Unexplained,
            };
            return Some((what, format!("seat {seat}: {worth:?} became {fault:?}, {made:?}")));
        }
        if worth == Worth::Replaced {
            let may =
                matches!(self.truth.setup.patience, Patience::Replace(n) if self.truth.failures[seat] >= n);
            return (!may).then(|| (Broken::Unexplained, format!("seat {seat} was not asked")));
        }
        let asked = asked?;
        if fault == Some(&Fault::Timeout) && now < asked.until {
            return Some((Broken::ShortClock, format!("seat {seat} had {:?} more", asked.until - now)));
        }
        let taken = asked.heard.as_ref().map_or(now, |(at, _)| *at).saturating_sub(asked.at);
        let most = taken.min(self.truth.limit(seat));
        let charged = Duration::from_millis(time.unwrap_or(0));
        (charged > most).then(|| (Broken::ShortClock, format!("seat {seat} pays {charged:?} for {most:?}")))
    }

    /// What the answer of a seat is worth by all that is known.
    fn worth(&self, seat: usize, is_move: bool) -> Worth {
        let Some(asked) = &self.asked[seat] else { return Worth::Replaced };
        let bytes = match &asked.heard {
            None => return Worth::Timeout,
            Some((_, Err(_))) => return Worth::Failed,
            Some((_, Ok(bytes))) if bytes.len() > LONGEST => return Worth::Malformed,
            Some((_, Ok(bytes))) => bytes,
        };
        let expected = if is_move { Expected::Move } else { Expected::Ready };
        match read_response(bytes, expected, self.truth.codecs[seat].notation()) {
            Err(_) => Worth::Malformed,
            Ok(Response::Ready) => Worth::Good(None),
            Ok(Response::Busy) => Worth::Failed,
            Ok(Response::Move(text)) => self.find_legal(seat, &text),
            Ok(_) => Worth::Malformed,
        }
    }

    fn find_legal(&self, seat: usize, text: &str) -> Worth {
        let plain = |text: &str| text.to_lowercase().replace('|', "");
        let said = plain(text);
        let legal = self.truth.legal(seat);
        let found = legal.iter().find(|(words, _)| plain(words) == said);
        // Words of the game that the seat was never told are understood, too.
        let known = || {
            let exactly = |action: &&TermId| plain(&self.truth.text(**action)) == said;
            legal.values().find(exactly).copied()
        };
        match found.map(|(_, action)| *action).or_else(known) {
            Some(action) => Worth::Good(Some(action)),
            None => Worth::Illegal,
        }
    }

    /// What is wrong with an early end.
    fn judge_abort(&self, cause: &str) -> Option<(Broken, String)> {
        let truth = &self.truth;
        let patience = matches!(truth.setup.patience,
            Patience::Abort(most) if truth.failures.iter().any(|&failures| failures >= most));
        let limit = truth.setup.step_limit.is_some_and(|limit| truth.steps.len() >= limit as usize);
        let stuck = || {
            let mut roles = truth.rules.roles();
            roles.any(|role| truth.position.legal(role).map_or(true, |legal| legal.is_empty()))
        };
        let explained = self.stopped || patience || limit || stuck();
        (!explained).then(|| (Broken::Unexplained, format!("aborted: {cause}")))
    }
}
