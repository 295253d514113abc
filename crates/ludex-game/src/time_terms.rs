//! What time is worth in a match beside the clock of each move (book 20.2).

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A cumulative clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeBank {
    /// For the whole match, or for what is left of it.
    pub total: Duration,
    /// Added after each move.
    pub increment: Duration,
}

impl TimeBank {
    /// The clock after a move that took so long.
    #[must_use]
    pub fn after_move(self, taken: Duration) -> Self {
        Self { total: self.total.saturating_sub(taken).saturating_add(self.increment), ..self }
    }
}

/// What time is worth to a player from a move on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeTerms {
    /// The time for this move and all that follow, if that is limited.
    pub bank: Option<TimeBank>,
    /// Points of the goal that a second of thinking costs; 0 where it costs nothing.
    pub cost: f64,
}

impl TimeTerms {
    /// Whether time that is not used is worth something.
    pub fn are_thrifty(&self) -> bool {
        self.bank.is_some() || self.cost > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bank_grows_by_the_increment_and_is_never_overdrawn() {
        let seconds = Duration::from_secs;
        let bank = TimeBank { total: seconds(10), increment: seconds(2) };
        assert_eq!(bank.after_move(seconds(3)).total, seconds(9));
        assert_eq!(bank.after_move(seconds(11)).total, seconds(2));
    }
}
