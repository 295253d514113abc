//! Propositions that can never hold again.

use ludex_logic::{Budget, LimitError, TermId};
use rustc_hash::FxHashMap;

use super::{FuzzyGoals, Prospect};
use crate::Faithful;
use crate::latches::Latches;

/// That a proposition, where it does not hold, never will as soon as another one has a certain value: the
/// other one is an active latch that inhibits it (book 12.3 and 16.5). A proposition that never comes back
/// once it is false inhibits itself by being false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inhibition {
    /// The latch.
    pub by: TermId,
    /// The value at which the latch stays.
    pub value: bool,
    /// What it keeps from becoming true.
    pub inhibited: TermId,
}

/// An inhibition in places of what is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inhibited {
    by: u32,
    value: bool,
    inhibited: u32,
}

impl Inhibited {
    pub(super) fn apply(self, prospects: &mut [Prospect]) {
        let active = (prospects[self.by as usize] == Prospect::Holds) == self.value;
        let inhibited = &mut prospects[self.inhibited as usize];
        if active && *inhibited == Prospect::Fails {
            *inhibited = Prospect::Lost;
        }
    }
}

impl FuzzyGoals {
    /// The same formulas, where what active latches inhibit has the truth value 0: what they were proved
    /// to keep false, and propositions that never come back.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn with_latches(self, latches: &Latches, budget: &Budget) -> Result<Self, LimitError> {
        let gone = latches.negative().into_iter();
        let mut inhibitions: Vec<Inhibition> =
            gone.map(|term| Inhibition { by: term, value: false, inhibited: term }).collect();
        for found in latches.inhibitors().into_iter().filter(|found| found.latched) {
            let by = |&inhibited| Inhibition { by: found.by.proposition, value: found.by.value, inhibited };
            inhibitions.extend(found.excludes.iter().chain(&found.blocks).map(by));
        }
        inhibitions.sort_unstable();
        inhibitions.dedup();
        self.with_inhibitions(latches.faithful(), inhibitions, budget)
    }

    /// The same formulas, where inhibited propositions have the truth value 0 (book 16.5). The
    /// inhibitions have to be proved, or values are wrong. Those of propositions that no formula has are
    /// passed over.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn with_inhibitions(
        mut self,
        faithful: &Faithful,
        inhibitions: impl IntoIterator<Item = Inhibition>,
        budget: &Budget,
    ) -> Result<Self, LimitError> {
        let mut meter = budget.meter();
        let bases: FxHashMap<TermId, u32> =
            (0..faithful.circuit.bases.len() as u32).map(|base| (faithful.base_term(base), base)).collect();
        meter.spend(bases.len() as u64)?;
        for Inhibition { by, value, inhibited } in inhibitions {
            meter.spend(1)?;
            let leaf = self.places.get(&inhibited).copied();
            let Some(inhibited) = leaf.filter(|&place| (place as usize) < self.formulas.leaves.len()) else {
                continue;
            };
            let by = match (self.places.get(&by), bases.get(&by)) {
                (Some(&place), _) => place,
                (None, Some(&base)) => {
                    let place = self.watched.len() as u32;
                    self.watched.push(base);
                    self.places.insert(by, place);
                    place
                }
                // It never holds.
                (None, None) => continue,
            };
            self.inhibited.push(Inhibited { by, value, inhibited });
        }
        Ok(self)
    }
}
