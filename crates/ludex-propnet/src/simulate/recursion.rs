//! Nodes that depend on each other: their least fixpoint.

use std::ops::Range;

use ludex_logic::Csr;

use crate::net::{NodeId, NodeKind, Propnet};

const NONE: u32 = u32::MAX;

/// The recursive components of a net, with the arcs inside of each.
#[derive(Clone, Debug)]
pub(super) struct Recursion {
    /// The component of each node; empty if there is no component at all.
    component: Vec<u32>,
    /// Who reads a member within its component, one entry an arc.
    readers: Csr<NodeId>,
    /// How many more sources a member waits for.
    missing: Vec<u32>,
    work: Vec<NodeId>,
}

impl Recursion {
    pub(super) fn new(net: &Propnet) -> Self {
        let mut recursion =
            Self { component: Vec::new(), readers: Csr::new(), missing: Vec::new(), work: Vec::new() };
        if net.recursive().is_empty() {
            return recursion;
        }
        let mut component = vec![NONE; net.node_count()];
        for (number, range) in (0..).zip(net.recursive()) {
            net.order()[range.clone()].iter().for_each(|m| component[m.index()] = number);
        }
        recursion.component = component;
        recursion.missing = vec![0; net.node_count()];
        let members = || net.recursive().iter().flat_map(|range| &net.order()[range.clone()]).copied();
        let arcs = || {
            let inner = |reader| net.sources(reader).iter().map(move |&source| (source, reader));
            let inside = |&(source, reader): &(NodeId, NodeId)| recursion.are_together(source, reader);
            members().flat_map(inner).filter(inside).map(|(source, reader)| (source.index(), reader))
        };
        recursion.readers = Csr::from_pairs(net.node_count(), arcs);
        recursion
    }

    /// The component of a node that is in one.
    pub(super) fn component(&self, node: NodeId) -> Option<usize> {
        let number = *self.component.get(node.index())?;
        (number != NONE).then_some(number as usize)
    }

    /// Whether two nodes are in the same component.
    pub(super) fn are_together(&self, a: NodeId, b: NodeId) -> bool {
        self.component(a).is_some() && self.component(a) == self.component(b)
    }

    /// Marks the members of a component: all false at first, then true one by one as soon as their
    /// sources allow it (Dowling and Gallier 1984, linear in the number of arcs). The marks of sources
    /// outside of the component are given.
    pub(super) fn solve(&mut self, net: &Propnet, range: &Range<usize>, marks: &mut [bool]) {
        let members = &net.order()[range.clone()];
        members.iter().for_each(|m| marks[m.index()] = false);
        for &member in members {
            let sources = net.sources(member);
            let waits = if net.kind(member) == NodeKind::Conjunction { sources.len() } else { 1 };
            self.missing[member.index()] = waits as u32;
            for &source in sources {
                if !self.are_together(source, member) && marks[source.index()] {
                    self.found(member);
                }
            }
        }
        while let Some(node) = self.work.pop() {
            marks[node.index()] = true;
            for at in self.readers.range(node.index()) {
                self.found(self.readers.items()[at]);
            }
        }
    }

    /// One more source of a member is true.
    fn found(&mut self, member: NodeId) {
        let missing = &mut self.missing[member.index()];
        if *missing > 0 {
            *missing -= 1;
            if *missing == 0 {
                self.work.push(member);
            }
        }
    }
}
