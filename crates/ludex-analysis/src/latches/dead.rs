//! How many states are left without the dead ones (book 12.4).

use std::collections::VecDeque;

use ludex_game::{Goal, RoleId, Runner, State};
use ludex_logic::{Budget, Meter};
use rustc_hash::FxHashSet;

use super::Latches;
use crate::finding::Reason;

/// What the removal of dead states saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Different states that can be reached.
    pub states: u64,
    /// Those that can be reached through states that are not dead, and are not dead themselves.
    pub live: u64,
}

impl Latches {
    /// Visits all states of the game, once with the dead ones and once without: those in which a role
    /// cannot reach `value` or more any more, as far as [`Latches::forecast`] tells.
    ///
    /// # Errors
    /// [`Reason::States`] where there are more than `limit` states; when the budget is spent, or the
    /// game cannot be run.
    pub fn removal(&self, role: RoleId, value: Goal, limit: u64, budget: &Budget) -> Result<Removal, Reason> {
        let mut meter = budget.meter();
        let live = self.count_states(Some((role, value)), limit, &mut meter)?;
        let states = self.count_states(None, limit, &mut meter)?;
        Ok(Removal { states, live })
    }

    fn count_states(
        &self,
        without: Option<(RoleId, Goal)>,
        limit: u64,
        meter: &mut Meter,
    ) -> Result<u64, Reason> {
        let mut runner = self.rules.runner();
        let mut seen = FxHashSet::default();
        let mut queue = VecDeque::new();
        let mut count = 0;
        seen.insert(self.rules.initial().clone());
        queue.push_back(self.rules.initial().clone());
        while let Some(state) = queue.pop_front() {
            if let Some((role, value)) = without {
                let bits = self.bits(&self.rules.facts(&state));
                if self.forecast(&bits, meter)?.is_dead(role, value) {
                    continue;
                }
            }
            count += 1;
            for next in successors(&mut *runner, &state, self.rules.roles().len(), meter)? {
                if !seen.contains(&next) {
                    seen.insert(next.clone());
                    queue.push_back(next);
                }
            }
            if seen.len() as u64 > limit {
                return Err(Reason::States { states: limit });
            }
            meter.check_memory(seen.len() * size_of::<State>(), || "states".to_owned())?;
        }
        Ok(count)
    }
}

/// The states that follow; none after a terminal state, or where a role has no legal move.
fn successors(
    runner: &mut dyn Runner,
    state: &State,
    roles: usize,
    meter: &mut Meter,
) -> Result<Vec<State>, Reason> {
    let wrong = |error: ludex_game::GameError| match error {
        ludex_game::GameError::Limit(limit) => Reason::Limit(limit),
        other => Reason::Method(other.to_string()),
    };
    runner.set(state).map_err(wrong)?;
    if runner.terminal().map_err(wrong)? {
        return Ok(Vec::new());
    }
    let mut legal = Vec::with_capacity(roles);
    for role in (0..roles as u32).map(RoleId) {
        legal.push(runner.legal(role).map_err(wrong)?.to_vec());
    }
    let mut found = Vec::new();
    if legal.iter().any(Vec::is_empty) {
        return Ok(found);
    }
    let mut place = vec![0; roles];
    loop {
        meter.spend(1)?;
        let joint: Vec<_> = place.iter().zip(&legal).map(|(&at, list)| list[at]).collect();
        runner.set(state).map_err(wrong)?;
        runner.step(&joint).map_err(wrong)?;
        let mut next = State::default();
        runner.save(&mut next);
        found.push(next);
        // The next combination, counted like a number with one digit for each role.
        let Some(digit) = (0..roles).rev().find(|&role| place[role] + 1 < legal[role].len()) else { break };
        place[digit] += 1;
        place[digit + 1..].iter_mut().for_each(|at| *at = 0);
    }
    Ok(found)
}
