//! What the removal of dead states saves (book 12.4), by counting.

use ludex_game::{Goal, RoleId};
use ludex_logic::{Budget, Meter};

use super::Latches;
use super::states::AllStates;
use crate::finding::Reason;

/// How many states are dead for a role, and how many of them latches show to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Different states that can be reached.
    pub states: u64,
    /// Those from which some course leads to an end that is worth the value or more to the role. All
    /// others are dead.
    pub live: u64,
    /// Those that are left if no state is entered that [`Latches::forecast`] tells to be dead, without
    /// any search: the live ones, and dead ones that latches do not show to be.
    pub left: u64,
}

impl Removal {
    /// The states that are dead.
    pub fn dead(&self) -> u64 {
        self.states - self.live
    }

    /// The dead states that latches keep out.
    pub fn removed(&self) -> u64 {
        self.states - self.left
    }
}

impl Latches {
    /// Counts, for each role and value that is asked for, the states in which the role cannot reach the value
    /// or more any more, and those of them that latches show.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn removals(
        &self,
        all: &AllStates,
        asked: &[(RoleId, Goal)],
        budget: &Budget,
    ) -> Result<Vec<Removal>, Reason> {
        let mut meter = budget.meter();
        let count = |&(role, value): &(RoleId, Goal)| {
            Ok(Removal {
                states: all.len() as u64,
                live: all.live(role, value, &mut meter)?,
                left: self.left(all, role, value, &mut meter)?,
            })
        };
        asked.iter().map(count).collect()
    }

    /// The states that are left without those that are told to be dead, and what only they lead to.
    fn left(&self, all: &AllStates, role: RoleId, value: Goal, meter: &mut Meter) -> Result<u64, Reason> {
        let mut seen = vec![false; all.len()];
        let mut open = vec![0u32];
        seen[0] = true;
        let mut left = 0;
        while let Some(number) = open.pop() {
            let bits = self.bits(&self.rules.facts(&all.state(number)));
            if self.forecast(&bits, meter)?.is_dead(role, value) {
                continue;
            }
            left += 1;
            for &next in all.next(number) {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    open.push(next);
                }
            }
        }
        Ok(left)
    }
}

impl AllStates {
    /// The states from which an end can be reached that is worth so much to the role: backwards from
    /// these ends.
    fn live(&self, role: RoleId, value: Goal, meter: &mut Meter) -> Result<u64, Reason> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.len()];
        for (number, next) in (0u32..).zip(self.all_next()) {
            meter.spend(1 + next.len() as u64)?;
            next.iter().for_each(|&to| before[to as usize].push(number));
        }
        let satisfies = |end: &Option<Goal>| end.is_some_and(|goal| goal >= value);
        let mut live: Vec<bool> = self.goals[role.index()].iter().map(satisfies).collect();
        let mut open: Vec<u32> = (0u32..).zip(&live).filter(|(_, live)| **live).map(|(at, _)| at).collect();
        let mut count = open.len() as u64;
        while let Some(number) = open.pop() {
            for &from in &before[number as usize] {
                if !std::mem::replace(&mut live[from as usize], true) {
                    open.push(from);
                    count += 1;
                }
            }
        }
        Ok(count)
    }
}
