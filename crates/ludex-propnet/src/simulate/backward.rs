//! Backward reasoning (book 10.3), with a stack of its own and a memory.

use super::Simulator;
use crate::net::{NodeId, NodeKind};

/// What is known of a node after looking at its sources up to some point.
enum Step {
    Done(bool),
    /// This source has to be worked out first; it is at this place.
    Need(NodeId, u32),
}

impl Simulator<'_> {
    /// Works out a node, and before it what it needs.
    pub(super) fn work_back(&mut self, node: NodeId) {
        self.stack.clear();
        self.stack.push((node, 0));
        while let Some(&(node, at)) = self.stack.last() {
            if self.is_known(node) {
                self.stack.pop();
            } else if let Some(component) = self.recursion.component(node) {
                self.work_back_component(component, at);
            } else {
                match self.combine_from(node, at) {
                    Step::Done(value) => {
                        self.learn(node, value);
                        self.stack.pop();
                    }
                    Step::Need(source, at) => {
                        if let Some(top) = self.stack.last_mut() {
                            top.1 = at;
                        }
                        self.stack.push((source, 0));
                    }
                }
            }
        }
    }

    /// `propmarknegation`, `propmarkconjunction` and `propmarkdisjunction` of the book, from source
    /// number `at` on.
    fn combine_from(&mut self, node: NodeId, at: u32) -> Step {
        let kind = self.net.kind(node);
        // A conjunction is decided by a source that is false, everything else by one that is true.
        let decides = kind != NodeKind::Conjunction;
        let inverts = kind == NodeKind::Negation;
        let sources = self.net.sources(node);
        for (at, &source) in (at..).zip(&sources[at as usize..]) {
            if !self.is_known(source) {
                return Step::Need(source, at);
            }
            self.spent += 1;
            if self.marks[source.index()] == decides {
                return Step::Done(decides != inverts);
            }
        }
        Step::Done(decides == inverts)
    }

    /// A component is worked out as a whole: first (`at` is 0) all it reads, then its fixpoint.
    fn work_back_component(&mut self, component: usize, at: u32) {
        let net = self.net;
        let range = &net.recursive()[component];
        let members = &net.order()[range.clone()];
        if at == 0 {
            if let Some(top) = self.stack.last_mut() {
                top.1 = 1;
            }
            for &member in members {
                for &source in net.sources(member) {
                    if !self.recursion.are_together(source, member) && !self.is_known(source) {
                        self.stack.push((source, 0));
                    }
                }
            }
            return;
        }
        self.recursion.solve(net, range, &mut self.marks);
        members.iter().for_each(|&member| self.learn(member, self.marks[member.index()]));
        self.stack.pop();
    }
}
