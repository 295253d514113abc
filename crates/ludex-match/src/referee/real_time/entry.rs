//! What a referee in real time writes down.

use ludex_gdl::GameTime;
use serde::{Deserialize, Serialize};

use super::super::setup::SeatNumber;
use super::setup::TimedSetup;
use crate::course::Fault;
use crate::record::timed::decimal;

/// An entry in the journal of a match in real time. The entries in order are the match. All terms are in prefix notation;
/// points in time are decimal numbers of units of game time since the start, other times milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimedEntry {
    /// What was agreed. Always the first.
    Opened {
        /// What was agreed.
        setup: Box<TimedSetup>,
        /// The SHA-256 of the rulesheet, in hexadecimal.
        rulesheet_sha256: String,
    },
    /// The start clock is over, or everybody is ready: the game begins.
    Ready {
        /// What went wrong, for each seat.
        faults: Vec<Option<Fault>>,
        /// When each seat was ready.
        times: Vec<Option<u64>>,
    },
    /// Moves came, or something expired, or both.
    Happened {
        /// The moves that came, in order.
        moves: Vec<Arrival>,
        /// Everything has happened up to this time.
        #[serde(with = "decimal")]
        until: GameTime,
        /// Whether the match is over with it. Nothing but `Resumed` and the `Ended` that the rules say follows then.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        last: bool,
    },
    /// The referee begins again after it was cut off.
    Resumed,
    /// The match is over. Nothing but `Resumed` follows.
    Ended {
        /// Why it was aborted; `None` where a terminal state was reached.
        aborted: Option<String>,
    },
}

impl TimedEntry {
    /// Whether the match is over with this entry, whatever may follow it in a journal.
    pub fn ends_match(&self) -> bool {
        matches!(self, Self::Ended { .. } | Self::Happened { last: true, .. })
    }

    /// What the entry is called in journals.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Opened { .. } => "opened",
            Self::Ready { .. } => "ready",
            Self::Happened { .. } => "happened",
            Self::Resumed => "resumed",
            Self::Ended { .. } => "ended",
        }
    }
}

/// A move that came from a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// When it came.
    #[serde(with = "decimal")]
    pub time: GameTime,
    /// From whom.
    pub seat: SeatNumber,
    /// What became of it.
    pub verdict: Verdict,
    /// How many milliseconds after the message that it answers was sent.
    pub taken: Option<u64>,
    /// The measured delay: the fewest milliseconds in which the player has answered a message so far. To it and from it,
    /// no message has taken longer than that then.
    pub delay: Option<u64>,
}

/// What became of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It was made.
    Made(String),
    /// It was not legal, or no move, and changed nothing.
    Refused(Fault),
}
