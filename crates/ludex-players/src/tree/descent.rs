//! Going down the tree to a leaf, and up again with what was found.

use ludex_game::{ActionId, RoleId};
use rustc_hash::FxHashSet;

use super::bounds::Solver;
use super::deviation::Deviation;
use super::graph::{Edge, Graph, NONE, NodeId, SEVERAL};
use super::legacy::Legacy;
use super::look_ahead::{Foresight, WIDEST_LEAF};
use super::objective::Objective;
use super::options::{TreeOptions, Weights};
use super::proving::Proofs;
use super::utility::UtilityType;

/// Descents are no longer than this.
const DEEPEST: usize = 400;
/// How urgent untried moves are: one counts as tried so often, to the power of -1/2.
const URGENCY: f64 = 1.2;
/// How much a descent under way counts as one that brought nothing, beside being a visit.
const VIRTUAL_LOSS: f64 = 0.3;

/// The tree with what belongs to it.
pub(super) struct Tree {
    pub graph: Graph,
    /// What the tree of another machine knows.
    pub legacy: Option<Legacy>,
    pub utility: UtilityType,
    /// What its values are values of.
    pub objective: Objective,
    pub statistics: Statistics,
    pub solver: Solver,
    /// What is being proven beside it.
    pub proofs: Proofs,
    /// The role of the player.
    pub role: usize,
    /// The role that moves by chance.
    pub random: Option<usize>,
    pub root: NodeId,
    /// At the root only this edge of the player's is tried: the move was made already.
    pub forced: Option<u32>,
}

/// What descents are chosen by, beside what is in the nodes.
pub(super) struct Statistics {
    /// The weight of exploration where nothing is known of moves before their first visit.
    exploration: f64,
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

    pub fn roles(&self) -> usize {
        self.roles
    }

    pub fn step(&self, at: usize) -> (NodeId, &[u32]) {
        (self.nodes[at], &self.choices[at * self.roles..][..self.roles])
    }

    /// Appends a node and a choice for each role.
    #[cfg(test)]
    pub fn push(&mut self, id: NodeId, choices: &[u32]) {
        self.nodes.push(id);
        self.choices.extend_from_slice(choices);
    }

    pub fn truncate(&mut self, length: usize) {
        self.nodes.truncate(length);
        self.choices.truncate(length * self.roles);
    }
}

impl Tree {
    pub fn new(graph: Graph, options: &TreeOptions, arena: (RoleId, Option<RoleId>)) -> Self {
        let statistics = Statistics {
            exploration: options.exploration,
            descents: 0,
            claimed: FxHashSet::default(),
            deepest: 0,
            deviation: Deviation::default(),
        };
        Self {
            graph,
            legacy: None,
            utility: UtilityType::General,
            objective: Objective::Own,
            statistics,
            solver: Solver::new(options.solver, options.wants_value),
            proofs: Proofs::new(if options.solver { options.proving } else { 0.0 }),
            role: arena.0.index(),
            random: arena.1.map(RoleId::index),
            root: NONE,
            forced: None,
        }
    }

    /// Forgets all nodes.
    pub fn forget_nodes(&mut self) {
        self.graph.clear();
        self.root = NONE;
    }

    /// Goes from the root to a leaf and appends the way to `paths`; `None` where it comes to a leaf that
    /// another descent is working on.
    pub fn descend(&mut self, paths: &mut Paths, foresight: Foresight) -> Option<End> {
        let begin = paths.len();
        self.statistics.descents = self.statistics.descents.wrapping_add(1).max(1);
        let mut id = self.root;
        loop {
            self.graph.fade(id);
            let node = *self.graph.node(id);
            if self.is_exact(id) {
                return Some(End::Exact(id));
            }
            if node.stamp == self.statistics.descents || paths.len() - begin >= DEEPEST {
                return Some(End::Node(id));
            }
            if foresight == Foresight::Moves && self.wants_look(id) {
                return Some(End::Node(id));
            }
            self.graph.node_mut(id).stamp = self.statistics.descents;
            self.choose(id, paths);
            let at = paths.len() - 1;
            let choices = paths.step(at).1;
            let child = self.graph.child(id, choices);
            self.add_pending(id, choices);
            self.statistics.deepest = self.statistics.deepest.max(paths.len() - begin);
            if child == NONE {
                if self.statistics.claimed.insert((id, self.graph.joint_code(id, choices))) {
                    return Some(End::Unknown);
                }
                self.withdraw(paths, begin..paths.len());
                paths.truncate(begin);
                return None;
            }
            id = child;
        }
    }

    /// Whether it is not known yet which moves of a node look good, although that can be seen: it has so many moves that it
    /// pays only where a node is visited again, or is the root.
    pub fn wants_look(&self, id: NodeId) -> bool {
        let node = self.graph.node(id);
        if node.mover == SEVERAL || Some(node.mover as usize) == self.random || node.terminal {
            return false;
        }
        let edges = self.graph.edges(id, node.mover as usize);
        edges.len() > WIDEST_LEAF && edges[0].prior.is_nan()
    }

    /// Says that nobody is working any more on the successor that a way leads to.
    pub fn release(&mut self, paths: &Paths, steps: &std::ops::Range<usize>) {
        let (id, choices) = paths.step(steps.end - 1);
        self.statistics.claimed.remove(&(id, self.graph.joint_code(id, choices)));
    }

    /// Appends a node and a choice for each role.
    fn choose(&self, id: NodeId, paths: &mut Paths) {
        paths.nodes.push(id);
        for role in 0..self.graph.roles {
            let edges = self.graph.edges(id, role);
            let choice = match self.forced {
                _ if edges.len() == 1 => 0,
                Some(forced) if id == self.root && role == self.role => forced.min(edges.len() as u32 - 1),
                _ if Some(role) == self.random => least_tried(edges),
                _ if self.solver.resists && role != self.role => self.fallible_edge(id, role),
                _ => self.best_edge(id, role),
            };
            paths.choices.push(choice);
        }
    }

    /// The edge with the highest upper confidence bound (UCT, book 8.3): mean + c·sqrt(ln N / n), where a
    /// descent under way counts as one that brought nothing. What cannot be better than the best that
    /// is proven is left out, and so is what is proven as long as something may be better: there is
    /// nothing to find out.
    fn best_edge(&self, id: NodeId, role: usize) -> u32 {
        let node = self.graph.node(id);
        let edges = self.graph.edges(id, role);
        let proves = self.solver.is_on;
        let sure = if proves || id == self.root { self.graph.bounds(id)[role].lower } else { 0 };
        let known = |edge: &Edge| if proves { self.final_value(edge, role) } else { None };
        let is_open = edges.iter().any(|edge| edge.bounds.upper > sure && known(edge).is_none());
        let visits = f64::from(node.visits.max(1));
        let mean = if node.visits > 0 { self.graph.sums(id)[role] / visits } else { 0.5 };
        let weights = Weights::of(edges, self.statistics.exploration);
        let explore = weights.exploration * self.statistics.deviation.scale() * (visits + 1.0).ln().sqrt();
        let mut best = (0, f64::NEG_INFINITY);
        for (number, edge) in (0u32..).zip(edges) {
            if self.is_left_out(id, edge, role, sure) {
                continue;
            }
            let tried = edge.visits + u32::from(edge.pending);
            let value = if let Some(value) = known(edge) {
                if is_open {
                    continue;
                }
                value
            } else if tried == 0 {
                edge.guess(mean) + explore * URGENCY
            } else {
                let lost = VIRTUAL_LOSS * f64::from(edge.pending);
                let mean = mean_with_losses(edge, (edge.guess(mean), weights.prior), lost);
                let limits = self.limits(edge.bounds, role);
                let mean = mean.clamp(limits.0, limits.1);
                mean + explore / f64::from(tried).sqrt()
            };
            if value > best.1 {
                best = (number, value);
            }
        }
        best.0
    }

    fn add_pending(&mut self, id: NodeId, choices: &[u32]) {
        for (role, &choice) in choices.iter().enumerate() {
            let edge = &mut self.graph.edges_mut(id, role)[choice as usize];
            edge.pending = edge.pending.saturating_add(1);
        }
    }

    /// Takes back that descents are under way.
    pub fn withdraw(&mut self, paths: &Paths, steps: std::ops::Range<usize>) {
        for at in steps {
            let (id, choices) = paths.step(at);
            for (role, &choice) in choices.iter().enumerate() {
                let edge = &mut self.graph.edges_mut(id, role)[choice as usize];
                edge.pending = edge.pending.saturating_sub(1);
            }
        }
    }

    /// Ends a descent: its values, 0 to 1 per role, count in every node and edge of the way, as far as they
    /// are not beyond what is proven there.
    pub fn back_up(&mut self, paths: &Paths, steps: std::ops::Range<usize>, end: NodeId, values: &mut [f64]) {
        self.withdraw(paths, steps.clone());
        self.statistics.deviation.note(values[self.role]);
        if end != NONE {
            self.graph.node_mut(end).visits += 1;
            self.graph.sums_mut(end).iter_mut().zip(&*values).for_each(|(sum, value)| *sum += value);
        }
        for at in steps.rev() {
            let (id, choices) = paths.step(at);
            for (role, &choice) in choices.iter().enumerate() {
                let edge = &mut self.graph.edges_mut(id, role)[choice as usize];
                edge.visits += 1;
                edge.sum += values[role];
            }
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

/// The mean of an edge, where what is guessed of it counts as so many visits, and so many descents count as losses.
pub(super) fn mean_with_losses(edge: &Edge, (guess, prior): (f64, f64), lost: f64) -> f64 {
    (edge.sum + prior * guess) / (f64::from(edge.visits) + lost + prior).max(1e-9)
}

fn least_tried(edges: &[Edge]) -> u32 {
    let tried = |edge: &Edge| edge.visits + u32::from(edge.pending);
    let least = (0u32..).zip(edges).min_by_key(|(_, edge)| tried(edge));
    least.map_or(0, |(number, _)| number)
}
