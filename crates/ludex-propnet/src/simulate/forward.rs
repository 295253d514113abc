//! Forward propagation (book 10.3).

use super::Simulator;
use crate::net::{NodeId, NodeKind};

impl Simulator<'_> {
    /// Works out all nodes, sources first.
    pub(super) fn propagate(&mut self) {
        let net = self.net;
        let mut recursive = net.recursive().iter().peekable();
        let mut at = 0;
        while at < net.order().len() {
            if let Some(range) = recursive.next_if(|r| r.start == at) {
                self.recursion.solve(net, range, &mut self.marks);
                for &member in &net.order()[range.clone()] {
                    self.learn(member, self.marks[member.index()]);
                }
                at = range.end;
                continue;
            }
            let node = net.order()[at];
            if let Some(value) = self.combine(node) {
                self.learn(node, value);
            }
            at += 1;
        }
    }

    /// What a node's sources make of it; `None` for what is marked from outside.
    fn combine(&mut self, node: NodeId) -> Option<bool> {
        let sources = self.net.sources(node);
        self.spent += sources.len() as u64;
        let mark = |source: &NodeId| self.marks[source.index()];
        Some(match self.net.kind(node) {
            NodeKind::Input | NodeKind::Base => return None,
            NodeKind::View | NodeKind::Transition => sources.first().is_some_and(mark),
            NodeKind::Negation => !sources.first().is_some_and(mark),
            NodeKind::Conjunction => sources.iter().all(mark),
            NodeKind::Disjunction => sources.iter().any(mark),
        })
    }
}
