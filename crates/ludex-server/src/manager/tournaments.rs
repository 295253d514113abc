//! Tournaments that are not over.

use std::collections::BTreeMap;
use std::time::Instant;

use ludex::matches::tournament::{Fixture, MatchResult, Ongoing, RunningTournament, TournamentEvent};

use super::error::ManagerError;
use crate::model::{MatchPlan, SeatPlan, StoreError, TournamentPlan, TournamentRow, TournamentStage};
use crate::store::Store;

/// A tournament that is not over.
#[derive(Debug)]
pub(super) struct HeldTournament {
    pub(super) row: TournamentRow,
    pub(super) competition: RunningTournament,
    /// How many events are written.
    pub(super) events: u64,
    /// The matches that run or wait to.
    pub(super) running: BTreeMap<String, Fixture>,
    /// After a match that could not even begin, the next ones wait until then.
    pub(super) rest: Option<Instant>,
}

impl HeldTournament {
    /// A tournament as it stands in the store.
    pub(super) fn resume(row: TournamentRow, store: &dyn Store) -> Result<Self, ManagerError> {
        let id = &row.summary.id;
        let events = store.tournament_events(id)?;
        let competition = RunningTournament::resume(row.plan.competition.clone(), &events);
        let competition = competition.map_err(|error| StoreError::Broken {
            what: "tournament",
            name: id.clone(),
            cause: error.to_string(),
        })?;
        Ok(Self { row, competition, events: events.len() as u64, running: BTreeMap::new(), rest: None })
    }

    /// Whether something can happen.
    pub(super) fn admits(&self, event: &TournamentEvent) -> Result<(), ManagerError> {
        // All else can always happen.
        if let TournamentEvent::StruckOut { player } = event
            && !self.competition.tournament().players.contains(player)
        {
            return Err(ManagerError::NotFound { what: "player", name: player.clone() });
        }
        Ok(())
    }

    /// Something happened that is written.
    pub(super) fn applied(&mut self, event: &TournamentEvent) {
        self.events += 1;
        if let Err(error) = self.competition.apply(event) {
            // Whoever writes an event asks first whether it can be.
            tracing::error!(tournament = self.row.summary.id, %error, "an event that cannot be");
        }
        if matches!(event, TournamentEvent::Finished(_)) {
            self.row.summary.results += 1;
        }
        if self.row.summary.stage != TournamentStage::Over {
            let paused = self.competition.is_paused();
            self.row.summary.stage = if paused { TournamentStage::Paused } else { TournamentStage::Running };
        }
    }

    /// The event of a match that has ended, if the tournament still wants to know.
    pub(super) fn event(
        &self,
        id: &str,
        result: impl FnOnce(&RunningTournament, &Fixture) -> MatchResult,
    ) -> Option<TournamentEvent> {
        let fixture = self.running.get(id)?;
        let wanted = !self.competition.is_over() && self.competition.wants(fixture);
        wanted.then(|| TournamentEvent::Finished(result(&self.competition, fixture)))
    }

    /// Which matches to begin now, where these players are at work elsewhere or not there.
    pub(super) fn next(&self, is_busy: impl Fn(&str) -> bool, limit: usize) -> Vec<Fixture> {
        let players = &self.competition.tournament().players;
        let busy = players.iter().enumerate().filter(|(_, name)| is_busy(name)).map(|(number, _)| number);
        let ongoing = Ongoing { running: self.running.values().cloned().collect(), busy: busy.collect() };
        self.competition.next(&ongoing, limit)
    }

    /// The match of a fixture.
    pub(super) fn plan(&self, fixture: &Fixture) -> MatchPlan {
        let TournamentPlan { clocks, patience, step_limit, points_per_second, .. } = self.row.plan;
        let tournament = self.competition.tournament();
        let game = tournament.games.get(fixture.game).map_or_else(String::new, |game| game.name.clone());
        let seats = tournament.seated(fixture).into_iter();
        MatchPlan {
            version: self.row.plan.versions.get(&game).cloned(),
            game,
            seats: seats
                .map(|player| SeatPlan { player, scramble: self.row.plan.scramble, rulesheet: None })
                .collect(),
            clocks,
            seed: Some(fixture.seed),
            begin: None,
            patience,
            step_limit,
            points_per_second,
            introduce: self.row.plan.introduce,
        }
    }
}
