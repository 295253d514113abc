//! Going down the tree to a leaf, and up again with what was found.

use ludex_game::{ActionId, RoleId};
use rustc_hash::FxHashSet;

use super::aim::Aim;
use super::deviation::Deviation;
use super::graph::{Arm, Graph, NONE, NodeId, SEVERAL};
use super::legacy::Legacy;
use super::nature::Nature;
use super::options::TreeOptions;
use crate::proof_number::{ProofGraph, ProofId};

/// Descents are no longer than this.
const DEEPEST: usize = 400;

/// The tree with what belongs to it.
pub(super) struct Tree {
    pub graph: Graph,
    /// What the tree of another machine knows.
    pub legacy: Option<Legacy>,
    pub options: TreeOptions,
    pub nature: Nature,
    /// What its values are values of.
    pub aim: Aim,
    /// What is being proven beside it.
    pub proofs: Option<ProofGraph>,
    /// Whether the game has brought a goal that was not expected, so that nothing is proven beside it any more.
    pub is_surprised: bool,
    /// The states that were worked out there; kept for its memory.
    pub answered: Vec<ProofId>,
    /// Whether the value of the game is known and is not the best there is, and the search goes on for what others may
    /// get wrong.
    pub resists: bool,
    /// Whether an end of the game was met that is not what the roles were taken for.
    pub is_odd: bool,
    /// The role of the player.
    pub role: usize,
    /// The role that moves by chance.
    pub random: Option<usize>,
    pub root: NodeId,
    /// At the root only this arm of the player's is tried: the move was made already.
    pub forced: Option<u32>,
    descents: u32,
    /// The joint moves whose successors descents under way are working on.
    claimed: FxHashSet<(NodeId, u64)>,
    /// The longest descent of the turn.
    pub deepest: usize,
    /// How much the values of leaves differ.
    pub deviation: Deviation,
}

/// How a descent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At a joint move whose successor is not known.
    Unknown,
    /// At a node from which playouts are to be made.
    Node(NodeId),
    /// At a node whose values are known.
    Exact(NodeId),
}

/// Descents with the choices that were made: flat.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    nodes: Vec<NodeId>,
    choices: Vec<u32>,
    roles: usize,
}

impl Paths {
    pub fn clear(&mut self, roles: usize) {
        self.nodes.clear();
        self.choices.clear();
        self.roles = roles;
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn step(&self, at: usize) -> (NodeId, &[u32]) {
        (self.nodes[at], &self.choices[at * self.roles..][..self.roles])
    }

    fn truncate(&mut self, length: usize) {
        self.nodes.truncate(length);
        self.choices.truncate(length * self.roles);
    }
}

impl Tree {
    pub fn new(graph: Graph, options: TreeOptions, role: RoleId, random: Option<RoleId>) -> Self {
        Self {
            graph,
            legacy: None,
            options,
            nature: Nature::General,
            aim: Aim::Own,
            proofs: None,
            is_surprised: false,
            answered: Vec::new(),
            resists: false,
            is_odd: false,
            role: role.index(),
            random: random.map(RoleId::index),
            root: NONE,
            forced: None,
            descents: 0,
            claimed: FxHashSet::default(),
            deepest: 0,
            deviation: Deviation::default(),
        }
    }

    /// Forgets all nodes.
    pub fn forget_nodes(&mut self) {
        self.graph.clear();
        self.root = NONE;
    }

    /// Goes from the root to a leaf and appends the way to `paths`; `None` where it comes to a leaf that
    /// another descent is working on.
    pub fn descend(&mut self, paths: &mut Paths) -> Option<End> {
        let begin = paths.len();
        self.descents = self.descents.wrapping_add(1).max(1);
        let mut id = self.root;
        loop {
            self.graph.fade(id);
            let node = *self.graph.node(id);
            if self.is_exact(id) {
                return Some(End::Exact(id));
            }
            if node.stamp == self.descents || paths.len() - begin >= DEEPEST {
                return Some(End::Node(id));
            }
            self.graph.node_mut(id).stamp = self.descents;
            self.choose(id, paths);
            let at = paths.len() - 1;
            let choices = paths.step(at).1;
            let child = self.graph.child(id, choices);
            self.add_pending(id, choices);
            self.deepest = self.deepest.max(paths.len() - begin);
            if child == NONE {
                if self.claimed.insert((id, self.graph.joint_code(id, choices))) {
                    return Some(End::Unknown);
                }
                self.withdraw(paths, begin..paths.len());
                paths.truncate(begin);
                return None;
            }
            id = child;
        }
    }

    /// Says that nobody is working any more on the successor that a way leads to.
    pub fn release(&mut self, paths: &Paths, steps: &std::ops::Range<usize>) {
        let (id, choices) = paths.step(steps.end - 1);
        self.claimed.remove(&(id, self.graph.joint_code(id, choices)));
    }

    /// Appends a node and a choice for each role.
    fn choose(&self, id: NodeId, paths: &mut Paths) {
        paths.nodes.push(id);
        for role in 0..self.graph.roles {
            let arms = self.graph.arms(id, role);
            let choice = match self.forced {
                _ if arms.len() == 1 => 0,
                Some(forced) if id == self.root && role == self.role => forced.min(arms.len() as u32 - 1),
                _ if Some(role) == self.random => least_tried(arms),
                _ if self.resists && role != self.role => self.fallible_arm(id, role),
                _ => self.best_arm(id, role),
            };
            paths.choices.push(choice);
        }
    }

    /// The arm with the highest upper confidence bound (UCT, book 8.3): mean + c·sqrt(ln N / n), where a
    /// descent under way counts as one that brought nothing. What cannot be better than the best that
    /// is proven is left out, and so is what is proven as long as something may be better: there is
    /// nothing to find out.
    fn best_arm(&self, id: NodeId, role: usize) -> u32 {
        let node = self.graph.node(id);
        let arms = self.graph.arms(id, role);
        let proves = self.options.solver;
        let sure = if proves || id == self.root { self.graph.bounds(id)[role].lower } else { 0 };
        let known = |arm: &Arm| if proves { self.final_value(arm, role) } else { None };
        let is_open = arms.iter().any(|arm| arm.bounds.upper > sure && known(arm).is_none());
        let visits = f64::from(node.visits.max(1));
        let mean = if node.visits > 0 { self.graph.sums(id)[role] / visits } else { 0.5 };
        let is_guided = arms.first().is_some_and(|arm| !arm.first.is_nan());
        let weight = if is_guided { self.options.guided } else { self.options.exploration };
        let scale = if self.options.relative { self.deviation.scale() } else { 1.0 };
        let explore = weight * scale * (visits + 1.0).ln().sqrt();
        let mut best = (0, f64::NEG_INFINITY);
        for (number, arm) in (0u32..).zip(arms) {
            if self.is_left_out(id, arm, role, sure) {
                continue;
            }
            let tried = arm.visits + u32::from(arm.pending);
            let is_guessed = !arm.first.is_nan();
            let value = if let Some(value) = known(arm) {
                if is_open {
                    continue;
                }
                value
            } else if tried == 0 {
                let guess = if is_guessed { f64::from(arm.first) } else { mean };
                guess + explore * self.options.urgency
            } else {
                let lost = self.options.virtual_loss * f64::from(arm.pending);
                let mean = self.mean_with_losses(arm, lost);
                let limits = self.limits(arm.bounds, role);
                let mean = mean.clamp(limits.0, limits.1);
                mean + explore / f64::from(tried).sqrt()
            };
            if value > best.1 {
                best = (number, value);
            }
        }
        best.0
    }

    /// The mean of an arm, with what was known before its first visit, where so many descents count as losses.
    pub(super) fn mean_with_losses(&self, arm: &Arm, lost: f64) -> f64 {
        let visits = f64::from(arm.visits);
        if !arm.first.is_nan() {
            let prior = self.options.prior;
            (arm.sum + prior * f64::from(arm.first)) / (visits + lost + prior).max(1e-9)
        } else if arm.visits == 0 {
            0.0
        } else {
            arm.sum / (visits + lost)
        }
    }

    fn add_pending(&mut self, id: NodeId, choices: &[u32]) {
        for (role, &choice) in choices.iter().enumerate() {
            let arm = &mut self.graph.arms_mut(id, role)[choice as usize];
            arm.pending = arm.pending.saturating_add(1);
        }
    }

    /// Takes back that descents are under way.
    pub fn withdraw(&mut self, paths: &Paths, steps: std::ops::Range<usize>) {
        for at in steps {
            let (id, choices) = paths.step(at);
            for (role, &choice) in choices.iter().enumerate() {
                let arm = &mut self.graph.arms_mut(id, role)[choice as usize];
                arm.pending = arm.pending.saturating_sub(1);
            }
        }
    }

    /// Ends a descent: its values, 0 to 1 per role, count in every node and arm of the way, as far as they
    /// are not beyond what is proven there.
    pub fn back_up(&mut self, paths: &Paths, steps: std::ops::Range<usize>, end: NodeId, values: &mut [f64]) {
        self.withdraw(paths, steps.clone());
        self.deviation.note(values[self.role]);
        if end != NONE {
            self.graph.node_mut(end).visits += 1;
            self.graph.sums_mut(end).iter_mut().zip(&*values).for_each(|(sum, value)| *sum += value);
        }
        let mut child = end;
        for at in steps.clone().rev() {
            let (id, choices) = paths.step(at);
            let mut merged = false;
            for (role, &choice) in choices.iter().enumerate() {
                let arm = &mut self.graph.arms_mut(id, role)[choice as usize];
                arm.visits += 1;
                arm.sum += values[role];
                merged |= self.options.merge && !arm.first.is_nan();
            }
            if merged && child != NONE && self.graph.node(id).mover != SEVERAL {
                let visits = f64::from(self.graph.node(child).visits);
                for (role, &choice) in choices.iter().enumerate() {
                    let mean = self.graph.sums(child)[role] / visits;
                    let arm = &mut self.graph.arms_mut(id, role)[choice as usize];
                    arm.sum = f64::from(arm.visits) * mean;
                }
            }
            child = id;
            for (role, (value, &bounds)) in values.iter_mut().zip(self.graph.bounds(id)).enumerate() {
                let (least, most) = self.limits(bounds, role);
                *value = value.clamp(least, most);
            }
            self.graph.node_mut(id).visits += 1;
            self.graph.sums_mut(id).iter_mut().zip(&*values).for_each(|(sum, value)| *sum += value);
        }
    }

    /// The joint move of a step.
    pub fn joint(&self, id: NodeId, choices: &[u32], out: &mut Vec<ActionId>) {
        self.graph.joint(id, choices, out);
    }
}

fn least_tried(arms: &[Arm]) -> u32 {
    let tried = |arm: &Arm| arm.visits + u32::from(arm.pending);
    let least = (0u32..).zip(arms).min_by_key(|(_, arm)| tried(arm));
    least.map_or(0, |(number, _)| number)
}
