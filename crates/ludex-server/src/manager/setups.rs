//! What is agreed before a match, as its referee wants it.

use std::collections::BTreeMap;
use std::time::Duration;

use ludex::matches::MatchSetting;
use ludex::matches::referee::real_time::TimedSetup;
use ludex::matches::referee::{RefereeSetup, SeatNotation, SeatSetup};

use super::core::Core;
use super::error::ManagerError;
use crate::driver::unix_milliseconds;
use crate::model::{MatchPlan, MatchRow, MatchTerms, PlayerKind};

impl Core {
    /// What is agreed before a match in steps.
    pub(super) fn setup(&self, row: &MatchRow) -> Result<RefereeSetup, ManagerError> {
        let MatchPlan { seed, terms, .. } = &row.plan;
        Ok(RefereeSetup {
            records: None,
            id: row.summary.id.clone(),
            seed: seed.unwrap_or_default(),
            clocks: terms.clocks.clocks(),
            seats: self.seat_setups(row)?,
            patience: terms.patience,
            step_limit: Some(self.step_limit(terms)),
            time_cost: terms.time_cost,
            told: self.told(row),
            start_time: Some(unix_milliseconds()),
            given: row.plan.moves.clone(),
        })
    }

    /// What is agreed before a match in real time: the play clock is how long one unit of its time lasts.
    pub(super) fn timed_setup(&self, row: &MatchRow) -> Result<TimedSetup, ManagerError> {
        let MatchPlan { seed, terms, .. } = &row.plan;
        let clocks = terms.clocks.clocks();
        Ok(TimedSetup {
            id: row.summary.id.clone(),
            seed: seed.unwrap_or_default(),
            start: clocks.start,
            unit: clocks.play,
            grace: clocks.grace,
            seats: self.seat_setups(row)?,
            told: self.told(row),
            start_time: Some(unix_milliseconds()),
        })
    }

    /// How long a match in real time may last: as many units of its time as a match in steps has steps.
    pub(super) fn longest(&self, row: &MatchRow) -> Duration {
        let terms = &row.plan.terms;
        let clocks = terms.clocks.clocks();
        let units = clocks.play.saturating_mul(self.step_limit(terms));
        clocks.start.saturating_add(clocks.grace).saturating_add(units)
    }

    fn step_limit(&self, terms: &MatchTerms) -> u32 {
        let limit = self.options.matches.steps;
        terms.step_limit.map_or(limit, |steps| steps.min(limit))
    }

    fn seat_setups(&self, row: &MatchRow) -> Result<Vec<SeatSetup>, ManagerError> {
        let seed = row.plan.seed.unwrap_or_default();
        let (mut setups, mut known) = (Vec::new(), BTreeMap::new());
        for (seat, number) in row.plan.seats.iter().zip(0u64..) {
            if !known.contains_key(&seat.player) {
                known.insert(seat.player.clone(), self.store.player(&seat.player)?.kind);
            }
            let kind = known[&seat.player].clone();
            let notation = match kind {
                PlayerKind::Remote { notation, .. } => notation,
                PlayerKind::BuiltIn { .. } | PlayerKind::Person => SeatNotation::Prefix,
            };
            let scramble = seat.scramble && kind != PlayerKind::Person;
            setups.push(SeatSetup {
                player: seat.player.clone(),
                notation,
                rulesheet: seat.rulesheet.clone(),
                clocks: seat.clocks.map(|clocks| clocks.clocks()),
                scramble: scramble.then(|| seed.rotate_left(17).wrapping_add(number)),
                ..SeatSetup::default()
            });
        }
        Ok(setups)
    }

    /// What players are told with the start message beside the opponents' names: how the tournament is held, and how it
    /// stands.
    fn told(&self, row: &MatchRow) -> Option<Vec<(String, String)>> {
        if !row.plan.terms.introduce {
            return None;
        }
        let (Some(id), Some(fixture)) = (&row.summary.tournament, &row.fixture) else {
            return Some(Vec::new());
        };
        let Ok(state) = self.tournament_state(id) else { return Some(Vec::new()) };
        Some(MatchSetting::of(&state.tournament, fixture).pairs())
    }
}
