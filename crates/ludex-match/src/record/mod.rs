//! Match records: the JSON of the GGP ecosystem.

mod any;
mod lines;
mod playout;
mod replay;
mod report;
mod shape;
pub(crate) mod timed;

use std::time::Duration;

use ludex_game::{Goal, sha256};
use ludex_logic::TermId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Settlement;
use crate::course::{Fault, Match, MatchStatus};
pub use any::{AnyRecord, RecordKind};
pub use lines::RecordLineError;
pub(crate) use replay::list_items;
pub use replay::{MatchMismatch, MatchReport, replay_match, verify_match};
pub use report::{MoveReport, RatedMove};
pub use shape::check_shape;
pub use timed::{
    TimedRecord, TimedRecordEvent, TimedRecordTerms, TimedReplay, TimedReplayError, verify_timed_match,
};

/// A match, as programs of the GGP ecosystem record it.
///
/// All terms are in prefix notation. `moves[i]` was made in `states[i]`, where `legalMoves[i+1]` was
/// legal: that list begins with the legal moves of the initial state twice, and `errors` with what went
/// wrong before the first move, so `errors[i+1]` belongs to `moves[i]`. What others write beside these
/// fields is kept.
///
/// ```
/// use ludex_match::{Match, MatchRecord, MatchSetup};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let mut course = Match::new(rules, MatchSetup { id: "m1".into(), ..MatchSetup::default() })?;
/// while !course.is_over() {
///     course.submit(&[], None)?;
/// }
/// let record = course.record();
/// assert_eq!(MatchRecord::read(&record.write())?, record);
/// assert_eq!((record.is_completed, record.contradiction()), (true, None));
/// assert_eq!(record.states.len(), record.moves.len() + 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MatchRecord {
    /// The name of the match.
    pub match_id: String,
    /// The name of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game_name: Option<String>,
    /// Where the rules can be found.
    #[serde(rename = "gameMetaURL", skip_serializing_if = "Option::is_none")]
    pub game_meta_url: Option<String>,
    /// The rulesheet, as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rulesheet: Option<String>,
    /// The SHA-256 of the rulesheet, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rulesheet_sha256: Option<String>,
    /// The language of the rulesheet, such as `GDL-II`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// What wrote the record, such as `ludex 0.1.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_by: Option<String>,
    /// The engine of the referee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The seed of the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The roles in order.
    pub roles: Vec<String>,
    /// Who played them.
    pub player_names_from_host: Vec<String>,
    /// Seconds to get ready; absent where they were not limited.
    #[serde(with = "seconds", skip_serializing_if = "Option::is_none")]
    pub start_clock: Option<Duration>,
    /// Seconds for each move; absent where they were not limited.
    #[serde(with = "seconds", skip_serializing_if = "Option::is_none")]
    pub play_clock: Option<Duration>,
    /// Seconds for all moves together; absent where they were not limited.
    #[serde(with = "seconds", skip_serializing_if = "Option::is_none")]
    pub time_bank: Option<Duration>,
    /// Seconds that were added to that after each move.
    #[serde(with = "seconds", skip_serializing_if = "Option::is_none")]
    pub time_increment: Option<Duration>,
    /// Points of the goal that a second of thinking cost; absent where it cost nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_cost: Option<f64>,
    /// When the match began, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<u64>,
    /// When each state came about, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_times: Option<Vec<u64>>,
    /// The states, each as a list of facts: `((cell 1 1 b) (control white))`.
    pub states: Vec<String>,
    /// The moves of all roles in each step.
    pub moves: Vec<Vec<String>>,
    /// The legal moves of all roles; see above for where they belong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_moves: Option<Vec<Vec<Vec<String>>>>,
    /// What all roles saw in each step (GDL-II).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percepts: Option<Vec<Vec<Vec<String>>>>,
    /// What went wrong, for all roles; empty texts where nothing did. `TO`: no move in time, `IL`: the
    /// move was not legal, `MF`: the answer could not be read, `CE`: the player could not answer, `RP`: it
    /// was not asked any more. The move was then made at random.
    pub errors: Vec<Vec<String>>,
    /// How long each role took to get ready, in milliseconds; null where it was not asked or did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_times: Option<Vec<Option<u64>>>,
    /// How long each role took for each move, in milliseconds; null where it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_times: Option<Vec<Vec<Option<u64>>>>,
    /// What the player of each role said about each of its moves; null where it said nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports: Option<Vec<Vec<Option<MoveReport>>>>,
    /// What each state is worth to all roles; null where the rules give no value or several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_history: Option<Vec<Vec<Option<Goal>>>>,
    /// What the last state is worth to all roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_values: Option<Vec<Option<Goal>>>,
    /// What the match brought to all roles, where thinking cost something (book 20.2): the goal less the
    /// cost of the time taken, and never less than 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewards: Option<Vec<Option<f64>>>,
    /// Whether a terminal state was reached.
    pub is_completed: bool,
    /// Whether the match ended early.
    pub is_aborted: bool,
    /// Why the match ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abort_cause: Option<String>,
    /// How the players ended the match early by themselves. Programs that do not know of this take the match for
    /// one that was aborted, by its `abortCause`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settlement>,
    /// How often moves were taken back, which are not in the record.
    #[serde(skip_serializing_if = "is_zero")]
    pub taken_back: u32,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Why a text is not a match record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It is not the JSON it should be.
    #[error("not a match record: {0}")]
    Json(#[from] serde_json::Error),
}

/// What a record says that cannot both be true.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordContradiction {
    /// A match cannot both reach a terminal state and end before.
    #[error("the match is said to be both completed and aborted")]
    CompletedAndAborted,
    /// The rulesheet in the record is not the one whose digest it gives: one of the two was changed.
    #[error("its rulesheet has the SHA-256 {actual}, and not {said} as it says")]
    OtherRules {
        /// The digest in the record.
        said: String,
        /// The digest of the rulesheet in the record.
        actual: String,
    },
}

impl MatchRecord {
    /// What the record says that cannot both be true, whatever the rules.
    pub fn contradiction(&self) -> Option<RecordContradiction> {
        if self.is_completed && self.is_aborted {
            return Some(RecordContradiction::CompletedAndAborted);
        }
        let (rulesheet, said) = self.rulesheet.as_ref().zip(self.rulesheet_sha256.as_ref())?;
        let actual = sha256(rulesheet);
        (!actual.eq_ignore_ascii_case(said))
            .then(|| RecordContradiction::OtherRules { said: said.clone(), actual })
    }

    /// Forgets states and moves.
    fn clear(&mut self) {
        let Self { state_times, states, moves, legal_moves, percepts, errors, .. } = self;
        states.clear();
        moves.clear();
        errors.truncate(1);
        state_times.iter_mut().for_each(Vec::clear);
        legal_moves.iter_mut().for_each(Vec::clear);
        percepts.iter_mut().for_each(Vec::clear);
        self.goal_history.iter_mut().for_each(Vec::clear);
        (self.move_times, self.reports) = (None, None);
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
}

impl Match {
    /// The match so far, as a record.
    pub fn record(&self) -> MatchRecord {
        let (rules, setup) = (self.rules(), self.setup());
        let mut record = MatchRecord {
            match_id: setup.id.clone(),
            game_name: Some(rules.short_name().to_owned()),
            rulesheet: Some(rules.rulesheet().source.text().to_owned()),
            rulesheet_sha256: Some(rules.sha256().to_owned()),
            dialect: Some(rules.dialect().to_string()),
            recorded_by: Some(concat!("ludex ", env!("CARGO_PKG_VERSION")).to_owned()),
            engine: Some(rules.engine_name().to_owned()),
            seed: Some(setup.seed),
            roles: self.prefixes(rules.signature().roles()),
            player_names_from_host: self.player_names(),
            start_clock: setup.start_clock,
            play_clock: setup.play_clock,
            time_bank: setup.bank.map(|bank| bank.total),
            time_increment: setup.bank.map(|bank| bank.increment),
            time_cost: setup.time_cost,
            start_time: setup.start_time,
            state_times: Some(Vec::new()),
            legal_moves: Some(Vec::new()),
            percepts: rules.dialect().has_percepts().then(Vec::new),
            errors: vec![Vec::new()],
            goal_history: Some(Vec::new()),
            ..MatchRecord::default()
        };
        self.extend(&mut record);
        record
    }

    /// Brings a record of this match up to date. What is in it already is not looked at again, but where moves were taken
    /// back.
    pub fn extend(&self, record: &mut MatchRecord) {
        if record.taken_back != self.taken_back() {
            record.clear();
            record.taken_back = self.taken_back();
        }
        for (number, look) in self.looks().iter().enumerate().skip(record.states.len()) {
            let facts = self.history().state_at(number).map(|state| self.rules().facts(state));
            record.states.push(format!("({})", self.prefixes(&facts.unwrap_or_default()).join(" ")));
            record.state_times = record.state_times.take().zip(look.time).map(|(mut times, time)| {
                times.push(time);
                times
            });
            // The list begins with those of the initial state twice.
            let legal = self.prefixes_by_role(&look.legal);
            let lists = record.legal_moves.iter_mut();
            lists.for_each(|lists| lists.extend(vec![legal.clone(); if number == 0 { 2 } else { 1 }]));
            record.goal_history.iter_mut().for_each(|lists| lists.push(look.goals.clone()));
        }
        for (number, (step, notes)) in
            self.steps().iter().zip(self.notes()).enumerate().skip(record.moves.len())
        {
            record.moves.push(self.prefixes(&step.joint));
            record.percepts.iter_mut().for_each(|lists| lists.push(self.prefixes_by_role(&step.percepts)));
            record.errors.push(codes(&step.faults));
            let times = notes.iter().map(|note| note.time.map(milliseconds)).collect();
            add_noted(&mut record.move_times, number, times);
            add_noted(&mut record.reports, number, notes.iter().map(|note| note.report.clone()).collect());
        }
        record.errors[0] = codes(self.start_faults());
        let ready: Vec<Option<u64>> = self.ready_notes().iter().map(|time| time.map(milliseconds)).collect();
        record.ready_times = Some(ready).filter(|times| times.iter().any(Option::is_some));
        record.is_completed = *self.status() == MatchStatus::Completed;
        record.goal_values = record.is_completed.then(|| self.goals().to_vec());
        record.rewards = self.rewards();
        record.settled = self.status().settlement();
        let settled = record.settled.map(|settlement| self.in_words(settlement));
        record.abort_cause = settled.or(self.status().abort_cause().map(str::to_owned));
        record.is_aborted = record.abort_cause.is_some();
    }

    /// How the players ended the match, in words.
    pub fn in_words(&self, settlement: Settlement) -> String {
        let (rules, seat) = (self.rules(), settlement.seat().0 as usize);
        let role = rules.seats().get(seat).map(|role| rules.role_name(*role));
        settlement.in_words(role.as_deref().unwrap_or("somebody"))
    }

    fn prefixes(&self, terms: &[TermId]) -> Vec<String> {
        let all = self.rules().signature().terms();
        terms.iter().map(|&term| all.prefix(term)).collect()
    }

    fn prefixes_by_role(&self, lists: &[Vec<TermId>]) -> Vec<Vec<String>> {
        lists.iter().map(|list| self.prefixes(list)).collect()
    }
}

fn codes(faults: &[Option<Fault>]) -> Vec<String> {
    faults.iter().map(|fault| fault.as_ref().map_or_else(String::new, Fault::code)).collect()
}

/// Adds what was noted of a step, after so many; a list in which nothing was noted is not there.
fn add_noted<T: Clone>(lists: &mut Option<Vec<Vec<Option<T>>>>, steps: usize, noted: Vec<Option<T>>) {
    if lists.is_none() && noted.iter().any(Option::is_some) {
        *lists = Some(vec![vec![None; noted.len()]; steps]);
    }
    lists.iter_mut().for_each(|lists| lists.push(noted.clone()));
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// In milliseconds, rounded down.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Durations as seconds: a whole number where they are one.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            None => serializer.serialize_none(),
            Some(duration) if duration.subsec_nanos() == 0 => serializer.serialize_u64(duration.as_secs()),
            Some(duration) => serializer.serialize_f64(duration.as_secs_f64()),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        // A negative number stands for no clock in records of others.
        Ok(seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()))
    }
}
