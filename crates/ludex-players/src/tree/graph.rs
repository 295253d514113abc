//! The states that were met, in arenas: a graph, because different moves may lead to one state.

use std::hash::Hasher;
use std::ops::Range;

use ludex_game::{ActionId, Goal};
use rustc_hash::FxHasher;

use super::index::Index;
use super::tidy::Tidying;
use super::ways::Ways;
use crate::fingerprint::hash;
use crate::tree_drawing::Way;

/// The number of a node.
pub(super) type NodeId = u32;

/// No node.
pub(super) const NONE: NodeId = u32::MAX;

/// The mover of nodes where several roles have a choice.
pub(super) const SEVERAL: u32 = u32::MAX;

/// Visits that fade count for so many times less.
pub(super) const FADING: u32 = 16;

/// What moves are worth on average counts as so many playouts that made a move later.
const FEW_LATER: f64 = 8.0;

/// The highest goal; what is above counts as this.
pub(super) const BEST: u8 = 100;

/// What a role surely gets at least, and what it can get at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub lower: u8,
    pub upper: u8,
}

impl Bounds {
    /// Nothing is known.
    pub const OPEN: Self = Self { lower: 0, upper: BEST };

    /// It is known.
    pub fn exact(goal: Goal) -> Self {
        let goal = goal.min(u32::from(BEST)) as u8;
        Self { lower: goal, upper: goal }
    }

    /// The goal, if it is known.
    pub fn value(self) -> Option<u8> {
        (self.lower == self.upper).then_some(self.lower)
    }
}

/// A legal move of a role in a node, with what came of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub action: ActionId,
    /// Where the move leads, where its role is the only one with a choice.
    pub child: NodeId,
    pub visits: u32,
    /// Descents that are under way.
    pub pending: u16,
    /// What is known of the child for the role.
    pub bounds: Bounds,
    /// What the move seems to be worth to the role beside what visits say, 0 to 1: what the child seemed to be worth
    /// before it was visited, or what playouts brought that made the move later. Not a number where nothing is known.
    pub prior: f32,
    /// The playouts that made the move later, if it is those that say so ([`super::later_moves`]); else 0.
    pub later: f32,
    /// The sum of the values, 0 to 1 each, of the visits.
    pub sum: f64,
}

impl Edge {
    fn new(action: ActionId) -> Self {
        Self {
            action,
            child: NONE,
            visits: 0,
            pending: 0,
            bounds: Bounds::OPEN,
            prior: f32::NAN,
            later: 0.0,
            sum: 0.0,
        }
    }

    /// What the move seems to be worth beside what visits say, where moves of its kind are worth so much on average.
    pub fn guess(&self, mean: f64) -> f64 {
        let (prior, later) = (f64::from(self.prior), f64::from(self.later));
        match () {
            () if self.prior.is_nan() => mean,
            () if later > 0.0 => (later * prior + FEW_LATER * mean) / (later + FEW_LATER),
            () => prior,
        }
    }

    /// The mean value, where there were visits.
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.sum / f64::from(self.visits))
    }
}

/// A state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    /// Where its words begin.
    pub(super) words: u32,
    /// Where its edges begin: those of role 0, then those of role 1...
    pub(super) edges: u32,
    /// Where its ways out begin, where several roles have a choice.
    pub(super) ways: u32,
    /// When it was last known to be in use ([`super::tidy`]).
    pub(super) round: u32,
    pub visits: u32,
    /// The descent that came by last, so that one descent does not go in circles.
    pub stamp: u32,
    length: u32,
    /// The only role with a choice, or [`SEVERAL`].
    pub mover: u32,
    pub terminal: bool,
    /// Whether the way on from here is known, although not all that could be is proven.
    pub resolved: bool,
    /// How often visits had faded when they last did here.
    fadings: u8,
}

/// A state that is to become a node.
pub(super) struct NewNode<'n> {
    pub words: &'n [u64],
    pub terminal: bool,
    pub goals: &'n [Option<Goal>],
}

/// All nodes.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub roles: usize,
    limit: usize,
    pub(super) nodes: Vec<Node>,
    /// The numbers of nodes that were taken out.
    free: Vec<NodeId>,
    /// The nodes in the order in which their words and edges are stored.
    pub(super) order: Vec<NodeId>,
    pub(super) words: Vec<u64>,
    pub(super) edges: Vec<Edge>,
    /// Per node and role how many edges.
    counts: Vec<u32>,
    /// Per node and role the sum of the values of the visits.
    sums: Vec<f64>,
    bounds: Vec<Bounds>,
    /// Per node and role what the playouts from it showed, and what it is worth when all play their best
    /// from there, as far as the nodes below are known.
    resolved_values: Vec<f32>,
    index: Index,
    pub(super) ways: Ways,
    /// Counts how often room was made.
    pub(super) round: u32,
    /// Counts how often what visits brought was to fade.
    fadings: u8,
    pub(super) tidying: Option<Tidying>,
    /// The root from which room was made last.
    pub(super) tidied_from: NodeId,
}

/// Bytes of a vector, and of what it would be if it had to grow for `more` entries.
fn grown<T>(list: &Vec<T>, more: usize) -> usize {
    let needed = list.len() + more;
    let capacity = if needed > list.capacity() { needed.max(2 * list.capacity()) } else { list.capacity() };
    // While it grows, the old and the new one are there.
    let old = if needed > list.capacity() { list.capacity() } else { 0 };
    (capacity + old) * size_of::<T>()
}

/// How large the states of a game are, for sharing out memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub words: usize,
    pub edges: usize,
}

impl Shape {
    /// A shape with room to spare: states may have more moves than the first one.
    pub fn of(words: usize, edges: usize) -> Self {
        Self { words: words.max(1), edges: edges + edges / 2 + 2 }
    }

    fn bytes(self, roles: usize) -> usize {
        size_of::<Node>()
            + self.words.saturating_mul(size_of::<u64>())
            + self.edges.saturating_mul(size_of::<Edge>())
            + roles * (size_of::<u32>() + size_of::<f64>() + size_of::<Bounds>() + size_of::<f32>())
            // Its place in the order, and in a list of nodes to look at or to use again.
            + 2 * size_of::<NodeId>()
            + Index::BYTES
    }
}

/// Graphs of fewer bytes than this grow as they need to.
const RESERVING: usize = 16 << 20;

impl Graph {
    /// A graph of at most so many bytes. All of them are reserved at once, in shares that suit a state of
    /// so many words and moves: untouched, they cost nothing, while moving large arenas to grow them
    /// would cost a move its time.
    pub fn new(roles: usize, limit: usize, shape: Shape) -> Self {
        let nodes = if limit < RESERVING { 0 } else { limit / 10 * 9 / shape.bytes(roles) };
        Self {
            roles,
            limit,
            nodes: Vec::with_capacity(nodes),
            free: Vec::new(),
            order: Vec::with_capacity(nodes),
            words: Vec::with_capacity(nodes.saturating_mul(shape.words)),
            edges: Vec::with_capacity(nodes.saturating_mul(shape.edges)),
            counts: Vec::with_capacity(nodes.saturating_mul(roles)),
            sums: Vec::with_capacity(nodes.saturating_mul(roles)),
            bounds: Vec::with_capacity(nodes.saturating_mul(roles)),
            resolved_values: Vec::with_capacity(nodes.saturating_mul(roles)),
            index: Index::with_capacity(nodes),
            ways: Ways::default(),
            round: 0,
            fadings: 0,
            tidying: None,
            tidied_from: NONE,
        }
    }

    /// Takes out all nodes, and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.free.clear();
        self.order.clear();
        self.words.clear();
        self.edges.clear();
        self.counts.clear();
        self.sums.clear();
        self.bounds.clear();
        self.resolved_values.clear();
        self.index.clear();
        self.ways.clear();
        (self.tidying, self.tidied_from) = (None, NONE);
    }

    /// The part of the memory that is in use, of the part that is most so.
    pub fn fullness(&self) -> f64 {
        fn part<T>(list: &Vec<T>) -> f64 {
            list.len() as f64 / list.capacity().max(1) as f64
        }
        // What is still to grow says nothing.
        if self.limit < RESERVING && self.bytes_with(0, 0) < self.limit / 4 {
            return 0.0;
        }
        part(&self.order).max(part(&self.words)).max(part(&self.edges))
    }

    /// Bytes that it may take.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        fn used<T>(list: &[T]) -> usize {
            size_of_val(list)
        }
        used(&self.nodes)
            + used(&self.words)
            + used(&self.edges)
            + used(&self.counts)
            + used(&self.sums)
            + used(&self.bounds)
            + used(&self.resolved_values)
            + self.index.bytes()
            + used(&self.free)
            + used(&self.order)
            + self.ways.bytes()
    }

    fn bytes_with(&self, words: usize, edges: usize) -> usize {
        let more = usize::from(edges > 0 || words > 0);
        let order = grown(&self.order, more);
        let more = if self.free.is_empty() { more } else { 0 };
        order
            + self.free.capacity() * size_of::<NodeId>()
            + self.tidying.as_ref().map_or(0, Tidying::held)
            + grown(&self.nodes, more)
            + grown(&self.words, words)
            + grown(&self.edges, edges)
            + grown(&self.counts, self.roles * more)
            + grown(&self.sums, self.roles * more)
            + grown(&self.bounds, self.roles * more)
            + grown(&self.resolved_values, self.roles * more)
            + self.index.held()
            + self.ways.held()
    }

    /// Whether one more node with so many words and edges keeps within the limit.
    pub fn has_room(&self, words: usize, edges: usize) -> bool {
        let most = NONE as usize - 1;
        let is_numbered = (self.nodes.len() < most || !self.free.is_empty())
            && self.words.len().saturating_add(words) < most
            && self.edges.len().saturating_add(edges) < most;
        is_numbered && self.bytes_with(words.max(1), edges) <= self.limit
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// The words of the state.
    pub fn state(&self, id: NodeId) -> &[u64] {
        &self.words[self.all_words(id)]
    }

    /// Where the words of a node are.
    pub(super) fn all_words(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        node.words as usize..(node.words + node.length) as usize
    }

    /// Where the edges of all roles are.
    pub(super) fn all_edges(&self, id: NodeId) -> Range<usize> {
        let count: u32 = self.counts[id as usize * self.roles..][..self.roles].iter().sum();
        let begin = self.node(id).edges as usize;
        begin..begin + count as usize
    }

    /// The node of a state.
    pub fn find(&self, words: &[u64]) -> Option<NodeId> {
        // What is not in use is as good as gone as soon as the first nodes are taken out.
        let is_sweeping = self.tidying.as_ref().is_some_and(Tidying::is_sweeping);
        let is_there = |id: NodeId| !is_sweeping || self.node(id).round == self.round;
        self.index.find(hash(words), |id| is_there(id) && self.state(id) == words)
    }

    /// Takes a node out: nothing leads to it.
    pub(super) fn take_out(&mut self, id: NodeId) {
        self.index.remove(id);
        let ways = std::mem::replace(&mut self.node_mut(id).ways, NONE);
        self.ways.remove(ways);
        self.free.push(id);
    }

    fn edge_range(&self, id: NodeId, role: usize) -> Range<usize> {
        let counts = &self.counts[id as usize * self.roles..];
        let before: u32 = counts[..role].iter().sum();
        let begin = (self.node(id).edges + before) as usize;
        begin..begin + counts[role] as usize
    }

    /// The edges of a role.
    pub fn edges(&self, id: NodeId, role: usize) -> &[Edge] {
        &self.edges[self.edge_range(id, role)]
    }

    pub fn edges_mut(&mut self, id: NodeId, role: usize) -> &mut [Edge] {
        let range = self.edge_range(id, role);
        &mut self.edges[range]
    }

    /// The values of the visits, summed per role.
    pub fn sums(&self, id: NodeId) -> &[f64] {
        &self.sums[id as usize * self.roles..][..self.roles]
    }

    pub fn sums_mut(&mut self, id: NodeId) -> &mut [f64] {
        &mut self.sums[id as usize * self.roles..][..self.roles]
    }

    /// What is known of the values, per role.
    pub fn bounds(&self, id: NodeId) -> &[Bounds] {
        &self.bounds[id as usize * self.roles..][..self.roles]
    }

    pub fn bounds_mut(&mut self, id: NodeId) -> &mut [Bounds] {
        &mut self.bounds[id as usize * self.roles..][..self.roles]
    }

    /// What a resolved node brings, 0 to 1 per role.
    pub fn resolved_values(&self, id: NodeId) -> &[f32] {
        &self.resolved_values[id as usize * self.roles..][..self.roles]
    }

    pub fn resolved_values_mut(&mut self, id: NodeId) -> &mut [f32] {
        &mut self.resolved_values[id as usize * self.roles..][..self.roles]
    }

    /// Whether all values are known.
    pub fn is_solved(&self, id: NodeId) -> bool {
        self.bounds(id).iter().all(|bounds| bounds.lower == bounds.upper)
    }

    /// Forgets everything that was proven but the ends of the game.
    pub fn forget_bounds(&mut self) {
        for (node, bounds) in self.nodes.iter().zip(self.bounds.chunks_mut(self.roles.max(1))) {
            if !node.terminal {
                bounds.fill(Bounds::OPEN);
            }
        }
        self.nodes.iter_mut().for_each(|node| node.resolved = false);
        self.edges.iter_mut().for_each(|edge| edge.bounds = Bounds::OPEN);
    }

    /// Lets what visits brought so far fade: of each node when the search next comes by ([`Graph::fade`]), because to
    /// go through all of them at once would take a good part of a turn.
    pub fn fade_visits(&mut self) {
        self.fadings = self.fadings.wrapping_add(1);
    }

    /// Lets what visits brought count as [`FADING`] times less than it does for each time that this was wanted. The
    /// means stay, and what is proven.
    pub fn fade(&mut self, id: NodeId) {
        let missed = self.fadings.wrapping_sub(self.node(id).fadings);
        if missed == 0 {
            return;
        }
        let divisor = FADING.saturating_pow(u32::from(missed));
        let faded = |visits: u32| visits.div_ceil(divisor);
        let share = |visits: u32| f64::from(faded(visits)) / f64::from(visits.max(1));
        let visits = self.node(id).visits;
        let node = &mut self.nodes[id as usize];
        (node.visits, node.fadings) = (faded(visits), self.fadings);
        self.sums_mut(id).iter_mut().for_each(|sum| *sum *= share(visits));
        let edges = self.all_edges(id);
        for edge in &mut self.edges[edges] {
            edge.sum *= share(edge.visits);
            edge.visits = faded(edge.visits);
        }
    }

    /// Adds a state that has no node yet. `legal` gives the legal moves per role.
    pub fn add<'l>(&mut self, new: &NewNode<'_>, legal: impl Fn(usize) -> &'l [ActionId]) -> NodeId {
        let id = self.free_number();
        let (words, edges) = (self.words.len() as u32, self.edges.len() as u32);
        self.words.extend_from_slice(new.words);
        self.order.push(id);
        // A role that cannot move ends the game for all: there is nothing below.
        let is_end = new.terminal || (0..self.roles).any(|role| legal(role).is_empty());
        let (mut chooser, mut choosers) = (0, 0);
        for role in 0..self.roles {
            let moves = if is_end { &[] } else { legal(role) };
            self.edges.extend(moves.iter().map(|&action| Edge::new(action)));
            if moves.len() > 1 {
                chooser = role as u32;
                choosers += 1;
            }
            let goal = new.goals.get(role).copied().flatten().unwrap_or(0);
            let place = id as usize * self.roles + role;
            self.counts[place] = moves.len() as u32;
            self.sums[place] = 0.0;
            self.bounds[place] = if is_end { Bounds::exact(goal) } else { Bounds::OPEN };
            self.resolved_values[place] = 0.0;
        }
        self.nodes[id as usize] = Node {
            words,
            edges,
            ways: NONE,
            round: self.round,
            visits: 0,
            stamp: 0,
            length: new.words.len() as u32,
            mover: if choosers > 1 { SEVERAL } else { chooser },
            terminal: is_end,
            resolved: false,
            fadings: self.fadings,
        };
        self.index.insert(hash(new.words), id);
        id
    }

    /// A number that no node has, with room for what belongs to it.
    fn free_number(&mut self) -> NodeId {
        if let Some(id) = self.free.pop() {
            return id;
        }
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node::default());
        let places = self.nodes.len() * self.roles;
        self.counts.resize(places, 0);
        self.sums.resize(places, 0.0);
        self.bounds.resize(places, Bounds::OPEN);
        self.resolved_values.resize(places, 0.0);
        id
    }

    /// The number of a joint move among those of a node, from the places of the roles' moves; a hash
    /// where there are too many to number.
    pub fn joint_code(&self, id: NodeId, choices: &[u32]) -> u64 {
        if self.joint_count(id) == u64::MAX {
            let mut hasher = FxHasher::default();
            choices.iter().for_each(|&choice| hasher.write_u32(choice));
            return hasher.finish();
        }
        let counts = &self.counts[id as usize * self.roles..][..self.roles];
        let step = |code: u64, (&choice, &count): (&u32, &u32)| code * u64::from(count) + u64::from(choice);
        choices.iter().zip(counts).fold(0, step)
    }

    /// How many joint moves there are.
    pub fn joint_count(&self, id: NodeId) -> u64 {
        let counts = &self.counts[id as usize * self.roles..][..self.roles];
        counts.iter().fold(1, |product: u64, &count| product.saturating_mul(u64::from(count)))
    }

    /// Where a joint move leads, if that is known.
    pub fn child(&self, id: NodeId, choices: &[u32]) -> NodeId {
        match self.node(id).mover {
            SEVERAL => self.ways.get(id, self.joint_code(id, choices)),
            mover => self.edges(id, mover as usize)[choices[mover as usize] as usize].child,
        }
    }

    /// Where the joint move of this number leads, where several roles have a choice.
    pub fn joint_child(&self, id: NodeId, code: u64) -> NodeId {
        self.ways.get(id, code)
    }

    /// Notes where a joint move leads.
    pub fn set_child(&mut self, id: NodeId, choices: &[u32], child: NodeId) {
        self.mark(child);
        match self.node(id).mover {
            SEVERAL => {
                let code = self.joint_code(id, choices);
                self.ways.set(&mut self.nodes[id as usize].ways, id, code, child);
            }
            mover => {
                let bounds = self.bounds(child)[mover as usize];
                let edge = &mut self.edges_mut(id, mover as usize)[choices[mover as usize] as usize];
                edge.child = child;
                edge.bounds = bounds;
            }
        }
    }

    /// The joint move of these choices.
    pub fn joint(&self, id: NodeId, choices: &[u32], out: &mut Vec<ActionId>) {
        out.clear();
        let action = |(role, &choice): (usize, &u32)| self.edges(id, role)[choice as usize].action;
        out.extend(choices.iter().enumerate().map(action));
    }

    /// The known ways out of a node where several roles choose: from where, the joint move, to where,
    /// and the visits there; in the order of the joint moves. None where there are too many to number.
    pub fn joint_ways(&self, id: NodeId) -> Vec<Way> {
        let mut known: Vec<(u64, NodeId)> = Vec::new();
        if self.joint_count(id) == u64::MAX {
            return Vec::new();
        }
        known.extend(self.ways.of(self.node(id).ways));
        known.sort_unstable();
        let joint = |mut code: u64| {
            let mut actions = Vec::new();
            for role in (0..self.roles).rev() {
                let edges = self.edges(id, role);
                actions.push(edges[(code % edges.len() as u64) as usize].action);
                code /= edges.len() as u64;
            }
            actions.reverse();
            actions
        };
        let way = |(code, to)| Way { from: id, moves: joint(code), to, visits: self.node(to).visits };
        known.into_iter().map(way).collect()
    }
}
