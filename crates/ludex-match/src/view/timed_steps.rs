//! A match in real time as a list of steps, for whoever shows matches of both kinds alike.

use ludex_game::RoleId;
use ludex_gdl::GameTime;

use super::timed::{TimedStateView, TimedView};
use super::{Snapshot, StateView, StepView};
use crate::record::TimedRecordEvent;
use crate::referee::real_time::Verdict;

impl TimedView<'_> {
    /// How many events the viewer knows of: those are its steps.
    pub fn steps(&self) -> usize {
        if self.is_partial() { self.known_events().count() } else { self.record.events.len() }
    }

    /// How many events of the match there were up to a step of the viewer: with so many made, the state is the one
    /// after the step.
    pub fn events_before(&self, step: usize) -> usize {
        match step.checked_sub(1) {
            Some(last) if self.is_partial() => self.known_events().nth(last).map_or(0, |(at, _)| at + 1),
            _ => step.min(self.record.events.len()),
        }
    }

    /// What happened in a step, counted from 0; `None` where there is none. What was refused between it and the next
    /// event is noted with it.
    pub fn step(&self, step: usize) -> Option<StepView> {
        let (at, event) = if self.is_partial() {
            self.known_events().nth(step)?
        } else {
            (step, self.record.events.get(step)?.clone())
        };
        let next = self.record.events.get(at + 1).map_or(GameTime::MAX, |next| next.time);
        let random = event.wasted.map(|action| format!("{action} is no longer legal"));
        Some(StepView {
            step,
            moves: event.moves.into_iter().map(|made| Some(made.unwrap_or_default())).collect(),
            percepts: event.told,
            errors: self.refused(event.time, next),
            times: Vec::new(),
            forced: Vec::new(),
            time: Some(event.time.to_string()),
            expired: event.expired.into_iter().chain(random).collect(),
        })
    }

    /// All that may be seen but the steps, with this state.
    pub fn outline(&self, state: StateView) -> Snapshot {
        let record = &self.record;
        Snapshot {
            match_id: record.match_id.clone(),
            game: Some(record.game_name.clone()),
            roles: record.roles.clone(),
            players: record.player_names_from_host.clone(),
            is_completed: record.is_completed,
            aborted: record.abort_cause.clone(),
            settled: None,
            start_errors: self
                .by_role(|role| record.start_errors.get(role.index()).cloned().unwrap_or_default()),
            steps: Vec::new(),
            state,
            clocks: Vec::new(),
            rewards: None,
        }
    }

    /// The events that the viewer knows of, with their places in the record.
    fn known_events(&self) -> impl Iterator<Item = (usize, TimedRecordEvent)> + '_ {
        self.record.events.iter().enumerate().filter_map(|(at, event)| Some((at, self.event(event)?)))
    }

    /// What was refused from one time until another, by role.
    fn refused(&self, from: GameTime, until: GameTime) -> Vec<Option<String>> {
        let (record, seats) = (&self.record, self.record.seats());
        let first = record.moves.partition_point(|came| came.time < from);
        let between = record.moves[first..].iter().take_while(|came| came.time < until);
        let mut codes = vec![String::new(); record.roles.len()];
        for came in between {
            if let Verdict::Refused(fault) = &came.verdict
                && let Some(code) = seats.get(came.seat.0 as usize).and_then(|&role| codes.get_mut(role))
            {
                *code = fault.code();
            }
        }
        self.by_role(|role: RoleId| codes.get(role.index()).cloned().unwrap_or_default())
    }
}

impl TimedStateView {
    /// The state after so many steps, as of a game in steps: without times and lifetimes.
    pub fn in_steps(&self, step: usize) -> StateView {
        StateView {
            step,
            facts: self.facts.as_ref().map(|facts| facts.iter().map(|(fact, _)| fact.clone()).collect()),
            legal: self.legal.clone(),
            goals: self.goals.clone(),
            time: None,
        }
    }
}
