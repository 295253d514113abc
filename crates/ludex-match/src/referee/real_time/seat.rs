//! A seat of a match in real time: what it is sent, and how fast it has answered.

use std::collections::VecDeque;

use ludex_game::TimedRules;
use ludex_gdl::GameTime;

use super::super::introductions::Introductions;
use super::super::seat::{malformed, read_answer, read_ready, seconds};
use super::super::setup::{MessageNumber, Moment};
use super::super::waiting::Heard;
use super::setup::TimedSetup;
use crate::course::Fault;
use crate::message::{
    Expected, Last, News, Request, Response, SeatCodec, SeatCodecs, StartMessage, term_text,
};
use crate::record::milliseconds;
use crate::referee::RefereeError;

/// Of so many messages to a seat it is remembered when they were sent.
const REMEMBERED: usize = 64;

/// A seat of a match in real time.
#[derive(Clone, Debug)]
pub(super) struct TimedSeat {
    /// The role, in the words of the match.
    role: String,
    player: String,
    codec: SeatCodec,
    /// The first play message to it in this life of the referee, and the last one.
    asked: Option<(MessageNumber, MessageNumber)>,
    /// The last messages, and when they were sent.
    sent: VecDeque<(MessageNumber, Moment)>,
    /// The fewest milliseconds in which it answered a message.
    delay: Option<u64>,
}

/// The seats of a match, where what they are told of the game does not take too much.
pub(super) fn seats(rules: &TimedRules, setup: &TimedSetup) -> Result<Vec<TimedSeat>, RefereeError> {
    let mut codecs = SeatCodecs::new(rules.rulesheet());
    introductions(rules, setup).charge(&mut codecs, &setup.seats)?;
    let mut seats = Vec::with_capacity(setup.seats.len());
    for (role, seat) in role_texts(rules).zip(&setup.seats) {
        seats.push(TimedSeat {
            role,
            player: seat.player.clone(),
            codec: codecs.codec(seat)?,
            asked: None,
            sent: VecDeque::new(),
            delay: None,
        });
    }
    Ok(seats)
}

/// What players are told beside rules and clocks.
pub(super) fn introductions(rules: &TimedRules, setup: &TimedSetup) -> Introductions {
    Introductions::of(role_texts(rules), &setup.seats, Vec::new(), setup.told.as_deref())
}

fn role_texts(rules: &TimedRules) -> impl Iterator<Item = String> {
    let terms = rules.machine().terms();
    rules.seats().into_iter().map(|role| term_text(terms, rules.role_terms()[role.index()]))
}

impl TimedSeat {
    pub(super) fn player(&self) -> &str {
        &self.player
    }

    /// The fewest milliseconds in which the player answered a message.
    pub(super) fn delay(&self) -> Option<u64> {
        self.delay
    }

    /// The message that a match begins.
    pub(super) fn start(&self, setup: &TimedSetup, play_seconds: GameTime, more: &Introductions) -> Request {
        self.codec.write_rules();
        Request::Start(Box::new(StartMessage {
            id: setup.id.clone(),
            role: self.codec.to_seat(&self.role),
            given: self.codec.given(),
            rules: self.codec.shared_rules(),
            start_clock: seconds(setup.start),
            play_clock: seconds(setup.unit),
            exact_play_clock: Some(play_seconds).filter(|exact| *exact != exact.floor()),
            more: more.to(&self.codec, None),
        }))
    }

    /// The message of what happened.
    pub(super) fn play(&self, id: &str, last: Last) -> Request {
        self.codec.outgoing(Request::Play { id: id.to_owned(), last })
    }

    /// The message that the game is over.
    pub(super) fn stop(&self, id: &str, time: GameTime, news: News) -> Request {
        self.codec.outgoing(Request::Stop { id: id.to_owned(), last: Last::InTime { time, news } })
    }

    /// Takes note that a play message was sent.
    pub(super) fn note_sent(&mut self, message: MessageNumber, now: Moment) {
        let first = self.asked.map_or(message, |asked| asked.0);
        self.asked = Some((first, message));
        if self.sent.len() == REMEMBERED {
            self.sent.pop_front();
        }
        self.sent.push_back((message, now));
    }

    /// Whether a message was sent to this seat that it can answer with a move. Answers to all of them count, whenever
    /// they come.
    pub(super) fn was_asked(&self, message: MessageNumber) -> bool {
        self.asked.is_some_and(|(first, last)| (first..=last).contains(&message))
    }

    /// Takes note of an answer that comes now: after how many milliseconds, if that is still known.
    pub(super) fn note_answer(&mut self, message: MessageNumber, now: Moment) -> Option<u64> {
        let sent = self.sent.iter().find(|sent| sent.0 == message)?.1;
        let taken = milliseconds(now.saturating_sub(sent));
        self.note_delay(taken);
        Some(taken)
    }

    /// Takes note that it took so many milliseconds to answer a message.
    pub(super) fn note_delay(&mut self, taken: u64) {
        self.delay = Some(self.delay.map_or(taken, |least| least.min(taken)));
    }

    /// What the answer to a start message says.
    pub(super) fn read_ready(&self, answer: &[u8]) -> Heard {
        read_ready(&self.codec, answer)
    }

    /// What the answer to a play message says, in the words of the match; `None` for nothing.
    pub(super) fn read_move(&self, answer: &[u8]) -> Option<Result<String, Fault>> {
        if answer.trim_ascii().is_empty() {
            return None;
        }
        Some(match read_answer(&self.codec, answer, Expected::Move) {
            Ok(Response::Move(text)) => Ok(text),
            Ok(_) => Err(malformed(answer)),
            Err(fault) => Err(fault),
        })
    }
}
