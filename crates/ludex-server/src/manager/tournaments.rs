//! Tournaments: those that are held, and what was found out lately of those that are over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use ludex::matches::tournament::{
    Fixture, Format, MatchResult, Ongoing, RunningTournament, Tournament, TournamentEvent,
};
use tokio::sync::watch;

use super::core::{Core, RETRY};
use super::error::ManagerError;
use super::face::TournamentOutlook;
use crate::cache::Cache;
use crate::clock::{now, unix_milliseconds};
use crate::lock::lock;
use crate::model::{MatchPlan, SeatPlan, StoreError, TournamentPlan, TournamentRow, TournamentStage};
use crate::store::Store;

/// What there is to know of a tournament at some moment. Whoever asks more of it keeps nobody waiting.
#[derive(Clone, Debug)]
pub(super) struct TournamentState {
    pub(super) row: TournamentRow,
    pub(super) tournament: Arc<RunningTournament>,
    /// The matches that run or wait to.
    pub(super) matches: Vec<String>,
}

impl TournamentState {
    /// A tournament as it stands in the store, and how many events it has.
    fn resume(row: TournamentRow, store: &dyn Store) -> Result<(Self, u64), ManagerError> {
        let id = &row.summary.id;
        let events = store.tournament_events(id)?;
        let tournament = RunningTournament::resume(row.plan.competition.clone(), &events);
        let broken = |cause: String| StoreError::Broken { what: "tournament", name: id.clone(), cause };
        let tournament = Arc::new(tournament.map_err(|error| broken(error.to_string()))?);
        Ok((Self { row, tournament, matches: Vec::new() }, events.len() as u64))
    }

    /// How many bytes it takes, by rule of thumb.
    fn bytes(&self) -> usize {
        (self.tournament.results_as_they_came().len() + self.tournament.open_matches() + 1) * 512
    }
}

/// A tournament that is not over.
#[derive(Debug)]
pub(super) struct HeldTournament {
    pub(super) row: TournamentRow,
    tournament: Arc<RunningTournament>,
    /// How many events are written.
    pub(super) events: u64,
    /// The matches that run or wait to.
    pub(super) matches: BTreeMap<String, Fixture>,
    /// After a match that could not even begin, the next ones wait until then.
    pub(super) rest: Option<Instant>,
    /// What those who watch it were told last of what comes next.
    told: Option<TournamentOutlook>,
    /// Grows with each change.
    news: watch::Sender<u64>,
}

impl HeldTournament {
    pub(super) fn new(row: TournamentRow, tournament: RunningTournament) -> Self {
        Self::of(TournamentState { row, tournament: Arc::new(tournament), matches: Vec::new() }, 0)
    }

    /// A tournament as it stands in the store.
    pub(super) fn resume(row: TournamentRow, store: &dyn Store) -> Result<Self, ManagerError> {
        let (state, events) = TournamentState::resume(row, store)?;
        Ok(Self::of(state, events))
    }

    fn of(TournamentState { row, tournament, .. }: TournamentState, events: u64) -> Self {
        let news = watch::Sender::new(0);
        Self { row, tournament, events, matches: BTreeMap::new(), rest: None, told: None, news }
    }

    /// Whether something can happen.
    pub(super) fn admits(&self, event: &TournamentEvent) -> Result<(), ManagerError> {
        if let TournamentEvent::Entered { player } = event {
            let checked = self.tournament.check_entry(player);
            return checked.map_err(|error| ManagerError::Invalid(error.to_string()));
        }
        // All else can always happen.
        if let TournamentEvent::StruckOut { player } = event
            && !self.tournament.tournament().players.contains(player)
        {
            return Err(ManagerError::NotFound { what: "player", name: player.clone() });
        }
        Ok(())
    }

    /// Something happened that is written. Those who look at the tournament as it was before keep that.
    pub(super) fn applied(&mut self, event: &TournamentEvent) {
        self.events += 1;
        if let Err(error) = Arc::make_mut(&mut self.tournament).apply(event) {
            // Whoever writes an event asks first whether it can be.
            tracing::error!(tournament = self.row.summary.id, %error, "an event that cannot be");
        }
        if matches!(event, TournamentEvent::Finished(_)) {
            self.row.summary.results += 1;
        }
        self.row.summary.players = self.tournament.tournament().players.len();
        if self.row.summary.stage != TournamentStage::Over {
            let paused = self.tournament.is_paused();
            self.row.summary.stage = if paused { TournamentStage::Paused } else { TournamentStage::Running };
        }
    }

    /// The event of a match that has ended, if the tournament still wants to know.
    pub(super) fn event(
        &self,
        id: &str,
        ended: u64,
        result: impl FnOnce(&Tournament, &Fixture) -> MatchResult,
    ) -> Option<TournamentEvent> {
        let fixture = self.matches.get(id)?;
        let wanted = !self.tournament.is_over() && self.tournament.wants(fixture);
        wanted.then(|| {
            let result = result(self.tournament.tournament(), fixture);
            TournamentEvent::Finished(MatchResult { at: self.is_ladder().then_some(ended), ..result })
        })
    }

    /// Whether it is a ladder, which comes after all else.
    pub(super) fn is_ladder(&self) -> bool {
        self.tournament.setup().format == Format::Ladder
    }

    /// Who rests, and until when: so many of them at most.
    pub(super) fn resting(&self, now: u64, most: usize) -> Vec<(String, u64)> {
        let players = self.tournament.tournament().players.iter();
        let resting =
            players.filter_map(|player| Some((player.clone(), self.tournament.rests_until(player, now)?)));
        resting.take(most).collect()
    }

    /// Whether a casual match of a player has to wait for it: of a ladder only while they play there.
    fn hinders(&self, player: &str) -> bool {
        if !self.is_ladder() {
            return self.may_play(player);
        }
        let players = &self.tournament.tournament().players;
        let number = players.iter().position(|other| other == player);
        number.is_some_and(|number| self.matches.values().any(|fixture| fixture.seating.contains(&number)))
    }

    /// Matches that run and are of no more use.
    pub(super) fn useless_matches(&self) -> Vec<String> {
        let useless = self.matches.iter().filter(|(_, fixture)| !self.tournament.wants(fixture));
        useless.map(|(id, _)| id.clone()).collect()
    }

    /// Whether a player may have matches to come, and the tournament goes on.
    pub(super) fn may_play(&self, player: &str) -> bool {
        !self.tournament.is_paused() && self.tournament.may_play(player)
    }

    /// Whether a player is needed.
    pub(super) fn needs(&self, player: &str) -> bool {
        let mut players = self.tournament.tournament().players.iter();
        players.any(|other| other == player) && !self.tournament.is_struck_out(player)
    }

    /// Which matches to begin now, where these players are at work elsewhere or not there.
    pub(super) fn next(&self, is_busy: impl Fn(&str) -> bool, limit: usize) -> Vec<(Fixture, MatchPlan)> {
        let players = &self.tournament.tournament().players;
        let running: Vec<Fixture> = self.matches.values().cloned().collect();
        let busy = players.iter().enumerate().filter(|(_, name)| is_busy(name)).map(|(number, _)| number);
        let mut busy: Vec<usize> = busy.collect();
        busy.extend(self.tournament.resting(unix_milliseconds(), &running));
        let ongoing = Ongoing { running, busy };
        let next = self.tournament.next(&ongoing, limit).into_iter();
        next.map(|fixture| (fixture.clone(), self.plan(&fixture))).collect()
    }

    /// The match of a fixture.
    fn plan(&self, fixture: &Fixture) -> MatchPlan {
        let TournamentPlan { terms, scramble, ref versions, .. } = self.row.plan;
        let tournament = self.tournament.tournament();
        let game = tournament.games.get(fixture.game).map_or_else(String::new, |game| game.name.clone());
        let seats = tournament.seated(fixture).into_iter();
        MatchPlan {
            version: versions.get(&game).cloned(),
            game,
            seats: seats.map(|player| SeatPlan { player, scramble, ..SeatPlan::default() }).collect(),
            seed: Some(fixture.seed),
            begin: None,
            moves: Vec::new(),
            terms,
        }
    }
}

/// Tournaments that are kept ready although they are over take no more bytes together.
const OVER: usize = 32 << 20;

/// All tournaments that somebody wants something of.
#[derive(Debug)]
pub(super) struct Tournaments {
    /// Those that are not over. Held for what takes no longer than a look: pages wait for it.
    held: Mutex<BTreeMap<String, HeldTournament>>,
    /// Held by whoever writes what happens in tournaments, from when it is looked what may happen until it has. Taken
    /// before the others, which are not held while something is written.
    writing: Mutex<()>,
    /// Those that are over do not change any more, and are made of their events once.
    over: Cache<String, TournamentState>,
}

impl Default for Tournaments {
    fn default() -> Self {
        let over = Cache::new(OVER, TournamentState::bytes);
        Self { held: Mutex::default(), writing: Mutex::default(), over }
    }
}

impl Tournaments {
    /// For whoever writes what happens in tournaments.
    pub(super) fn write(&self) -> MutexGuard<'_, ()> {
        lock(&self.writing)
    }

    /// How many are not over.
    pub(super) fn len(&self) -> usize {
        lock(&self.held).len()
    }

    pub(super) fn insert(&self, held: HeldTournament) {
        lock(&self.held).insert(held.row.summary.id.clone(), held);
    }

    /// It is over. Who watches it has the last news.
    pub(super) fn remove(&self, id: &str) -> Option<HeldTournament> {
        lock(&self.held).remove(id)
    }

    /// What is asked of one that is not over, in no time.
    pub(super) fn ask<T>(&self, id: &str, ask: impl FnOnce(&HeldTournament) -> T) -> Option<T> {
        lock(&self.held).get(id).map(ask)
    }

    /// Those that somebody watches.
    fn watched(&self) -> Vec<String> {
        let held = lock(&self.held);
        let watched = held.iter().filter(|(_, held)| held.news.receiver_count() > 0);
        watched.map(|(id, _)| id.clone()).collect()
    }

    /// Finds one that is not over.
    pub(super) fn find<T>(&self, ask: impl FnMut(&HeldTournament) -> Option<T>) -> Option<T> {
        lock(&self.held).values().find_map(ask)
    }

    /// Changes one that is not over, and says so to those who watch it.
    pub(super) fn change<T>(&self, id: &str, change: impl FnOnce(&mut HeldTournament) -> T) -> Option<T> {
        let mut held = lock(&self.held);
        let held = held.get_mut(id)?;
        let changed = change(held);
        held.news.send_modify(|number| *number += 1);
        Some(changed)
    }

    /// News of one that is not over: a number that grows with each change. The channel is closed when it is over.
    pub(super) fn watch(&self, id: &str) -> Option<watch::Receiver<u64>> {
        self.ask(id, |held| held.news.subscribe())
    }
}

impl Core {
    /// A tournament as it is now, whether it is over or not.
    pub(super) fn tournament_state(&self, id: &str) -> Result<Arc<TournamentState>, ManagerError> {
        let held = self.tournaments.ask(id, |held| TournamentState {
            row: held.row.clone(),
            tournament: Arc::clone(&held.tournament),
            matches: held.matches.keys().cloned().collect(),
        });
        if let Some(held) = held {
            return Ok(Arc::new(held));
        }
        self.tournaments.over.get_or(id.to_owned(), || {
            let row = self.store.tournament(id)?;
            let is_over = row.summary.stage == TournamentStage::Over;
            Ok((Arc::new(TournamentState::resume(row, &*self.store)?.0), is_over))
        })
    }

    /// Begins the next matches of all tournaments, as far as players are free.
    pub(super) fn hold_tournaments(&self) {
        let mut ids: Vec<(bool, String)> =
            lock(&self.tournaments.held).iter().map(|(id, held)| (held.is_ladder(), id.clone())).collect();
        // Ladders come last.
        ids.sort();
        for (_, id) in ids {
            let _writing = self.tournaments.write();
            self.begin_fixtures(&id);
            let is_over = |held: &HeldTournament| held.tournament.is_over() && held.matches.is_empty();
            if self.tournaments.ask(&id, is_over) != Some(true) {
                continue;
            }
            match self.store.set_tournament_stage(&id, TournamentStage::Over, unix_milliseconds()) {
                Ok(()) => drop(self.tournaments.remove(&id)),
                Err(error) => {
                    let cause = ManagerError::from(error).in_general();
                    self.trouble(&format!("tournament {id}"), Some(cause));
                }
            }
            self.changed();
        }
    }

    /// Begins the next matches of a tournament, for somebody who writes what happens in tournaments.
    fn begin_fixtures(&self, id: &str) {
        let elsewhere = self.players_elsewhere(id);
        let is_busy = |name: &str| elsewhere.contains(name) || self.registry.presence.is_away(name);
        let is_ladder = self.tournaments.ask(id, HeldTournament::is_ladder) == Some(true);
        let room = if is_ladder { self.scheduler.spare_room() } else { self.scheduler.room() };
        let rests = |held: &HeldTournament| held.rest.is_some_and(|rest| now() < rest);
        let next = |held: &HeldTournament| if rests(held) { Vec::new() } else { held.next(is_busy, room) };
        for (fixture, plan) in self.tournaments.ask(id, next).unwrap_or_default() {
            let begun = self.begin_fixture(id, fixture, plan);
            let failed = begun.is_err();
            self.trouble(&format!("tournament {id}"), begun.err().map(|error| error.in_general()));
            if failed {
                return self.rest_tournament(id);
            }
        }
    }

    /// Who is in a match that keeps them from a tournament: one of another tournament, or any that is under way where it
    /// is a program somewhere else that is not known to be able to play another one. People and built-in players are in
    /// as many as there are, so that no casual match of theirs holds a tournament up.
    ///
    /// From a ladder anything keeps them: any other match, one that is due, and a tournament in which they have to play.
    pub(super) fn players_elsewhere(&self, id: &str) -> BTreeSet<String> {
        let mut elsewhere = self.scheduler.players_at_work(id);
        let mut casual = self.scheduler.players_in_casual_matches();
        let (held_by_others, casual_of_others) = self.engaged_elsewhere(id);
        elsewhere.extend(held_by_others);
        casual.extend(casual_of_others);
        let on_ladder =
            |held: &HeldTournament| held.is_ladder().then(|| held.tournament.tournament().players.clone());
        if let Some(players) = self.tournaments.ask(id, on_ladder).flatten() {
            elsewhere.extend(casual.into_keys());
            elsewhere.extend(self.scheduler.players_of_due_casual_matches());
            let plays = |player: &String| {
                self.tournaments.find(|held| (!held.is_ladder() && held.may_play(player)).then_some(()))
            };
            elsewhere.extend(players.into_iter().filter(|player| plays(player).is_some()));
            return elsewhere;
        }
        let hinders = |(name, since): &(String, u64)| self.registry.presence.plays_one(name, *since);
        elsewhere.extend(casual.into_iter().filter(hinders).map(|(name, _)| name));
        elsewhere
    }

    /// Whose casual matches do not begin now: programs somewhere else that may be able to play no more than one match,
    /// and are to play in a tournament that goes on.
    pub(super) fn players_needed(&self) -> BTreeSet<String> {
        let due = self.scheduler.players_of_due_casual_matches().into_iter();
        due.filter(|player| self.tournament_that_needs(player).is_some()).collect()
    }

    /// The tournament for which a casual match of a player has to wait.
    pub(super) fn tournament_that_needs(&self, player: &str) -> Option<String> {
        let since = self.scheduler.plays_since(player).unwrap_or(u64::MAX);
        let plays_one = self.registry.presence.plays_one(player, since);
        let needs = |held: &HeldTournament| held.hinders(player).then(|| held.row.summary.id.clone());
        if plays_one { self.tournaments.find(needs) } else { None }
    }

    /// Tells those who watch tournaments where something has changed in what comes next, and what that waits for.
    pub(super) fn tell_outlooks(&self) {
        for id in self.tournaments.watched() {
            let Ok(outlook) = self.outlook(&id) else { continue };
            if self.tournaments.ask(&id, |held| held.told.as_ref() == Some(&outlook)) == Some(false) {
                self.tournaments.change(&id, |held| held.told = Some(outlook));
            }
        }
    }

    /// A match of a tournament could not even begin: the next ones wait for a moment.
    pub(super) fn rest_tournament(&self, id: &str) {
        self.tournaments.change(id, |held| held.rest = Some(now() + RETRY));
    }

    fn begin_fixture(&self, id: &str, fixture: Fixture, plan: MatchPlan) -> Result<(), ManagerError> {
        let (row, keys) = self.match_row(plan, Some(id.to_owned()), Some(fixture.clone()))?;
        self.store.add_match(&row)?;
        self.registry.keys.add(&row.summary.id, keys);
        self.tournaments.change(id, |held| held.matches.insert(row.summary.id.clone(), fixture));
        self.scheduler.wait_for(&row.summary, 0, false);
        self.changed();
        Ok(())
    }
}
