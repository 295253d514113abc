//! Breadth-first and best-first search for plans: a tree of distinct states and a frontier.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ludex_game::{Answer, State, StateNumber, StateTable};

use super::{Core, Guide, JointTable, Path, Progress, View};
use crate::explorer::Explorer;

/// Looks at the states of a frontier in the order of their making, or those first that look best.
#[derive(Debug)]
pub(super) struct Frontier {
    /// Each with the state before it and the number of the joint move that led here.
    states: StateTable,
    queue: Queue,
    memory_cut: bool,
}

#[derive(Debug)]
enum Queue {
    /// The number of the next node.
    InOrder(u32),
    /// The nodes to look at by what they look worth, the first made among equals.
    ByWorth(BinaryHeap<(u32, Reverse<u32>)>),
}

impl Queue {
    /// Takes out the next of so many nodes.
    fn pop(&mut self, nodes: u32) -> Option<(u32, u32)> {
        match self {
            Self::InOrder(next) if *next < nodes => {
                *next += 1;
                Some((0, *next - 1))
            }
            Self::InOrder(_) => None,
            Self::ByWorth(heap) => heap.pop().map(|(worth, Reverse(node))| (worth, node)),
        }
    }

    /// Puts back what was taken out last.
    fn put_back(&mut self, worth: u32, node: StateNumber) {
        match self {
            Self::InOrder(next) => *next = node,
            Self::ByWorth(heap) => heap.push((worth, Reverse(node))),
        }
    }
}

impl Frontier {
    pub fn breadth_first(root: &State) -> Self {
        Self::new(root, Queue::InOrder(0))
    }

    pub fn best_first(root: &State) -> Self {
        Self::new(root, Queue::ByWorth(BinaryHeap::from([(0, Reverse(0))])))
    }

    fn new(root: &State, queue: Queue) -> Self {
        let mut states = StateTable::default();
        states.add(root.words(), (0, 0));
        Self { states, queue, memory_cut: false }
    }

    /// Looks at one state more and at what can be reached from it in a move, or takes note that there
    /// is none. A failed step can be made again.
    pub fn step(&mut self, core: &mut Core, explorer: &mut Explorer<'_>, guide: Guide<'_, '_>) -> Answer<()> {
        let Some((worth, node)) = self.queue.pop(self.states.len() as u32) else {
            core.progress = if self.memory_cut { Progress::OutOfMemory } else { Progress::Optimal };
            return Ok(());
        };
        let expanded = self.expand(node, core, explorer, guide);
        if expanded.is_err() {
            self.queue.put_back(worth, node);
        }
        expanded
    }

    fn expand(
        &mut self,
        node: StateNumber,
        core: &mut Core,
        explorer: &mut Explorer<'_>,
        guide: Guide<'_, '_>,
    ) -> Answer<()> {
        let state = core.root.with_words(self.states.words(node));
        let View::Open(joints) = self.look(node, None, &state, core, explorer)? else { return Ok(()) };
        for joint in joints {
            let child = explorer.successor(&state, core.joints.get(joint))?;
            if self.states.find(child.words()).is_some() {
                continue;
            }
            if self.bytes() + self.states.growth(child.words().len()) > core.memory {
                // What cannot be kept is at least looked at: it may end the game well.
                self.memory_cut = true;
                self.look(node, Some(joint), &child, core, explorer)?;
                if core.progress != Progress::Searching {
                    return Ok(());
                }
                continue;
            }
            if let Queue::ByWorth(heap) = &mut self.queue {
                let worth = guide(explorer, &child)?;
                heap.push((worth, Reverse(self.states.len() as u32)));
            }
            self.states.add(child.words(), (node, joint));
        }
        Ok(())
    }

    /// Looks at the state of a node, or at the one that a joint move leads to from there.
    fn look(
        &self,
        node: StateNumber,
        joint: Option<u32>,
        state: &State,
        core: &mut Core,
        explorer: &mut Explorer<'_>,
    ) -> Answer<View> {
        let view = core.view(explorer, state)?;
        if !matches!(view, View::Contested) {
            let goal = explorer.goal(state, core.role)?;
            let complete = matches!(view, View::Terminal);
            let (root, beyond) = (core.root.clone(), joint.map(|joint| (joint, state)));
            core.weigh(goal, complete, |table| self.path(&root, node, beyond, table));
        }
        Ok(view)
    }

    /// The way to a node, and a step beyond it where one is given.
    fn path(
        &self,
        root: &State,
        node: StateNumber,
        beyond: Option<(u32, &State)>,
        table: &JointTable,
    ) -> Path {
        let steps = self.states.path(node);
        let joints = steps.iter().map(|&(_, joint)| joint).chain(beyond.map(|(joint, _)| joint));
        let state = |number: StateNumber| root.with_words(self.states.words(number));
        let states = steps.iter().map(|&(before, _)| state(before)).chain([state(node)]);
        Path {
            joints: joints.map(|joint| table.get(joint).to_vec()).collect(),
            states: states.chain(beyond.map(|(_, state)| state.clone())).collect(),
        }
    }

    /// The bytes that the states and the queue take.
    fn bytes(&self) -> usize {
        let queue = match &self.queue {
            Queue::InOrder(_) => 0,
            Queue::ByWorth(heap) => heap.capacity() * size_of::<(u32, Reverse<u32>)>(),
        };
        self.states.bytes() + queue
    }
}
