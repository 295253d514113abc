//! What is proven in the tree: bounds of goals, from the ends of the game up to the root.

use ludex_game::Goal;
use smallvec::{SmallVec, smallvec};

use super::descent::{Paths, Tree};
use super::graph::{BEST, Bounds, Edge, NONE, NodeId, SEVERAL};
use super::utility::UtilityType;

/// In nodes with more joint moves than this, nothing is proven where several roles choose.
const FEW_JOINTS: u64 = 256;

/// The solver in the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver {
    /// Whether values are proven in the tree.
    pub is_on: bool,
    /// Whether the value of the game is known and is not the best there is, and the search goes on for what others may
    /// get wrong.
    pub resists: bool,
    /// Whether the value is wanted, and not a move ([`super::options::TreeOptions::wants_value`]).
    pub wants_value: bool,
    /// Whether an end of the game was met that is not what the roles were taken for.
    is_odd: bool,
}

impl Solver {
    /// One that proves, or does not, for a search for a move or for a value.
    pub fn new(is_on: bool, wants_value: bool) -> Self {
        Self { is_on, wants_value, ..Self::default() }
    }
}

impl Tree {
    /// Whether it is proven that an edge is no better than others, of which one brings `sure`: it brings less, or what
    /// it can bring at most is no more and not sure.
    pub fn is_worse(&self, id: NodeId, edge: &Edge, role: usize, sure: u8) -> bool {
        let most = edge.bounds.upper.min(self.graph.bounds(id)[role].upper);
        most < sure || most == sure && edge.bounds.lower < sure
    }

    /// Whether the best move at the root is known, so that there is nothing to search for but what others may get
    /// wrong. Behind a move that was made already: whether it is known what that brings.
    pub fn is_decided(&self) -> bool {
        if !self.solver.is_on || self.root == NONE {
            return false;
        }
        if self.solver.resists {
            return !self.has_choice();
        }
        if self.solver.wants_value {
            return self.value_at_root().is_some();
        }
        let edges = self.graph.edges(self.root, self.role);
        if self.forced.is_some() {
            return self.value_at_root().is_some();
        }
        let bounds = self.graph.bounds(self.root)[self.role];
        let hopeful = edges.iter().filter(|edge| edge.bounds.upper > bounds.lower).count();
        let is_known = bounds.lower == bounds.upper || self.is_resolved(self.root);
        // Who has one move only is waiting for the others, and had better know what they may do.
        is_known || bounds.lower == 0 && hopeful <= 1 && edges.len() > 1
    }

    /// Carries what was proven of the end of a way up to the root, as far as anything changes.
    pub fn prove_upwards(&mut self, paths: &Paths, steps: std::ops::Range<usize>) {
        if !self.solver.is_on {
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
        let edges = self.graph.edges(id, mover);
        if Some(mover) == self.random {
            return self.prove_chance(edges, found);
        }
        let best = |part: fn(&Edge) -> u8| edges.iter().map(part).max().unwrap_or(0);
        let own = Bounds { lower: best(|edge| edge.bounds.lower), upper: best(|edge| edge.bounds.upper) };
        found[mover] = own;
        match self.utility {
            UtilityType::ConstantSum { sum } => {
                let other = |goal: u8| sum.saturating_sub(goal).min(BEST);
                for (role, found) in found.iter_mut().enumerate() {
                    if role != mover && Some(role) != self.random {
                        *found = Bounds { lower: other(own.upper), upper: other(own.lower) };
                    }
                }
            }
            UtilityType::Cooperative => found.fill(own),
            UtilityType::General => self.prove_others(edges, mover, found),
        }
    }

    /// At a move of chance everything can happen.
    fn prove_chance(&self, edges: &[Edge], found: &mut [Bounds]) {
        self.prove_others(edges, usize::MAX, found);
    }

    /// What roles get from moves of others.
    fn prove_others(&self, edges: &[Edge], mover: usize, found: &mut [Bounds]) {
        if edges.iter().any(|edge| edge.child == NONE) {
            return;
        }
        for (role, found) in found.iter_mut().enumerate().filter(|&(role, _)| role != mover) {
            let bounds = |edge: &Edge| self.graph.bounds(edge.child)[role];
            let lower = edges.iter().map(|edge| bounds(edge).lower).min();
            let upper = edges.iter().map(|edge| bounds(edge).upper).max();
            *found = Bounds { lower: lower.unwrap_or(0), upper: upper.unwrap_or(BEST) };
        }
    }

    /// Where several roles choose: the best a role can be sure of whatever the others do at the same
    /// time.
    fn prove_several(&mut self, id: NodeId, found: &mut [Bounds]) {
        let roles = self.graph.roles;
        let counts: Vec<u32> = (0..roles).map(|role| self.graph.edges(id, role).len() as u32).collect();
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
            for (choice, edge) in self.graph.edges_mut(id, role).iter_mut().enumerate() {
                edge.bounds = Bounds { lower: worst[role][choice], upper: best[role][choice] };
            }
            let lower =
                if Some(role) == self.random { worst[role].iter().min() } else { worst[role].iter().max() };
            let upper = best[role].iter().max();
            *found = Bounds { lower: lower.copied().unwrap_or(0), upper: upper.copied().unwrap_or(BEST) };
        }
        if let UtilityType::ConstantSum { sum } = self.utility {
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
    pub fn set_utility(&mut self, utility: UtilityType) {
        if !self.solver.is_odd {
            self.utility = utility;
        }
    }

    /// Takes note of an end of the game. Where it is not what the roles were taken for, all that was
    /// proven is forgotten.
    pub fn check_utility(&mut self, terminal: bool, goals: &[Option<Goal>]) {
        if terminal && !self.utility.fits(goals, self.random) {
            self.solver.is_odd = true;
            self.utility = UtilityType::General;
            self.proofs.graph = None;
            self.graph.forget_bounds();
        }
    }

    /// The values of a node that is solved or resolved, 0 to 1 per role.
    pub fn exact_values(&self, id: NodeId, out: &mut [f64]) {
        for (role, value) in out.iter_mut().enumerate() {
            *value = match self.graph.bounds(id)[role].value() {
                None if self.graph.node(id).resolved => f64::from(self.graph.resolved_values(id)[role]),
                _ => f64::from(self.graph.bounds(id)[role].lower) / f64::from(BEST),
            };
        }
    }
}
