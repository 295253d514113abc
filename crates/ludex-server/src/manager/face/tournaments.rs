//! Tournaments.

use std::num::NonZeroUsize;

use ludex::gdl::Dialect;
use ludex::matches::tournament::{Format, RatingPoint, RunningTournament, TournamentEvent};

use super::games::heavy;
use super::matches::check_terms_in_time;
use super::{Answer, Manager, check_search};
use crate::driver::unix_milliseconds;
use crate::manager::ManagerError;
use crate::manager::core::Core;
use crate::manager::core::has_percepts;
use crate::manager::tournaments::HeldTournament;
use crate::model::{
    MatchSummary, Page, PlayerKind, PlayerSummary, TournamentDetail, TournamentPlan, TournamentQuery,
    TournamentRow, TournamentStage, TournamentSummary,
};
use tokio::sync::watch;

/// The longest title, in characters.
const TITLE: usize = 200;

impl Manager {
    /// Begins a tournament; its name. Prepares its games.
    ///
    /// # Errors
    /// [`ManagerError::Tournament`] and [`ManagerError::Invalid`] where it cannot be held,
    /// [`ManagerError::NotFound`], [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn create_tournament(&self, plan: &TournamentPlan) -> Answer<String> {
        let core = self.core();
        core.is_open()?;
        let plan = core.complete(plan)?;
        let competition = RunningTournament::new(plan.competition.clone())?;
        let summary = TournamentSummary {
            id: core.new_id('t'),
            title: plan.title.clone(),
            format: plan.competition.format,
            stage: TournamentStage::Running,
            players: plan.competition.tournament.players.len(),
            games: plan.competition.tournament.games.len(),
            results: 0,
            created: unix_milliseconds(),
            ended: None,
        };
        let id = summary.id.clone();
        let row = TournamentRow { summary, plan };
        let writing = core.tournaments.write();
        let limit = core.options.tournaments;
        if core.tournaments.len() as u64 >= limit {
            return Err(ManagerError::TooMany { what: "tournaments at once", limit });
        }
        core.store.add_tournament(&row)?;
        core.tournaments.insert(HeldTournament::new(row, competition));
        drop(writing);
        core.changed();
        core.scheduler.wake();
        Ok(id)
    }

    /// Tournaments, newest first.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`] where the page is to begin behind a tournament that is not there,
    /// [`ManagerError::Store`].
    pub fn tournaments(&self, query: &TournamentQuery) -> Answer<Page<TournamentSummary>> {
        check_search(&query.text)?;
        Ok(self.core().store.tournaments(query)?)
    }

    /// How a tournament stands.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn tournament(&self, id: &str) -> Answer<TournamentDetail> {
        let core = self.core();
        let state = core.tournament_state(id)?;
        let TournamentRow { summary, plan } = state.row.clone();
        let tournament = &state.tournament;
        let running = state.matches.iter().filter_map(|id| core.store.find_match(id).ok());
        let running: Vec<MatchSummary> = running.map(|row| core.with_course(row.summary)).collect();
        let games = plan.competition.tournament.games.iter();
        let mut games =
            games.map(|game| core.game(&game.name, plan.versions.get(&game.name).map(String::as_str)));
        let hidden = games.any(|game| game.is_ok_and(|game| has_percepts(&game.version.dialect)));
        Ok(TournamentDetail {
            ranking: tournament.ranking(),
            standings: tournament.standings(),
            encounters: tournament.encounters(),
            open_matches: tournament.open_matches(),
            summary,
            plan: TournamentPlan { competition: tournament.setup().clone(), ..plan },
            running,
            hidden,
        })
    }

    /// The ratings over time, at so many points at most.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn rating_history(&self, id: &str, points: usize) -> Answer<Vec<RatingPoint>> {
        let state = self.core().tournament_state(id)?;
        let results = state.tournament.results_as_they_came().len();
        let every = NonZeroUsize::new(results.div_ceil(points.max(1))).unwrap_or(NonZeroUsize::MIN);
        Ok(state.tournament.rating_history(every))
    }

    /// What lists say of a tournament.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn tournament_summary(&self, id: &str) -> Answer<TournamentSummary> {
        let core = self.core();
        match core.tournaments.ask(id, |held| held.row.summary.clone()) {
            Some(summary) => Ok(summary),
            None => Ok(core.store.tournament(id)?.summary),
        }
    }

    /// News of a tournament: a number that grows with each change. Of one that is over there is none, and the channel
    /// is closed.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn watch_tournament(&self, id: &str) -> Answer<watch::Receiver<u64>> {
        if let Some(news) = self.core().tournaments.watch(id) {
            return Ok(news);
        }
        self.tournament_summary(id)?;
        Ok(watch::channel(u64::MAX).1)
    }

    /// No more matches of a tournament begin; those that run go on.
    ///
    /// # Errors
    /// [`ManagerError::Over`], [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn pause_tournament(&self, id: &str) -> Answer<()> {
        self.core().happen(id, TournamentStage::Paused, &TournamentEvent::Paused)
    }

    /// Matches of a tournament begin again.
    ///
    /// # Errors
    /// As [`Manager::pause_tournament`].
    pub fn resume_tournament(&self, id: &str) -> Answer<()> {
        self.core().happen(id, TournamentStage::Running, &TournamentEvent::Resumed)
    }

    /// Strikes a player out of a tournament. Its matches that run are aborted where they are of no more use.
    ///
    /// # Errors
    /// As [`Manager::pause_tournament`].
    pub fn strike_out(&self, id: &str, player: &str) -> Answer<()> {
        let core = self.core();
        let stage = self.tournament_summary(id)?.stage;
        core.happen(id, stage, &TournamentEvent::StruckOut { player: player.to_owned() })?;
        let useless = core.tournaments.ask(id, HeldTournament::useless_matches).unwrap_or_default();
        core.abort_all(&useless, &format!("{player} was struck out"));
        Ok(())
    }

    /// Lets a player enter a tournament that is played, where its format admits that. It may be named as it is registered
    /// or with other capitals.
    ///
    /// # Errors
    /// [`ManagerError::Invalid`] where it cannot enter; as [`Manager::pause_tournament`].
    pub fn enter_tournament(&self, id: &str, player: &str) -> Answer<()> {
        let core = self.core();
        let player = core.store.player(player)?;
        if player.retired {
            return Err(ManagerError::NotFound { what: "player", name: player.name });
        }
        let format = core.tournaments.ask(id, |held| held.row.summary.format);
        check_entrant(&player, format)?;
        let stage = self.tournament_summary(id)?.stage;
        core.happen(id, stage, &TournamentEvent::Entered { player: player.name })
    }

    /// Why nobody can enter a tournament now, where nobody can.
    pub(crate) fn entry_refusal(&self, id: &str) -> Answer<Option<&'static str>> {
        Ok(self.core().tournament_state(id)?.tournament.entry_refusal())
    }

    /// Ends a tournament for good: no more matches begin, and those that run are aborted.
    ///
    /// # Errors
    /// As [`Manager::pause_tournament`].
    pub fn end_tournament(&self, id: &str) -> Answer<()> {
        let core = self.core();
        core.is_open()?;
        let writing = core.tournaments.write();
        if core.tournaments.watch(id).is_none() {
            return Err(core.over_or_missing(id));
        }
        core.store.set_tournament_stage(id, TournamentStage::Over, unix_milliseconds())?;
        let held = core.tournaments.remove(id);
        drop(writing);
        let running = held.map(|held| held.matches).unwrap_or_default();
        core.abort_all(&running.into_keys().collect::<Vec<_>>(), "the tournament was ended");
        core.changed();
        Ok(())
    }
}

/// Checks that a player may take part: a ladder asks day and night, and nobody sits there so long.
fn check_entrant(player: &PlayerSummary, format: Option<Format>) -> Answer<()> {
    if format == Some(Format::Ladder) && player.kind == PlayerKind::Person {
        let why = format!("{} is a person, and a ladder is for programs", player.name);
        return Err(ManagerError::Invalid(why));
    }
    Ok(())
}

impl Core {
    fn over_or_missing(&self, id: &str) -> ManagerError {
        match self.store.tournament(id) {
            Ok(_) => ManagerError::Over { what: "tournament" },
            Err(error) => error.into(),
        }
    }

    /// Something happens in a tournament, which is at this stage afterwards.
    fn happen(&self, id: &str, stage: TournamentStage, event: &TournamentEvent) -> Answer<()> {
        self.is_open()?;
        let writing = self.tournaments.write();
        let admitted = self.tournaments.ask(id, |held| held.admits(event).map(|()| held.events));
        let number = admitted.ok_or_else(|| self.over_or_missing(id))??;
        self.store.add_tournament_event(id, number, event)?;
        self.tournaments.change(id, |held| held.applied(event));
        self.store.set_tournament_stage(id, stage, unix_milliseconds())?;
        drop(writing);
        self.changed();
        self.scheduler.wake();
        Ok(())
    }

    fn abort_all(self: &std::sync::Arc<Self>, ids: &[String], why: &str) {
        for id in ids {
            if let Ok(row) = self.store.find_match(id)
                && let Err(error) = self.abort(&row.summary, why)
            {
                tracing::warn!(match_id = id, %error, "a match could not be aborted");
            }
        }
    }

    /// A tournament with everything that its plan leaves to the manager: names as they are registered, versions
    /// and seats of games.
    fn complete(&self, plan: &TournamentPlan) -> Answer<TournamentPlan> {
        self.check_terms(&plan.terms)?;
        let mut plan = plan.clone();
        plan.title = plan.title.trim().to_owned();
        if plan.title.is_empty() || plan.title.chars().count() > TITLE {
            return Err(ManagerError::Invalid(format!(
                "a tournament has a title of at most {TITLE} characters"
            )));
        }
        for name in &mut plan.competition.tournament.players {
            let player = self.store.player(name)?;
            if player.retired {
                return Err(ManagerError::NotFound { what: "player", name: player.name });
            }
            check_entrant(&player, Some(plan.competition.format))?;
            *name = player.name;
        }
        for game in &mut plan.competition.tournament.games {
            let version = plan.versions.get(&game.name).map(String::as_str);
            let detail = self.offered(&game.name, version)?;
            let about = self.description(&detail)?;
            if Dialect::named(&about.check.dialect).is_some_and(Dialect::is_timed) {
                check_terms_in_time(&plan.terms)?;
            }
            game.seats = about.about.ok_or_else(|| heavy(&about.check))?.seats.len();
            plan.versions.insert(game.name.clone(), detail.version.sha256);
        }
        plan.competition.check()?;
        Ok(plan)
    }
}
