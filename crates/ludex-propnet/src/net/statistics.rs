//! Counts that describe a net.

use super::{NodeKind, Propnet};

/// How large a net is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetStatistics {
    /// Nodes of all kinds.
    pub nodes: usize,
    /// Arcs from sources to nodes.
    pub arcs: usize,
    /// Input propositions.
    pub inputs: usize,
    /// Base propositions of the game, without latches.
    pub bases: usize,
    /// Bases that hold for ever because the rules have them as facts.
    pub latches: usize,
    /// View propositions.
    pub views: usize,
    /// Inverters.
    pub negations: usize,
    /// And-gates.
    pub conjunctions: usize,
    /// Or-gates.
    pub disjunctions: usize,
    /// Transitions.
    pub transitions: usize,
    /// The most gates (inverters, and-gates, or-gates) one after the other, from the marked
    /// propositions to any node; a recursive component counts as one gate.
    pub depth: usize,
    /// The most sources of a node.
    pub largest_fan_in: usize,
    /// The most nodes that read one node.
    pub largest_fan_out: usize,
    /// Components of nodes that depend on each other within one step.
    pub recursive_components: usize,
    /// Nodes in these components.
    pub recursive_nodes: usize,
    /// Bytes held, without the terms.
    pub bytes: usize,
}

impl Propnet {
    /// Counts nodes and arcs.
    pub fn statistics(&self) -> NetStatistics {
        let mut found = NetStatistics {
            nodes: self.node_count(),
            arcs: self.sources.item_count(),
            latches: self.latches().len(),
            bases: self.game_bases().len(),
            depth: self.depth(),
            recursive_components: self.recursive.len(),
            recursive_nodes: self.recursive.iter().map(ExactSizeIterator::len).sum(),
            bytes: self.bytes(),
            ..NetStatistics::default()
        };
        let mut readers = vec![0usize; self.node_count()];
        for node in self.nodes() {
            match self.kind(node) {
                NodeKind::Input => found.inputs += 1,
                NodeKind::Base => {}
                NodeKind::View => found.views += 1,
                NodeKind::Negation => found.negations += 1,
                NodeKind::Conjunction => found.conjunctions += 1,
                NodeKind::Disjunction => found.disjunctions += 1,
                NodeKind::Transition => found.transitions += 1,
            }
            found.largest_fan_in = found.largest_fan_in.max(self.sources(node).len());
            self.sources(node).iter().for_each(|s| readers[s.index()] += 1);
        }
        found.largest_fan_out = readers.into_iter().max().unwrap_or(0);
        found
    }

    fn depth(&self) -> usize {
        let mut depth = vec![0usize; self.node_count()];
        let mut recursive = self.recursive.iter().peekable();
        let mut at = 0;
        while at < self.order.len() {
            let group = match recursive.next_if(|r| r.start == at) {
                Some(range) => range.clone(),
                None => at..at + 1,
            };
            let members = &self.order[group.clone()];
            let gates = usize::from(members.iter().any(|&m| {
                matches!(self.kind(m), NodeKind::Negation | NodeKind::Conjunction | NodeKind::Disjunction)
            }));
            // Members of the same component are at 0 until now, so that they add nothing.
            let sources = members.iter().filter(|&&m| self.kind(m) != NodeKind::Base);
            let below = sources.flat_map(|&m| self.sources(m)).map(|s| depth[s.index()]).max().unwrap_or(0);
            members.iter().for_each(|m| depth[m.index()] = below + gates);
            at = group.end;
        }
        depth.into_iter().max().unwrap_or(0)
    }
}
