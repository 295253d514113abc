//! The words and the notation of a seat.

use ludex_game::Rules;

use super::setup::SeatSetup;

/// How a seat is spoken to, and understood.
#[derive(Clone, Debug)]
pub(super) struct Wording {
    rulesheet: String,
}

impl Wording {
    /// # Errors
    /// Why the seat's rulesheet cannot be sent, in a few words.
    pub(super) fn new(rules: &Rules, seat: &SeatSetup) -> Result<Self, String> {
        let rulesheet = seat.rulesheet.clone().unwrap_or_else(|| rules.source().text().to_owned());
        Ok(Self { rulesheet })
    }

    /// The rulesheet in the notation of messages to the seat.
    pub(super) fn rulesheet(&self) -> &str {
        &self.rulesheet
    }

    /// A term of the game in the seat's words; both in prefix notation.
    pub(super) fn term(&self, term: &str) -> String {
        term.to_owned()
    }

    /// The move that an answer names, in the game's words; `None` where it names none.
    pub(super) fn read_move(&self, answer: &str) -> Option<String> {
        Some(answer.trim().to_owned())
    }

    /// Whether the answer says that the player is ready.
    pub(super) fn is_ready(&self, answer: &str) -> bool {
        answer.trim().eq_ignore_ascii_case("ready")
    }
}
