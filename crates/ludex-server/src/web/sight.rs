//! A match as a page is to show it: what may be seen of it, which part of that has room on a page, and how a
//! preparation shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::manager::{Excerpt, Manager, ManagerError, Room};
use crate::model::{MatchStage, MatchSummary};
use crate::preparation::{ShowWish, Shown};

/// So many seats of a match have room on a page, and as many roles in its list of moves.
pub(super) const SEATS: usize = 32;
/// What has room in the list of moves.
pub(super) const ROOM: Room = Room { moves: 4000, roles: SEATS };

/// A match as a page is to show it.
pub(super) struct Sight<'a> {
    pub(super) part: &'a Excerpt,
    pub(super) shown: Arc<Shown>,
    /// The terms of its steps as the rulesheet would write them.
    pub(super) terms: BTreeMap<String, String>,
    /// The same as moves in short.
    short_terms: BTreeMap<String, String>,
}

/// What is asked for beside the steps.
pub(super) struct SightWish<'a> {
    /// Whether places can be chosen.
    pub(super) spots: bool,
    /// The moves that are offered.
    pub(super) moves: &'a [String],
    /// The number of the seat that they are offered to.
    pub(super) seat: Option<usize>,
}

impl<'a> Sight<'a> {
    /// Asks how a match is to be shown. Of rules that are too much to be drawn the page says what there is to be
    /// said without.
    pub(super) fn of(
        manager: &Manager,
        summary: &MatchSummary,
        part: &'a Excerpt,
        wish: &SightWish<'_>,
    ) -> Result<Self, ManagerError> {
        let snapshot = &part.view.snapshot;
        let texts = snapshot.steps.iter().flat_map(|step| {
            let moves = step.moves.iter().take(SEATS).flatten();
            let expired = step.expired.iter().take(SEATS);
            moves.chain(step.percepts.iter().take(SEATS).flatten().flatten()).chain(expired)
        });
        let lifetimes = part.view.real_time.iter().flat_map(|time| time.lifetimes.iter().flatten());
        let texts = texts.chain(lifetimes.filter(|(_, left)| left != "infinity").map(|(fact, _)| fact));
        let terms: Vec<String> = texts.collect::<BTreeSet<_>>().into_iter().cloned().collect();
        // What led to the state that is shown.
        let last = snapshot.state.step.checked_sub(1).and_then(|step| part.step(step));
        let moves = last.map_or(&[][..], |step| &step.moves);
        let asked = ShowWish {
            facts: match part.view.stage {
                MatchStage::Planned => None,
                _ => Some(snapshot.state.facts.clone().unwrap_or_default()),
            },
            marked: moves.iter().take(SEATS).flatten().cloned().collect(),
            spots: wish.spots,
            moves: wish.moves.to_vec(),
            seat: wish.seat,
            terms: terms.clone(),
            plain: false,
        };
        let shown = match manager.shown(&summary.game, &summary.version, asked) {
            Err(ManagerError::Heavy(_)) => Arc::default(),
            shown => shown?,
        };
        let short_terms = terms.iter().cloned().zip(shown.short_terms.iter().cloned()).collect();
        let terms = terms.into_iter().zip(shown.terms.iter().cloned()).collect();
        Ok(Self { part, shown, terms, short_terms })
    }

    /// A term as the rulesheet would write it.
    pub(super) fn term(&self, text: &str) -> String {
        self.terms.get(text).cloned().unwrap_or_else(|| text.to_owned())
    }

    /// A move in short.
    pub(super) fn short(&self, text: &str) -> String {
        self.short_terms.get(text).cloned().unwrap_or_else(|| self.term(text))
    }

    /// The roles that somebody plays: which one, and its name.
    pub(super) fn seats(&self) -> Vec<(usize, String)> {
        if self.shown.seats.is_empty() {
            return self.part.view.snapshot.roles.iter().cloned().enumerate().collect();
        }
        self.shown.seats.clone()
    }
}
