//! From a match that waits to one that is over.

use std::collections::BTreeMap;
use std::sync::Arc;

use ludex::game::Goal;
use ludex::gdl::{Notation, spell_constant};
use ludex::matches::message::Request;
use ludex::matches::referee::{Entry, Referee, RefereeSetup, SeatNotation, SeatNumber, SeatSetup};
use ludex::matches::tournament::{FaultCounts, Fixture, MatchResult, Tournament};
use ludex::{Match, MatchRecord, MatchStatus};

use super::core::{Core, RETRY};
use super::error::ManagerError;
use super::live::{Live, LiveWatcher, Person, PersonSeat};
use super::metrics::MeasuredPlayer;
use super::processes::{BuiltInSeat, ProcessName};
use crate::driver::{
    Asking, Correspondent, HttpPlayer, MatchFailure, MatchJob, NoAnswer, RunningMatch, unix_milliseconds,
};
use crate::journal::JournalError;
use crate::model::{MatchEnd, MatchPlan, MatchRow, MatchStage, PlayerKind, SeatSummary, StoreError};
use crate::preparation::seat_roles;

/// How often a write is tried again that has to be made before a match is over.
const TRIES: std::time::Duration = std::time::Duration::from_millis(500);

/// So long a player may take to hear that a match is over that will not go on.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(5);

/// The seats that people have.
type People = Vec<(SeatNumber, Arc<Person>)>;

/// Somebody who is not there any more.
struct Gone(String);

impl Correspondent for Gone {
    fn ask(&self, _: &Request) -> Asking {
        let cause = NoAnswer(self.0.clone());
        Box::pin(async move { Err(cause) })
    }
}

/// Why a match does not begin.
enum Hindrance {
    /// It may later on: the store does not work.
    Passing(String),
    /// It never will.
    Lasting(String),
}

impl From<ManagerError> for Hindrance {
    fn from(error: ManagerError) -> Self {
        match error {
            ManagerError::Store(_)
            | ManagerError::System(_)
            | ManagerError::Stopped
            | ManagerError::TooMany { .. } => Self::Passing(error.in_general()),
            error => Self::Lasting(error.to_string()),
        }
    }
}

impl Core {
    /// Begins a match, or goes on with it where its journal ends.
    pub(super) fn begin(self: &Arc<Self>, live: &Arc<Live>) {
        match self.try_to_begin(live) {
            Ok(running) => {
                live.set_running(running.stop());
                // Those who watch its tournament see that it runs.
                if let Some(id) = &live.tournament {
                    self.tournaments.change(id, |_| ());
                }
                self.trouble(&format!("match {}", live.id), None);
                let (core, live) = (Arc::clone(self), Arc::clone(live));
                self.network().spawn(async move {
                    let ended = running.ended().await;
                    let handle = core.network().clone();
                    // Writing takes time; if the manager is gone, nothing is to be written any more.
                    drop(handle.spawn_blocking(move || core.ended(&live, ended)));
                });
            }
            Err(Hindrance::Passing(why)) => self.put_off(live, why),
            Err(Hindrance::Lasting(why)) => self.give_up(live, &why, true),
        }
        self.changed();
    }

    fn try_to_begin(self: &Arc<Self>, live: &Arc<Live>) -> Result<RunningMatch, Hindrance> {
        self.is_open()?;
        let row = self.store.find_match(&live.id).map_err(ManagerError::from)?;
        let entries = self.store.entries(&live.id).map_err(ManagerError::from)?;
        self.let_through(live, &row, &entries)?;
        let game =
            self.store.game(&row.plan.game, row.plan.version.as_deref()).map_err(ManagerError::from)?;
        let game = self.prepared_from(&game)?;
        let referee = if entries.is_empty() {
            let setup = self.setup(&row)?;
            Referee::new(game.rules().clone(), setup)
                .map_err(|error| Hindrance::Lasting(error.to_string()))?
        } else {
            let resumed = Referee::resume(game.rules().clone(), &entries);
            resumed.map_err(|error| Hindrance::Lasting(format!("it cannot go on: {error}")))?
        };
        let roles: Vec<String> = seat_roles(&game);
        self.store.begin_match(&live.id, &roles, unix_milliseconds()).map_err(ManagerError::from)?;
        let (players, people) = self.players(live, referee.setup());
        live.open(&referee, people);
        let driver = self.driver().ok_or(ManagerError::Stopped)?;
        let (metrics, resuming) = (Arc::clone(&self.metrics), Arc::clone(&self.scheduler.resuming));
        let watcher = LiveWatcher::new(Arc::clone(live), driver.clock(), metrics, resuming, &referee);
        let forgotten = self.forgotten_by(&referee, &entries);
        let running = driver.run(MatchJob { referee, players, watcher: Box::new(watcher) });
        if let Some(player) = forgotten {
            running.abort(format!("{player} is built in and ended with the manager before"));
        }
        Ok(running)
    }

    /// Whether a match may begin or be gone on with: not where it ended the server again and again, nor where
    /// somebody wanted it to end and it has not even begun. What was wanted of it before is wanted now.
    fn let_through(&self, live: &Live, row: &MatchRow, entries: &[Entry]) -> Result<(), Hindrance> {
        // Players may know already how a match ended, and that stands: it came through all of its rules.
        let is_over = entries.iter().any(Entry::ends_match);
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
    fn tell_of_abort(&self, live: &Live, entries: &[Entry]) {
        let Some(Entry::Opened { setup, .. }) = entries.first() else { return };
        for seat in &setup.seats {
            let Ok(player) = self.store.player(&seat.player) else { continue };
            let PlayerKind::Remote { address, .. } = player.kind else { continue };
            let Ok(address) = address.parse() else { continue };
            let notation = Notation::from(seat.notation);
            let client = Arc::clone(&self.registry.client);
            let player = HttpPlayer { client, address, name: seat.player.clone(), notation };
            let request = Request::Abort { id: live.id.clone() };
            self.network().spawn(async move {
                // Nothing follows from the answer.
                let _ = tokio::time::timeout(FAREWELL, player.ask(&request)).await;
            });
        }
    }

    /// A player of a match gone on with that cannot know it any more: built-in players end with the manager
    /// that started them, and no message of the protocol tells a new one what happened so far.
    fn forgotten_by(&self, referee: &Referee, entries: &[Entry]) -> Option<String> {
        let had_begun = entries.iter().any(|entry| matches!(entry, Entry::Ready { .. }));
        let put_off = self.scheduler.was_put_off(&referee.setup().id);
        if !had_begun || put_off || referee.has_ended() || referee.course().is_over() {
            return None;
        }
        let is_built_in = |name: &&String| {
            let player = self.store.player(name);
            player.is_ok_and(|player| matches!(player.kind, PlayerKind::BuiltIn { .. }))
        };
        referee.setup().seats.iter().map(|seat| &seat.player).find(is_built_in).cloned()
    }

    /// What is agreed before a match.
    pub(super) fn setup(&self, row: &MatchRow) -> Result<RefereeSetup, ManagerError> {
        let MatchPlan { seats, seed, terms, .. } = &row.plan;
        let seed = seed.unwrap_or_default();
        let (mut setups, mut known) = (Vec::new(), BTreeMap::new());
        for (seat, number) in seats.iter().zip(0u64..) {
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
                scramble: scramble.then(|| seed.rotate_left(17).wrapping_add(number)),
            });
        }
        let limit = self.options.matches.steps;
        let mut told = Vec::new();
        if let Some(tournament) = &row.summary.tournament
            && terms.introduce
        {
            told = self.standing(tournament);
        }
        Ok(RefereeSetup {
            id: row.summary.id.clone(),
            seed,
            clocks: terms.clocks.clocks(),
            seats: setups,
            patience: terms.patience,
            step_limit: Some(terms.step_limit.map_or(limit, |steps| steps.min(limit))),
            points_per_second: terms.points_per_second,
            told: terms.introduce.then_some(told),
            start_time: Some(unix_milliseconds()),
        })
    }

    /// How a tournament stands, as players are told: for each player its rank.
    fn standing(&self, tournament: &str) -> Vec<(String, String)> {
        let Ok(state) = self.tournament_state(tournament) else { return Vec::new() };
        let ranking = state.tournament.ranking();
        let name = |player: &str| spell_constant(player, Notation::Prefix);
        ranking
            .iter()
            .map(|ranked| (format!("(rank {})", name(&ranked.player)), ranked.rank.to_string()))
            .collect()
    }

    /// Who has each seat, and which of them are people.
    fn players(&self, live: &Arc<Live>, setup: &RefereeSetup) -> (Vec<Arc<dyn Correspondent>>, People) {
        let (mut people, mut strategies) = (Vec::new(), Vec::new());
        let mut known = BTreeMap::new();
        let seats = (0..).map(SeatNumber).zip(&setup.seats);
        let players = seats.map(|(number, seat)| -> Arc<dyn Correspondent> {
            let (name, notation) = (seat.player.clone(), Notation::from(seat.notation));
            let found = known.entry(name.clone()).or_insert_with(|| self.store.player(&name));
            let kind = match found {
                // It stands in the record.
                Err(error) => return Arc::new(Gone(error.in_general())),
                Ok(player) => player.kind.clone(),
            };
            let player: Arc<dyn Correspondent> = match kind.clone() {
                PlayerKind::Person => {
                    let person = Arc::new(Person::new(live));
                    people.push((number, Arc::clone(&person)));
                    Arc::new(PersonSeat(person))
                }
                PlayerKind::BuiltIn { strategy } => {
                    // It starts before its clock does. What is wrong with it, it is asked for again.
                    let copy = strategies.iter().filter(|other| **other == strategy).count();
                    let process = ProcessName { strategy: strategy.clone(), copy };
                    if let Err(error) = self.registry.processes.address(&process) {
                        tracing::warn!(strategy, error, "a built-in player does not start");
                    }
                    strategies.push(strategy);
                    Arc::new(BuiltInSeat {
                        processes: Arc::clone(&self.registry.processes),
                        client: Arc::clone(&self.registry.local_client),
                        name,
                        process,
                        notation,
                    })
                }
                PlayerKind::Remote { address, .. } => match address.parse() {
                    Ok(address) => Arc::new(HttpPlayer {
                        client: Arc::clone(&self.registry.client),
                        address,
                        name,
                        notation,
                    }),
                    Err(error) => Arc::new(Gone(error.to_string())),
                },
            };
            Arc::new(MeasuredPlayer::new(&self.metrics, &kind, player))
        });
        let players = players.collect();
        (players, people)
    }

    /// A match has ended, or the driver has.
    fn ended(self: &Arc<Self>, live: &Arc<Live>, ended: Result<Box<Referee>, MatchFailure>) {
        match ended {
            Ok(referee) => self.finish(live, &referee),
            Err(MatchFailure::Journal(error)) => self.put_off(live, cannot_be_written(&error)),
            Err(error @ MatchFailure::Panicked) => self.give_up(live, &error.to_string(), false),
            // It is resumed when a manager starts again.
            Err(MatchFailure::Stopped) => self.scheduler.ended(&live.id),
        }
        self.changed();
        self.scheduler.wake();
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
        let (stage, aborted) = match course.status() {
            MatchStatus::Completed => (MatchStage::Completed, None),
            MatchStatus::Aborted(cause) => (MatchStage::Aborted, Some(cause.clone())),
            MatchStatus::Running => (MatchStage::Aborted, Some("not played to the end".to_owned())),
        };
        let end = MatchEnd {
            id: live.id.clone(),
            stage,
            ended: unix_milliseconds(),
            steps: u32::try_from(course.steps().len()).unwrap_or(u32::MAX),
            aborted,
            seats: seats(referee),
            // The rules are with the game.
            record: Some(MatchRecord { rulesheet: None, ..referee.record() }.write()),
            last_entry: None,
            event: None,
        };
        self.keep_end(live, end, |tournament, fixture| MatchResult::of(tournament, fixture, course));
    }

    /// A match ends because it cannot begin or go on. A tournament that had wanted it rests for a moment.
    pub(super) fn give_up(&self, live: &Arc<Live>, why: &str, rest: bool) {
        if rest && let Some(id) = &live.tournament {
            self.rest_tournament(id);
        }
        let entries = self.store.entries(&live.id).unwrap_or_default();
        let goes_on = !entries.is_empty() && !entries.iter().any(Entry::ends_match);
        let last_entry = goes_on.then(|| Entry::Ended { aborted: Some(why.to_owned()) });
        let steps = entries.iter().filter(|entry| matches!(entry, Entry::Stepped { .. })).count();
        let end = MatchEnd {
            id: live.id.clone(),
            stage: MatchStage::Aborted,
            ended: unix_milliseconds(),
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
            self.trouble(&name, Some(ManagerError::from(error).in_general()));
            if self.scheduler.is_stopping() {
                // The journal says how it ended; it is read when a manager starts again.
                return self.scheduler.ended(&live.id);
            }
            std::thread::sleep(TRIES);
        }
        self.trouble(&name, None);
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
        let event =
            self.tournaments.ask(tournament, |held| Some((held.events, held.event(&live.id, result)?)));
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

/// What came of a match on each seat.
fn seats(referee: &Referee) -> Vec<(SeatSummary, FaultCounts)> {
    let course: &Match = referee.course();
    let rules = course.rules();
    let rewards = referee.rewards();
    let completed = *course.status() == MatchStatus::Completed;
    let terms = rules.signature().terms();
    let each = rules.seats().into_iter().zip(&referee.setup().seats).map(|(role, setup)| {
        let index = role.index();
        let mut counts = FaultCounts::default();
        let steps = course.steps().iter().map(|step| &step.faults);
        let of_role = |faults: &Vec<_>| faults.get(index).cloned().flatten();
        let first = course.start_faults().get(index).cloned().flatten();
        for fault in first.into_iter().chain(steps.filter_map(of_role)) {
            counts.count(&fault);
        }
        let goal: Option<Goal> = course.goals().get(index).copied().flatten();
        let summary = SeatSummary {
            role: terms.prefix(rules.signature().roles()[index]),
            player: setup.player.clone(),
            goal: goal.filter(|_| completed),
            reward: rewards.as_ref().and_then(|rewards| rewards.get(index).copied().flatten()),
            faults: counts.late + counts.illegal + counts.failed,
        };
        (summary, counts)
    });
    each.collect()
}
