//! Matches in real time as they are seen: in the same form as those in steps, where each event is a step, with what
//! belongs to time beside it.

use ludex::TimedRecord;
use ludex::game::TimedRules;
use ludex::matches::TimedReplay;
use ludex::matches::referee::SeatNumber;
use ludex::matches::referee::real_time::{GameClock, TimedReferee};
use ludex::matches::view::{TimedStateView, TimedView, Viewer};

use super::error::ManagerError;
use super::excerpt::{SomeSteps, WantedSteps};
use super::live::SeenStep;
use crate::driver::DriverClock;
use crate::model::{LAST_REVISION, MatchStage, MatchView, RealTimeView};

/// The present of a match that runs.
#[derive(Debug)]
pub(super) struct Present {
    /// The state as it is.
    state: TimedStateView,
    /// The clock of the game, where it runs.
    clock: Option<GameClock>,
    /// The clock that the game's goes by.
    driver: DriverClock,
    delays: Vec<Option<u64>>,
}

/// A match in real time, and by which rules.
pub(super) struct TimedSight<'a> {
    pub(super) rules: &'a TimedRules,
    pub(super) record: &'a TimedRecord,
    /// `None` where it does not run.
    pub(super) present: Option<&'a Present>,
}

impl Present {
    pub(super) fn of(referee: &TimedReferee, driver: DriverClock) -> Self {
        Self { state: referee.open_state(), clock: referee.clock(), driver, delays: referee.delays() }
    }
}

impl TimedSight<'_> {
    /// What somebody may see of the match, with the state that is wanted; and the steps that are wanted, which the view
    /// lacks.
    ///
    /// # Errors
    /// [`ManagerError::Heavy`] where the match cannot be played again.
    pub(super) fn seen(
        &self,
        wanted: &WantedSteps,
        viewer: Viewer,
        stage: MatchStage,
    ) -> Result<(MatchView, SomeSteps), ManagerError> {
        let view = TimedView::of_record(self.record, viewer);
        let total = view.steps();
        let step = wanted.state().unwrap_or(total).min(total);
        let state = self.state(&view, step)?;
        let own = view.own_role().filter(|_| step == total && !view.is_over());
        let own_moves = own.and_then(|role| state.legal.get(role.index()).cloned().flatten());
        let own_moves = own_moves.unwrap_or_default();
        let seen = MatchView {
            viewer,
            revision: LAST_REVISION,
            stage,
            partial: view.is_partial(),
            awaited: !own_moves.is_empty(),
            own_moves,
            empty_seats: Vec::new(),
            offer: None,
            may_say: Vec::new(),
            snapshot: view.outline(state.in_steps(step)),
            board_svg: None,
            board_text: None,
            real_time: Some(self.time(&state, step == total)),
        };
        Ok((seen, wanted.of(total, self.record.roles.len(), |step| view.step(step))))
    }

    /// What somebody may see of the state after so many steps, and of the step that follows; `None` where there is no
    /// such state.
    ///
    /// # Errors
    /// [`ManagerError::Heavy`] where the match cannot be played again.
    pub(super) fn step(&self, viewer: Viewer, step: usize) -> Result<SeenStep, ManagerError> {
        let view = TimedView::of_record(self.record, viewer);
        if step > view.steps() {
            return Ok(None);
        }
        Ok(Some((self.state(&view, step)?.in_steps(step), view.step(step))))
    }

    /// The legal moves of a seat now.
    pub(super) fn own_moves(&self, seat: SeatNumber) -> Vec<String> {
        let view = TimedView::of_record(self.record, Viewer::Seat(seat));
        let state = self.present.filter(|_| !view.is_over()).map(|present| &present.state);
        let own = state.and_then(|state| state.legal.get(view.own_role()?.index())?.clone());
        own.unwrap_or_default()
    }

    /// A state as far as somebody may see it.
    fn state(&self, view: &TimedView<'_>, step: usize) -> Result<TimedStateView, ManagerError> {
        let all = self.record.events.len();
        let events = if step == view.steps() { all } else { view.events_before(step) };
        if let Some(present) = self.present.filter(|present| present.state.events == events) {
            return Ok(view.seen(&present.state));
        }
        let mut replay = TimedReplay::new(self.rules, self.record).map_err(heavy)?;
        while replay.events() < events && replay.advance().map_err(heavy)? {}
        view.replayed(self.rules, &mut replay).map_err(heavy)
    }

    /// What belongs to time beside a state. What is hidden of the state is hidden here.
    fn time(&self, state: &TimedStateView, is_last: bool) -> RealTimeView {
        let present = self.present.filter(|_| is_last);
        let clock = present.and_then(|present| Some((present.clock?, present.driver.now())));
        let then = if is_last { Some(self.record.time.to_string()) } else { state.updated.clone() };
        let now = clock.map(|(clock, now)| clock.time(now).max(self.record.time).to_string());
        RealTimeView {
            play_clock: self.record.play_clock.to_string(),
            time: now.or(then).unwrap_or_else(|| "0".to_owned()),
            is_running: clock.is_some(),
            updated: state.updated.clone(),
            lifetimes: state.facts.clone(),
            delays: present.map(|present| present.delays.clone()).unwrap_or_default(),
        }
    }
}

fn heavy(error: impl std::fmt::Display) -> ManagerError {
    ManagerError::Heavy(error.to_string())
}
