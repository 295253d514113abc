//! What may be seen of matches, running or over, and their records.

use std::sync::Arc;

use ludex::game::TimedRules;
use ludex::matches::view::{StateView, Viewer};
use ludex::{AnyRecord, Playable, TimedRecord};

use super::{Answer, Manager};
use crate::clock::ThreadClock;
use crate::manager::core::Core;
use crate::manager::excerpt::{SomeSteps, VIEW_BYTES, seen_step};
use crate::manager::timed_sight::TimedSight;
use crate::manager::{Excerpt, ManagerError, Room, WantedSteps};
use crate::model::{MatchRow, MatchView, StepShown};
use crate::preparation::ShowWish;
use crate::store::RecordPieces;

impl Manager {
    /// What somebody may see of a match now. A match that still waits shows its players and no state. Of a
    /// match that is over the record is read.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn match_view(&self, id: &str, viewer: Viewer) -> Answer<MatchView> {
        let (mut view, steps) = self.core().view(id, viewer, &WantedSteps::All(VIEW_BYTES))?;
        if steps.steps.len() < steps.total {
            return Err(ManagerError::Invalid(format!(
                "the steps of this match have more than {VIEW_BYTES} bytes: `/api/matches/{id}/steps/N` tells \
                 of one of its {}, and `/api/matches/{id}/record` has them all",
                steps.total
            )));
        }
        view.snapshot.steps = steps.steps;
        (view.board_svg, view.board_text) = self.core().boards(id, &view.snapshot.state)?;
        Ok(view)
    }

    /// What a page shows of a match: the state after so many steps, or after the last one, and the steps around it.
    /// Without boards.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`] where there is no such state, [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub(crate) fn excerpt(
        &self,
        id: &str,
        viewer: Viewer,
        step: Option<usize>,
        room: Room,
    ) -> Answer<Excerpt> {
        let (mut view, steps) = self.core().view(id, viewer, &WantedSteps::Around(step, room))?;
        if let Some(step) = step.filter(|&step| step != view.snapshot.state.step) {
            return Err(no_step(step));
        }
        let SomeSteps { first, steps, total } = steps;
        view.snapshot.steps = steps;
        Ok(Excerpt { view, first, total })
    }

    /// What somebody may see of the state after so many steps, and of the step that follows.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn match_step(&self, id: &str, viewer: Viewer, step: usize) -> Answer<StepShown> {
        let core = self.core();
        let mut shown = core.step(id, viewer, step)?;
        (shown.board_svg, shown.board_text) = core.boards(id, &shown.state)?;
        Ok(shown)
    }

    /// The record of a match, as far as it was played.
    ///
    /// # Errors
    /// [`ManagerError::Hidden`] while a match runs in which players do not see everything;
    /// [`ManagerError::NotFound`], [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn record(&self, id: &str) -> Answer<AnyRecord> {
        let core = self.core();
        let row = core.open_record(id)?;
        core.look(&row, AnyRecord::clone)
    }

    /// The bytes of the record of a match that is over, without its rules; 0 where none is kept, which is the case of
    /// matches that never began.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn record_bytes(&self, id: &str) -> Answer<u64> {
        // Nothing is read behind the end.
        let end = self.core().store.record_piece(id, u64::MAX)?;
        Ok(end.map_or(0, |end| end.length))
    }

    /// The record of a match as JSON, piece by piece: that of a match that is over is never in memory as a whole.
    ///
    /// # Errors
    /// As [`Manager::record`].
    pub fn record_text(&self, id: &str) -> Answer<RecordText> {
        let core = self.core();
        let row = core.open_record(id)?;
        let Some(pieces) = RecordPieces::open(&*core.store, id)? else {
            let whole = core.look(&row, AnyRecord::write)?;
            return Ok(RecordText { core, begin: whole.into_bytes(), pieces: None });
        };
        let begin = match core.store.rules_of_match(id)? {
            Some(rules) => format!("{{\"rulesheet\":{},", serde_json::Value::from(rules)),
            None => "{".to_owned(),
        };
        Ok(RecordText { core, begin: begin.into_bytes(), pieces: Some(pieces) })
    }
}

/// The record of a match as JSON, piece by piece. Nothing is held but the piece that comes next.
pub struct RecordText {
    core: Arc<Core>,
    /// What stands before the first piece, in place of its brace, until it was told.
    begin: Vec<u8>,
    pieces: Option<RecordPieces>,
}

impl RecordText {
    /// Whether it has several pieces.
    pub fn is_long(&self) -> bool {
        self.pieces.as_ref().is_some_and(RecordPieces::are_several)
    }

    /// The next piece; `None` where the record has ended.
    ///
    /// # Errors
    /// [`ManagerError::Store`].
    pub fn next_piece(&mut self) -> Answer<Option<Vec<u8>>> {
        let mut begin = std::mem::take(&mut self.begin);
        let piece = match &mut self.pieces {
            Some(pieces) => pieces.next(&*self.core.store)?,
            None => None,
        };
        Ok(match piece {
            Some(piece) if begin.is_empty() => Some(piece),
            Some(piece) => {
                // A record always has a name, so that something follows.
                begin.extend_from_slice(piece.strip_prefix(b"{").unwrap_or(&piece));
                Some(begin)
            }
            None => Some(begin).filter(|begin| !begin.is_empty()),
        })
    }
}

fn no_step(step: usize) -> ManagerError {
    ManagerError::NotFound { what: "step", name: step.to_string() }
}

impl Core {
    /// A match whose record may be shown.
    fn open_record(&self, id: &str) -> Answer<MatchRow> {
        let row = self.match_of(id)?;
        match row.hidden && !row.summary.stage.is_over() {
            true => Err(ManagerError::Hidden),
            false => Ok(row),
        }
    }

    /// What somebody may see of a match, without boards, with the state that is wanted, if there is such; and the
    /// steps that are wanted, which the view lacks.
    pub(super) fn view(
        &self,
        id: &str,
        viewer: Viewer,
        wanted: &WantedSteps,
    ) -> Answer<(MatchView, SomeSteps)> {
        if let Some(seen) =
            self.live(id).and_then(|live| live.view(viewer, wanted, |rules| self.limited(rules)))
        {
            return seen;
        }
        let row = self.match_of(id)?;
        let seen = self.look(&row, |record| match record {
            AnyRecord::InSteps(record) => Ok(wanted.seen_in(record, viewer, row.summary.stage)),
            AnyRecord::InTime(record) => {
                self.timed_sight(&row, record, |sight| sight.seen(wanted, viewer, row.summary.stage))
            }
        })?;
        let empty_seats = self.empty_seats(&row);
        seen.map(|(view, steps)| (MatchView { empty_seats, ..view }, steps))
    }

    /// What somebody may see of the state after so many steps, and of the step that follows, without boards.
    fn step(&self, id: &str, viewer: Viewer, step: usize) -> Answer<StepShown> {
        let found = match self.live(id).and_then(|live| live.step(viewer, step, |rules| self.limited(rules)))
        {
            Some(found) => found?,
            None => {
                let row = self.match_of(id)?;
                self.look(&row, |record| match record {
                    AnyRecord::InSteps(record) => Ok(seen_step(record, viewer, step)),
                    AnyRecord::InTime(record) => {
                        self.timed_sight(&row, record, |sight| sight.step(viewer, step))
                    }
                })??
            }
        };
        let (state, made) = found.ok_or_else(|| no_step(step))?;
        Ok(StepShown { state, step: made, board_svg: None, board_text: None })
    }

    /// The rules with no more time in all than for a single step: anybody may look.
    fn limited(&self, rules: &TimedRules) -> TimedRules {
        let limits = &self.options.games;
        let budget = rules.question_budget().clone().with_total_work(limits.work);
        rules.within(budget.with_time(Arc::new(ThreadClock::start()), limits.step))
    }

    /// Looks at a match in real time that does not run.
    fn timed_sight<T>(
        &self,
        row: &MatchRow,
        record: &TimedRecord,
        look: impl FnOnce(&TimedSight<'_>) -> Answer<T>,
    ) -> Answer<T> {
        let Playable::InTime(rules) = self.prepared(&row.plan.game, row.plan.version.as_deref())? else {
            return Err(ManagerError::Heavy("its rules are those of a game in steps".to_owned()));
        };
        look(&TimedSight { rules: &self.limited(&rules), record, present: None })
    }

    /// A state as pictures, as far as it may be seen; none of a game that cannot be worked on.
    fn boards(&self, id: &str, state: &StateView) -> Answer<(Option<String>, Option<String>)> {
        let Some(facts) = state.facts.clone().filter(|facts| !facts.is_empty()) else {
            return Ok((None, None));
        };
        let summary = self.match_of(id)?.summary;
        let game = self.game(&summary.game, Some(&summary.version))?;
        let wish = ShowWish { facts: Some(facts), plain: true, ..ShowWish::default() };
        let plain = self.show(&game, wish).ok().and_then(|shown| shown.plain.clone());
        Ok(plain.unzip())
    }
}
