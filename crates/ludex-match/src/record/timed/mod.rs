//! Records of matches in real time.

pub(crate) mod decimal;
mod replay;
mod verify;

use ludex_game::{Goal, sha256};
use ludex_gdl::{Dialect, GameTime};
use serde::{Deserialize, Serialize};

use super::{RecordContradiction, RecordError};
use crate::referee::real_time::Arrival;
pub use replay::{TimedReplay, TimedReplayError};
pub use verify::verify_timed_match;

/// A match in real time as a record: JSON beside that of other matches ([`MatchRecord`](super::MatchRecord)), with the
/// same names for what is the same.
///
/// All terms are in prefix notation. Times of the game are decimal numbers, as texts so that nobody makes floating-point
/// numbers of them: units of game time since the start, and seconds for the clocks. What the record does not say, such as
/// states, follows from the rules ([`TimedReplay`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimedRecord {
    /// The name of the match.
    pub match_id: String,
    /// The name of the game.
    pub game_name: String,
    /// The rulesheet, as it was written.
    pub rulesheet: String,
    /// The SHA-256 of the rulesheet, in hexadecimal.
    pub rulesheet_sha256: String,
    /// The language of the rulesheet, such as `rtGDL`.
    pub dialect: String,
    /// What wrote the record, such as `ludex 0.1.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_by: Option<String>,
    /// The engine of the referee.
    pub engine: String,
    /// The seed of the match.
    pub seed: u64,
    /// The roles in order.
    pub roles: Vec<String>,
    /// Who played them.
    pub player_names_from_host: Vec<String>,
    /// Seconds to get ready.
    #[serde(with = "decimal")]
    pub start_clock: GameTime,
    /// Seconds that one unit of game time took.
    #[serde(with = "decimal")]
    pub play_clock: GameTime,
    /// When the match began, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<u64>,
    /// What went wrong before the game began, for all roles; empty texts where nothing did. As in records of other
    /// matches.
    pub start_errors: Vec<String>,
    /// After how many milliseconds each role was ready; null for one that did not answer.
    pub ready_times: Vec<Option<u64>>,
    /// All moves that came, legal or not: when, and with what delay.
    pub moves: Vec<Arrival>,
    /// All that happened, in order.
    pub events: Vec<TimedRecordEvent>,
    /// The time of the game up to which the record is one.
    #[serde(with = "decimal")]
    pub time: GameTime,
    /// What the last state is worth to all roles, where the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_values: Option<Vec<Option<Goal>>>,
    /// Whether a terminal state was reached.
    pub is_completed: bool,
    /// Whether the match ended early.
    pub is_aborted: bool,
    /// Why the match ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abort_cause: Option<String>,
}

/// What happened at one moment: an update, or a delayed move of `random` that was wasted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimedRecordEvent {
    /// When it was.
    #[serde(with = "decimal")]
    pub time: GameTime,
    /// The moves of all roles; null for a role that did nothing.
    pub moves: Vec<Option<String>>,
    /// What expired.
    pub expired: Vec<String>,
    /// What each role was told (rtGDL-II); null for a role that was told nothing. Empty where there are no percepts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Option<Vec<String>>>,
    /// The move of `random` that was no longer legal when its time had come. There was no update then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wasted: Option<String>,
}

impl TimedRecord {
    /// Reads a record.
    ///
    /// # Errors
    /// [`RecordError`] where the text is not a JSON object with fields of the right kinds.
    pub fn read(text: &str) -> Result<Self, RecordError> {
        Ok(serde_json::from_str(text)?)
    }

    /// The record as one line of JSON, without a line end.
    pub fn write(&self) -> String {
        // Plain data with text keys: JSON can always hold it.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What the record says that cannot both be true, whatever the rules.
    pub fn contradiction(&self) -> Option<RecordContradiction> {
        if self.is_completed && self.is_aborted {
            return Some(RecordContradiction::CompletedAndAborted);
        }
        let (said, actual) = (&self.rulesheet_sha256, sha256(&self.rulesheet));
        (!actual.eq_ignore_ascii_case(said))
            .then(|| RecordContradiction::OtherRules { said: said.clone(), actual })
    }

    /// Whether it is of a game in which not everybody sees everything.
    pub(crate) fn has_secrets(&self) -> bool {
        self.dialect == Dialect::RtGdlII.to_string()
    }

    /// The place among the roles of each seat: all but `random`, where that is no player.
    pub(crate) fn seats(&self) -> Vec<usize> {
        let has_secrets = self.has_secrets();
        let is_seat = |role: &usize| !has_secrets || self.roles[*role] != "random";
        (0..self.roles.len()).filter(is_seat).collect()
    }
}
