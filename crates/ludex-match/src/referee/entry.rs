//! What a referee writes down.

use serde::{Deserialize, Serialize};

use super::setup::RefereeSetup;
use crate::Settlement;
use crate::course::Fault;

/// The number of an entry in the journal of a match, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryNumber(pub u64);

/// An entry in the journal of a match. The entries in order are the match. All terms are in prefix
/// notation; times are milliseconds from when a message was sent to when its answer came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// What was agreed. Always the first.
    Opened {
        /// What was agreed.
        setup: Box<RefereeSetup>,
        /// The SHA-256 of the rulesheet, in hexadecimal.
        rulesheet_sha256: String,
    },
    /// The start clock is over, or everybody is ready; after `Resumed`, those who are new.
    Ready {
        /// What went wrong, for each seat.
        faults: Vec<Option<Fault>>,
        /// When each seat was ready; no fault and no time where it was not asked.
        times: Vec<Option<u64>>,
    },
    /// A step was made.
    Stepped {
        /// The moves of all roles in order, `random` included.
        joint: Vec<String>,
        /// What went wrong, for each seat.
        faults: Vec<Option<Fault>>,
        /// How long each seat took.
        times: Vec<Option<u64>>,
        /// When the new state came about, in milliseconds since 1970.
        at: Option<u64>,
        /// Whether the match is over with it, so that this is known without the rules. Nothing but
        /// `Resumed` and the `Ended` that the rules say follows then.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        last: bool,
    },
    /// Moves were taken back. Those who play are then told anew what the match is, and get ready once more.
    TakenBack {
        /// How many steps remain.
        steps: usize,
    },
    /// The referee begins again after it was cut off; what was not answered is said once more. So the
    /// messages of each life of a referee follow another entry, and have numbers of their own.
    Resumed,
    /// The match is over. Nothing but `Resumed` follows.
    Ended {
        /// Why it was aborted; `None` where it has a result.
        aborted: Option<String>,
        /// How the players ended it by themselves; `None` where a terminal state was reached.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settled: Option<Settlement>,
    },
}

impl Entry {
    /// Whether the match is over with this entry, whatever may follow it in a journal.
    pub fn ends_match(&self) -> bool {
        matches!(self, Self::Ended { .. } | Self::Stepped { last: true, .. })
    }
}
