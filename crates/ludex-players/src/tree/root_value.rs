//! What a search found its root to be worth to all roles, and what it found of their moves.

use ludex_game::{Goal, RoleId};

use super::descent::Tree;
use super::graph::{BEST, Bounds, Edge, NONE, SEVERAL};
use super::search::TreeSearch;
use super::utility::UtilityType;
use crate::assessment::RoleValue;
use crate::strategy::Rating;

/// Moves that were tried less often than this part of all visits are no match for those that were tried more.
const TRIED: f64 = 0.02;

/// What a search found of its root.
pub(crate) struct RootValue {
    /// What the state is worth to each role; `None` for chance, and where nothing was found.
    pub values: Vec<Option<RoleValue>>,
    /// For each role that has a choice what was found of its moves, best first; those that were not tried are left out.
    pub moves: Vec<Vec<Rating>>,
    /// Random games that were played.
    pub playouts: u64,
    /// States in the tree, and those that were looked at for proofs.
    pub states: u64,
}

impl TreeSearch {
    /// What was found of the state that was searched last.
    pub fn root_value(&self) -> Option<RootValue> {
        let tree = self.tree.as_ref().filter(|tree| tree.root != NONE)?;
        let proofs = tree.proofs.graph.as_ref().map_or(0, |proofs| proofs.examined());
        let roles = 0..tree.graph.roles;
        Some(RootValue {
            values: roles.clone().map(|role| tree.value_of(role)).collect(),
            moves: roles.map(|role| tree.moves_of(role)).collect(),
            playouts: self.effort.playouts,
            states: tree.graph.len() as u64 + proofs,
        })
    }
}

impl Tree {
    /// What the root is worth to a role: what its best move brings where it alone has a choice, what the best move of
    /// whoever else alone has one brings it, and what it had on average where several choose or chance does.
    fn value_of(&self, role: usize) -> Option<RoleValue> {
        if Some(role) == self.random {
            return None;
        }
        let bounds = self.graph.bounds(self.root)[role];
        let estimate = self.estimate(role).map(|value| within(bounds, value));
        let proven = bounds.value().map(Goal::from);
        let value = proven.map(f64::from).or(estimate)?;
        Some(RoleValue { value, proven })
    }

    /// What the root seems to be worth to a role, 0 to 100, whatever is proven of it.
    fn estimate(&self, role: usize) -> Option<f64> {
        let node = self.graph.node(self.root);
        let mover = node.mover as usize;
        let mean = || (node.visits > 0).then(|| self.graph.sums(self.root)[role] / f64::from(node.visits));
        if node.mover == SEVERAL || Some(mover) == self.random || mover >= self.graph.roles {
            return mean().map(|mean| 100.0 * mean);
        }
        let best = self.best_edge_of(mover)?;
        if role == mover {
            return self.worth(best, mover);
        }
        if let (UtilityType::ConstantSum { sum }, Some(own)) = (self.utility, self.worth(best, mover)) {
            return Some(f64::from(sum) - own);
        }
        let child = (best.child != NONE).then(|| self.graph.node(best.child).visits).filter(|&n| n > 0);
        let behind = child.map(|visits| self.graph.sums(best.child)[role] / f64::from(visits));
        behind.or_else(mean).map(|value| 100.0 * value)
    }

    /// What an edge brings to its role, 0 to 100, as far as anything is known of it.
    fn worth(&self, edge: &Edge, role: usize) -> Option<f64> {
        let known = self.known_value(edge, role).map(|value| 100.0 * value);
        known.or_else(|| edge.mean().map(|mean| within(edge.bounds, 100.0 * mean)))
    }

    /// The best edge of a role that has a choice at the root.
    fn best_edge_of(&self, role: usize) -> Option<&Edge> {
        let edges = self.graph.edges(self.root, role);
        if role == self.role {
            return edges.get(self.best_at_root()? as usize);
        }
        edges.iter().reduce(|best, edge| if edge.visits > best.visits { edge } else { best })
    }

    /// What was found of the moves of a role at the root, best first; nothing where it has no choice.
    fn moves_of(&self, role: usize) -> Vec<Rating> {
        let edges = self.graph.edges(self.root, role);
        if edges.len() < 2 || Some(role) == self.random {
            return Vec::new();
        }
        let best = self.best_edge_of(role).map(|edge| edge.action);
        let enough = TRIED * edges.iter().map(|edge| f64::from(edge.visits)).sum::<f64>();
        let rated = edges.iter().filter_map(|edge| {
            let proven = edge.bounds.value().map(Goal::from);
            let value = self.worth(edge, role)?;
            Some(Rating { action: edge.action, value, visits: u64::from(edge.visits), proven })
        });
        let mut rated: Vec<Rating> = rated.collect();
        rated.sort_by(|a, b| {
            let is_best = |rating: &Rating| Some(rating.action) == best;
            let is_sound = |rating: &Rating| rating.proven.is_some() || rating.visits as f64 >= enough;
            let merit = |rating: &Rating| (is_best(rating), is_sound(rating));
            merit(b).cmp(&merit(a)).then(b.value.total_cmp(&a.value)).then(b.visits.cmp(&a.visits))
        });
        rated
    }
}

/// A value, 0 to 100, as far as it is not known better.
fn within(bounds: Bounds, value: f64) -> f64 {
    value.clamp(f64::from(bounds.lower), f64::from(bounds.upper.min(BEST)))
}

/// The role whose moves a search is for that is to find what a state is worth to all: the first that has a choice, else
/// the first that is not chance.
pub(crate) fn role_to_ask(choices: &[usize], random: Option<usize>) -> RoleId {
    let players = || (0..choices.len()).filter(|&role| Some(role) != random);
    let role = players().find(|&role| choices[role] > 1).or_else(|| players().next());
    RoleId(role.unwrap_or(0) as u32)
}
