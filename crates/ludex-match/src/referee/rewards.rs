//! What a match was worth.

use std::time::Duration;

use ludex_game::Goal;

use super::life::Referee;
use crate::course::{Match, MatchStatus};
use crate::record::MatchRecord;

impl Referee {
    /// The match as a record, as far as it is written. It tells everything, which is not for everybody to
    /// see while the match lasts.
    pub fn record(&self) -> MatchRecord {
        MatchRecord { rewards: self.rewards(), ..self.course.record() }
    }

    /// Brings such a record up to date; see [`Match::extend`].
    pub fn extend(&self, record: &mut MatchRecord) {
        self.course.extend(record);
        record.rewards = self.rewards();
    }

    /// What the match brought to each role in order, where thinking costs something: the goal less the
    /// price of the time taken, and never less than 0. `None` where time costs nothing, or no terminal
    /// state was reached.
    pub fn rewards(&self) -> Option<Vec<Option<f64>>> {
        let price = self.setup.points_per_second?;
        if *self.course.status() != MatchStatus::Completed {
            return None;
        }
        let times = times_taken(&self.course);
        let goals = self.course.goals().iter();
        let reward = |(goal, time): (&Option<Goal>, Duration)| {
            goal.map(|goal| (f64::from(goal) - price * time.as_secs_f64()).max(0.0))
        };
        Some(goals.zip(times).map(reward).collect())
    }
}

/// How long each role took for all its moves.
fn times_taken(course: &Match) -> Vec<Duration> {
    let mut taken = vec![Duration::ZERO; course.rules().roles().len()];
    for notes in course.notes() {
        for (sum, note) in taken.iter_mut().zip(notes) {
            *sum = sum.saturating_add(note.time.unwrap_or_default());
        }
    }
    taken
}
