//! Nearest first: states that satisfy the goals to a higher degree are opened sooner.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use ludex_game::{ActionId, Answer, RoleId, State, StateNumber, StateTable};

use super::method::{Incumbent, Method, Progress, plan};
use super::space::Space;
use crate::machine_knowledge::{KnowledgeReader, MachineKnowledge};

/// So many moves are tried at once: enough for lanes, and few enough that what they show still guides.
const TOGETHER: usize = 512;
/// After so many states that are all worth the same, the goals are taken to say nothing.
const ALIKE: usize = 4_096;

/// Best-first search by fuzzy goals (book chapter 16): of all states that were met, those that satisfy
/// the goals best are opened first, the oldest among equals.
pub(super) struct Nearest {
    table: StateTable,
    memory: usize,
    is_exact: bool,
    open: BinaryHeap<(Worth, Reverse<StateNumber>)>,
    reader: KnowledgeReader,
    state: State,
    /// The least and the most that a state was worth.
    range: (Worth, Worth),
}

/// A degree as the bits of a number that is not negative, which are ordered as the numbers are.
type Worth = u64;

impl Nearest {
    /// A search from a state that is not terminal, within so many bytes, by what is known of the goals.
    /// States that differ only in the ignored bits are one.
    pub(super) fn new(
        root: &[u64],
        ignored: &[u64],
        memory: usize,
        knowledge_of_states: &Arc<MachineKnowledge>,
    ) -> Self {
        let mut table = StateTable::ignoring(ignored);
        let first = table.add(root, (0, 0));
        Self {
            memory,
            is_exact: ignored.iter().all(|&word| word == 0),
            open: first.into_iter().map(|root| (0, Reverse(root))).collect(),
            reader: knowledge_of_states.reader(),
            state: knowledge_of_states.machine().initial().clone(),
            range: (Worth::MAX, 0),
            table,
        }
    }

    fn worth(&mut self, words: &[u64], role: RoleId) -> Worth {
        self.state.set_words(words);
        // Worth is clamped to 0 to 100; adding 0 makes -0 what it should be.
        let worth = (self.reader.worth(&self.state, role).unwrap_or(0.0) + 0.0).to_bits();
        self.range = (self.range.0.min(worth), self.range.1.max(worth));
        worth
    }

    fn tells_nothing(&self) -> bool {
        self.range.0 == self.range.1 && self.table.len() > ALIKE
    }

    /// The bytes that it takes.
    fn bytes(&self) -> usize {
        self.table.bytes() + self.open.capacity() * size_of::<(Worth, StateNumber)>()
    }

    /// Opens the states that are worth most together.
    fn open_some(
        &mut self,
        taken: &mut Vec<(Worth, Reverse<StateNumber>)>,
        space: &mut Space<'_>,
        found: &mut Incumbent,
    ) -> Answer<()> {
        let mut tried: Vec<(StateNumber, ActionId)> = Vec::new();
        let role = space.role();
        space.clear();
        while space.waiting() < TOGETHER
            && let Some(next) = self.open.pop()
        {
            taken.push(next);
            let node = next.1.0;
            space.go_to(self.table.words(node))?;
            let legal = space.legal().to_vec();
            if space.add(self.table.words(node), &legal)? {
                tried.extend(legal.iter().map(|&action| (node, action)));
            }
        }
        let children = space.expand()?;
        for (number, &(parent, action)) in tried.iter().enumerate() {
            let look = children.look(number);
            if look.terminal {
                found.offer(look.goal, "nearest first", || plan(&self.table, parent, action));
            } else if !children.legal(number).is_empty()
                && let Some(node) = self.table.add(children.words(number), (parent, action.0))
            {
                let worth = self.worth(children.words(number), role);
                self.open.push((worth, Reverse(node)));
            }
        }
        Ok(())
    }
}

impl Method for Nearest {
    fn work(&mut self, space: &mut Space<'_>, found: &mut Incumbent, states: u64) -> Answer<Progress> {
        let end = space.states() + states;
        while space.states() < end && !found.proven {
            if self.open.is_empty() {
                let complete = self.is_exact && !space.others_choose();
                return Ok(if complete { Progress::Complete } else { Progress::GaveUp });
            }
            if self.bytes() > self.memory / 2 || self.tells_nothing() {
                return Ok(Progress::GaveUp);
            }
            let mut taken = Vec::new();
            let opened = self.open_some(&mut taken, space, found);
            if opened.is_err() {
                self.open.extend(taken);
                opened?;
            }
        }
        Ok(Progress::Open)
    }
}
