//! A match in real time as a record.

use ludex_game::{RoleId, TimedEvent, TimedUpdate};
use ludex_gdl::GameTime;
use ludex_logic::TermId;

use super::course::TimedMatch;
use super::life::TimedReferee;
use crate::course::{Fault, MatchStatus};
use crate::record::{TimedRecord, TimedRecordEvent};

impl TimedReferee {
    /// The match as a record, as far as it is written. It tells everything, which is not for everybody to see while the
    /// match lasts ([`TimedView`](crate::view::TimedView)).
    pub fn record(&self) -> TimedRecord {
        let (setup, course) = (self.setup(), self.course());
        let rules = course.rules();
        let seconds = |time: std::time::Duration| {
            u64::try_from(time.as_nanos()).ok().and_then(GameTime::from_units).unwrap_or(GameTime::MAX)
        };
        let mut names = setup.seats.iter().map(|seat| seat.player.clone());
        let random = rules.machine().random();
        let roles = (0..rules.role_terms().len() as u32).map(RoleId);
        let name = |role| {
            if Some(role) == random { "random".to_owned() } else { names.next().unwrap_or_default() }
        };
        let mut record = TimedRecord {
            match_id: setup.id.clone(),
            game_name: rules.short_name().to_owned(),
            rulesheet: rules.rulesheet().source.text().to_owned(),
            rulesheet_sha256: rules.sha256().to_owned(),
            dialect: rules.dialect().to_string(),
            recorded_by: Some(concat!("ludex ", env!("CARGO_PKG_VERSION")).to_owned()),
            engine: rules.engine_name().to_owned(),
            seed: setup.seed,
            roles: texts(course, rules.role_terms()),
            player_names_from_host: roles.map(name).collect(),
            start_clock: seconds(setup.start),
            play_clock: seconds(setup.unit),
            start_time: setup.start_time,
            start_errors: Vec::new(),
            ready_times: Vec::new(),
            moves: Vec::new(),
            events: Vec::new(),
            time: GameTime::ZERO,
            goal_values: None,
            is_completed: false,
            is_aborted: false,
            abort_cause: None,
        };
        self.extend(&mut record);
        record
    }

    /// Brings a record of this match up to date. What is in it already is not looked at again.
    pub fn extend(&self, record: &mut TimedRecord) {
        let course = self.course();
        let code = |fault: &Option<Fault>| fault.as_ref().map_or_else(String::new, Fault::code);
        record.start_errors = by_role(course, course.start_faults().iter().map(code));
        record.ready_times = by_role(course, course.ready_times().iter().copied());
        record.moves.extend_from_slice(course.arrivals().get(record.moves.len()..).unwrap_or_default());
        let events = course.events().get(record.events.len()..).unwrap_or_default();
        record.events.extend(events.iter().map(|event| recorded(course, event)));
        record.time = course.now();
        record.is_completed = *course.status() == MatchStatus::Completed;
        record.goal_values = record.is_completed.then(|| course.goals().to_vec());
        record.abort_cause = course.status().abort_cause().map(str::to_owned);
        record.is_aborted = record.abort_cause.is_some();
    }
}

/// Something of each seat as a list of all roles.
fn by_role<T: Default>(course: &TimedMatch, of_seats: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    all.resize_with(course.rules().role_terms().len(), T::default);
    for (role, of_seat) in course.rules().seats().into_iter().zip(of_seats) {
        all[role.index()] = of_seat;
    }
    all
}

/// Terms as records have them.
fn texts(course: &TimedMatch, terms: &[TermId]) -> Vec<String> {
    let all = course.rules().machine().terms();
    terms.iter().map(|&term| all.prefix(term)).collect()
}

/// An event as records have it.
fn recorded(course: &TimedMatch, event: &TimedEvent) -> TimedRecordEvent {
    let rules = course.rules();
    let roles = rules.role_terms().len();
    let text = |term: TermId| rules.machine().terms().prefix(term);
    let has_percepts = rules.dialect().has_percepts();
    match event {
        TimedEvent::Wasted { time, action } => TimedRecordEvent {
            time: *time,
            moves: vec![None; roles],
            expired: Vec::new(),
            told: if has_percepts { vec![None; roles] } else { Vec::new() },
            wasted: Some(text(*action)),
        },
        TimedEvent::Update(TimedUpdate { time, moves, expired, told }) => {
            let made_by = |role| moves.iter().find(|made| made.0 == role).map(|made| text(made.1));
            let told = told.iter().map(|told| told.as_deref().map(|told| texts(course, told)));
            TimedRecordEvent {
                time: *time,
                moves: (0..roles as u32).map(|role| made_by(RoleId(role))).collect(),
                expired: texts(course, expired),
                told: if has_percepts { told.collect() } else { Vec::new() },
                wasted: None,
            }
        }
    }
}
