//! What is proven in the tree: bounds of goals, from the ends of the game up to the root.

use ludex_game::Goal;
use smallvec::{SmallVec, smallvec};

use super::descent::{Paths, Tree};
use super::graph::{Arm, BEST, Bounds, NONE, NodeId, SEVERAL};
use super::nature::Nature;

/// In nodes with more joint moves than this, nothing is proven where several roles choose.
const FEW_JOINTS: u64 = 256;

impl Tree {
    /// Whether it is proven that an arm is no better than others, of which one brings `sure`: it brings less, or what
    /// it can bring at most is no more and not sure.
    pub fn is_worse(&self, id: NodeId, arm: &Arm, role: usize, sure: u8) -> bool {
        let most = arm.bounds.upper.min(self.graph.bounds(id)[role].upper);
        most < sure || most == sure && arm.bounds.lower < sure
    }

    /// Whether the best move at the root is known, so that there is nothing to search for but what others may get
    /// wrong. Behind a move that was made already: whether it is known what that brings.
    pub fn is_decided(&self) -> bool {
        if !self.options.solver || self.root == NONE {
            return false;
        }
        if self.resists {
            return !self.has_choice();
        }
        let arms = self.graph.arms(self.root, self.role);
        if self.forced.is_some() {
            return self.value_at_root().is_some();
        }
        let bounds = self.graph.bounds(self.root)[self.role];
        let hopeful = arms.iter().filter(|arm| arm.bounds.upper > bounds.lower).count();
        let is_known = bounds.lower == bounds.upper || self.is_settled(self.root);
        // Who has one move only is waiting for the others, and had better know what they may do.
        is_known || bounds.lower == 0 && hopeful <= 1 && arms.len() > 1
    }

    /// Carries what was proven of the end of a way up to the root, as far as anything changes.
    pub fn prove_upwards(&mut self, paths: &Paths, steps: std::ops::Range<usize>) {
        if !self.options.solver {
            return;
        }
        for at in steps.rev() {
            let (id, choices) = paths.step(at);
            let child = self.graph.child(id, choices);
            if child != NONE && self.graph.node(id).mover != SEVERAL {
                self.graph.set_child(id, choices, child);
            }
            if !self.prove(id) {
                break;
            }
        }
    }

    /// Works out what is known of a node from what is known of its children; whether that is more than
    /// before.
    ///
    /// A role surely gets what its best move gets against all replies, and no more than its best move
    /// could get; where the goals of two roles add up to one number, what the other surely gets limits
    /// it, too (score bounds: Cazenave and Saffidine, 2010).
    pub fn prove(&mut self, id: NodeId) -> bool {
        let node = *self.graph.node(id);
        if node.terminal {
            return false;
        }
        let mut found: SmallVec<[Bounds; 4]> = smallvec![Bounds::OPEN; self.graph.roles];
        if node.mover == SEVERAL {
            if self.graph.joint_count(id) > FEW_JOINTS {
                return false;
            }
            self.prove_several(id, &mut found);
        } else {
            self.prove_mover(id, node.mover as usize, &mut found);
        }
        let mut is_more = false;
        for (known, found) in self.graph.bounds_mut(id).iter_mut().zip(found) {
            let (lower, upper) = (known.lower.max(found.lower), known.upper.min(found.upper));
            if lower <= upper && (lower, upper) != (known.lower, known.upper) {
                *known = Bounds { lower, upper };
                is_more = true;
            }
        }
        is_more
    }

    fn prove_mover(&self, id: NodeId, mover: usize, found: &mut [Bounds]) {
        let arms = self.graph.arms(id, mover);
        if Some(mover) == self.random {
            return self.prove_chance(arms, found);
        }
        let best = |part: fn(&Arm) -> u8| arms.iter().map(part).max().unwrap_or(0);
        let own = Bounds { lower: best(|arm| arm.bounds.lower), upper: best(|arm| arm.bounds.upper) };
        found[mover] = own;
        match self.nature {
            Nature::ConstantSum { sum } => {
                let other = |goal: u8| sum.saturating_sub(goal).min(BEST);
                for (role, found) in found.iter_mut().enumerate() {
                    if role != mover && Some(role) != self.random {
                        *found = Bounds { lower: other(own.upper), upper: other(own.lower) };
                    }
                }
            }
            Nature::Cooperative => found.fill(own),
            Nature::General => self.prove_others(arms, mover, found),
        }
    }

    /// At a move of chance everything can happen.
    fn prove_chance(&self, arms: &[Arm], found: &mut [Bounds]) {
        self.prove_others(arms, usize::MAX, found);
    }

    /// What roles get from moves of others.
    fn prove_others(&self, arms: &[Arm], mover: usize, found: &mut [Bounds]) {
        if arms.iter().any(|arm| arm.child == NONE) {
            return;
        }
        for (role, found) in found.iter_mut().enumerate().filter(|&(role, _)| role != mover) {
            let bounds = |arm: &Arm| self.graph.bounds(arm.child)[role];
            let lower = arms.iter().map(|arm| bounds(arm).lower).min();
            let upper = arms.iter().map(|arm| bounds(arm).upper).max();
            *found = Bounds { lower: lower.unwrap_or(0), upper: upper.unwrap_or(BEST) };
        }
    }

    /// Where several roles choose: the best a role can be sure of whatever the others do at the same
    /// time.
    fn prove_several(&mut self, id: NodeId, found: &mut [Bounds]) {
        let roles = self.graph.roles;
        let counts: Vec<u32> = (0..roles).map(|role| self.graph.arms(id, role).len() as u32).collect();
        let mut worst: Vec<Vec<u8>> = counts.iter().map(|&count| vec![BEST; count as usize]).collect();
        let mut best: Vec<Vec<u8>> = counts.iter().map(|&count| vec![0; count as usize]).collect();
        for code in 0..self.graph.joint_count(id) {
            let child = self.graph.joint_child(id, code);
            let mut rest = code;
            for role in (0..roles).rev() {
                let choice = (rest % u64::from(counts[role])) as usize;
                rest /= u64::from(counts[role]);
                let bounds = if child == NONE { Bounds::OPEN } else { self.graph.bounds(child)[role] };
                worst[role][choice] = worst[role][choice].min(bounds.lower);
                best[role][choice] = best[role][choice].max(bounds.upper);
            }
        }
        for (role, found) in found.iter_mut().enumerate() {
            for (choice, arm) in self.graph.arms_mut(id, role).iter_mut().enumerate() {
                arm.bounds = Bounds { lower: worst[role][choice], upper: best[role][choice] };
            }
            let lower =
                if Some(role) == self.random { worst[role].iter().min() } else { worst[role].iter().max() };
            let upper = best[role].iter().max();
            *found = Bounds { lower: lower.copied().unwrap_or(0), upper: upper.copied().unwrap_or(BEST) };
        }
        if let Nature::ConstantSum { sum } = self.nature {
            let players: SmallVec<[usize; 2]> =
                (0..roles).filter(|&role| Some(role) != self.random).collect();
            if let [one, other] = players[..] {
                // What one is sure of, the other cannot get.
                for (role, rival) in [(one, other), (other, one)] {
                    found[role].upper = found[role].upper.min(sum.saturating_sub(found[rival].lower));
                }
            }
        }
    }

    /// Says what the roles are to each other, unless that was disproved.
    pub fn set_nature(&mut self, nature: Nature) {
        if !self.is_odd {
            self.nature = nature;
        }
    }

    /// Takes note of an end of the game. Where it is not what the roles were taken for, all that was
    /// proven is forgotten.
    pub fn check_nature(&mut self, terminal: bool, goals: &[Option<Goal>]) {
        if terminal && !self.nature.fits(goals, self.random) {
            self.is_odd = true;
            self.nature = Nature::General;
            self.proofs = None;
            self.graph.forget_bounds();
        }
    }

    /// The values of a node that is solved or settled, 0 to 1 per role.
    pub fn exact_values(&self, id: NodeId, out: &mut [f64]) {
        for (role, value) in out.iter_mut().enumerate() {
            *value = match self.graph.bounds(id)[role].value() {
                None if self.graph.node(id).settled => f64::from(self.graph.settled_values(id)[role]),
                _ => f64::from(self.graph.bounds(id)[role].lower) / f64::from(BEST),
            };
        }
    }
}
