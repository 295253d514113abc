//! Plans and strategies in games with few states, by looking at all of them.
//!
//! A formula has a frame for each step, and asks of ever longer courses; where courses go round, they need
//! not come to anything new. Where all states can be found, a search of them ends.

use std::collections::VecDeque;

use ludex_game::{Goal, RoleId, StateNumber, Step};
use ludex_logic::{Budget, Meter, TermId};

use super::force::{Strategy, StrategyNode};
use super::search::{Others, Stopped, Target};
use crate::well_formed::{Space, WaysBack, reason_of};
use crate::{Reason, Subject, Witness};

/// The most states.
const MOST_STATES: usize = 20_000_000;
/// The share of the time that is left which a search of all states may take.
const SHARE: f64 = 0.5;
/// Not known.
const NONE: u32 = u32::MAX;

/// All states of a game.
pub(super) struct States<'s> {
    subject: &'s Subject,
    space: Space,
}

/// A plan in the graph of all states.
pub(super) struct StatePlan {
    pub(super) witness: Witness,
    pub(super) goal: Goal,
}

/// A strategy in the graph of all states.
pub(super) struct StateStrategy {
    pub(super) goal: Goal,
    pub(super) within: u32,
    pub(super) strategy: Strategy,
}

impl<'s> States<'s> {
    /// Finds all states.
    ///
    /// # Errors
    /// Why not all were found; the budget's own limits, and such that only stop this search.
    pub(super) fn find(subject: &'s Subject, work: u64, budget: &Budget) -> Result<Self, Stopped> {
        let limited = budget.clone().with_share_of_time(SHARE).with_work(budget.work().min(work));
        let space = Space::search(subject.rules(), MOST_STATES, 1, &limited);
        let space = space.map_err(|error| Stopped(reason_of(error)))?;
        match &space.stopped {
            Some(reason) => Err(Stopped(reason.clone())),
            None => Ok(Self { subject, space }),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.space.table.len() as u64
    }

    /// A plan with as few steps as possible, of the best value there is or of at least so much.
    pub(super) fn plan(
        &self,
        role: RoleId,
        target: Target,
        others: Others,
        meter: &mut Meter,
    ) -> Result<Option<StatePlan>, Stopped> {
        let goals = self.space.goals(role, meter).map_err(Stopped)?;
        let mut before: Vec<Step> = vec![(NONE, 0); self.space.table.len()];
        before[0] = (0, 0);
        let mut queue = VecDeque::from([0]);
        let mut best: Option<(Goal, StateNumber)> = None;
        while let Some(node) = queue.pop_front() {
            meter.spend(1 + self.space.children(node).len() as u64)?;
            if let Some(goal) = goals[node as usize] {
                match target {
                    Target::AtLeast(least) if goal >= least => {
                        best = Some((goal, node));
                        break;
                    }
                    Target::Best if best.is_none_or(|(known, _)| goal > known) => best = Some((goal, node)),
                    _ => {}
                }
            }
            let children = self.space.children(node);
            if others == Others::Forced && !children.is_empty() {
                let counts = self.space.counts(node).iter().enumerate();
                if counts.filter(|&(other, _)| other != role.index()).any(|(_, &count)| count != 1) {
                    continue;
                }
            }
            for (joint, &child) in children.iter().enumerate() {
                if before[child as usize].0 == NONE {
                    before[child as usize] = (node, joint as u32);
                    queue.push_back(child);
                }
            }
        }
        let Some((goal, mut node)) = best else { return Ok(None) };
        let mut steps = Vec::new();
        while node != 0 {
            steps.push(before[node as usize]);
            node = before[node as usize].0;
        }
        steps.reverse();
        let witness = self.space.witness(&steps).map_err(|error| Stopped(reason_of(error)))?;
        Ok(Some(StatePlan { witness, goal }))
    }

    /// The most that a role can force, or whether it can force at least so much, against all others, who see
    /// its move before they make theirs; in as few steps as can be forced.
    pub(super) fn force(
        &self,
        role: RoleId,
        target: Target,
        meter: &mut Meter,
    ) -> Result<Option<StateStrategy>, Stopped> {
        let goals = self.space.goals(role, meter).map_err(Stopped)?;
        let mut values: Vec<Goal> = goals.iter().flatten().copied().collect();
        values.sort_unstable_by(|a, b| b.cmp(a));
        values.dedup();
        let wanted = match target {
            Target::AtLeast(least) => vec![least],
            Target::Best => values,
        };
        let ways = WaysBack::new(&self.space, role, meter)?;
        for least in wanted {
            let forced = ways.forced(|node| goals[node as usize].is_some_and(|goal| goal >= least), meter)?;
            if let Some((within, _)) = forced[0] {
                let strategy = self.strategy(role, &forced, meter)?;
                let checked = strategy.check(self.subject.rules(), role, least);
                checked.map_err(|wrong| Stopped(Reason::Method(wrong.to_string())))?;
                return Ok(Some(StateStrategy { goal: least, within, strategy }));
            }
        }
        Ok(None)
    }

    /// What to do in each state that comes up.
    fn strategy(
        &self,
        role: RoleId,
        forced: &[Option<(u32, u32)>],
        meter: &mut Meter,
    ) -> Result<Strategy, Stopped> {
        let mut strategy = Strategy::default();
        if self.space.is_terminal(0) {
            return Ok(strategy);
        }
        let mut numbers = vec![NONE; self.space.table.len()];
        numbers[0] = 0;
        let mut nodes: Vec<StateNumber> = vec![0];
        while let Some(&node) = nodes.get(strategy.nodes.len()) {
            // Only states that are won come up.
            let (within, own) = forced[node as usize].unwrap_or_default();
            let moves = self.legal_terms(node)?;
            let mut replies = Vec::new();
            for joint in self.space.replies(node, role, own) {
                meter.spend(1)?;
                let child = self.space.children(node)[joint];
                let next = (!self.space.is_terminal(child)).then(|| {
                    if numbers[child as usize] == NONE {
                        numbers[child as usize] = nodes.len() as u32;
                        nodes.push(child);
                    }
                    numbers[child as usize] as usize
                });
                replies.push((joint_terms(&moves, joint), next));
            }
            let action = moves[role.index()][own as usize];
            strategy.nodes.push(StrategyNode { action, within, replies });
        }
        Ok(strategy)
    }

    /// Per role the legal moves of a state.
    fn legal_terms(&self, node: StateNumber) -> Result<Vec<Vec<TermId>>, Stopped> {
        let signature = self.subject.signature();
        let mut moves = Vec::new();
        for role in self.subject.rules().roles() {
            let legal = self.space.own_moves(node, role).map_err(|error| Stopped(reason_of(error)))?;
            moves.push(legal.into_iter().map(|action| signature.action(action)).collect());
        }
        Ok(moves)
    }
}

/// A joint move by its number: the last role's move changes first.
fn joint_terms(moves: &[Vec<TermId>], mut joint: usize) -> Vec<TermId> {
    let mut terms: Vec<TermId> = Vec::with_capacity(moves.len());
    for list in moves.iter().rev() {
        terms.push(list[joint % list.len()]);
        joint /= list.len();
    }
    terms.reverse();
    terms
}
