//! Which column each node stands in, and where its wire has to pass on the way.

use crate::net::{NodeId, NodeKind, Propnet};

/// A node in a column, or a place where a wire passes through a column.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The node; a place on the wire of another node has none.
    pub(super) node: Option<NodeId>,
    /// Items whose wires end here, by their place in the column before; one entry an arc.
    pub(super) left: Vec<usize>,
    /// Items in the next column that this one's wire goes to; one entry an arc.
    pub(super) right: Vec<usize>,
}

/// A part of a net that hangs together, in columns.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    pub(super) items: Vec<Item>,
    /// The items of each column, from top to bottom.
    pub(super) columns: Vec<Vec<usize>>,
    /// Arcs that lead back: from a transition to its base, or within a recursive component.
    pub(super) back: Vec<(usize, usize)>,
}

/// The column of each node: after all of its sources, but for those that lead back.
pub(super) fn columns(net: &Propnet) -> Vec<usize> {
    let mut column = vec![0usize; net.node_count()];
    let mut seen = vec![false; net.node_count()];
    for &node in net.order() {
        let before = net.drawn_sources(node).iter().filter(|s| seen[s.index()]);
        column[node.index()] = before.map(|s| column[s.index()] + 1).max().unwrap_or(0);
        seen[node.index()] = true;
    }
    // What stands at the left for no reason of its own moves up to who reads it.
    let mut first_reader = vec![usize::MAX; net.node_count()];
    for node in net.nodes() {
        for source in net.drawn_sources(node) {
            let first = &mut first_reader[source.index()];
            *first = column[node.index()].min(*first);
        }
    }
    for node in net.nodes() {
        let is_loose = net.kind(node) == NodeKind::View && net.sources(node).is_empty();
        if is_loose && first_reader[node.index()] != usize::MAX {
            column[node.index()] = first_reader[node.index()].saturating_sub(1);
        }
    }
    column
}

/// The parts of a net that hang together, larger ones first.
pub(super) fn parts(net: &Propnet) -> Vec<Vec<NodeId>> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); net.node_count()];
    for node in net.nodes() {
        for source in net.sources(node) {
            neighbours[node.index()].push(source.0);
            neighbours[source.index()].push(node.0);
        }
    }
    let mut seen = vec![false; net.node_count()];
    let mut parts = Vec::new();
    for root in net.nodes() {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        let mut part = vec![root];
        let mut at = 0;
        while at < part.len() {
            for &next in &neighbours[part[at].index()] {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    part.push(NodeId(next));
                }
            }
            at += 1;
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts.sort_by_key(|part: &Vec<NodeId>| std::cmp::Reverse(part.len()));
    parts
}

impl Layers {
    /// Puts the nodes of a part into columns. A wire that has to go on through a column gets an item
    /// there; all readers of a node share its wire.
    pub(super) fn new(net: &Propnet, part: &[NodeId], column: &[usize]) -> Self {
        let width = part.iter().map(|n| column[n.index()] + 1).max().unwrap_or(0);
        let mut layers = Self { items: Vec::new(), columns: vec![Vec::new(); width], back: Vec::new() };
        let mut item_of = std::collections::BTreeMap::new();
        for &node in part {
            let item = layers.push(Some(node), column[node.index()]);
            item_of.insert(node, item);
        }
        // The last item so far of each node's wire, and its column.
        let mut wire_end: Vec<(usize, usize)> =
            part.iter().map(|n| (item_of[n], column[n.index()])).collect();
        let mut arcs: Vec<(usize, usize, usize)> = Vec::new();
        for &node in part {
            for source in net.sources(node) {
                let (from, to) = (item_of[source], item_of[&node]);
                let leads_on =
                    net.kind(node) != NodeKind::Base && column[source.index()] < column[node.index()];
                if leads_on {
                    arcs.push((column[node.index()], from, to));
                } else {
                    layers.back.push((from, to));
                }
            }
        }
        // Readers in near columns first, so that the wire goes on from where it is.
        arcs.sort_by_key(|&(at, ..)| at);
        for (at, from, to) in arcs {
            while wire_end[from].1 + 1 < at {
                let (end, place) = wire_end[from];
                let next = layers.push(None, place + 1);
                layers.connect(end, next);
                wire_end[from] = (next, place + 1);
            }
            layers.connect(wire_end[from].0, to);
        }
        layers
    }

    fn push(&mut self, node: Option<NodeId>, column: usize) -> usize {
        let item = self.items.len();
        self.items.push(Item { node, left: Vec::new(), right: Vec::new() });
        self.columns[column].push(item);
        item
    }

    fn connect(&mut self, from: usize, to: usize) {
        self.items[from].right.push(to);
        self.items[to].left.push(from);
    }
}
