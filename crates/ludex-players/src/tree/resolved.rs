//! What is resolved: known as far as anybody will go, although not proven.

use smallvec::{SmallVec, smallvec};

use super::descent::{Paths, Tree};
use super::graph::{BEST, Edge, NONE, NodeId, SEVERAL};
use super::utility::UtilityType;

impl Tree {
    /// Whether it is known how the game goes on from a node when all take what is best for them as far as
    /// that is known. Where goals do not add up, that happens long before everything is proven: a role does
    /// not care which of its best moves it makes, nor what others it has.
    pub fn is_resolved(&self, id: NodeId) -> bool {
        self.utility == UtilityType::General && self.graph.node(id).resolved
    }

    /// What an edge brings to its role, 0 to 1, where that is proven or resolved.
    pub fn known_value(&self, edge: &Edge, role: usize) -> Option<f64> {
        let resolved = || {
            let is_resolved = edge.child != NONE && self.is_resolved(edge.child);
            is_resolved.then(|| f64::from(self.graph.resolved_values(edge.child)[role]))
        };
        edge.bounds.value().map(|value| f64::from(value) / f64::from(BEST)).or_else(resolved)
    }

    /// Says of the nodes of a way that they are resolved, from its end as far up as it holds: where the role
    /// that moves has no other edge that may be better and is not known.
    pub fn resolve_upwards(&mut self, paths: &Paths, steps: std::ops::Range<usize>, end: NodeId) {
        if self.utility != UtilityType::General || !self.solver.is_on {
            return;
        }
        let mut child = end;
        let mut values: SmallVec<[f64; 4]> = smallvec![0.0; self.graph.roles];
        for at in steps.rev() {
            let (id, choices) = paths.step(at);
            let mover = self.graph.node(id).mover;
            if mover == SEVERAL || Some(mover as usize) == self.random || self.graph.node(id).terminal {
                return;
            }
            let mover = mover as usize;
            let sure = self.graph.bounds(id)[mover].lower;
            let edges = self.graph.edges(id, mover);
            let is_open = |edge: &Edge| edge.bounds.upper > sure && self.known_value(edge, mover).is_none();
            let own = &edges[choices[mover] as usize];
            let Some(value) = self.known_value(own, mover) else { return };
            let is_better = |edge: &Edge| self.known_value(edge, mover).is_some_and(|other| other > value);
            if edges.iter().any(|edge| is_open(edge) || is_better(edge)) {
                return;
            }
            self.exact_values(child, &mut values);
            self.graph.node_mut(id).resolved = true;
            for (resolved, &value) in self.graph.resolved_values_mut(id).iter_mut().zip(&values) {
                *resolved = value as f32;
            }
            child = id;
        }
    }
}
