//! What becomes of messages and answers on their way.

use std::time::Duration;

use ludex_match::referee::{MessageNumber, SeatNumber};
use ludex_match::service::CallNumber;

use super::world::{Happening, World};

/// A message of a referee, as whoever carries it knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    pub(crate) number: usize,
    pub(crate) seat: SeatNumber,
    pub(crate) message: MessageNumber,
}

/// Who gave an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Author {
    pub(crate) process: usize,
    pub(crate) life: u64,
    pub(crate) call: CallNumber,
}

impl World {
    /// A message goes out to a player.
    pub(crate) fn carry_message(&mut self, letter: Letter, process: usize, text: String) {
        let weather = self.plan.weather;
        if self.dice.in_thousand(weather.refused) {
            let cause = self.dice.pick(&["connection refused", "connection reset", "no such host"]);
            let answer = Err((*cause).to_owned());
            let delay = self.way();
            return self.after(delay, Happening::Answer { letter, answer, author: None });
        }
        if self.dice.in_thousand(weather.lost) {
            return self.say(|| format!("m{} message {} is lost", letter.number, letter.message.0));
        }
        let copies = if self.dice.in_thousand(weather.twice) { 2 } else { 1 };
        for _ in 0..copies {
            let text = String::from_utf8_lossy(&self.damage(text.clone().into_bytes())).into_owned();
            let delay = self.way();
            self.after(delay, Happening::Message { letter, process, text });
        }
    }

    /// An answer goes back to the manager.
    pub(crate) fn carry_answer(&mut self, letter: Letter, author: Author, answer: Result<Vec<u8>, String>) {
        let weather = self.plan.weather;
        if self.dice.in_thousand(weather.lost) {
            self.say(|| format!("m{} the answer to {} is lost", letter.number, letter.message.0));
            return self.bounce(author);
        }
        let copies = if self.dice.in_thousand(weather.twice) { 2 } else { 1 };
        for copy in 0..copies {
            let answer = answer.clone().map(|bytes| self.damage(bytes));
            let delay = self.way();
            let author = (copy == 0).then_some(author);
            self.after(delay, Happening::Answer { letter, answer, author });
        }
        if self.dice.in_thousand(weather.old) {
            let delay = self.dice.time((2_000, 40_000));
            self.after(delay, Happening::Answer { letter, answer: answer.clone(), author: None });
        }
        if self.dice.in_thousand(weather.old) {
            // An answer in the name of another seat.
            let letter = Letter { seat: SeatNumber(letter.seat.0 ^ 1), ..letter };
            self.after(Duration::ZERO, Happening::Answer { letter, answer, author: None });
        }
    }

    /// A player may hear that its answer did not arrive.
    pub(crate) fn bounce(&mut self, author: Author) {
        if self.dice.in_thousand(self.plan.weather.told) {
            let delay = self.way();
            self.after(delay, Happening::Bounced(author));
        }
    }

    fn way(&mut self) -> Duration {
        let weather = self.plan.weather;
        let usual = self.dice.time(weather.latency);
        if self.dice.in_thousand(weather.slow) { usual + self.dice.time((300, 6_000)) } else { usual }
    }

    /// Bytes may arrive in part, or as others.
    fn damage(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        let weather = self.plan.weather;
        if self.dice.in_thousand(weather.cut) {
            bytes.truncate(self.dice.below(bytes.len() + 1));
        }
        if !bytes.is_empty() && self.dice.in_thousand(weather.garbled) {
            for _ in 0..1 + self.dice.below(4) {
                let place = self.dice.below(bytes.len());
                bytes[place] = *self.dice.pick(b"() [],'|\0\xffaZ19;\"");
            }
        }
        bytes
    }
}
