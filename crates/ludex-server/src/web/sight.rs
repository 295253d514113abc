//! A match as a page is to show it: what may be seen of it, which part of that has room on a page, and how a
//! workshop shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use ludex::matches::view::{StateView, StepView};

use crate::manager::{Manager, ManagerError, MatchStage, MatchSummary, MatchView};
use crate::workshop::{ShowWish, Shown};

/// So many seats of a match have room on a page, and as many roles in its list of moves.
pub(super) const SEATS: usize = 32;
/// So many moves have room in the list of moves.
const MOVES: usize = 4000;

/// A match as a page is to show it.
pub(super) struct Sight<'a> {
    pub(super) view: &'a MatchView,
    pub(super) shown: Arc<Shown>,
    /// The steps that have room on the page.
    pub(super) steps: Range<usize>,
    /// The terms of these steps as the rulesheet would write them.
    terms: BTreeMap<String, String>,
}

/// What is asked for beside the steps.
pub(super) struct SightWish<'a> {
    /// The state to be drawn, and what led to it.
    pub(super) state: &'a StateView,
    pub(super) last: Option<&'a StepView>,
    /// Whether places can be chosen.
    pub(super) spots: bool,
    /// The moves that are offered.
    pub(super) moves: &'a [String],
    /// The step that has to have room on the page.
    pub(super) step: usize,
}

impl<'a> Sight<'a> {
    /// Asks how a match is to be shown. Of rules that are too much to be drawn the page says what there is to be
    /// said without.
    pub(super) fn of(
        manager: &Manager,
        summary: &MatchSummary,
        view: &'a MatchView,
        wish: &SightWish<'_>,
    ) -> Result<Self, ManagerError> {
        let all = &view.snapshot.steps;
        let steps = window(all.len(), view.snapshot.roles.len(), wish.step);
        let written = all.get(steps.clone()).unwrap_or_default().iter();
        let texts = written.flat_map(|step| {
            let moves = step.moves.iter().take(SEATS).flatten();
            moves.chain(step.percepts.iter().take(SEATS).flatten().flatten())
        });
        let terms: Vec<String> = texts.collect::<BTreeSet<_>>().into_iter().cloned().collect();
        let moves = wish.last.map_or(&[][..], |step| &step.moves);
        let asked = ShowWish {
            facts: match view.stage {
                MatchStage::Planned => None,
                _ => Some(wish.state.facts.clone().unwrap_or_default()),
            },
            marked: moves.iter().take(SEATS).flatten().cloned().collect(),
            spots: wish.spots,
            moves: wish.moves.to_vec(),
            terms: terms.clone(),
            plain: false,
        };
        let shown = match manager.shown(&summary.game, &summary.version, asked) {
            Err(ManagerError::Heavy(_)) => Arc::default(),
            shown => shown?,
        };
        let terms = terms.into_iter().zip(shown.terms.iter().cloned()).collect();
        Ok(Self { view, shown, steps, terms })
    }

    /// A term as the rulesheet would write it.
    pub(super) fn term(&self, text: &str) -> String {
        self.terms.get(text).cloned().unwrap_or_else(|| text.to_owned())
    }

    /// The roles that somebody plays: which one, and its name.
    pub(super) fn seats(&self) -> Vec<(usize, String)> {
        if self.shown.seats.is_empty() {
            return self.view.snapshot.roles.iter().cloned().enumerate().collect();
        }
        self.shown.seats.clone()
    }
}

/// Which of so many steps have room: those around this one.
fn window(steps: usize, roles: usize, step: usize) -> Range<usize> {
    let room = MOVES / roles.clamp(1, SEATS);
    let end = step.saturating_add(room / 2).min(steps).max(room.min(steps));
    end.saturating_sub(room)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_room_for_some_steps_around_the_one_that_is_shown() {
        assert_eq!(window(9, 2, 9), 0..9);
        assert_eq!(window(10_000, 2, 10_000), 8_000..10_000);
        assert_eq!(window(10_000, 2, 0), 0..2_000);
        assert_eq!(window(10_000, 2, 5_000), 4_000..6_000);
        assert_eq!(window(10_000, 5_000, 10_000), 9_875..10_000);
        assert_eq!(window(0, 0, 0), 0..0);
    }
}
