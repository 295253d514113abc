//! Who plays whom next in a tournament and what that waits for, and what a match waits for.

use ludex::matches::tournament::Format;

use super::{Answer, Manager};
use crate::clock::unix_milliseconds;
use crate::manager::core::Core;
use crate::manager::tournaments::HeldTournament;
use crate::model::{MatchStage, MatchSummary, TournamentStage, TournamentSummary};

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
    /// A player does not answer.
    Away {
        /// Who.
        player: String,
        /// When it answered last, in milliseconds since 1970.
        since: Option<u64>,
    },
    /// A player is in a match that does not belong to the tournament.
    Elsewhere {
        /// Who.
        player: String,
        /// That match, and since when it is under way in milliseconds since 1970; none where it is about to begin.
        other: Option<(String, u64)>,
    },
    /// A player gets no match for now: it has failed again and again, or has had enough for a day.
    Resting {
        /// Who.
        player: String,
        /// Until when, in milliseconds since 1970.
        until: u64,
    },
    /// As many matches run as can: how many, and how many can.
    Room(usize, usize),
}

/// Why a match has not begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MatchWait {
    /// Nobody has taken the seats of these roles.
    Seats(Vec<String>),
    /// It is due later, in milliseconds since 1970.
    Due(u64),
    /// A tournament needs a player.
    Tournament {
        /// Who.
        player: String,
        /// The tournament, and what it is called.
        tournament: (String, String),
        /// Whether it is only the match that the player is in: on a ladder.
        one_match: bool,
    },
    /// As many matches run as can: how many, and how many can.
    Room(usize, usize),
    /// It begins in a moment.
    Moment,
}

/// So many matches are told.
const NEXT: usize = 8;

impl Manager {
    /// What comes next in a tournament; nothing where it is over.
    pub(crate) fn tournament_outlook(&self, id: &str) -> Answer<TournamentOutlook> {
        let core = self.core();
        // What is not held any more has to be there all the same.
        self.tournament_summary(id)?;
        core.outlook(id)
    }

    /// What a match waits for before it begins; none where it has begun, or never will.
    pub(crate) fn match_wait(&self, summary: &MatchSummary) -> Answer<Option<MatchWait>> {
        let core = self.core();
        if summary.stage != MatchStage::Planned {
            return Ok(None);
        }
        let empty = core.empty_seats(&core.match_of(&summary.id)?);
        if !empty.is_empty() {
            let roles = empty.iter().filter_map(|seat| summary.seats.get(seat.0 as usize));
            return Ok(Some(MatchWait::Seats(roles.map(|seat| seat.role.clone()).collect())));
        }
        if summary.due > unix_milliseconds() {
            return Ok(Some(MatchWait::Due(summary.due)));
        }
        let casual = summary.seats.iter().filter(|_| summary.tournament.is_none());
        let needed = casual.map(|seat| (&seat.player, core.tournament_that_needs(&seat.player)));
        if let Some((player, Some(id))) = needed.into_iter().find(|(_, tournament)| tournament.is_some()) {
            let TournamentSummary { title, format, .. } = self.tournament_summary(&id)?;
            let (player, one_match) = (player.clone(), format == Format::Ladder);
            return Ok(Some(MatchWait::Tournament { player, tournament: (id, title), one_match }));
        }
        let (running, at_once) = core.scheduler.load();
        Ok(Some(if running >= at_once { MatchWait::Room(running, at_once) } else { MatchWait::Moment }))
    }
}

impl Core {
    /// What comes next in a tournament; nothing where it is not held any more.
    pub(in crate::manager) fn outlook(&self, id: &str) -> Answer<TournamentOutlook> {
        let found = self.tournaments.ask(id, |held| (held.row.summary.stage, held.next(|_| false, NEXT)));
        let Some((stage, fixtures)) = found else { return Ok(TournamentOutlook::default()) };
        if stage == TournamentStage::Paused {
            return Ok(TournamentOutlook { next: Vec::new(), waits: vec![TournamentWait::Paused] });
        }
        let next: Vec<(String, Vec<String>)> = fixtures
            .into_iter()
            .map(|(_, plan)| (plan.game, plan.seats.into_iter().map(|seat| seat.player).collect()))
            .collect();
        let elsewhere = self.players_elsewhere(id);
        let mut waits = Vec::new();
        for player in next.iter().flat_map(|(_, players)| players) {
            let wait = if self.registry.presence.is_away(player) {
                let since = self.registry.presence.known(player).and_then(|known| known.last_seen);
                TournamentWait::Away { player: player.clone(), since }
            } else if elsewhere.contains(player) {
                let other = self.scheduler.match_elsewhere(player, id);
                TournamentWait::Elsewhere { player: player.clone(), other }
            } else {
                continue;
            };
            if !waits.contains(&wait) {
                waits.push(wait);
            }
        }
        let is_ladder = self.tournaments.ask(id, HeldTournament::is_ladder) == Some(true);
        let room = if is_ladder { self.scheduler.spare_room() } else { self.scheduler.room() };
        if waits.is_empty() && !next.is_empty() && room == 0 {
            let (running, at_once) = self.scheduler.load();
            waits.push(TournamentWait::Room(running, at_once));
        }
        let resting = self.tournaments.ask(id, |held| held.resting(unix_milliseconds(), NEXT));
        let resting = resting.unwrap_or_default().into_iter();
        waits.extend(resting.map(|(player, until)| TournamentWait::Resting { player, until }));
        Ok(TournamentOutlook { next, waits })
    }
}
