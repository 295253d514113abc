//! A seat in the course of a match: what it is told, how it is understood, what it has left.

use std::time::Duration;

use ludex_game::{MoveError, RoleId, Rules, TimeBank};
use ludex_logic::TermId;

use super::introductions::Introductions;
use super::setup::{Clocks, Patience, RefereeSetup, SeatSetup};
use super::waiting::Heard;
use crate::course::{Fault, Match, MatchStatus};
use crate::message::{
    Expected, Given, Last, Request, Response, SeatCodec, StartMessage, read_response, term_text,
};

/// Longer answers are not looked at: no move is so long, and to read one takes time that others need.
const LONGEST_ANSWER: usize = 1 << 16;

/// What is kept of an answer that was wrong: so many characters at most.
const KEPT: usize = 200;

/// A seat in the course of a match.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    role: RoleId,
    player: String,
    codec: SeatCodec,
    clocks: Clocks,
    /// What is left on the cumulative clock.
    bank: Option<Duration>,
    /// In how many steps in a row the player failed.
    failures: u32,
    /// After how many steps the player last got ready: it was told then what was done before.
    ready_at: usize,
}

impl Seat {
    /// A seat with its own clocks, or those of the match.
    pub(super) fn new(role: RoleId, codec: SeatCodec, setup: &SeatSetup, clocks: &Clocks) -> Self {
        let clocks = setup.clocks.unwrap_or(*clocks);
        let bank = clocks.bank.map(|bank| bank.total);
        Self { role, player: setup.player.clone(), codec, clocks, bank, failures: 0, ready_at: 0 }
    }

    pub(super) fn role(&self) -> RoleId {
        self.role
    }

    pub(super) fn player(&self) -> &str {
        &self.player
    }

    pub(super) fn bank(&self) -> Option<Duration> {
        self.bank
    }

    pub(super) fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// How long the player may think about its next move.
    pub(super) fn limit(&self) -> Duration {
        self.bank.map_or(self.clocks.play, |left| left.min(self.clocks.play))
    }

    /// Whether the player is not asked any more.
    pub(super) fn is_replaced(&self, patience: Patience) -> bool {
        matches!(patience, Patience::Replace(limit) if self.failures >= limit)
    }

    /// In how many steps in a row the player failed, if that is so often that the match is aborted.
    pub(super) fn failed_too_often(&self, patience: Patience) -> Option<u32> {
        matches!(patience, Patience::Abort(limit) if self.failures >= limit).then_some(self.failures)
    }

    /// What the player failed in is taken back.
    pub(super) fn forgive(&mut self) {
        self.failures = 0;
    }

    /// The player got ready, or should have, after so many steps.
    pub(super) fn note_ready(&mut self, steps: usize) {
        self.ready_at = steps;
    }

    /// Whether the player was told with the start message all that was done in the match, which has so many steps.
    pub(super) fn is_told(&self, steps: usize) -> bool {
        self.ready_at == steps
    }

    /// Takes note of a step: whether the player failed, and how many milliseconds it took.
    pub(super) fn note_step(&mut self, failed: bool, time: Option<u64>) {
        self.failures = if failed { self.failures.saturating_add(1) } else { 0 };
        if let (Some(left), Some(bank), Some(time)) = (&mut self.bank, self.clocks.bank, time) {
            *left = TimeBank { total: *left, ..bank }.after_move(Duration::from_millis(time)).total;
        }
    }

    /// What the player is told of the game.
    pub(super) fn given(&self) -> Given {
        self.codec.given()
    }

    /// The same seat at the beginning of another match.
    pub(super) fn anew(&self) -> Self {
        let bank = self.clocks.bank.map(|bank| bank.total);
        Self { bank, failures: 0, ready_at: 0, ..self.clone() }
    }

    /// Whether something that went wrong is to be blamed on the player. Who is told no rules finds out what is legal by
    /// trying.
    pub(super) fn is_to_blame(&self, fault: &Fault) -> bool {
        !(self.given() == Given::Structure && matches!(fault, Fault::Illegal(_)))
    }

    /// The message that a match begins; `more` is what players are told beside, in the words of the match.
    pub(super) fn start(&self, rules: &Rules, setup: &RefereeSetup, more: &Introductions) -> Request {
        let signature = rules.signature();
        let role = term_text(signature.terms(), signature.roles()[self.role.index()]);
        self.codec.write_rules();
        Request::start(StartMessage {
            id: setup.id.clone(),
            role: self.codec.to_seat(&role),
            given: self.given(),
            rules: self.codec.shared_rules(),
            start_clock: seconds(self.clocks.start),
            play_clock: seconds(self.limit()),
            exact_play_clock: None,
            more: more.to(
                &self.codec,
                self.clocks.bank.zip(self.bank).map(|(bank, total)| TimeBank { total, ..bank }),
            ),
        })
    }

    /// The message that asks for the next move, after what happened last.
    pub(super) fn play(&self, course: &Match, last: Last) -> Request {
        self.codec.outgoing(Request::Play { id: course.setup().id.clone(), last })
    }

    /// The message that the match is over, after what happened last.
    pub(super) fn goodbye(&self, course: &Match, last: Last) -> Request {
        let id = course.setup().id.clone();
        self.codec.outgoing(match course.status() {
            MatchStatus::Completed => Request::Stop { id, last },
            MatchStatus::Running | MatchStatus::Aborted(_) | MatchStatus::Settled(_) => Request::Abort { id },
        })
    }

    /// What the answer to a start message says.
    pub(super) fn read_ready(&self, answer: &[u8]) -> Heard {
        read_ready(&self.codec, answer)
    }

    /// What the answer to a play message says.
    pub(super) fn read_move(&self, answer: &[u8], course: &Match) -> Heard {
        match read_answer(&self.codec, answer, Expected::Move) {
            Ok(Response::Move(text)) => match find_move(course, self.role, &text) {
                Ok(action) => Heard::Move(action),
                Err(_) => Heard::Fault(Fault::Illegal(excerpt(&text))),
            },
            Ok(_) => Heard::Fault(malformed(answer)),
            Err(fault) => Heard::Fault(fault),
        }
    }
}

/// An answer of a seat in the words of the match.
pub(super) fn read_answer(codec: &SeatCodec, answer: &[u8], expected: Expected) -> Result<Response, Fault> {
    if answer.len() > LONGEST_ANSWER {
        return Err(malformed(answer));
    }
    let response = read_response(answer, expected, codec.notation());
    response.map(|response| codec.incoming(response)).map_err(|_| malformed(answer))
}

/// What the answer to a start message says.
pub(super) fn read_ready(codec: &SeatCodec, answer: &[u8]) -> Heard {
    match read_answer(codec, answer, Expected::Ready) {
        Ok(Response::Ready) => Heard::Yes,
        Ok(Response::Busy) => Heard::Fault(Fault::Failed("busy".into())),
        Ok(_) => Heard::Fault(malformed(answer)),
        Err(fault) => Heard::Fault(fault),
    }
}

/// The legal move that a term in prefix notation names. Where a term in bars stands for one it is that one.
fn find_move(course: &Match, role: RoleId, text: &str) -> Result<TermId, MoveError> {
    let (rules, legal) = (course.rules(), course.legal(role));
    let terms = rules.signature().terms();
    let exactly = || legal.iter().copied().find(|&action| term_text(terms, action) == text);
    match text.contains('|').then(exactly).flatten() {
        Some(action) => Ok(action),
        None => rules.find_among(legal, role, text).or_else(|error| exactly().ok_or(error)),
    }
}

/// Whole seconds, as players are told them: never more than there are.
pub(super) fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

pub(super) fn malformed(answer: &[u8]) -> Fault {
    Fault::Malformed(excerpt(&String::from_utf8_lossy(answer)))
}

/// The beginning of a text, to be kept.
pub(super) fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(KEPT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}
