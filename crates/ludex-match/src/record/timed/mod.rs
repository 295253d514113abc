//! Records of matches in real time.

pub(crate) mod decimal;
mod replay;
mod verify;

use std::time::Duration;

use ludex_game::{Goal, RoleId, TimedEvent, TimedRules, TimedUpdate, sha256};
use ludex_gdl::{Dialect, GameTime};
use ludex_logic::TermId;
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
    /// The rulesheet, as it was written; empty where it is kept elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
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

/// What is agreed before a match that is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimedRecordTerms {
    /// The name of the match.
    pub id: String,
    /// Decides what `random` does.
    pub seed: u64,
    /// Who plays, for each role but `random`, in order.
    pub players: Vec<String>,
    /// The time to get ready.
    pub start_clock: Duration,
    /// How long one unit of game time takes.
    pub play_clock: Duration,
    /// When the match began, in milliseconds since 1970, if it matters.
    pub start_time: Option<u64>,
}

impl TimedRecordEvent {
    /// Something that happened, as records have it.
    pub fn of(rules: &TimedRules, event: &TimedEvent) -> Self {
        let roles = rules.role_terms().len();
        let text = |term: TermId| rules.machine().terms().prefix(term);
        let texts = |list: &[TermId]| list.iter().map(|&term| text(term)).collect::<Vec<_>>();
        let has_percepts = rules.dialect().has_percepts();
        match event {
            TimedEvent::Wasted { time, action } => Self {
                time: *time,
                moves: vec![None; roles],
                expired: Vec::new(),
                told: if has_percepts { vec![None; roles] } else { Vec::new() },
                wasted: Some(text(*action)),
            },
            TimedEvent::Update(TimedUpdate { time, moves, expired, told }) => {
                let made_by = |role| moves.iter().find(|made| made.0 == role).map(|made| text(made.1));
                let told = told.iter().map(|told| told.as_deref().map(texts));
                Self {
                    time: *time,
                    moves: (0..roles as u32).map(|role| made_by(RoleId(role))).collect(),
                    expired: texts(expired),
                    told: if has_percepts { told.collect() } else { Vec::new() },
                    wasted: None,
                }
            }
        }
    }
}

impl TimedRecord {
    /// The record of a match in which nothing has happened yet.
    pub fn begin(rules: &TimedRules, terms: TimedRecordTerms) -> Self {
        let seconds = |time: Duration| {
            u64::try_from(time.as_nanos()).ok().and_then(GameTime::from_units).unwrap_or(GameTime::MAX)
        };
        let random = rules.machine().random();
        let roles = rules.role_terms();
        let mut names = terms.players.into_iter();
        let name = |role| {
            if Some(role) == random { "random".to_owned() } else { names.next().unwrap_or_default() }
        };
        Self {
            match_id: terms.id,
            game_name: rules.short_name().to_owned(),
            rulesheet: rules.rulesheet().source.text().to_owned(),
            rulesheet_sha256: rules.sha256().to_owned(),
            dialect: rules.dialect().to_string(),
            recorded_by: Some(concat!("ludex ", env!("CARGO_PKG_VERSION")).to_owned()),
            engine: rules.engine_name().to_owned(),
            seed: terms.seed,
            roles: roles.iter().map(|&role| rules.machine().terms().prefix(role)).collect(),
            player_names_from_host: (0..roles.len() as u32).map(RoleId).map(name).collect(),
            start_clock: seconds(terms.start_clock),
            play_clock: seconds(terms.play_clock),
            start_time: terms.start_time,
            start_errors: vec![String::new(); roles.len()],
            ready_times: vec![None; roles.len()],
            moves: Vec::new(),
            events: Vec::new(),
            time: GameTime::ZERO,
            goal_values: None,
            is_completed: false,
            is_aborted: false,
            abort_cause: None,
        }
    }

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
        (!self.rulesheet.is_empty() && !actual.eq_ignore_ascii_case(said))
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
