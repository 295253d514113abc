//! What is kept of a match in real time.

use std::time::Duration;

use ludex_game::{Goal, TimedEvent};
use ludex_gdl::GameTime;
use serde::{Deserialize, Serialize};

use super::entry::{Arrival, decimal};
use super::life::TimedReferee;
use crate::course::MatchStatus;
use crate::message::term_text;

/// A match in real time as a record. All terms are in prefix notation; times are decimal numbers of units of game time.
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
    /// The language of the rulesheet.
    pub dialect: String,
    /// The engine of the referee.
    pub engine: String,
    /// The seed of the match.
    pub seed: u64,
    /// The roles in order.
    pub roles: Vec<String>,
    /// Who plays them, without `random`.
    pub player_names: Vec<String>,
    /// How long players might take to get ready.
    pub start_clock: Duration,
    /// How long one unit of game time took.
    pub play_clock: Duration,
    /// When the match began, in milliseconds since 1970.
    pub start_time: Option<u64>,
    /// After how many milliseconds each player was ready.
    pub ready_times: Vec<Option<u64>>,
    /// All moves that came, legal or not: when, and with what delay.
    pub moves: Vec<Arrival>,
    /// All updates.
    pub updates: Vec<TimedRecordUpdate>,
    /// What the last state is worth to all roles, where the game is over.
    pub goal_values: Option<Vec<Option<Goal>>>,
    /// Why the match ended early.
    pub abort_cause: Option<String>,
}

/// An update in a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimedRecordUpdate {
    /// When it was.
    #[serde(with = "decimal")]
    pub time: GameTime,
    /// The moves of all roles; null for a role that did nothing.
    pub moves: Vec<Option<String>>,
    /// What expired.
    pub expired: Vec<String>,
    /// What each role was told (rtGDL-II); null for a role that was told nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Option<Vec<String>>>,
}

impl TimedReferee {
    /// The match as a record, as far as it is written. It tells everything, which is not for everybody to see while the
    /// match lasts.
    pub fn record(&self) -> TimedRecord {
        let (setup, course) = (self.setup(), self.course());
        let rules = course.rules();
        let texts = |list: &[_]| -> Vec<String> {
            list.iter().map(|&term| term_text(rules.machine().terms(), term)).collect()
        };
        let updates = course.events().iter().filter_map(|event| match event {
            TimedEvent::Wasted { .. } => None,
            TimedEvent::Update(update) => Some(TimedRecordUpdate {
                time: update.time,
                moves: (0..rules.role_terms().len())
                    .map(|role| {
                        let made = update.moves.iter().find(|made| made.0.index() == role)?;
                        texts(&[made.1]).pop()
                    })
                    .collect(),
                expired: texts(&update.expired),
                told: if rules.dialect().has_percepts() {
                    update.told.iter().map(|told| told.as_deref().map(texts)).collect()
                } else {
                    Vec::new()
                },
            }),
        });
        TimedRecord {
            match_id: setup.id.clone(),
            game_name: rules.short_name().to_owned(),
            rulesheet: rules.rulesheet().source.text().to_owned(),
            rulesheet_sha256: rules.sha256().to_owned(),
            dialect: rules.dialect().to_string(),
            engine: rules.engine_name().to_owned(),
            seed: setup.seed,
            roles: texts(rules.role_terms()),
            player_names: setup.seats.iter().map(|seat| seat.player.clone()).collect(),
            start_clock: setup.start,
            play_clock: setup.unit,
            start_time: setup.start_time,
            ready_times: course.ready_times().to_vec(),
            moves: course.arrivals().to_vec(),
            updates: updates.collect(),
            goal_values: (*course.status() == MatchStatus::Completed).then(|| course.goals().to_vec()),
            abort_cause: course.status().abort_cause().map(str::to_owned),
        }
    }
}
