//! What players agree on beside moves.

use ludex::matches::referee::SeatNumber;
use serde::{Deserialize, Serialize};

/// What somebody on a seat says beside moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Saying {
    /// That the match is given up.
    Resign,
    /// That it may end as a draw.
    OfferDraw,
    /// That the last own move may be taken back, with all that followed. Programs have nothing against it.
    AskBack,
    /// Yes to what another person offers.
    Accept,
    /// No to what another person offers, or that one's own offer does not stand any more.
    Decline,
}

impl Saying {
    /// All of them, in the order in which pages have them.
    pub const ALL: [Self; 5] = [Self::Accept, Self::Decline, Self::AskBack, Self::OfferDraw, Self::Resign];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Resign => "resign",
            Self::OfferDraw => "offer-draw",
            Self::AskBack => "ask-back",
            Self::Accept => "accept",
            Self::Decline => "decline",
        }
    }
}

/// Something that a person offers, which other people have to agree to. It stands until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// Whose seat.
    pub seat: SeatNumber,
    /// What.
    pub kind: OfferKind,
}

/// What somebody may offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OfferKind {
    /// That the match ends as a draw.
    Draw,
    /// That it goes back to the state after so many steps.
    #[serde(rename_all = "camelCase")]
    TakeBack {
        /// How many.
        steps: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json() {
        for saying in Saying::ALL {
            assert_eq!(serde_json::to_value(saying).unwrap(), saying.name());
        }
    }
}
