//! From a match that waits to one that is over.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ludex::game::TimedRules;
use ludex::gdl::Notation;
use ludex::matches::Settlement;
use ludex::matches::message::Request;
use ludex::matches::referee::real_time::TimedReferee;
use ludex::matches::referee::{Entry, Referee, RefereeError, SeatNumber, SeatSetup};
use ludex::matches::tournament::{FaultCounts, Fixture, MatchResult, Tournament};
use ludex::{Game, MatchRecord, MatchStatus, Playable, TimedRecord};

use super::core::{Core, RETRY};
use super::error::ManagerError;
use super::live::{Live, LiveWatcher};
use super::member::Membered;
use super::seats::{seats, timed_seats};
use super::tournaments::HeldTournament;
use crate::driver::{
    Correspondent, Driver, HttpPlayer, MatchFailure, MatchJob, MatchReferee, unix_milliseconds,
};
use crate::journal::{JournalError, KeptEntry};
use crate::model::{MatchEnd, MatchEntries, MatchRow, MatchStage, PlayerKind, SeatSummary, StoreError};
use crate::preparation::{seat_roles, timed_seat_roles};

/// How often a write is tried again that has to be made before a match is over.
const TRIES: Duration = Duration::from_millis(500);

/// After so many milliseconds it is tried again to begin a match whose player was busy.
const ENGAGED: u64 = 1_000;

/// So long a player may take to hear that a match is over that will not go on.
const FAREWELL: Duration = Duration::from_secs(5);

/// A match that is to run.
struct Run<R> {
    job: MatchJob<R>,
    /// Why it is to end at once, if it is.
    abort: Option<String>,
    /// How long it may last.
    longest: Option<Duration>,
}

/// Why a match does not begin.
enum Hindrance {
    /// It may later on: the store does not work, or the server is busy.
    Passing(String),
    /// This player plays elsewhere.
    Engaged(String),
    /// It never will.
    Lasting(String),
}

impl From<ManagerError> for Hindrance {
    fn from(error: ManagerError) -> Self {
        match error {
            ManagerError::Store(_)
            | ManagerError::System(_)
            | ManagerError::Stopped
            | ManagerError::Busy
            | ManagerError::TooMany { .. } => Self::Passing(error.in_general()),
            error => Self::Lasting(error.to_string()),
        }
    }
}

impl Core {
    /// Begins a match, or goes on with it where its journal ends.
    pub(super) fn begin(self: &Arc<Self>, live: &Arc<Live>) {
        match self.try_to_begin(live) {
            Ok(()) => {
                // Those who watch its tournament see that it runs.
                if let Some(id) = &live.tournament {
                    self.tournaments.change(id, |_| ());
                }
                self.trouble(&format!("match {}", live.id), None);
            }
            Err(Hindrance::Passing(why)) => self.put_off(live, why),
            Err(Hindrance::Engaged(player)) => {
                tracing::debug!(id = live.id, player, "a match waits for a player that plays elsewhere");
                // Perhaps it can play another one.
                self.registry.presence.ask_soon(&player);
                self.scheduler.wait_again(live, unix_milliseconds() + ENGAGED);
            }
            Err(Hindrance::Lasting(why)) => self.give_up(live, &why, true),
        }
        self.changed();
    }

    fn try_to_begin(self: &Arc<Self>, live: &Arc<Live>) -> Result<(), Hindrance> {
        self.is_open()?;
        let row = self.store.find_match(&live.id).map_err(ManagerError::from)?;
        let entries = self.store.entries(&live.id).map_err(ManagerError::from)?;
        if entries.is_empty()
            && let Some(seat) = self.empty_seats(&row).first()
        {
            let role = &row.summary.seats[seat.0 as usize].role;
            return Err(Hindrance::Lasting(format!("nobody has taken the seat of {role}")));
        }
        self.let_through(live, &row, &entries)?;
        let game =
            self.store.game(&row.plan.game, row.plan.version.as_deref()).map_err(ManagerError::from)?;
        match self.prepared_from(&game)? {
            Playable::InSteps(game) => self.begin_in_steps(live, &row, &game, entries),
            Playable::InTime(rules) => self.begin_in_time(live, &row, &rules, entries),
        }
    }

    fn begin_in_steps(
        self: &Arc<Self>,
        live: &Arc<Live>,
        row: &MatchRow,
        game: &Game,
        entries: MatchEntries,
    ) -> Result<(), Hindrance> {
        let has_begun = entries.has_begun();
        let mut referee = match entries.in_steps() {
            none if none.is_empty() => {
                Referee::new(game.rules().clone(), self.setup(row)?).map_err(lasting)?
            }
            entries => Referee::resume(game.rules().clone(), &entries).map_err(not_resumed)?,
        };
        self.note_begin(row, seat_roles(game))?;
        let (players, people) = self.players(live, &referee.setup().seats);
        live.open(&referee, people);
        let driver = self.driver().ok_or(ManagerError::Stopped)?;
        let watcher =
            LiveWatcher::new(Arc::clone(live), driver.clock(), self, referee.course().start_faults());
        let goes_on = has_begun && !referee.has_ended() && !referee.course().is_over();
        let new = self.newcomers(&live.id, &referee.setup().seats, goes_on);
        let abort = new.first().map(|&first| forgotten_by(&referee.setup().seats, first));
        let abort = abort.filter(|_| !referee.introduce(&new));
        let job = MatchJob { referee, players, watcher: Box::new(watcher) };
        self.run(&driver, live, Run { job, abort, longest: None }, Core::finish);
        Ok(())
    }

    fn begin_in_time(
        self: &Arc<Self>,
        live: &Arc<Live>,
        row: &MatchRow,
        rules: &TimedRules,
        entries: MatchEntries,
    ) -> Result<(), Hindrance> {
        let has_begun = entries.has_begun();
        let referee = match entries {
            MatchEntries::InTime(entries) => {
                TimedReferee::resume(rules.clone(), &entries).map_err(not_resumed)?
            }
            MatchEntries::InSteps(_) => {
                TimedReferee::new(rules.clone(), self.timed_setup(row)?).map_err(lasting)?
            }
        };
        self.note_begin(row, timed_seat_roles(rules))?;
        let (players, people) = self.players(live, &referee.setup().seats);
        let driver = self.driver().ok_or(ManagerError::Stopped)?;
        live.open_in_time(&referee, driver.clock(), people);
        let watcher =
            LiveWatcher::new(Arc::clone(live), driver.clock(), self, referee.course().start_faults());
        let goes_on = has_begun && !referee.has_ended() && !referee.course().is_over();
        let new = self.newcomers(&live.id, &referee.setup().seats, goes_on);
        let abort = new.first().map(|&first| forgotten_by(&referee.setup().seats, first));
        let longest = self.longest(row);
        let job = MatchJob { referee, players, watcher: Box::new(watcher) };
        self.run(&driver, live, Run { job, abort, longest: Some(longest) }, Core::finish_in_time);
        Ok(())
    }

    /// Notes that a match runs. Where servers share the store, this is also where it is decided who has the players that
    /// can play one match at a time.
    fn note_begin(&self, row: &MatchRow, roles: Vec<String>) -> Result<(), Hindrance> {
        let (id, now) = (row.summary.id.as_str(), unix_milliseconds());
        let Some(Membered { shared, number, lease, .. }) = &self.membered else {
            return Ok(self.store.begin_match(id, &roles, now).map_err(ManagerError::from)?);
        };
        let mut alone = BTreeMap::new();
        if lease.servers() > 1 {
            let players = row.plan.seats.iter().map(|seat| &seat.player);
            let since = |player: &String| Some((player.clone(), self.registry.presence.settled(player)?));
            alone.extend(players.filter_map(since));
        }
        let alone: Vec<(String, u64)> = alone.into_iter().collect();
        let begun = shared.begin_with(*number, id, &roles, now, &alone).map_err(ManagerError::from)?;
        match begun {
            None => Ok(()),
            Some(player) => Err(Hindrance::Engaged(player)),
        }
    }

    /// Has a match run, and ends it with `finish`.
    fn run<R: MatchReferee>(
        self: &Arc<Self>,
        driver: &Driver,
        live: &Arc<Live>,
        Run { job, abort, longest }: Run<R>,
        finish: fn(&Core, &Arc<Live>, &R),
    ) {
        let running = driver.run(job);
        let stop = running.stop();
        tracing::info!(match_id = live.id, tournament = live.tournament, "a match runs");
        if let Some(why) = abort {
            stop.abort(why);
        }
        live.set_running(running.stop());
        let (core, live) = (Arc::clone(self), Arc::clone(live));
        self.network().spawn(async move {
            let mut ended = std::pin::pin!(running.ended());
            let ended = match longest {
                None => ended.await,
                Some(longest) => match tokio::time::timeout(longest, &mut ended).await {
                    Ok(ended) => ended,
                    Err(_) => {
                        stop.abort("it has lasted as long as a match may last");
                        ended.await
                    }
                },
            };
            let handle = core.network().clone();
            // Writing takes time; if the manager is gone, nothing is to be written any more.
            drop(handle.spawn_blocking(move || {
                match ended {
                    Ok(referee) => finish(&core, &live, &referee),
                    Err(failure) => core.failed(&live, failure),
                }
                core.changed();
                core.scheduler.wake();
            }));
        });
    }

    /// Whether a match may begin or be gone on with: not where it ended the server again and again, nor where
    /// somebody wanted it to end and it has not even begun. What was wanted of it before is wanted now.
    fn let_through(&self, live: &Live, row: &MatchRow, entries: &MatchEntries) -> Result<(), Hindrance> {
        // Players may know already how a match ended, and that stands: it came through all of its rules.
        let is_over = entries.end_match();
        let suspect = row.resumptions > 0;
        if let Some(why) = &row.wanted_abort {
            if entries.is_empty() || (suspect && !is_over) {
                self.tell_of_abort(live, entries);
                return Err(Hindrance::Lasting(why.clone()));
            }
            live.abort(why);
        }
        // One that was put off did not end the server.
        if entries.is_empty() || is_over || self.scheduler.was_put_off(&live.id) {
            return Ok(());
        }
        if row.resumptions >= self.options.matches.resumptions.max(1) {
            self.tell_of_abort(live, entries);
            return Err(Hindrance::Lasting(format!(
                "it was gone on with {} times, and each time the server ended before anything came of it",
                row.resumptions
            )));
        }
        Ok(self.scheduler.resuming.begin(&live.id)?)
    }

    /// Tells the remote players of a match that it is over, without its rules. Whether they hear it changes
    /// nothing. It is only called where it is written already that the match is not gone on with, so that another
    /// manager, too, gives it up if this one ends before it has kept the end.
    fn tell_of_abort(&self, live: &Live, entries: &MatchEntries) {
        for seat in entries.seats() {
            let Ok(player) = self.store.player(&seat.player) else { continue };
            let PlayerKind::Remote { address, .. } = player.kind else { continue };
            let Ok(address) = address.parse() else { continue };
            let notation = Notation::from(seat.notation);
            let client = Arc::clone(&self.registry.client);
            let (name, secret) = (seat.player.clone(), self.secret(&seat.player));
            let player = HttpPlayer { client, address, name, notation, secret };
            let request = Request::Abort { id: live.id.clone() };
            self.network().spawn(async move {
                // Nothing follows from the answer.
                let _ = tokio::time::timeout(FAREWELL, player.ask(&request)).await;
            });
        }
    }

    /// The seats whose players know nothing of a match that goes on with its moves: built-in players end with the manager that
    /// started them.
    fn newcomers(&self, id: &str, seats: &[SeatSetup], goes_on: bool) -> Vec<SeatNumber> {
        if !goes_on || self.scheduler.was_put_off(id) {
            return Vec::new();
        }
        let is_built_in = |(_, seat): &(SeatNumber, &SeatSetup)| {
            let player = self.store.player(&seat.player);
            player.is_ok_and(|player| matches!(player.kind, PlayerKind::BuiltIn { .. }))
        };
        let built_in = (0..).map(SeatNumber).zip(seats).filter(is_built_in);
        built_in.map(|(seat, _)| seat).collect()
    }

    /// A match has ended otherwise than matches do.
    fn failed(self: &Arc<Self>, live: &Arc<Live>, failure: MatchFailure) {
        match failure {
            MatchFailure::Journal(error) => self.put_off(live, cannot_be_written(&error)),
            error @ MatchFailure::Panicked => self.give_up(live, &error.to_string(), false),
            // It is resumed when a manager starts again.
            MatchFailure::Stopped => self.scheduler.ended(&live.id),
        }
    }

    /// A match waits until the store works again.
    fn put_off(&self, live: &Arc<Live>, why: String) {
        self.trouble(&format!("match {}", live.id), Some(why));
        let later = unix_milliseconds() + u64::try_from(RETRY.as_millis()).unwrap_or(0);
        self.scheduler.put_off(live, later);
    }

    /// A match was played to its end, or aborted.
    fn finish(&self, live: &Arc<Live>, referee: &Referee) {
        let course = referee.course();
        let record = MatchRecord { rulesheet: None, ..referee.record() }.write();
        // Whoever takes moves back, or begins elsewhere, does not show how strong it is.
        let rated = course.taken_back() == 0 && referee.setup().given.is_empty();
        let end = match_end(live, course.status(), course.steps().len(), seats(referee), record);
        let end = MatchEnd { rated, ..end };
        self.keep_end(live, end, |tournament, fixture| MatchResult::of(tournament, fixture, course));
    }

    /// A match in real time was played to its end, or aborted.
    fn finish_in_time(&self, live: &Arc<Live>, referee: &TimedReferee) {
        let course = referee.course();
        let record = TimedRecord { rulesheet: String::new(), ..referee.record() }.write();
        let end = match_end(live, course.status(), course.events().len(), timed_seats(referee), record);
        self.keep_end(live, end, |tournament, fixture| MatchResult::of_timed(tournament, fixture, course));
    }

    /// A match ends because it cannot begin or go on. A tournament that had wanted it rests for a moment.
    pub(super) fn give_up(&self, live: &Arc<Live>, why: &str, rest: bool) {
        if rest && let Some(id) = &live.tournament {
            self.rest_tournament(id);
        }
        let entries = self.store.entries(&live.id).unwrap_or(MatchEntries::InSteps(Vec::new()));
        let goes_on = !entries.is_empty() && !entries.end_match();
        // Journals of both kinds end in the same words.
        let last = Entry::Ended { aborted: Some(why.to_owned()), settled: None };
        let last_entry = KeptEntry::of(&last).ok().filter(|_| goes_on);
        let steps = entries.steps();
        let end = MatchEnd {
            id: live.id.clone(),
            stage: MatchStage::Aborted,
            ended: unix_milliseconds(),
            rated: false,
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            aborted: Some(why.to_owned()),
            seats: Vec::new(),
            record: None,
            last_entry,
            event: None,
        };
        self.keep_end(live, end, |tournament, fixture| MatchResult::failed(tournament, fixture, why));
    }

    /// Writes how a match ended, as soon as the store works.
    fn keep_end(
        &self,
        live: &Arc<Live>,
        mut end: MatchEnd,
        result: impl Fn(&Tournament, &Fixture) -> MatchResult,
    ) {
        let name = format!("match {}", live.id);
        while let Err(error) = self.try_to_keep_end(live, &mut end, &result) {
            let is_superseded = matches!(error, StoreError::Superseded { .. });
            self.trouble(&name, Some(ManagerError::from(error).in_general()));
            if self.scheduler.is_stopping() || is_superseded {
                // The journal says how it ended; it is read when a manager starts again.
                return self.scheduler.ended(&live.id);
            }
            std::thread::sleep(TRIES);
        }
        self.trouble(&name, None);
        let (steps, aborted) = (end.steps, end.aborted.as_deref());
        tracing::info!(match_id = live.id, tournament = live.tournament, steps, aborted, "a match is over");
        self.ratings.note_end();
        self.scheduler.resuming.came_through(&live.id);
        self.registry.keys.forget_all(&live.id);
        self.scheduler.ended(&live.id);
        live.close(end.stage);
        self.changed();
        self.scheduler.wake();
    }

    /// Writes how a match ended and what that means for its tournament. Others may look at tournaments meanwhile.
    fn try_to_keep_end(
        &self,
        live: &Live,
        end: &mut MatchEnd,
        result: impl Fn(&Tournament, &Fixture) -> MatchResult,
    ) -> Result<(), StoreError> {
        let Some(tournament) = &live.tournament else { return self.store.end_match(end) };
        let _writing = self.tournaments.write();
        let event = |held: &HeldTournament| Some((held.events, held.event(&live.id, end.ended, result)?));
        let event = self.tournaments.ask(tournament, event);
        end.event = event.flatten();
        self.store.end_match(end)?;
        self.tournaments.change(tournament, |held| {
            held.matches.remove(&live.id);
            end.event.iter().for_each(|(_, event)| held.applied(event));
        });
        Ok(())
    }
}

/// What everybody may be told of a journal that cannot be written.
fn cannot_be_written(error: &JournalError) -> String {
    tracing::error!(%error, "a journal cannot be written");
    match error {
        JournalError::Store(error) => error.in_general(),
        _ => "the journal of the matches cannot be written".to_owned(),
    }
}

/// How a match ended that was refereed to its end. The rules are with the game.
fn match_end(
    live: &Live,
    status: &MatchStatus,
    steps: usize,
    seats: Vec<(SeatSummary, FaultCounts)>,
    record: String,
) -> MatchEnd {
    let words = |settlement: Settlement| {
        let seat = seats.get(settlement.seat().0 as usize);
        settlement.in_words(seat.map_or("", |(seat, _)| seat.role.as_str()))
    };
    let (stage, aborted) = match status {
        MatchStatus::Completed => (MatchStage::Completed, None),
        MatchStatus::Settled(settlement) => (MatchStage::Completed, Some(words(*settlement))),
        MatchStatus::Aborted(cause) => (MatchStage::Aborted, Some(cause.clone())),
        MatchStatus::Running => (MatchStage::Aborted, Some("not played to the end".to_owned())),
    };
    MatchEnd {
        id: live.id.clone(),
        stage,
        ended: unix_milliseconds(),
        rated: true,
        steps: u32::try_from(steps).unwrap_or(u32::MAX),
        aborted,
        seats,
        record: Some(record),
        last_entry: None,
        event: None,
    }
}

/// A match that cannot begin.
fn lasting(error: RefereeError) -> Hindrance {
    Hindrance::Lasting(error.to_string())
}

/// Why a match ends whose player on a seat is new, where no message of the protocol can tell it what happened so far.
fn forgotten_by(seats: &[SeatSetup], seat: SeatNumber) -> String {
    format!("{} is built in and ended with the manager before", seats[seat.0 as usize].player)
}

/// A match that cannot go on.
fn not_resumed(error: RefereeError) -> Hindrance {
    Hindrance::Lasting(format!("it cannot go on: {error}"))
}
