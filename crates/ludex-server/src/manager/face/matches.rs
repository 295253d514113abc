//! Matches: wanted, watched, played by people, read again.

use std::sync::Arc;
use std::time::Duration;

use ludex::analysis::TextStyle;
use ludex::logic::TermId;
use ludex::matches::referee::{Referee, SeatNumber};
use ludex::matches::view::{Snapshot, StateView, View, Viewer};
use ludex::{Game, MatchRecord};
use tokio::sync::watch;

use super::{Answer, Manager};
use crate::driver::unix_milliseconds;
use crate::manager::core::{Core, WantedAbort, open};
use crate::manager::live::Live;
use crate::manager::plan::LAST_REVISION;
use crate::manager::running::seat_roles;
use crate::manager::{
    ClockPlan, ManagerError, MatchDetail, MatchNews, MatchPlan, MatchQuery, MatchStage, MatchSummary,
    MatchView, Page, PersonSeat, PlayerKind, SeatPlan, StepShown,
};
use crate::store::MatchRow;

/// How far in the future a match may be planned.
const FUTURE: u64 = 366 * 86_400_000;

impl Manager {
    /// Plans a match, to begin now or later; the name of the match. Prepares the game.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`] for the game or a player, [`ManagerError::Referee`] and
    /// [`ManagerError::Invalid`] where it makes no match, [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn schedule(&self, plan: &MatchPlan) -> Answer<String> {
        let core = self.core();
        core.is_open()?;
        core.check_clocks(&plan.clocks)?;
        let limit = core.options.matches.waiting;
        if core.store.counts()?.planned >= limit {
            return Err(ManagerError::TooMany { what: "waiting matches", limit });
        }
        if plan.begin.is_some_and(|begin| begin > unix_milliseconds() + FUTURE) {
            return Err(ManagerError::Invalid("a match begins within a year".to_owned()));
        }
        let text = core.options.games.text;
        if plan.seats.iter().filter_map(|seat| seat.rulesheet.as_ref()).any(|rules| rules.len() > text) {
            return Err(ManagerError::TooMany { what: "bytes of a rulesheet", limit: text as u64 });
        }
        let mut plan = plan.clone();
        for seat in &mut plan.seats {
            let player = core.store.player(&seat.player).map_err(ManagerError::found)?;
            if player.retired {
                return Err(ManagerError::NotFound { what: "player", name: player.name });
            }
            seat.player = player.name;
        }
        let game = core.prepared(&plan.game, plan.version.as_deref())?;
        let mut row = core.match_row(plan, None, None).map_err(ManagerError::known)?;
        for (seat, role) in row.summary.seats.iter_mut().zip(seat_roles(&game)) {
            seat.role = role;
        }
        // What makes no match is said now, and not when it is to begin.
        Referee::new(game.rules().clone(), core.setup(&row)?)?;
        core.store.add_match(&row)?;
        core.wait_for(&row.summary, row.summary.due);
        core.changed();
        core.wake();
        Ok(row.summary.id)
    }

    /// The same match again, now: with the same game, players, clocks and options, and another seed; the name
    /// of the new match.
    ///
    /// # Errors
    /// As [`Manager::schedule`].
    pub fn rematch(&self, id: &str) -> Answer<String> {
        let row = self.core().match_of(id)?;
        self.schedule(&MatchPlan { seed: None, begin: None, ..row.plan })
    }

    /// Ends a match that waits or runs, and says why.
    ///
    /// # Errors
    /// [`ManagerError::Over`], [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn abort_match(&self, id: &str, why: &str) -> Answer<()> {
        let core = self.core();
        core.is_open()?;
        let row = core.match_of(id)?;
        core.abort(&row.summary, why)
    }

    /// Matches, newest first.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn matches(&self, query: &MatchQuery) -> Answer<Page<MatchSummary>> {
        let core = self.core();
        Ok(core.store.matches(query)?.map(|summary| core.with_course(summary)))
    }

    /// A match without its course.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn match_detail(&self, id: &str) -> Answer<MatchDetail> {
        let core = self.core();
        Ok(core.detail(core.match_of(id)?))
    }

    /// The seats of people in a match, each with its key. The keys are for whoever made the match, and for who
    /// is to play: whoever has one sees what its seat sees, and moves for it.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn person_seats(&self, id: &str) -> Answer<Vec<PersonSeat>> {
        let core = self.core();
        let row = core.match_of(id)?;
        let people = core.people(&row);
        let MatchRow { summary, keys, .. } = row;
        let seats = (0..).map(SeatNumber).zip(summary.seats).zip(keys);
        let seats = seats.filter(|((seat, _), _)| people.contains(seat));
        Ok(seats
            .map(|((seat, at), key)| PersonSeat { seat, role: at.role, player: at.player, key })
            .collect())
    }

    /// Lets whoever shows its key onto the seat of a person, and notes that the seat is taken. Who has the key
    /// can come again.
    ///
    /// # Errors
    /// [`ManagerError::Key`] where it is not the key; [`ManagerError::NotFound`] for the match, or where no
    /// person has this seat; [`ManagerError::Store`].
    pub fn take_seat(&self, id: &str, seat: SeatNumber, key: &str) -> Answer<MatchDetail> {
        let core = self.core();
        let row = core.match_of(id)?;
        let own = row.keys.get(seat.0 as usize).filter(|_| core.people(&row).contains(&seat));
        let own =
            own.ok_or_else(|| ManagerError::NotFound { what: "seat of a person", name: seat.0.to_string() })?;
        if !own.fits(key) {
            return Err(ManagerError::Key);
        }
        if !own.is_taken() {
            core.store.take_seat(id, seat.0)?;
        }
        Ok(core.detail(row))
    }

    /// What somebody may see of a match now. A match that still waits shows its players and no state. Of a
    /// match that is over the record is read.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn match_view(&self, id: &str, viewer: Viewer) -> Answer<MatchView> {
        let core = self.core();
        if let Some(sight) = core.live(id).and_then(|live| live.sight(viewer)) {
            let (board_svg, board_text) = boards(sight.rules.as_ref(), &sight.snapshot.state);
            return Ok(MatchView {
                viewer,
                revision: sight.revision,
                stage: sight.stage,
                partial: sight.partial,
                snapshot: sight.snapshot,
                own_moves: sight.own_moves,
                awaited: sight.awaited,
                board_svg,
                board_text,
            });
        }
        let row = core.match_of(id)?;
        let (record, game) = core.past(&row)?;
        let view = View::of_record(&record, viewer);
        let snapshot: Snapshot = view.snapshot();
        let (board_svg, board_text) = boards(game.as_ref(), &snapshot.state);
        Ok(MatchView {
            viewer,
            revision: LAST_REVISION,
            stage: row.summary.stage,
            partial: view.is_partial(),
            snapshot,
            own_moves: Vec::new(),
            awaited: false,
            board_svg,
            board_text,
        })
    }

    /// What somebody may see of the state after so many steps, and of the step that follows.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn match_step(&self, id: &str, viewer: Viewer, step: usize) -> Answer<StepShown> {
        let core = self.core();
        let no_step = || ManagerError::NotFound { what: "step", name: step.to_string() };
        let sight = core.live(id).and_then(|live| Some((live.sight(viewer)?, live.state(viewer, step))));
        if let Some((sight, state)) = sight {
            let state = state.ok_or_else(no_step)?;
            let (board_svg, board_text) = boards(sight.rules.as_ref(), &state);
            let step = sight.snapshot.steps.get(step).cloned();
            return Ok(StepShown { state, step, board_svg, board_text });
        }
        let row = core.match_of(id)?;
        let (record, game) = core.past(&row)?;
        let view = View::of_record(&record, viewer);
        let state = view.state(step).filter(|_| !record.states.is_empty()).ok_or_else(no_step)?;
        let (board_svg, board_text) = boards(game.as_ref(), &state);
        Ok(StepShown { state, step: view.step(step), board_svg, board_text })
    }

    /// News of a match. Who is slow gets the latest news, and misses only what newer news replaces; of a match
    /// that is over there is one last piece of news, and then the channel is closed. A match that waits has a
    /// channel that is closed when it begins: ask again then.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn watch_match(&self, id: &str) -> Answer<watch::Receiver<MatchNews>> {
        let core = self.core();
        if let Some(live) = core.live(id) {
            return Ok(live.watch());
        }
        let summary = core.match_of(id)?.summary;
        let (stage, steps) = (summary.stage, summary.steps as usize);
        let revision = if stage.is_over() { LAST_REVISION } else { 0 };
        let (sender, receiver) = watch::channel(MatchNews { revision, stage, steps });
        if !stage.is_over() {
            core.tell_of_beginning(id, sender);
        }
        Ok(receiver)
    }

    /// Makes the move of a person: in the state after so many steps, as views write it or in infix.
    ///
    /// # Errors
    /// [`ManagerError::Move`] where it is not asked for, made already, too late or not legal;
    /// [`ManagerError::Over`], [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn submit_move(&self, id: &str, seat: SeatNumber, step: usize, action: &str) -> Answer<()> {
        let core = self.core();
        core.is_open()?;
        if let Some(live) = core.live(id) {
            return live.submit(seat, step, action).map_err(ManagerError::Move);
        }
        match core.match_of(id)?.summary.stage {
            MatchStage::Completed | MatchStage::Aborted => Err(ManagerError::Over { what: "match" }),
            _ => Err(ManagerError::Move("the match has not begun".to_owned())),
        }
    }

    /// The record of a match, as far as it was played.
    ///
    /// # Errors
    /// [`ManagerError::Hidden`] while a match runs in which players do not see everything;
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn record(&self, id: &str) -> Answer<MatchRecord> {
        let core = self.core();
        let row = core.match_of(id)?;
        if row.hidden && !row.summary.stage.is_over() {
            return Err(ManagerError::Hidden);
        }
        Ok(core.past(&row)?.0)
    }
}

impl Core {
    pub(in crate::manager) fn live(&self, id: &str) -> Option<Arc<Live>> {
        open(&self.live).get(id).cloned()
    }

    fn match_of(&self, id: &str) -> Answer<MatchRow> {
        self.store.find_match(id).map_err(ManagerError::found)
    }

    /// The seats that people have.
    fn people(&self, row: &MatchRow) -> Vec<SeatNumber> {
        let is_person = |seat: &SeatPlan| {
            self.store.player(&seat.player).is_ok_and(|player| player.kind == PlayerKind::Person)
        };
        let people = (0..).map(SeatNumber).zip(&row.plan.seats).filter(|(_, seat)| is_person(seat));
        people.map(|(number, _)| number).collect()
    }

    /// What anybody may know of a match beside its course.
    fn detail(&self, row: MatchRow) -> MatchDetail {
        let people = self.people(&row);
        let MatchRow { summary, mut plan, mut fixture, hidden, .. } = row;
        if hidden && !summary.stage.is_over() {
            plan.seed = None;
            fixture = None;
            plan.seats.iter_mut().for_each(|seat| seat.rulesheet = None);
        }
        MatchDetail { summary: self.with_course(summary), plan, fixture, hidden, people }
    }

    /// A match with what lists do not know yet.
    pub(in crate::manager) fn with_course(&self, mut summary: MatchSummary) -> MatchSummary {
        if let Some(live) = self.live(&summary.id) {
            let news = live.news();
            summary.steps = u32::try_from(news.steps).unwrap_or(u32::MAX);
            if news.stage == MatchStage::Running {
                summary.stage = news.stage;
            }
        }
        summary
    }

    /// Ends a match that is not over.
    pub(in crate::manager) fn abort(self: &Arc<Self>, summary: &MatchSummary, why: &str) -> Answer<()> {
        if summary.stage.is_over() {
            return Err(ManagerError::Over { what: "match" });
        }
        let why: String = why.chars().take(200).collect();
        let has_begun = summary.stage == MatchStage::Running;
        if self.want_abort(&summary.id, has_begun, &why) == WantedAbort::NeverBegun {
            let players = summary.seats.iter().map(|seat| seat.player.clone()).collect();
            let live = Arc::new(Live::new(&summary.id, players, summary.tournament.clone()));
            self.give_up(&live, &why, false);
        }
        Ok(())
    }

    /// Closes a channel when a match that waits has begun, or will not.
    fn tell_of_beginning(self: &Arc<Self>, id: &str, sender: watch::Sender<MatchNews>) {
        let (core, id, mut changes) = (Arc::clone(self), id.to_owned(), self.changes.subscribe());
        self.network().spawn(async move {
            while core.is_waiting(&id) && !sender.is_closed() {
                let _ = tokio::time::timeout(Duration::from_secs(1), changes.changed()).await;
            }
        });
    }

    /// The record of a match that does not run here, and its game if that can be prepared. Of a match that is
    /// not over it is made of its journal.
    fn past(&self, row: &MatchRow) -> Answer<(MatchRecord, Option<Game>)> {
        let game = self.prepared(&row.plan.game, row.plan.version.as_deref());
        if let Some(record) = self.store.record(&row.summary.id)? {
            return Ok((record, game.ok()));
        }
        let entries = self.store.entries(&row.summary.id)?;
        if let Ok(game) = &game
            && !entries.is_empty()
            && let Ok(referee) = Referee::resume(game.rules().clone(), &entries)
        {
            return Ok((referee.record(), Some(game.clone())));
        }
        // It has not begun, or never will: what is known of it.
        let summary = &row.summary;
        let record = MatchRecord {
            match_id: summary.id.clone(),
            game_name: Some(summary.game.clone()),
            seed: row.plan.seed,
            dialect: row.hidden.then(|| ludex::gdl::Dialect::GdlII.to_string()),
            roles: summary.seats.iter().map(|seat| seat.role.clone()).collect(),
            player_names_from_host: summary.seats.iter().map(|seat| seat.player.clone()).collect(),
            start_clock: Some(Duration::from_millis(row.plan.clocks.start)),
            play_clock: Some(Duration::from_millis(row.plan.clocks.play)),
            is_aborted: summary.stage == MatchStage::Aborted,
            abort_cause: summary.aborted.clone(),
            ..MatchRecord::default()
        };
        Ok((record, None))
    }

    pub(in crate::manager) fn check_clocks(&self, clocks: &ClockPlan) -> Answer<()> {
        let limit = u64::try_from(self.options.matches.clock.as_millis()).unwrap_or(u64::MAX);
        let (total, increment) = clocks.bank.unwrap_or_default();
        if [clocks.start, clocks.play, clocks.grace, total, increment].iter().any(|&clock| clock > limit) {
            return Err(ManagerError::Invalid(format!("no clock is longer than {} s", limit / 1000)));
        }
        if clocks.play == 0 {
            return Err(ManagerError::Invalid("players need some time for their moves".to_owned()));
        }
        Ok(())
    }
}

/// A state as pictures, as far as it may be seen.
fn boards(game: Option<&Game>, state: &StateView) -> (Option<String>, Option<String>) {
    let (Some(game), Some(facts)) = (game, &state.facts) else { return (None, None) };
    let terms: Option<Vec<TermId>> = facts.iter().map(|fact| game.find_term(fact).ok().flatten()).collect();
    let Some(terms) = terms.filter(|terms| !terms.is_empty()) else { return (None, None) };
    let structure = game.structure();
    (Some(structure.draw_svg(&terms)), Some(structure.draw_text(&terms, &TextStyle::default())))
}
