//! A match in real time as a record.

use super::course::TimedMatch;
use super::life::TimedReferee;
use crate::course::{Fault, MatchStatus};
use crate::record::{TimedRecord, TimedRecordEvent, TimedRecordTerms};

impl TimedReferee {
    /// The match as a record, as far as it is written. It tells everything, which is not for everybody to see while the
    /// match lasts ([`TimedView`](crate::view::TimedView)).
    pub fn record(&self) -> TimedRecord {
        let (setup, course) = (self.setup(), self.course());
        let rules = course.rules();
        let terms = TimedRecordTerms {
            id: setup.id.clone(),
            seed: setup.seed,
            players: setup.seats.iter().map(|seat| seat.player.clone()).collect(),
            start_clock: setup.start,
            play_clock: setup.unit,
            start_time: setup.start_time,
        };
        let mut record = TimedRecord::begin(rules, terms);
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
        record.events.extend(events.iter().map(|event| TimedRecordEvent::of(course.rules(), event)));
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
