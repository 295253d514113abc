//! Making room in the graph, a little at a time and in place: what cannot be reached from the root any more is found
//! and taken out while the search goes on. Nodes keep their numbers.
//!
//! At first all that is in use is marked, from the root down (Dijkstra, Lamport, Martin, Scholten and Steffens, *On-the-fly
//! garbage collection*, 1978): a new node is in use, and so is whatever a new link leads to. Then all nodes are gone
//! through in the order in which their states and moves are stored. Those that are not marked are taken out, and the
//! states and moves of the others move down to where there is room.

use super::descent::Tree;
use super::graph::{Graph, NONE, NodeId};

/// What looking at a node costs beside what is done for each of its moves and words.
const NODE_COST: usize = 16;
/// What is spent on it for each leaf of a wave: a small part of what the leaf itself takes.
const COST_PER_LEAF: usize = 512;
/// The graph is tidied from a new root when it takes more than this part of its room.
const FULL_SHARE: f64 = 0.4;

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct Tidying {
    /// Nodes in use whose children were not looked at yet.
    open: Vec<NodeId>,
    /// How far taking out has come, once all that is in use is known.
    sweep: Option<Sweep>,
}

impl Tidying {
    /// Whether nodes are being taken out: those that are not marked are gone.
    pub fn is_sweeping(&self) -> bool {
        self.sweep.is_some()
    }

    /// Bytes held.
    pub fn held(&self) -> usize {
        self.open.capacity() * size_of::<NodeId>()
    }
}

/// Places in lists: how far they were read, and how far they were filled again.
#[derive(Clone, Copy, Debug, Default)]
struct Sweep {
    read: usize,
    nodes: usize,
    words: usize,
    edges: usize,
}

impl Graph {
    /// Says that all that cannot be reached from this node may be taken out, if there is little room left. Where that
    /// is being done already, all that can be reached from here stays.
    pub fn tidy_from(&mut self, root: NodeId) {
        if self.tidying.is_some() {
            self.mark(root);
        } else if self.fullness() > FULL_SHARE && self.tidied_from != root {
            self.begin_tidying(root);
        }
    }

    /// Begins to take out all that cannot be reached from a node.
    pub fn begin_tidying(&mut self, root: NodeId) {
        if self.tidying.is_none() {
            self.round = self.round.wrapping_add(1);
            self.tidying = Some(Tidying::default());
            self.tidied_from = root;
        }
        self.mark(root);
    }

    /// Says that a node is in use.
    pub fn mark(&mut self, id: NodeId) {
        let Some(tidying) = &mut self.tidying else { return };
        let node = &mut self.nodes[id as usize];
        if node.round != self.round {
            node.round = self.round;
            tidying.open.push(id);
        }
    }

    /// Goes on making room, if that was begun, for about so much: a node counts as [`NODE_COST`] and one for each move
    /// and word. Says whether numbers of nodes that are not in use become free from now on.
    pub fn tidy(&mut self, cost: usize) -> bool {
        let (mut spent, mut begins) = (0, false);
        while spent < cost {
            let Some(tidying) = &mut self.tidying else { break };
            spent += if let Some(id) = tidying.open.pop() {
                self.mark_children(id)
            } else if tidying.sweep.is_none() {
                tidying.sweep = Some(Sweep::default());
                begins = true;
                NODE_COST
            } else {
                self.sweep_one()
            };
        }
        begins
    }

    fn mark_children(&mut self, id: NodeId) -> usize {
        let edges = self.all_edges(id);
        let mut cost = NODE_COST + edges.len();
        for edge in edges {
            let child = self.edges[edge].child;
            if child != NONE {
                self.mark(child);
            }
        }
        let ways = std::mem::take(&mut self.ways);
        for (_, child) in ways.of(self.node(id).ways) {
            self.mark(child);
            cost += 1;
        }
        self.ways = ways;
        cost
    }

    /// Takes out the next node or moves it to where there is room; after the last one there is room behind all.
    fn sweep_one(&mut self) -> usize {
        let Some(sweep) = self.tidying.as_mut().and_then(|tidying| tidying.sweep.as_mut()) else { return 0 };
        let mut at = *sweep;
        let Some(&id) = self.order.get(at.read) else {
            self.order.truncate(at.nodes);
            self.words.truncate(at.words);
            self.edges.truncate(at.edges);
            self.tidying = None;
            return 0;
        };
        at.read += 1;
        let edges = self.all_edges(id);
        let cost = NODE_COST + edges.len() + self.state(id).len();
        if self.node(id).round == self.round {
            let words = self.all_words(id);
            let (new_words, new_edges) = (at.words, at.edges);
            at.words += words.len();
            at.edges += edges.len();
            self.words.copy_within(words, new_words);
            self.edges.copy_within(edges, new_edges);
            let node = self.node_mut(id);
            (node.words, node.edges) = (new_words as u32, new_edges as u32);
            self.order[at.nodes] = id;
            at.nodes += 1;
        } else {
            self.take_out(id);
        }
        if let Some(tidying) = &mut self.tidying {
            tidying.sweep = Some(at);
        }
        cost
    }
}

impl Tree {
    /// Goes on making room, for as many leaves as a wave has.
    pub fn tidy(&mut self, leaves: usize) {
        self.part_with_legacy();
        if self.graph.tidy(COST_PER_LEAF * leaves) {
            // Nodes that become free will be others.
        }
    }
}
