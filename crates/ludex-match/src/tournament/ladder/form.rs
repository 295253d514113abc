//! How a player of a ladder is doing: its rating, what is due to it, and whether it rests.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use crate::ratings::{Skill, periods_between};

/// After so many matches in a row in which it failed a player rests.
const PATIENCE: u32 = 2;
/// The first rest, in milliseconds: 10 minutes. Each further failure doubles it.
const REST: u64 = 600_000;
/// The longest one: a day.
const LONGEST: u64 = DAY;
const DAY: u64 = 86_400_000;

/// How a player is doing.
#[derive(Clone, Debug)]
pub(super) struct Form {
    skill: Skill,
    /// When its last match ended that was rated.
    rated: Option<u64>,
    /// How much it has had of what is due to it; whoever has had least comes next.
    had: f64,
    /// In how many matches in a row it has failed.
    failures: u32,
    rests_until: u64,
    /// When its last matches ended: those of a day.
    ended: VecDeque<u64>,
}

impl Form {
    /// Somebody new, who has had so much.
    pub(super) fn new(had: f64) -> Self {
        let (skill, ended) = (Skill::default(), VecDeque::new());
        Self { skill, rated: None, had, failures: 0, rests_until: 0, ended }
    }

    pub(super) fn skill(&self) -> Skill {
        self.skill
    }

    /// The rating, and how many rating periods ago it became that.
    pub(super) fn known(&self, now: Option<u64>) -> (Skill, f64) {
        let pause = self.rated.zip(now).map_or(0.0, |(before, now)| periods_between(before, now));
        (self.skill, pause)
    }

    pub(super) fn rated(&mut self, skill: Skill, at: Option<u64>) {
        self.skill = skill;
        self.rated = at.or(self.rated);
    }

    /// How much it has had, with so many matches that are running. Nobody saves anything up.
    pub(super) fn due(&self, clock: f64, running: usize) -> f64 {
        self.had.max(clock) + running as f64 * self.price()
    }

    /// It has had a match.
    pub(super) fn charge(&mut self, clock: f64) {
        self.had = self.due(clock, 1);
    }

    /// As how much a match counts: the less is known of a player, the less, so that it has up to four times as many
    /// matches as one that is well known.
    fn price(&self) -> f64 {
        1.0 / (1.0 + 3.0 * (self.skill.deviation - 30.0).max(0.0) / 320.0)
    }

    /// A match has ended. Where it was aborted through nobody's fault, it says nothing of who is to rest.
    pub(super) fn ended(&mut self, failed: bool, aborted: bool, at: Option<u64>) {
        if failed {
            self.failures = self.failures.saturating_add(1);
        } else if !aborted {
            self.failures = 0;
        }
        let Some(at) = at else { return };
        if failed && self.failures >= PATIENCE {
            let doublings = (self.failures - PATIENCE).min(32);
            self.rests_until = at.saturating_add(REST.saturating_mul(1 << doublings).min(LONGEST));
        }
        self.ended.push_back(at);
        while self.ended.front().is_some_and(|&first| first.saturating_add(DAY) <= at) {
            self.ended.pop_front();
        }
    }

    /// Until when it gets no match, where it may have so many in 24 hours and is in so many now; what is not later than now
    /// holds no more.
    pub(super) fn rests_until(&self, per_day: Option<NonZeroU32>, now: u64, running: usize) -> u64 {
        let Some(most) = per_day else { return self.rests_until };
        let most = (most.get() as usize).saturating_sub(running);
        let Some(free) = self.ended.len().checked_sub(most) else { return self.rests_until };
        // The last of the matches that have to be a day old before there is room for one more.
        let room = match self.ended.get(free) {
            Some(&ended) => ended.saturating_add(DAY),
            None => now.saturating_add(1),
        };
        self.rests_until.max(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_again_and_again_rests_longer_and_longer() {
        let mut form = Form::new(0.0);
        let mut rests = Vec::new();
        for _ in 0..12 {
            form.ended(true, false, Some(1_000));
            rests.push(form.rests_until(None, 0, 0).saturating_sub(1_000) / 60_000);
        }
        assert_eq!(rests[1..], [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440, 1440]);
        assert_eq!(rests[0], 0, "once is no habit");
        // An abort through nobody's fault forgives nothing; a good match does.
        form.ended(false, true, Some(2_000));
        assert_eq!(form.failures, 12);
        form.ended(false, false, Some(2_000));
        form.ended(true, false, Some(100_000_000));
        assert!(form.rests_until(None, 0, 0) < 100_000_000);
    }

    #[test]
    fn a_day_has_so_many_matches() {
        let (mut form, two) = (Form::new(0.0), NonZeroU32::new(2));
        form.ended(false, false, Some(1_000));
        assert!(form.rests_until(two, 1_500, 0) <= 1_500);
        assert!(form.rests_until(two, 1_500, 1) > 1_500, "one runs");
        form.ended(false, false, Some(2_000));
        assert_eq!(form.rests_until(two, 2_500, 0), 1_000 + DAY);
        assert!(form.rests_until(two, 2_500, 5) > 2_500);
        assert_eq!(form.rests_until(None, 2_500, 0), 0);
    }
}
