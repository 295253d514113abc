//! Messages that are held back until a player of a game in real time moves.

use std::collections::VecDeque;

use super::effect::Effect;
use super::event::CallNumber;
use super::manner::{Manner, Spelling};
use super::seating::Waiting;

/// What is no move, but an answer: for a message that cannot be answered with a move.
pub(super) const NO_MOVE: &str = "nil";

/// Of so many answers it is remembered which move they were, in case they are not delivered.
const REMEMBERED: usize = 8;

/// The messages of one match in real time that wait for a move, and the moves that wait for a message.
///
/// A player may move at any time, and has one answer for each message. So the last message is held back until the player
/// moves, or until the next one comes: then its answer is no move. A move for which no message is held is the answer to
/// the next one.
#[derive(Debug, Default)]
pub(super) struct Held {
    call: Option<Waiting>,
    /// Whether any message came.
    has_begun: bool,
    /// Moves that wait for a message, in prefix notation. While there are any, no message is held.
    moves: VecDeque<String>,
    /// The moves that were answered last, and what they answered.
    answered: VecDeque<(CallNumber, String)>,
}

impl Held {
    /// Whether any message came that tells the time.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether a message waits for a move.
    pub(super) fn is_open(&self) -> bool {
        self.call.is_some()
    }

    /// How many moves wait for a message.
    pub(super) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// The next message has come.
    pub(super) fn hear(&mut self, waiting: Waiting, spelling: &Spelling, out: &mut Vec<Effect>) {
        self.let_go(spelling, out);
        (self.call, self.has_begun) = (Some(waiting), true);
        self.match_up(spelling, out);
    }

    /// The player moves.
    pub(super) fn moved(&mut self, action: String, spelling: &Spelling, out: &mut Vec<Effect>) {
        self.moves.push_back(action);
        self.match_up(spelling, out);
    }

    /// The message that is held back is answered without a move.
    pub(super) fn let_go(&mut self, spelling: &Spelling, out: &mut Vec<Effect>) {
        if let Some((call, manner)) = self.call.take() {
            out.push(answer(call, manner, NO_MOVE, spelling));
        }
    }

    /// The message that is held back, which is to be answered otherwise.
    pub(super) fn take(&mut self) -> Option<Waiting> {
        self.call.take()
    }

    /// Nobody waits for the answer to a message any more. Whether it was held back.
    pub(super) fn abandon(&mut self, call: CallNumber, spelling: &Spelling, out: &mut Vec<Effect>) -> bool {
        let is_held = self.call.as_ref().is_some_and(|held| held.0 == call);
        if is_held {
            self.let_go(spelling, out);
        }
        is_held
    }

    /// An answer was not delivered: if it was a move, that goes out with the next one.
    pub(super) fn undelivered(&mut self, call: CallNumber, spelling: &Spelling, out: &mut Vec<Effect>) {
        let Some(place) = self.answered.iter().position(|answered| answered.0 == call) else { return };
        if let Some((_, action)) = self.answered.remove(place) {
            self.moves.push_front(action);
            self.match_up(spelling, out);
        }
    }

    /// Answers a message that waits with a move that waits.
    fn match_up(&mut self, spelling: &Spelling, out: &mut Vec<Effect>) {
        let Some((call, manner)) = self.call.take_if(|_| !self.moves.is_empty()) else { return };
        let Some(action) = self.moves.pop_front() else { return };
        out.push(answer(call, manner, &action, spelling));
        if self.answered.len() == REMEMBERED {
            self.answered.pop_front();
        }
        self.answered.push_back((call, action));
    }
}

fn answer(call: CallNumber, manner: Manner, action: &str, spelling: &Spelling) -> Effect {
    Effect::Answer { call, text: manner.write_move(action, spelling) }
}
