//! The tree of UCT: flat tables that take no more than a given number of bytes.

use ludex_game::{ActionId, Answer, RoleId, Runner, State, StateNumber, StateTable};
use rustc_hash::FxHashMap;

use crate::tree_drawing::{DrawnTree, Way};

/// A node, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// The place as a number, for drawings.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// What one role knows of one of its moves in a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub action: ActionId,
    pub visits: u32,
    /// The sum of the role's goals.
    pub total: f64,
}

impl Edge {
    /// The mean of the role's goals; `None` where the move was not tried.
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.total / f64::from(self.visits))
    }
}

/// A state.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Where its edges end.
    edges: u32,
    /// Where its goals start, or [`NOT_OVER`].
    goals: u32,
    visits: u32,
    /// The cycle that it was last entered in.
    entered: u32,
}

const NOT_OVER: u32 = u32::MAX;

/// States with statistics. All lists only grow; nodes are never taken out one by one.
pub(super) struct Tree {
    roles: usize,
    memory: usize,
    root: Option<NodeId>,
    nodes: StateTable<Node>,
    /// For each node, role by role, its moves.
    edges: Vec<Edge>,
    /// For each node, where each role's edges end, counted from the node's first.
    ends: Vec<u32>,
    /// What states are worth in which the game is over, or stuck.
    goals: Vec<f64>,
    children: FxHashMap<(NodeId, u64), NodeId>,
    cycle: u32,
    playouts: u64,
    depth: usize,
}

/// What an entry of the map of children takes, with its share of empty places.
const CHILD_BYTES: usize = 2 * (size_of::<((NodeId, u64), NodeId)>() + 1);

impl Tree {
    /// A tree without nodes.
    pub fn new(roles: usize, memory: usize) -> Self {
        Self {
            roles,
            memory,
            root: None,
            nodes: StateTable::default(),
            edges: Vec::new(),
            ends: Vec::new(),
            goals: Vec::new(),
            children: FxHashMap::default(),
            cycle: 0,
            playouts: 0,
            depth: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.roles, self.memory);
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The state that was planted last.
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// The cycles since a state was planted.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// The length of the longest way down since a state was planted.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// All roles.
    pub fn roles(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..self.roles as u32).map(RoleId)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        fn held<T>(list: &Vec<T>) -> usize {
            list.capacity() * size_of::<T>()
        }
        self.nodes.bytes()
            + held(&self.edges)
            + held(&self.ends)
            + held(&self.goals)
            + self.children.capacity() * CHILD_BYTES
    }

    /// Makes a state the root. What is known of it and of what comes after it is kept; what does not
    /// come after it is forgotten when half of the memory is used.
    pub fn plant(&mut self, state: &State, runner: &mut dyn Runner) -> Answer<()> {
        self.playouts = 0;
        self.depth = 0;
        self.root = self.find(state);
        match self.root {
            Some(root) if self.is_half_full() => self.prune(root),
            Some(_) => {}
            None => {
                self.clear();
                runner.set(state)?;
                self.root = self.add(state, runner)?;
            }
        }
        Ok(())
    }

    fn is_half_full(&self) -> bool {
        // After pruning the lists keep the room they have.
        self.bytes() > self.memory / 2 && self.nodes.len() > self.nodes.capacity().0 / 2
    }

    /// Adds a state that is the runner's current one, if there is room.
    pub fn insert(&mut self, state: &State, runner: &mut dyn Runner) -> Answer<Option<NodeId>> {
        let mut edges = 0;
        if !runner.terminal()? {
            for role in self.roles() {
                edges += runner.legal(role)?.len();
            }
        }
        if !self.has_room(state.words().len(), edges) {
            return Ok(None);
        }
        self.add(state, runner)
    }

    fn add(&mut self, state: &State, runner: &mut dyn Runner) -> Answer<Option<NodeId>> {
        let (edges, ends, goals) = (self.edges.len(), self.ends.len(), self.goals.len());
        let is_over = match self.read(runner) {
            Ok(is_over) => is_over,
            Err(error) => {
                self.edges.truncate(edges);
                self.ends.truncate(ends);
                self.goals.truncate(goals);
                return Err(error);
            }
        };
        let goals = if is_over { goals as u32 } else { NOT_OVER };
        let node = Node { edges: self.edges.len() as u32, goals, visits: 0, entered: 0 };
        Ok(self.nodes.add(state.words(), node).map(NodeId))
    }

    /// Notes the moves of the runner's state; or if it is over, or somebody is stuck, what it is worth.
    fn read(&mut self, runner: &mut dyn Runner) -> Answer<bool> {
        let (first_edge, first_end) = (self.edges.len(), self.ends.len());
        let mut is_over = runner.terminal()?;
        self.ends.resize(first_end + self.roles, 0);
        for role in 0..self.roles {
            if is_over {
                break;
            }
            let legal = runner.legal(RoleId(role as u32))?;
            is_over = legal.is_empty();
            self.edges.extend(legal.iter().map(|&action| Edge { action, visits: 0, total: 0.0 }));
            self.ends[first_end + role] = (self.edges.len() - first_edge) as u32;
        }
        if is_over {
            self.edges.truncate(first_edge);
            self.ends[first_end..].fill(0);
            for role in self.roles() {
                let goal = runner.goal(role)?.unwrap_or(0);
                self.goals.push(f64::from(goal));
            }
        }
        Ok(is_over)
    }

    /// Whether another state fits in. Lists that grow are copied, so for a moment they are there twice.
    fn has_room(&self, words: usize, edges: usize) -> bool {
        fn growth<T>(list: &Vec<T>, more: usize) -> usize {
            let wanted = list.len() + more;
            if wanted <= list.capacity() { 0 } else { wanted.max(2 * list.capacity()) * size_of::<T>() }
        }
        let growth = self.nodes.growth(words)
            + growth(&self.edges, edges)
            + growth(&self.ends, self.roles)
            + growth(&self.goals, self.roles)
            + self.children_growth();
        let longest = (self.nodes.total_words() + words)
            .max(self.edges.len() + edges)
            .max(self.goals.len() + self.roles);
        self.bytes().saturating_add(growth) <= self.memory && longest < NOT_OVER as usize
    }

    fn children_growth(&self) -> usize {
        let is_full = self.children.len() == self.children.capacity();
        if is_full { 2 * self.children.capacity().max(2) * CHILD_BYTES } else { 0 }
    }

    fn node(&self, node: NodeId) -> &Node {
        self.nodes.value(node.0)
    }

    /// Makes a state of the machine that of a node.
    pub fn copy_state(&self, node: NodeId, out: &mut State) {
        out.set_words(self.nodes.words(node.0));
    }

    /// The node of a state.
    pub fn find(&self, state: &State) -> Option<NodeId> {
        self.nodes.find(state.words()).map(NodeId)
    }

    /// Where the edges of a role begin and end.
    fn edge_places(&self, node: NodeId, role: RoleId) -> (usize, usize) {
        let at = node.0 as usize;
        let first = if at == 0 { 0 } else { self.nodes.value(node.0 - 1).edges as usize };
        let ends = &self.ends[at * self.roles..][..self.roles];
        let start = role.index().checked_sub(1).map_or(0, |before| ends[before]);
        (first + start as usize, first + ends[role.index()] as usize)
    }

    /// What a role knows of its moves in a state, in canonical order; nothing where the game is over.
    pub fn edges(&self, node: NodeId, role: RoleId) -> &[Edge] {
        let (start, end) = self.edge_places(node, role);
        &self.edges[start..end]
    }

    /// How many ways down went through a node.
    pub fn visits(&self, node: NodeId) -> u32 {
        self.node(node).visits
    }

    /// What the state is worth to each role, if the game is over or stuck.
    pub fn goals(&self, node: NodeId) -> Option<&[f64]> {
        let start = self.node(node).goals;
        (start != NOT_OVER).then(|| &self.goals[start as usize..][..self.roles])
    }

    /// The number of the joint move in which each role makes the move at this place; `None` where there
    /// are too many to number.
    pub fn joint_number(&self, node: NodeId, places: impl Iterator<Item = u32>) -> Option<u64> {
        let mut number: u64 = 0;
        for (role, place) in self.roles().zip(places) {
            let count = self.edges(node, role).len() as u64;
            number = number.checked_mul(count)?.checked_add(u64::from(place))?;
        }
        Some(number)
    }

    /// The state after a joint move, if it is known.
    pub fn child(&self, node: NodeId, number: u64) -> Option<NodeId> {
        self.children.get(&(node, number)).copied()
    }

    /// Notes the state after a joint move, if there is room.
    pub fn link(&mut self, node: NodeId, number: u64, child: NodeId) {
        if self.bytes().saturating_add(self.children_growth()) <= self.memory {
            self.children.insert((node, number), child);
        }
    }

    /// Begins a way down.
    pub fn begin_cycle(&mut self) {
        self.cycle = self.cycle.wrapping_add(1);
    }

    /// Enters a node; false if it was entered before on this way down.
    pub fn enter(&mut self, node: NodeId) -> bool {
        std::mem::replace(&mut self.nodes.value_mut(node.0).entered, self.cycle) != self.cycle
    }

    /// Counts what a way down brought: `picked` are the places of each role's moves along the path.
    pub fn back_up(&mut self, path: &[NodeId], picked: &[u32], goals: &[f64]) {
        self.playouts += 1;
        self.depth = self.depth.max(path.len());
        for (&node, picked) in path.iter().zip(picked.chunks_exact(self.roles.max(1))) {
            let visits = &mut self.nodes.value_mut(node.0).visits;
            *visits = visits.saturating_add(1);
            for ((role, &place), goal) in (0..).map(RoleId).zip(picked).zip(goals) {
                let (start, _) = self.edge_places(node, role);
                let edge = &mut self.edges[start + place as usize];
                edge.visits = edge.visits.saturating_add(1);
                edge.total += goal;
            }
        }
    }

    /// Forgets all nodes that do not come after `root`. The others move down within the lists.
    fn prune(&mut self, root: NodeId) {
        let mut links: Vec<(NodeId, u64, NodeId)> =
            self.children.drain().map(|((node, number), child)| (node, number, child)).collect();
        self.children = FxHashMap::default();
        links.sort_unstable_by_key(|&(node, number, _)| (node.0, number));
        let places = self.keep(&reachable(root, self.nodes.len(), &links));
        let place = |node: NodeId| places[node.0 as usize].map(NodeId);
        for (node, number, child) in links {
            if let (Some(node), Some(child)) = (place(node), place(child)) {
                self.children.insert((node, number), child);
            }
        }
        self.root = place(root);
    }

    /// Keeps some nodes only; the new places of those that stay.
    fn keep(&mut self, kept: &[bool]) -> Vec<Option<StateNumber>> {
        let Self { roles, nodes, edges, ends, goals, .. } = self;
        let mut places = vec![None; kept.len()];
        let (mut count, mut last_edge, mut last_goal, mut first_edge) = (0, 0, 0, 0);
        nodes.retain(|at, node| {
            let (at, end_edge) = (at as usize, node.edges as usize);
            if kept[at] {
                edges.copy_within(first_edge..end_edge, last_edge);
                ends.copy_within(at * *roles..(at + 1) * *roles, count * *roles);
                last_edge += end_edge - first_edge;
                if node.goals != NOT_OVER {
                    let start = node.goals as usize;
                    goals.copy_within(start..start + *roles, last_goal);
                    node.goals = last_goal as u32;
                    last_goal += *roles;
                }
                node.edges = last_edge as u32;
                places[at] = Some(count as StateNumber);
                count += 1;
            }
            first_edge = end_edge;
            kept[at]
        });
        edges.truncate(last_edge);
        ends.truncate(count * *roles);
        goals.truncate(last_goal);
        places
    }
}

impl Tree {
    /// What each role knows of its move in the joint move with this number, see [`Tree::joint_number`].
    fn joint(&self, node: NodeId, mut number: u64) -> Vec<Edge> {
        let mut picked: Vec<Edge> = Vec::with_capacity(self.roles);
        for role in (0..self.roles as u32).rev().map(RoleId) {
            // Joint moves have numbers only where each role has a move, so there are some.
            let edges = self.edges(node, role);
            let count = edges.len() as u64;
            picked.push(edges[(number % count) as usize]);
            number /= count;
        }
        picked.reverse();
        picked
    }

    /// How often a joint move was made: where at most one role has a choice, as often as its move; where
    /// several have, that is not counted, but how often there was a way on from where it leads.
    fn joint_visits(&self, node: NodeId, picked: &[Edge], to: NodeId) -> u32 {
        let choosers = self.roles().filter(|&role| self.edges(node, role).len() > 1).count();
        let least = picked.iter().map(|edge| edge.visits).min();
        least.filter(|_| choosers <= 1).unwrap_or_else(|| self.visits(to))
    }
}

impl DrawnTree for Tree {
    fn ways(&self, node: u32) -> Vec<Way> {
        let node = NodeId(node);
        let out = self.children.iter().filter(|&(&(from, _), _)| from == node);
        let mut known: Vec<(u64, NodeId)> = out.map(|(&(_, number), &child)| (number, child)).collect();
        known.sort_unstable_by_key(|&(number, _)| number);
        let way = |(number, to): (u64, NodeId)| {
            let picked = self.joint(node, number);
            let visits = self.joint_visits(node, &picked, to);
            let moves = picked.iter().map(|edge| edge.action).collect();
            Way { from: node.0, moves, to: to.0, visits }
        };
        known.into_iter().map(way).collect()
    }

    fn label(&self, node: u32) -> String {
        let node = NodeId(node);
        let visits = self.visits(node);
        if let Some(goals) = self.goals(node) {
            return goals.iter().map(|goal| format!("{goal}!")).collect::<Vec<_>>().join(" ");
        }
        let value = |role: RoleId| {
            if visits == 0 {
                return "?".to_owned();
            }
            // Each way through the node took one of the role's moves.
            let total: f64 = self.edges(node, role).iter().map(|edge| edge.total).sum();
            format!("{:.1}", total / f64::from(visits))
        };
        let values: Vec<String> = self.roles().map(value).collect();
        format!("{}\\n{visits}", values.join(" "))
    }
}

/// Which nodes come after `root`, itself included; `links` are sorted by their first nodes.
fn reachable(root: NodeId, count: usize, links: &[(NodeId, u64, NodeId)]) -> Vec<bool> {
    let mut kept = vec![false; count];
    kept[root.0 as usize] = true;
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        let start = links.partition_point(|&(from, ..)| from.0 < node.0);
        for &(_, _, child) in links[start..].iter().take_while(|&&(from, ..)| from == node) {
            if !std::mem::replace(&mut kept[child.0 as usize], true) {
                open.push(child);
            }
        }
    }
    kept
}
