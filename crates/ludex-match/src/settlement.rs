//! How players end a match before a terminal state is reached.

use ludex_game::Goal;
use serde::{Deserialize, Serialize};

use crate::referee::SeatNumber;

/// How the players of a match ended it before a terminal state was reached. The rules of a game know of no such
/// end, so its goals are not theirs: [`Settlement::goals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Settlement {
    /// The player of this seat gave the match up.
    Resigned(SeatNumber),
    /// All agreed on a draw, which the player of this seat had offered.
    Draw(SeatNumber),
}

impl Settlement {
    /// Whose seat it was that resigned, or offered the draw.
    pub fn seat(self) -> SeatNumber {
        match self {
            Self::Resigned(seat) | Self::Draw(seat) => seat,
        }
    }

    /// What it is worth on each of so many seats. Who resigns gets 0, and an opponent alone 100; a draw between two
    /// is 50 for both. What several opponents get nobody has agreed on.
    pub fn goals(self, seats: usize) -> Vec<Option<Goal>> {
        let goal = |seat: usize| match self {
            Self::Resigned(given_up) if given_up.0 as usize == seat => Some(0),
            Self::Resigned(_) if seats == 2 => Some(100),
            Self::Draw(_) if seats == 2 => Some(50),
            Self::Resigned(_) | Self::Draw(_) => None,
        };
        (0..seats).map(goal).collect()
    }

    /// In words, where this role has the seat.
    pub fn in_words(self, role: &str) -> String {
        match self {
            Self::Resigned(_) => format!("{role} resigned"),
            Self::Draw(_) => format!("a draw was agreed, which {role} had offered"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_players_share_a_hundred() {
        assert_eq!(Settlement::Resigned(SeatNumber(1)).goals(2), [Some(100), Some(0)]);
        assert_eq!(Settlement::Draw(SeatNumber(0)).goals(2), [Some(50), Some(50)]);
        assert_eq!(Settlement::Resigned(SeatNumber(0)).goals(1), [Some(0)]);
        assert_eq!(Settlement::Resigned(SeatNumber(2)).goals(3), [None, None, Some(0)]);
        // A seat that is not there is nobody's.
        assert_eq!(Settlement::Resigned(SeatNumber(7)).goals(1), [None]);
    }
}
