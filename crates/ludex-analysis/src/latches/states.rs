//! All states of a small game.

use ludex_game::{GameError, Goal, JointMoves, Runner, State};
use ludex_logic::{Budget, Meter};
use rustc_hash::FxHashMap;

use super::Latches;
use crate::finding::Reason;

/// What a terminal state is worth to each role.
pub(super) type Ending = Vec<Option<Goal>>;

/// All states of a game that can be reached, numbered as they were found: the initial state is the first.
#[derive(Debug, Default)]
pub struct AllStates {
    pub(super) states: Vec<State>,
    /// Per state those that follow it; none after a terminal state, or where a role has no legal move.
    pub(super) next: Vec<Vec<u32>>,
    /// Per state what it is worth to each role where the game ends in it.
    pub(super) ends: Vec<Option<Ending>>,
}

impl Latches {
    /// Visits all states of the game.
    ///
    /// # Errors
    /// [`Reason::States`] where there are more than `limit` states; when the budget is spent, or the
    /// game cannot be run.
    pub fn all_states(&self, limit: u64, budget: &Budget) -> Result<AllStates, Reason> {
        let mut meter = budget.meter();
        let mut runner = self.rules.runner();
        let mut numbers: FxHashMap<State, u32> = FxHashMap::default();
        let mut reached = AllStates::default();
        let (mut edges, mut words) = (0usize, 0usize);
        let initial = self.rules.initial().clone();
        numbers.insert(initial.clone(), 0);
        reached.states.push(initial);
        while let Some(state) = reached.states.get(reached.next.len()).cloned() {
            let (end, successors) = self.look(&mut *runner, &state, &mut meter)?;
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
            runner.step_legal(joint).map_err(wrong)?;
            let mut next = State::default();
            runner.save(&mut next);
            successors.push(next);
        }
        Ok((None, successors))
    }
}

fn wrong(error: GameError) -> Reason {
    match error {
        GameError::Limit(limit) => Reason::Limit(limit),
        other => Reason::Method(other.to_string()),
    }
}
