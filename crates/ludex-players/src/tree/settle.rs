//! What is settled: known as far as anybody will go, although not proven.

use smallvec::{SmallVec, smallvec};

use super::descent::{Paths, Tree};
use super::graph::{Arm, BEST, NONE, NodeId, SEVERAL};
use super::nature::Nature;

impl Tree {
    /// Whether it is known how the game goes on from a node when all take what is best for them as far as
    /// that is known. Where goals do not add up, that happens long before everything is proven: a role does
    /// not care which of its best moves it makes, nor what others it has.
    pub fn is_settled(&self, id: NodeId) -> bool {
        self.nature == Nature::General && self.graph.node(id).settled
    }

    /// What an arm brings to its role, 0 to 1, where that is proven or settled.
    pub fn known_value(&self, arm: &Arm, role: usize) -> Option<f64> {
        let settled = || {
            let is_settled = arm.child != NONE && self.is_settled(arm.child);
            is_settled.then(|| f64::from(self.graph.settled_values(arm.child)[role]))
        };
        arm.bounds.value().map(|value| f64::from(value) / f64::from(BEST)).or_else(settled)
    }

    /// Says of the nodes of a way that they are settled, from its end as far up as it holds: where the role
    /// that moves has no other arm that may be better and is not known.
    pub fn settle_upwards(&mut self, paths: &Paths, steps: std::ops::Range<usize>, end: NodeId) {
        if self.nature != Nature::General || !self.options.solver {
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
            let arms = self.graph.arms(id, mover);
            let is_open = |arm: &Arm| arm.bounds.upper > sure && self.known_value(arm, mover).is_none();
            let own = &arms[choices[mover] as usize];
            let Some(value) = self.known_value(own, mover) else { return };
            let is_better = |arm: &Arm| self.known_value(arm, mover).is_some_and(|other| other > value);
            if arms.iter().any(|arm| is_open(arm) || is_better(arm)) {
                return;
            }
            self.exact_values(child, &mut values);
            self.graph.node_mut(id).settled = true;
            for (settled, &value) in self.graph.settled_values_mut(id).iter_mut().zip(&values) {
                *settled = value as f32;
            }
            child = id;
        }
    }
}
