//! Which steps of a match are told: matches may be long, and whoever looks at one mostly wants a part of it.

use std::ops::Range;

use ludex::MatchRecord;
use ludex::matches::view::{StateView, StepView, View, Viewer};

use super::live::SeenStep;
use crate::model::{LAST_REVISION, MatchStage, MatchView};

/// The steps of a view that is told as a whole have no more bytes of moves, percepts and errors.
pub(super) const VIEW_BYTES: usize = 16 << 20;

/// How much of a match there is room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// So many moves.
    pub(crate) moves: usize,
    /// So many roles in each step.
    pub(crate) roles: usize,
}

impl Room {
    /// Which of so many steps have room: those around this one.
    fn window(&self, steps: usize, roles: usize, step: usize) -> Range<usize> {
        let room = self.moves / roles.clamp(1, self.roles);
        let end = step.saturating_add(room / 2).min(steps).max(room.min(steps));
        end.saturating_sub(room)..end
    }
}

/// Which steps are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WantedSteps {
    /// All of them, as long as they have no more than so many bytes of text.
    All(usize),
    /// Those around a step, or the last ones.
    Around(Option<usize>, Room),
}

/// Steps that follow each other.
#[derive(Clone, Debug, Default)]
pub(super) struct SomeSteps {
    pub(super) first: usize,
    pub(super) steps: Vec<StepView>,
    /// How many the match has.
    pub(super) total: usize,
}

impl WantedSteps {
    /// Which state is wanted with them, if it is not the present one.
    pub(super) fn state(&self) -> Option<usize> {
        match self {
            Self::All(_) => None,
            Self::Around(step, _) => *step,
        }
    }

    /// What somebody may see of a match that is recorded, with the state that is wanted, if there is such; and the
    /// steps that are wanted, which the view lacks.
    pub(super) fn seen_in(
        &self,
        record: &MatchRecord,
        viewer: Viewer,
        stage: MatchStage,
    ) -> (MatchView, SomeSteps) {
        let seen = View::of_record(record, viewer);
        let mut snapshot = seen.outline();
        if let Some(state) = self.state().and_then(|step| state_of(record, &seen, step)) {
            snapshot.state = state;
        }
        let view = MatchView {
            viewer,
            revision: LAST_REVISION,
            stage,
            partial: seen.is_partial(),
            snapshot,
            own_moves: Vec::new(),
            awaited: false,
            empty_seats: Vec::new(),
            offer: None,
            may_say: Vec::new(),
            board_svg: None,
            board_text: None,
            real_time: None,
        };
        (view, self.of(seen.steps(), record.roles.len(), |step| seen.step(step)))
    }

    /// The steps that are wanted, of so many of so many roles. Only those are asked for.
    pub(super) fn of(
        &self,
        total: usize,
        roles: usize,
        step: impl Fn(usize) -> Option<StepView>,
    ) -> SomeSteps {
        let (range, mut room) = match self {
            Self::All(bytes) => (0..total, *bytes),
            Self::Around(around, room) => (room.window(total, roles, around.unwrap_or(total)), usize::MAX),
        };
        let first = range.start;
        let fitting = |number| {
            let step = step(number)?;
            room = room.checked_sub(text_bytes(&step))?;
            Some(step)
        };
        let steps = range.map_while(fitting).collect();
        SomeSteps { first, steps, total }
    }
}

/// A state of a match that is recorded; none where no state is.
fn state_of(record: &MatchRecord, view: &View<'_>, step: usize) -> Option<StateView> {
    view.state(step).filter(|_| !record.states.is_empty())
}

/// What somebody may see of a state of a match that is recorded, if there is such, and of the step that follows.
pub(super) fn seen_step(record: &MatchRecord, viewer: Viewer, step: usize) -> SeenStep {
    let view = View::of_record(record, viewer);
    Some((state_of(record, &view, step)?, view.step(step)))
}

/// The bytes of text of a step.
fn text_bytes(step: &StepView) -> usize {
    let texts = step.moves.iter().chain(&step.errors).flatten();
    texts.chain(step.percepts.iter().flatten().flatten()).map(String::len).sum()
}

/// A match as far as a page shows it.
#[derive(Clone, Debug)]
pub(crate) struct Excerpt {
    /// What may be seen. Its state is the one that is shown, and it has only the steps for which there is room.
    pub(crate) view: MatchView,
    /// The number of the first of these steps.
    pub(crate) first: usize,
    /// How many steps the match has.
    pub(crate) total: usize,
}

impl Excerpt {
    /// A step, if it is one of those that have room.
    pub(crate) fn step(&self, number: usize) -> Option<&StepView> {
        self.view.snapshot.steps.get(number.checked_sub(self.first)?)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn there_is_room_for_some_steps_around_the_one_that_is_shown() {
        let window = |steps, roles, step| Room { moves: 4_000, roles: 32 }.window(steps, roles, step);
        assert_eq!(window(9, 2, 9), 0..9);
        assert_eq!(window(10_000, 2, 10_000), 8_000..10_000);
        assert_eq!(window(10_000, 2, 0), 0..2_000);
        assert_eq!(window(10_000, 2, 5_000), 4_000..6_000);
        assert_eq!(window(10_000, 5_000, 10_000), 9_875..10_000);
        assert_eq!(window(0, 0, 0), 0..0);
    }

    /// Of a match as long as it likes no more is taken than there is room for.
    #[test]
    fn only_the_steps_that_are_wanted_are_made() {
        let step = || vec!["(mark 1 1)".to_owned(), "noop".to_owned()];
        let moves: Vec<Vec<String>> = (0..100).map(|_| step()).collect();
        let record = MatchRecord { roles: step(), moves, ..MatchRecord::default() };
        let view = View::of_record(&record, Viewer::Spectator);
        let taken = |wanted: WantedSteps| {
            let made = Cell::new(0);
            let some = wanted.of(view.steps(), 2, |step| {
                made.set(made.get() + 1);
                view.step(step)
            });
            assert!(
                some.total == 100 && some.steps.iter().zip(some.first..).all(|(step, at)| step.step == at)
            );
            (some.first, some.steps.len(), made.get())
        };
        assert_eq!(taken(WantedSteps::All(usize::MAX)), (0, 100, 100));
        assert_eq!(taken(WantedSteps::All(3 * 14)), (0, 3, 4));
        let room = Room { moves: 20, roles: 32 };
        assert_eq!(taken(WantedSteps::Around(None, room)), (90, 10, 10));
        assert_eq!(taken(WantedSteps::Around(Some(0), room)), (0, 10, 10));
    }
}
