//! What to say about a search: moves, numbers, the expected course, a drawing.

use ludex_game::ActionId;

use super::descent::Tree;
use super::graph::{Edge, NONE, NodeId, SEVERAL};
use super::objective::Objective;
use super::search::TreeSearch;
use crate::report::Report;
use crate::strategy::{Rating, Turn};
use crate::tree_drawing::{self, DrawnTree, Way};

/// An expected course is told so far at most.
const LONGEST_VARIATION: usize = 30;

impl TreeSearch {
    /// The move that the tree says is best, before it is searched on; `None` where it does not know the state.
    pub fn first_thought(&mut self, turn: &Turn<'_>) -> Option<ActionId> {
        let tree = self.tree.as_mut()?;
        let root = tree.graph.find(turn.state.words())?;
        let before = std::mem::replace(&mut tree.root, root);
        let best = tree.best_at_root();
        tree.root = before;
        // A move that nobody tried says nothing.
        let edge = tree.graph.edges(root, tree.role).get(best? as usize)?;
        (edge.visits > 0 || edge.bounds.lower > 0).then_some(edge.action)
    }

    /// Tells a turn what was found, if anything was.
    pub fn tell(&mut self, turn: &mut Turn<'_>) {
        let pondered = std::mem::take(&mut self.pondered);
        let Some(tree) = &self.tree else { return };
        let Some(best) = tree.best_at_root() else { return };
        let edges = tree.graph.edges(tree.root, tree.role);
        turn.forget_ratings();
        for edge in edges {
            let bounds = edge.bounds;
            let limits = (f64::from(bounds.lower), f64::from(bounds.upper));
            let value = edge.mean().map_or(limits.0, |mean| (100.0 * mean).clamp(limits.0, limits.1));
            let proven = bounds.value().map(u32::from).filter(|_| tree.objective == Objective::Own);
            turn.rate(Rating { action: edge.action, value, visits: u64::from(edge.visits), proven });
        }
        turn.advise(edges[best as usize].action);
        turn.expect(&tree.variation());
        let effort = &self.effort;
        turn.note("playouts", effort.playouts);
        turn.note("leaves", effort.leaves);
        if effort.lanes > 0 {
            turn.note("lanes", effort.lanes);
        }
        let threads = turn.arena.resources.threads;
        if (1..threads).contains(&effort.threads) {
            turn.note(Report::FEWER_THREADS, format_args!("{} of {threads}", effort.threads));
        }
        if pondered.playouts > 0 {
            turn.note("playouts while others thought", pondered.playouts);
        }
        if effort.again > 0 {
            turn.note("descents to what is known", effort.again);
        }
        turn.note("depth", tree.statistics.deepest);
        turn.note("nodes", tree.graph.len());
        if let Some(proofs) = tree.proofs.graph.as_ref().filter(|proofs| proofs.examined() > 0) {
            turn.note("states looked at for proofs", proofs.examined());
        }
        turn.note("memory", format_args!("{:.1} MB", tree.graph.bytes() as f64 / 1e6));
        let value = tree.graph.bounds(tree.root)[tree.role].value();
        match tree.objective {
            Objective::Own => {
                turn.note("the roles' goals", tree.utility.name());
                value.into_iter().for_each(|value| turn.note("proven", value));
            }
            Objective::Ahead => {
                turn.note("the roles' goals", "general, of rivals");
                turn.note("values are", "50 and half of what is ahead of the other");
                let points = |value| 2 * i32::from(value) - 100;
                value.into_iter().for_each(|value| turn.note("proven ahead", points(value)));
            }
        }
        if let Some(hope) = edges[best as usize].mean().filter(|_| tree.solver.resists) {
            turn.note("where others may err", format_args!("{:.1}", 100.0 * hope));
        }
        if let Some(horizon) = self.profile.as_ref().and_then(|profile| profile.horizon) {
            turn.note("playouts end after", format_args!("{horizon} steps"));
        }
        if edges.iter().any(|edge| edge.later > 0.0) {
            turn.note("moves look good by", "playouts that made them later");
        }
        if let Some(learned) = self.learning.useful() {
            let of = if learned.goes_by_moves() { ", by how many moves roles have" } else { "" };
            turn.note("learned evaluation of", format_args!("{} games with itself{of}", learned.games));
        }
        let seconds = effort.time.as_secs_f64();
        if seconds > 0.0 {
            turn.note("playouts a second", (effort.playouts as f64 / seconds) as u64);
            turn.note("states a second", ((effort.steps + effort.leaves) as f64 / seconds) as u64);
            let share = effort.playing.as_secs_f64() / seconds / effort.threads.max(1) as f64;
            turn.note("time in playouts", format_args!("{:.0} %", 100.0 * share));
        }
    }

    /// The top of the tree in the language of Graphviz, up to so many nodes, those visited most first.
    pub fn dot(&self, nodes: usize) -> Option<String> {
        let tree = self.tree.as_ref().filter(|tree| tree.root != NONE)?;
        let signature = self.signature()?;
        Some(tree_drawing::dot(tree, tree.root, nodes, signature))
    }
}

impl Tree {
    /// The edge to play at the root: a proven best one, else the one that was visited most of those that
    /// are not proven to be worse.
    pub fn best_at_root(&self) -> Option<u32> {
        if self.root == NONE {
            return None;
        }
        let sure = self.graph.bounds(self.root)[self.role].lower;
        let edges = self.graph.edges(self.root, self.role);
        let known = |edge: &Edge| self.known_value(edge, self.role);
        let worth = |edge: &Edge| match known(edge) {
            Some(value) => value,
            None => edge.mean().unwrap_or(0.0).max(f64::from(edge.bounds.lower) / 100.0),
        };
        let good =
            || (0u32..).zip(edges).filter(|(_, edge)| !self.is_worse(self.root, edge, self.role, sure));
        let open = good().filter(|(_, edge)| known(edge).is_none());
        let visited = open.max_by(|(i, a), (j, b)| {
            a.visits.cmp(&b.visits).then(worth(a).total_cmp(&worth(b))).then(j.cmp(i))
        });
        if self.solver.resists {
            let kept = good().filter(|(_, edge)| !self.gives_away(edge));
            let kept = kept.max_by(|(i, a), (j, b)| {
                a.visits.cmp(&b.visits).then(worth(a).total_cmp(&worth(b))).then(j.cmp(i))
            });
            if let Some((number, _)) = kept {
                return Some(number);
            }
        }
        let proven = good().filter(|(_, edge)| known(edge).is_some());
        let proven = proven.max_by(|(i, a), (j, b)| {
            worth(a).total_cmp(&worth(b)).then(a.visits.cmp(&b.visits)).then(j.cmp(i))
        });
        match (visited, proven) {
            (Some((open, a)), Some((proven, b))) => {
                // Where there is nothing to lose, what is open may be better.
                let least = f64::from(a.bounds.lower) / 100.0;
                Some(if worth(b) > least && worth(b) >= worth(a) { proven } else { open })
            }
            (Some((number, _)), None) | (None, Some((number, _))) => Some(number),
            (None, None) => {
                let all = (0u32..).zip(edges);
                all.max_by(|(i, a), (j, b)| a.visits.cmp(&b.visits).then(j.cmp(i))).map(|(number, _)| number)
            }
        }
    }

    /// The joint moves along the edges that were visited most, and where the way on is proven, those of the proof.
    fn variation(&self) -> Vec<Vec<ActionId>> {
        let mut found = Vec::new();
        let (mut id, mut joint) = (self.root, Vec::new());
        while found.len() < LONGEST_VARIATION && id != NONE && !self.graph.node(id).terminal {
            let is_root = id == self.root;
            if let Some(mut line) = self.proven_line(id).filter(|line| !is_root && !line.is_empty()) {
                line.truncate(LONGEST_VARIATION - found.len());
                found.append(&mut line);
                break;
            }
            // What is proven need not have been visited.
            if !is_root && self.graph.node(id).visits < 2 && !self.graph.is_solved(id) {
                break;
            }
            let choices: Vec<u32> = (0..self.graph.roles).map(|role| self.expected(id, role)).collect();
            self.graph.joint(id, &choices, &mut joint);
            found.push(joint.clone());
            id = self.graph.child(id, &choices);
        }
        found
    }

    /// How the game goes on from a node, if that was worked out beside the tree.
    fn proven_line(&self, id: NodeId) -> Option<Vec<Vec<ActionId>>> {
        let proofs = self.proofs.graph.as_ref()?;
        Some(proofs.line(proofs.find(self.graph.state(id))?))
    }

    /// The edge that a role is expected to take.
    fn expected(&self, id: NodeId, role: usize) -> u32 {
        if id == self.root && role == self.role {
            return self.best_at_root().unwrap_or(0);
        }
        let sure = self.graph.bounds(id)[role].lower;
        let score = |edge: &Edge| (edge.bounds.lower >= sure && sure > 0, edge.visits);
        let edges = (0u32..).zip(self.graph.edges(id, role));
        let best = edges.max_by(|(i, a), (j, b)| score(a).cmp(&score(b)).then(j.cmp(i)));
        best.map_or(0, |(number, _)| number)
    }
}

impl DrawnTree for Tree {
    fn ways(&self, id: NodeId) -> Vec<Way> {
        let node = self.graph.node(id);
        if node.mover == SEVERAL {
            return self.graph.joint_ways(id);
        }
        let edges = self.graph.edges(id, node.mover as usize).iter().filter(|edge| edge.child != NONE);
        let way =
            |edge: &Edge| Way { from: id, moves: vec![edge.action], to: edge.child, visits: edge.visits };
        edges.map(way).collect()
    }

    fn label(&self, id: NodeId) -> String {
        let node = self.graph.node(id);
        let values =
            self.graph.bounds(id).iter().zip(self.graph.sums(id)).map(|(bounds, sum)| match bounds.value() {
                Some(value) => format!("{value}!"),
                None if node.visits == 0 => "?".to_owned(),
                None => format!("{:.1}", 100.0 * sum / f64::from(node.visits)),
            });
        let values: Vec<String> = values.collect();
        format!("{}\\n{}", values.join(" "), node.visits)
    }
}
