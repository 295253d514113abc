//! Best first: states that are worth more are opened sooner.

use std::collections::VecDeque;

use ludex_game::{ActionId, Answer, Goal, StateNumber, StateTable};

use super::method::{Incumbent, Method, Progress, plan};
use super::space::{Space, TOGETHER};

/// Best-first search by what states are worth before the game is over.
///
/// Every second time the states that are worth most are opened, the oldest first; between these times
/// those of each lower worth have their turns, so that no detour is left out for ever.
pub(super) struct BestFirst {
    table: StateTable,
    memory: usize,
    is_exact: bool,
    /// Per goal value the states still to be opened.
    open: Vec<VecDeque<StateNumber>>,
    turns: u64,
    /// The value that was last taken between the times.
    last: usize,
}

impl BestFirst {
    /// A search from a state that is not terminal, within so many bytes. States that differ only in the
    /// ignored bits are one.
    pub(super) fn new(root: &[u64], ignored: &[u64], memory: usize) -> Self {
        let mut table = StateTable::ignoring(ignored);
        let mut open = vec![VecDeque::new(); place(Goal::MAX) + 1];
        open[0].extend(table.add(root, (0, 0)));
        let is_exact = ignored.iter().all(|&word| word == 0);
        Self { table, memory, is_exact, open, turns: 0, last: 0 }
    }

    /// The goal value whose states are to be opened next.
    fn next_value(&mut self) -> Option<usize> {
        let highest = self.open.iter().rposition(|states| !states.is_empty())?;
        self.turns += 1;
        if self.turns % 2 == 1 {
            return Some(highest);
        }
        let is_open = |value: &usize| !self.open[*value].is_empty();
        let lower = (0..self.last).rev().find(is_open).unwrap_or(highest);
        self.last = lower;
        Some(lower)
    }

    /// Opens the oldest states of a value together. After an error they are still to be opened.
    fn open_some(&mut self, value: usize, space: &mut Space<'_>, found: &mut Incumbent) -> Answer<()> {
        let mut tried: Vec<(StateNumber, ActionId)> = Vec::new();
        let mut opened = 0;
        space.clear();
        while space.waiting() < TOGETHER
            && let Some(&node) = self.open[value].get(opened)
        {
            space.go_to(self.table.words(node))?;
            let legal = space.legal().to_vec();
            if space.add(self.table.words(node), &legal)? {
                tried.extend(legal.iter().map(|&action| (node, action)));
            }
            opened += 1;
        }
        let children = space.expand()?;
        self.open[value].drain(..opened);
        for (number, &(parent, action)) in tried.iter().enumerate() {
            let look = children.look(number);
            if look.terminal {
                found.offer(look.goal, "best first", || plan(&self.table, parent, action));
            } else if !children.legal(number).is_empty()
                && let Some(node) = self.table.add(children.words(number), (parent, action.0))
            {
                self.open[place(look.goal)].push_back(node);
            }
        }
        Ok(())
    }
}

/// The place of a goal among the values; what lies outside of the rules counts as the most.
fn place(goal: Goal) -> usize {
    goal.min(Incumbent::MOST) as usize
}

impl Method for BestFirst {
    fn work(&mut self, space: &mut Space<'_>, found: &mut Incumbent, states: u64) -> Answer<Progress> {
        let end = space.states() + states;
        while space.states() < end && !found.proven {
            let Some(value) = self.next_value() else {
                let complete = self.is_exact && !space.others_choose();
                return Ok(if complete { Progress::Complete } else { Progress::GaveUp });
            };
            if self.table.bytes() > self.memory / 2 {
                return Ok(Progress::GaveUp);
            }
            self.open_some(value, space, found)?;
        }
        Ok(Progress::Open)
    }
}
