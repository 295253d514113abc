//! What a match brings where thinking costs something (book 20.2).

use std::time::Duration;

use ludex_game::Goal;

use crate::course::{Match, MatchStatus};

/// What a goal is worth to who thought for so long, where a second costs so many points: the goal less the cost, and
/// never less than 0.
pub fn reward(goal: Goal, taken: Duration, time_cost: f64) -> f64 {
    (f64::from(goal) - time_cost * taken.as_secs_f64()).max(0.0)
}

impl Match {
    /// How long each role took for all its moves so far; getting ready does not count.
    pub fn thinking_times(&self) -> Vec<Duration> {
        let mut taken = vec![Duration::ZERO; self.rules().roles().len()];
        for notes in self.notes() {
            for (sum, note) in taken.iter_mut().zip(notes) {
                *sum = sum.saturating_add(note.time.unwrap_or_default());
            }
        }
        taken
    }

    /// What the match brought to each role in order, where thinking costs something ([`reward`]). `None` where time
    /// costs nothing, or the match has no result.
    pub fn rewards(&self) -> Option<Vec<Option<f64>>> {
        let cost = self.setup().time_cost?;
        if !matches!(self.status(), MatchStatus::Completed | MatchStatus::Settled(_)) {
            return None;
        }
        let mut goals = self.goals().to_vec();
        for (role, goal) in self.rules().seats().into_iter().zip(self.seat_goals()) {
            goals[role.index()] = goal;
        }
        let times = self.thinking_times();
        Some(goals.into_iter().zip(times).map(|(goal, time)| Some(reward(goal?, time, cost))).collect())
    }

    /// The same of the seats alone.
    pub fn seat_rewards(&self) -> Option<Vec<Option<f64>>> {
        let rewards = self.rewards()?;
        Some(self.rules().seats().iter().map(|role| rewards[role.index()]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reward_is_the_goal_less_the_cost_of_the_time_and_not_below_nothing() {
        let taken = Duration::from_millis(2500);
        assert_eq!(
            [reward(100, taken, 4.0), reward(5, taken, 4.0), reward(50, taken, 0.0)],
            [90.0, 0.0, 50.0]
        );
    }
}
