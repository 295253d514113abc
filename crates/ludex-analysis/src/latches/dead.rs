//! What the removal of dead states saves (book 12.4), by counting.

use ludex_game::{GameError, Goal, JointMoves, RoleId, Runner, State};
use ludex_logic::{Budget, Meter};
use rustc_hash::FxHashMap;

use super::Latches;
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

/// What a terminal state is worth to each role.
type Ending = Vec<Option<Goal>>;

/// All states of a game that can be reached, numbered as they were found.
#[derive(Debug, Default)]
struct Reached {
    states: Vec<State>,
    /// Per state those that follow it; none after a terminal state, or where a role has no legal move.
    next: Vec<Vec<u32>>,
    /// Per state what it is worth to each role where the game ends in it.
    ends: Vec<Option<Ending>>,
}

impl Latches {
    /// Visits all states of the game and counts, for each role and value that is asked for, those in which
    /// the role cannot reach the value or more any more, and those of them that latches show.
    ///
    /// # Errors
    /// [`Reason::States`] where there are more than `limit` states; when the budget is spent, or the
    /// game cannot be run.
    pub fn removals(
        &self,
        asked: &[(RoleId, Goal)],
        limit: u64,
        budget: &Budget,
    ) -> Result<Vec<Removal>, Reason> {
        let mut meter = budget.meter();
        let reached = self.reached(limit, &mut meter)?;
        let count = |&(role, value): &(RoleId, Goal)| {
            Ok(Removal {
                states: reached.states.len() as u64,
                live: reached.live(role, value, &mut meter)?,
                left: self.left(&reached, role, value, &mut meter)?,
            })
        };
        asked.iter().map(count).collect()
    }

    fn reached(&self, limit: u64, meter: &mut Meter) -> Result<Reached, Reason> {
        let mut runner = self.rules.runner();
        let mut numbers: FxHashMap<State, u32> = FxHashMap::default();
        let mut reached = Reached::default();
        let (mut edges, mut words) = (0usize, 0usize);
        let initial = self.rules.initial().clone();
        numbers.insert(initial.clone(), 0);
        reached.states.push(initial);
        while let Some(state) = reached.states.get(reached.next.len()).cloned() {
            let (end, successors) = self.look(&mut *runner, &state, meter)?;
            let mut next = Vec::with_capacity(successors.len());
            for successor in successors {
                let number = *numbers.entry(successor).or_insert_with_key(|state| {
                    reached.states.push(state.clone());
                    reached.states.len() as u32 - 1
                });
                next.push(number);
            }
            next.sort_unstable();
            next.dedup();
            edges += next.len();
            words += state.words().len();
            reached.next.push(next);
            reached.ends.push(end);
            if reached.states.len() as u64 > limit {
                return Err(Reason::States { states: limit });
            }
            let bytes = 2 * (reached.states.len() * (size_of::<State>() + 48) + 8 * words) + 4 * edges;
            meter.check_memory(bytes, || "states".to_owned())?;
        }
        Ok(reached)
    }

    /// What a state is worth where the game ends in it, and the states that follow.
    fn look(
        &self,
        runner: &mut dyn Runner,
        state: &State,
        meter: &mut Meter,
    ) -> Result<(Option<Ending>, Vec<State>), Reason> {
        runner.set(state).map_err(wrong)?;
        if runner.terminal().map_err(wrong)? {
            let goals: Result<Vec<_>, _> = self.rules.roles().map(|role| runner.goal(role)).collect();
            return Ok((Some(goals.map_err(wrong)?), Vec::new()));
        }
        let mut joints = match JointMoves::new(runner, self.rules.signature()) {
            Ok(joints) => joints,
            Err(GameError::NoLegalMove { .. }) => return Ok((None, Vec::new())),
            Err(other) => return Err(wrong(other)),
        };
        let mut successors = Vec::new();
        while let Some(joint) = joints.next() {
            meter.spend(1)?;
            runner.set(state).map_err(wrong)?;
            runner.step(joint).map_err(wrong)?;
            let mut next = State::default();
            runner.save(&mut next);
            successors.push(next);
        }
        Ok((None, successors))
    }

    /// The states that are left without those that are told to be dead, and what only they lead to.
    fn left(&self, reached: &Reached, role: RoleId, value: Goal, meter: &mut Meter) -> Result<u64, Reason> {
        let mut seen = vec![false; reached.states.len()];
        let mut open = vec![0u32];
        seen[0] = true;
        let mut left = 0;
        while let Some(number) = open.pop() {
            let bits = self.bits(&self.rules.facts(&reached.states[number as usize]));
            if self.forecast(&bits, meter)?.is_dead(role, value) {
                continue;
            }
            left += 1;
            for &next in &reached.next[number as usize] {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    open.push(next);
                }
            }
        }
        Ok(left)
    }
}

impl Reached {
    /// The states from which an end can be reached that is worth so much to the role: backwards from
    /// these ends.
    fn live(&self, role: RoleId, value: Goal, meter: &mut Meter) -> Result<u64, Reason> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.states.len()];
        for (number, next) in (0u32..).zip(&self.next) {
            meter.spend(1 + next.len() as u64)?;
            next.iter().for_each(|&to| before[to as usize].push(number));
        }
        let satisfies = |end: &Option<Ending>| {
            end.as_ref().is_some_and(|goals| goals[role.index()].is_some_and(|goal| goal >= value))
        };
        let mut live: Vec<bool> = self.ends.iter().map(satisfies).collect();
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

fn wrong(error: GameError) -> Reason {
    match error {
        GameError::Limit(limit) => Reason::Limit(limit),
        other => Reason::Method(other.to_string()),
    }
}
