//! Depth-first search for plans, with or without a limit on the depth that grows.

use ludex_game::{Answer, State};
use rustc_hash::FxHashMap;

use super::{Core, Path, Progress, View, bytes_of};
use crate::explorer::Explorer;

/// Depth-first search on a stack of its own, in iterations of growing depth where it deepens.
#[derive(Debug)]
pub(super) struct DepthFirst {
    deepening: bool,
    /// How many moves deep this iteration looks.
    limit: u32,
    stack: Vec<PlanNode>,
    /// The states met in this iteration, with how many moves were left to look on from there.
    seen: FxHashMap<State, u32>,
    bytes: usize,
    begun: bool,
    /// Whether this iteration left something out because of its limit.
    limit_cut: bool,
    /// Whether it did so because of the memory.
    memory_cut: bool,
    /// The number of nodes at the beginning of each iteration.
    starts: Vec<u64>,
}

/// A state on the way to the one that is looked at.
#[derive(Debug)]
struct PlanNode {
    state: State,
    /// The joint move that led here; meaningless at the root.
    entered: u32,
    joints: Vec<u32>,
    /// Which of them is next.
    next: usize,
}

impl PlanNode {
    fn bytes(&self) -> usize {
        bytes_of(&self.state) + size_of::<Self>() + 4 * self.joints.len()
    }
}

impl DepthFirst {
    pub fn unlimited() -> Self {
        Self::new(false, u32::MAX)
    }

    pub fn deepening() -> Self {
        Self::new(true, 1)
    }

    fn new(deepening: bool, limit: u32) -> Self {
        Self {
            deepening,
            limit,
            stack: Vec::new(),
            seen: FxHashMap::default(),
            bytes: 0,
            begun: false,
            limit_cut: false,
            memory_cut: false,
            starts: Vec::new(),
        }
    }

    pub fn iterations(&self, nodes: u64) -> Option<Vec<u64>> {
        let ends = self.starts.iter().skip(1).copied().chain([nodes]);
        self.deepening.then(|| self.starts.iter().zip(ends).map(|(start, end)| end - start).collect())
    }

    /// Looks at one state more, or takes note that there is none. A failed step can be made again.
    pub fn step(&mut self, core: &mut Core, explorer: &mut Explorer<'_>) -> Answer<()> {
        let Some(top) = self.stack.last_mut() else {
            return self.iterate(core, explorer);
        };
        let Some(&joint) = top.joints.get(top.next) else {
            if let Some(left) = self.stack.pop() {
                self.bytes -= left.bytes();
            }
            return Ok(());
        };
        let child = explorer.successor(&top.state, core.joints.get(joint))?;
        let depth = self.stack.len() as u32;
        let remaining = self.limit.saturating_sub(depth);
        if self.seen.get(&child).is_none_or(|&known| known < remaining) {
            self.enter(core, explorer, child, joint, remaining)?;
        }
        // The child may lie on top by now; the parent is the node of its depth.
        self.stack[depth as usize - 1].next += 1;
        Ok(())
    }

    /// Begins an iteration, or ends the search after the last.
    fn iterate(&mut self, core: &mut Core, explorer: &mut Explorer<'_>) -> Answer<()> {
        if self.begun {
            self.begun = false;
            if self.memory_cut {
                core.progress = Progress::OutOfMemory;
            } else if self.limit_cut {
                self.limit = self.limit.saturating_add(1);
                self.limit_cut = false;
                self.seen.clear();
                self.bytes = 0;
            } else {
                core.progress = Progress::Optimal;
            }
            return Ok(());
        }
        let start = core.nodes;
        let root = core.root.clone();
        self.enter(core, explorer, root, 0, self.limit)?;
        self.starts.push(start);
        self.begun = true;
        Ok(())
    }

    /// Looks at a state that `joint` led to, and puts it on the stack if there is more below it.
    fn enter(
        &mut self,
        core: &mut Core,
        explorer: &mut Explorer<'_>,
        state: State,
        joint: u32,
        remaining: u32,
    ) -> Answer<()> {
        let view = core.view(explorer, &state)?;
        if matches!(view, View::Contested) {
            return Ok(());
        }
        let goal = explorer.goal(&state, core.role)?;
        let stack = &self.stack;
        core.weigh(goal, matches!(view, View::Terminal), |table| Path {
            joints: (stack.iter().skip(1).map(|node| node.entered))
                .chain((!stack.is_empty()).then_some(joint))
                .map(|number| table.get(number).to_vec())
                .collect(),
            states: stack.iter().map(|node| node.state.clone()).chain([state.clone()]).collect(),
        });
        let entry = bytes_of(&state);
        if self.bytes + entry <= core.memory && self.seen.insert(state.clone(), remaining).is_none() {
            self.bytes += entry;
        }
        if let View::Open(joints) = view {
            let node = PlanNode { state, entered: joint, joints, next: 0 };
            if remaining == 0 {
                self.limit_cut = true;
            } else if self.stack.is_empty() || self.bytes + node.bytes() <= core.memory {
                self.bytes += node.bytes();
                self.stack.push(node);
            } else {
                self.memory_cut = true;
            }
        }
        Ok(())
    }
}
