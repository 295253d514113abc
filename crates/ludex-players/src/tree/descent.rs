//! Going down the tree to a leaf, and up again with what was found.

use ludex_game::{ActionId, RoleId};
use rustc_hash::FxHashSet;

use super::aim::Aim;
use super::deviation::Deviation;
use super::graph::{Arm, Graph, NONE, NodeId, SEVERAL};
use super::knowledge::{Before, Knowledge, Made};
use super::known::Twins;
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
    /// Nodes by what symmetric states have in common.
    pub twins: Twins,
    pub knowledge: Knowledge,
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
    /// How many moves the game has, as far as they are known.
    pub actions: usize,
    /// At the root only this arm of the player's is tried: the move was made already.
    pub forced: Option<u32>,
    descents: u32,
    /// The joint moves whose successors descents under way are working on.
    claimed: FxHashSet<(NodeId, u64)>,
    /// The moves of a descent and where they were made; kept for its memory.
    made: Vec<(usize, Made)>,
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
        let roles = graph.roles;
        Self {
            graph,
            legacy: None,
            twins: Twins::default(),
            knowledge: Knowledge::new(roles),
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
            actions: 0,
            forced: None,
            descents: 0,
            claimed: FxHashSet::default(),
            made: Vec::new(),
            deepest: 0,
            deviation: Deviation::default(),
        }
    }

    /// Forgets all nodes.
    pub fn forget_nodes(&mut self) {
        self.graph.clear();
        self.twins.clear();
        self.knowledge.forget_rapid();
        self.root = NONE;
    }

    /// Goes from the root to a leaf and appends the way to `paths`; `None` where it comes to a leaf that
    /// another descent is working on.
    pub fn descend(&mut self, paths: &mut Paths) -> Option<End> {
        let begin = paths.len();
        self.descents = self.descents.wrapping_add(1).max(1);
        let mut id = self.root;
        let mut before: Before = None;
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
            self.choose(id, before, paths);
            let at = paths.len() - 1;
            let choices = paths.step(at).1;
            let child = self.graph.child(id, choices);
            before = self.action_before(id, choices, before);
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

    fn action_before(&self, id: NodeId, choices: &[u32], before: Before) -> Before {
        match self.graph.node(id).mover {
            SEVERAL => before,
            mover => {
                let arms = self.graph.arms(id, mover as usize);
                if arms.len() > 1 { Some(arms[choices[mover as usize] as usize].action) } else { before }
            }
        }
    }

    /// Appends a node and a choice for each role.
    fn choose(&self, id: NodeId, before: Before, paths: &mut Paths) {
        paths.nodes.push(id);
        for role in 0..self.graph.roles {
            let arms = self.graph.arms(id, role);
            let choice = match self.forced {
                _ if arms.len() == 1 => 0,
                Some(forced) if id == self.root && role == self.role => forced.min(arms.len() as u32 - 1),
                _ if Some(role) == self.random => least_tried(arms),
                _ if self.resists && role != self.role => self.fallible_arm(id, role),
                _ => self.best_arm(id, role, before),
            };
            paths.choices.push(choice);
        }
    }

    /// The arm with the highest upper confidence bound (UCT, book 8.3): mean + c·sqrt(ln N / n), where a
    /// descent under way counts as one that brought nothing. What cannot be better than the best that
    /// is proven is left out, and so is what is proven as long as something may be better: there is
    /// nothing to find out.
    fn best_arm(&self, id: NodeId, role: usize, before: Before) -> u32 {
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
        let knows = self.options.guesses();
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
                let made = Made { role, action: arm.action, before };
                let guess = if is_guessed { f64::from(arm.first) } else { mean };
                let guess = if knows { self.knowledge.guess(&self.options, &made, guess) } else { guess };
                self.rapid(id, role, number, 0, guess) + explore * self.options.urgency
            } else {
                let lost = self.options.virtual_loss * f64::from(arm.pending);
                let mean = self.mean_with_losses(arm, lost);
                let limits = self.limits(arm.bounds, role);
                let mean = self.rapid(id, role, number, tried, mean);
                let mean = if arm.child == NONE {
                    mean
                } else {
                    mean + self.options.depth_share * (f64::from(arm.deep) - mean)
                };
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

    fn rapid(&self, id: NodeId, role: usize, arm: u32, visits: u32, mean: f64) -> f64 {
        if self.options.rapid_values {
            self.knowledge.mixed(arm_key(id, role, arm), visits, mean)
        } else {
            mean
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
            if self.options.depth_share > 0.0 && child != NONE {
                self.deepen(id, choices, child);
            }
            child = id;
            for (role, (value, &bounds)) in values.iter_mut().zip(self.graph.bounds(id)).enumerate() {
                let (least, most) = self.limits(bounds, role);
                *value = value.clamp(least, most);
            }
            self.graph.node_mut(id).visits += 1;
            self.graph.sums_mut(id).iter_mut().zip(&*values).for_each(|(sum, value)| *sum += value);
        }
        if self.options.learns() {
            self.learn(paths, steps, values);
        }
    }

    /// Takes over into a node what a child is worth when all play their best (implicit minimax backups:
    /// Lanctot, Winands, Pepels and Sturtevant, 2014). As long as there are moves that were not tried, a
    /// role is trusted to find one that is worth what the first playouts showed.
    fn deepen(&mut self, id: NodeId, choices: &[u32], child: NodeId) {
        let mover = self.graph.node(id).mover;
        if mover == SEVERAL || Some(mover as usize) == self.random {
            return self.deepen_by_mean(id);
        }
        let mover = mover as usize;
        let deep = self.graph.guesses(child)[mover].deep;
        self.graph.arms_mut(id, mover)[choices[mover] as usize].deep = deep;
        let first = self.graph.guesses(id)[mover].first;
        let arms = self.graph.arms(id, mover);
        let tried = arms.iter().filter(|arm| arm.child != NONE);
        let best = tried.max_by(|a, b| a.deep.total_cmp(&b.deep));
        let is_open = arms.iter().any(|arm| arm.child == NONE);
        let best = best.filter(|best| !is_open || best.deep >= first).map(|best| best.child);
        for role in 0..self.graph.roles {
            let deep = match best {
                Some(best) => self.graph.guesses(best)[role].deep,
                None => self.graph.guesses(id)[role].first,
            };
            self.graph.guesses_mut(id)[role].deep = deep;
        }
    }

    /// Where chance or several roles at once decide, a node is worth what its visits brought.
    fn deepen_by_mean(&mut self, id: NodeId) {
        let visits = f64::from(self.graph.node(id).visits.max(1));
        for role in 0..self.graph.roles {
            self.graph.guesses_mut(id)[role].deep = (self.graph.sums(id)[role] / visits) as f32;
        }
    }

    /// Learns from the moves of a descent.
    fn learn(&mut self, paths: &Paths, steps: std::ops::Range<usize>, values: &[f64]) {
        let mut made = std::mem::take(&mut self.made);
        made.clear();
        let mut before: Before = None;
        for at in steps.clone() {
            let (id, choices) = paths.step(at);
            for (role, &choice) in choices.iter().enumerate() {
                let arms = self.graph.arms(id, role);
                if arms.len() > 1 {
                    made.push((at, Made { role, action: arms[choice as usize].action, before }));
                }
            }
            before = self.action_before(id, choices, before);
        }
        if self.options.rapid_values {
            self.learn_rapid(paths, steps, &made, values);
        }
        self.knowledge.learn(&self.options, &made, values);
        self.made = made;
    }

    /// Tells each node of the way about the moves that its roles made later.
    fn learn_rapid(
        &mut self,
        paths: &Paths,
        steps: std::ops::Range<usize>,
        made: &[(usize, Made)],
        values: &[f64],
    ) {
        for at in steps {
            let (id, _) = paths.step(at);
            for (_, made) in made.iter().filter(|&&(when, _)| when >= at) {
                let arms = self.graph.arms(id, made.role);
                if let Some(number) = arms.iter().position(|arm| arm.action == made.action) {
                    self.knowledge.learn_rapid(arm_key(id, made.role, number as u32), values[made.role]);
                }
            }
        }
    }

    /// The joint move of a step.
    pub fn joint(&self, id: NodeId, choices: &[u32], out: &mut Vec<ActionId>) {
        self.graph.joint(id, choices, out);
    }
}

fn arm_key(id: NodeId, role: usize, arm: u32) -> u64 {
    // More roles or moves than these share keys, which blurs a guess and nothing else.
    u64::from(id) << 32 | (role as u64 & 0xf) << 28 | u64::from(arm & 0x0fff_ffff)
}

fn least_tried(arms: &[Arm]) -> u32 {
    let tried = |arm: &Arm| arm.visits + u32::from(arm.pending);
    let least = (0u32..).zip(arms).min_by_key(|(_, arm)| tried(arm));
    least.map_or(0, |(number, _)| number)
}
