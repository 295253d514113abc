//! States that need not be opened: dead ones, and those that are symmetric to others.

use std::sync::Arc;

use ludex_game::{RoleId, State};
use rustc_hash::FxHashSet;

use super::method::Incumbent;
use crate::gauge::Gauge;
use crate::insight::{Insight, Looker};

/// Asking for dead states pays if one in so many is: a state that is not opened saves all that follow.
const DEAD_WORTH: u32 = 32;
/// Asking for symmetric states pays if one in so many is.
const SYMMETRIC_WORTH: u32 = 8;

/// What one search passes over by what is known of the game. What is known may come while the search goes
/// on; that only means that less was passed over before.
#[derive(Debug)]
pub(super) struct Sieve {
    looker: Option<Looker>,
    state: State,
    /// Fingerprints of what symmetric states have in common.
    seen: FxHashSet<[u64; 2]>,
    dead: Gauge,
    symmetric: Gauge,
    /// Once it stopped remembering states it would miss most of what is symmetric.
    merges: bool,
}

impl Default for Sieve {
    fn default() -> Self {
        Self {
            looker: None,
            state: State::default(),
            seen: FxHashSet::default(),
            dead: Gauge::new(DEAD_WORTH),
            symmetric: Gauge::new(SYMMETRIC_WORTH),
            merges: true,
        }
    }
}

impl Sieve {
    /// Uses the newest of what is known.
    pub(super) fn inform(&mut self, insight: Option<&Arc<Insight>>) {
        let Some(insight) = insight else { return };
        if self.looker.as_ref().is_none_or(|looker| !Arc::ptr_eq(looker.insight(), insight)) {
            self.looker = Some(insight.looker());
        }
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        24 * self.seen.capacity()
    }

    /// Whether a state that was not met before is worth opening: not if no end that is better than the best
    /// plan can be reached from it, nor if a symmetric one was let through before, from which the same can
    /// be reached.
    pub(super) fn lets_through(&mut self, words: &[u64], role: RoleId, found: &Incumbent) -> bool {
        let Some(looker) = &mut self.looker else { return true };
        let (latches, symmetries) = (looker.insight().knows_latches(), looker.insight().knows_symmetries());
        if !latches && !symmetries {
            return true;
        }
        let scratch = self.state.words_mut();
        scratch.clear();
        scratch.extend_from_slice(words);
        if let (true, Some(goal)) = (latches, found.goal)
            && self.dead.asks()
        {
            let most =
                looker.possible(&self.state, true).and_then(|ranges| ranges.get(role.index()).copied());
            let is_dead = most.is_some_and(|range| range.most <= goal);
            self.dead.note(is_dead);
            if is_dead {
                return false;
            }
        }
        if self.merges && symmetries {
            if !self.symmetric.asks() {
                self.merges = false;
                self.seen = FxHashSet::default();
                return true;
            }
            let Some(key) = looker.symmetric_key(&self.state) else { return true };
            let is_new = self.seen.insert(key);
            self.symmetric.note(!is_new);
            return is_new;
        }
        true
    }
}
