//! Who plays whom next in a tournament, and what that waits for.

use super::{Answer, Manager};
use crate::model::TournamentStage;

/// What comes next in a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TournamentOutlook {
    /// The matches that would begin now if everybody were free: the game, and who plays.
    pub(crate) next: Vec<(String, Vec<String>)>,
    /// Why they do not.
    pub(crate) waits: Vec<TournamentWait>,
}

/// What matches of a tournament wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TournamentWait {
    /// It is paused.
    Paused,
    /// This player does not answer.
    Away(String),
    /// This player is in a match that does not belong to the tournament.
    Elsewhere(String),
    /// As many matches run as can.
    Room,
}

/// So many matches are told.
const NEXT: usize = 8;

impl Manager {
    /// What comes next in a tournament; nothing where it is over.
    pub(crate) fn tournament_outlook(&self, id: &str) -> Answer<TournamentOutlook> {
        let core = self.core();
        match self.tournament_summary(id)?.stage {
            TournamentStage::Over => return Ok(TournamentOutlook::default()),
            TournamentStage::Paused => {
                let waits = vec![TournamentWait::Paused];
                return Ok(TournamentOutlook { waits, ..TournamentOutlook::default() });
            }
            TournamentStage::Running => {}
        }
        let fixtures = core.tournaments.ask(id, |held| held.next(|_| false, NEXT)).unwrap_or_default();
        let next: Vec<(String, Vec<String>)> = fixtures
            .into_iter()
            .map(|(_, plan)| (plan.game, plan.seats.into_iter().map(|seat| seat.player).collect()))
            .collect();
        let elsewhere = core.players_elsewhere(id);
        let mut waits = Vec::new();
        for player in next.iter().flat_map(|(_, players)| players) {
            let wait = if core.registry.presence.is_away(player) {
                TournamentWait::Away(player.clone())
            } else if elsewhere.contains(player) {
                TournamentWait::Elsewhere(player.clone())
            } else {
                continue;
            };
            if !waits.contains(&wait) {
                waits.push(wait);
            }
        }
        if waits.is_empty() && !next.is_empty() && core.scheduler.room() == 0 {
            waits.push(TournamentWait::Room);
        }
        Ok(TournamentOutlook { next, waits })
    }
}
