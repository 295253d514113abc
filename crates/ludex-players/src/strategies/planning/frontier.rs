//! Breadth-first and best-first search for plans: a tree of distinct states and a frontier.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasher;

use ludex_game::{Answer, State};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Core, Guide, JointTable, Path, Progress, View, bytes_of};
use crate::explorer::Explorer;

/// No node.
const NONE: u32 = u32::MAX;

/// Looks at the states of a frontier in the order of their making, or those first that look best.
#[derive(Debug)]
pub(super) struct Frontier {
    nodes: Vec<Node>,
    /// By hash of the state, the last node with it; the others hang on it in a chain.
    heads: FxHashMap<u64, u32>,
    queue: Queue,
    bytes: usize,
    memory_cut: bool,
}

#[derive(Debug)]
struct Node {
    state: State,
    parent: u32,
    /// The joint move that led here; meaningless at the root.
    joint: u32,
    /// The next node whose state has the same hash.
    chain: u32,
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
    fn put_back(&mut self, worth: u32, node: u32) {
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
        let mut frontier =
            Self { nodes: Vec::new(), heads: FxHashMap::default(), queue, bytes: 0, memory_cut: false };
        frontier.add(root.clone(), NONE, 0);
        frontier
    }

    /// Looks at one state more and at what can be reached from it in a move, or takes note that there
    /// is none. A failed step can be made again.
    pub fn step(&mut self, core: &mut Core, explorer: &mut Explorer<'_>, guide: Guide<'_, '_>) -> Answer<()> {
        let Some((worth, node)) = self.queue.pop(self.nodes.len() as u32) else {
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
        node: u32,
        core: &mut Core,
        explorer: &mut Explorer<'_>,
        guide: Guide<'_, '_>,
    ) -> Answer<()> {
        let state = self.nodes[node as usize].state.clone();
        let View::Open(joints) = self.look(node, None, &state, core, explorer)? else { return Ok(()) };
        for joint in joints {
            let child = explorer.successor(&state, core.joints.get(joint))?;
            if self.find(&child).is_some() {
                continue;
            }
            if self.bytes + Self::cost(&child) > core.memory {
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
                heap.push((worth, Reverse(self.nodes.len() as u32)));
            }
            self.add(child, node, joint);
        }
        Ok(())
    }

    /// Looks at the state of a node, or at the one that a joint move leads to from there.
    fn look(
        &self,
        node: u32,
        joint: Option<u32>,
        state: &State,
        core: &mut Core,
        explorer: &mut Explorer<'_>,
    ) -> Answer<View> {
        let view = core.view(explorer, state)?;
        if !matches!(view, View::Contested) {
            let goal = explorer.goal(state, core.role)?;
            let complete = matches!(view, View::Terminal);
            core.weigh(goal, complete, |table| self.path(node, joint.map(|joint| (joint, state)), table));
        }
        Ok(view)
    }

    /// The way to a node, and a step beyond it where one is given.
    fn path(&self, node: u32, beyond: Option<(u32, &State)>, table: &JointTable) -> Path {
        let mut path = Path { joints: Vec::new(), states: Vec::new() };
        if let Some((joint, state)) = beyond {
            path.joints.push(table.get(joint).to_vec());
            path.states.push(state.clone());
        }
        let mut at = node;
        while let Some(Node { state, parent, joint, .. }) = self.nodes.get(at as usize) {
            path.states.push(state.clone());
            if *parent != NONE {
                path.joints.push(table.get(*joint).to_vec());
            }
            at = *parent;
        }
        path.joints.reverse();
        path.states.reverse();
        path
    }

    fn cost(state: &State) -> usize {
        // The node with its number in the queue and in the table of hashes.
        bytes_of(state) + size_of::<Node>() - size_of::<State>() + 32
    }

    fn find(&self, state: &State) -> Option<u32> {
        let mut at = self.heads.get(&FxBuildHasher.hash_one(state)).copied().unwrap_or(NONE);
        while let Some(node) = self.nodes.get(at as usize) {
            if node.state == *state {
                return Some(at);
            }
            at = node.chain;
        }
        None
    }

    fn add(&mut self, state: State, parent: u32, joint: u32) {
        let number = self.nodes.len() as u32;
        let chain = self.heads.insert(FxBuildHasher.hash_one(&state), number).unwrap_or(NONE);
        self.bytes += Self::cost(&state);
        self.nodes.push(Node { state, parent, joint, chain });
    }
}
