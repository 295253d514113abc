//! What moves seem to be worth because of playouts that made them later: all moves as first, in every node that the playouts
//! came through (RAVE: Gelly and Silver, 2007). In states of many moves, where nothing else says which of them look good.

use std::ops::Range;

use ludex_game::RoleId;

use super::descent::{Paths, Tree};
use super::evaluation::{Evaluations, WIDEST};
use super::graph::{Edge, NONE, NodeId};
use super::objective::Objective;

/// What playouts from a leaf brought that made a move, at any time.
#[derive(Clone, Copy, Debug, Default)]
struct Later {
    playouts: f32,
    /// To the role that made it, 0 to 1.
    value: f32,
}

/// The moves that were made behind a node: in the playouts from a leaf, and on the way to it.
#[derive(Debug, Default)]
pub(super) struct LaterMoves {
    actions: usize,
    /// Per role and action.
    moves: Vec<Later>,
    /// The sums of the goals of all roles, per role and action.
    sums: Vec<f64>,
    /// How many playouts there were.
    playouts: f32,
}

impl LaterMoves {
    /// Takes those of the playouts from a leaf; `false` where they were not noted.
    pub fn take(&mut self, found: &Evaluations, leaf: usize, objective: Objective) -> bool {
        let Some((made, starts)) = found.moves_made(leaf) else { return false };
        let (roles, actions) = (made.roles(), made.actions());
        self.actions = actions;
        self.playouts = starts.clone().map(|start| made.playouts(start) as f32).sum();
        self.moves.clear();
        self.moves.resize(roles * actions, Later::default());
        for role in 0..roles {
            let id = RoleId(role as u32);
            let moves = &mut self.moves[role * actions..][..actions];
            self.sums.clear();
            self.sums.resize(roles * actions, 0.0);
            for start in starts.clone() {
                let counts = moves.iter_mut().zip(made.counts(start, id));
                counts.for_each(|(later, &more)| later.playouts += more as f32);
                let sums = self.sums.iter_mut().zip(made.sums(start, id));
                sums.for_each(|(sum, &more)| *sum += f64::from(more));
            }
            for (later, sums) in moves.iter_mut().zip(self.sums.chunks_exact_mut(roles)) {
                let goals = 100.0 * f64::from(later.playouts.max(1.0));
                sums.iter_mut().for_each(|sum| *sum = (*sum / goals).clamp(0.0, 1.0));
                objective.means(sums);
                later.value = sums[role] as f32;
            }
        }
        true
    }

    /// A role made a move on the way: all playouts did.
    fn make(&mut self, role: usize, action: usize, value: f64) {
        if action < self.actions {
            self.moves[role * self.actions + action] = Later { playouts: self.playouts, value: value as f32 };
        }
    }

    /// Notes in the edges of a role what came of their moves.
    fn note(&self, role: usize, edges: &mut [Edge]) {
        for edge in edges {
            let place = Some(edge.action.index()).filter(|&action| action < self.actions);
            let Some(later) = place.map(|action| self.moves[role * self.actions + action]) else { continue };
            if later.playouts > 0.0 {
                let before = if edge.prior.is_nan() { 0.0 } else { edge.prior };
                edge.later += later.playouts;
                edge.prior = before + (later.value - before) * later.playouts / edge.later;
            }
        }
    }
}

impl Tree {
    /// Whether later moves say which moves of a role look good in a node: there are many, and nothing else does.
    fn is_told_by_later_moves(&self, id: NodeId, role: usize) -> bool {
        let edges = self.graph.edges(id, role);
        let known = edges.iter().find(|edge| !edge.prior.is_nan());
        edges.len() > WIDEST && Some(role) != self.random && known.is_none_or(|edge| edge.later > 0.0)
    }

    /// Whether that is so in any node of a way.
    pub fn wants_later_moves(&self, paths: &Paths, mut steps: Range<usize>) -> bool {
        let is_told = |id| (0..self.graph.roles).any(|role| self.is_told_by_later_moves(id, role));
        steps.any(|at| is_told(paths.step(at).0))
    }

    /// Notes in a leaf that is worth so much to each role, and in all nodes on the way to it, what later moves came to.
    pub fn note_later_moves(
        &mut self,
        paths: &Paths,
        steps: Range<usize>,
        (end, values): (NodeId, &[f64]),
        later: &mut LaterMoves,
    ) {
        if end != NONE {
            self.note_later_moves_of(end, later);
        }
        for at in steps.rev() {
            let (id, choices) = paths.step(at);
            for (role, &choice) in choices.iter().enumerate() {
                let action = self.graph.edges(id, role)[choice as usize].action;
                later.make(role, action.index(), values[role]);
            }
            self.note_later_moves_of(id, later);
        }
    }

    fn note_later_moves_of(&mut self, id: NodeId, later: &LaterMoves) {
        for role in 0..self.graph.roles {
            if self.is_told_by_later_moves(id, role) {
                later.note(role, self.graph.edges_mut(id, role));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::{ActionId, MovesMade};

    use super::super::graph::{Graph, NewNode, Shape};
    use super::super::options::TreeOptions;
    use super::*;

    /// The moves of a role that chooses, with numbers from 0; the other one waits.
    const MOVES: usize = WIDEST + 4;
    const WAIT: ActionId = ActionId(MOVES as u32);

    /// A tree of one node in which the first role chooses, and one behind it in which the second does.
    fn tree() -> (Tree, Paths) {
        let mut graph = Graph::new(2, 1 << 20, Shape { words: 1, edges: MOVES + 1 });
        let moves: Vec<ActionId> = (0..MOVES as u32).map(ActionId).collect();
        let mut add = |word, mover| {
            let new = NewNode { words: &[word], terminal: false, goals: &[None, None] };
            graph.add(&new, |role| if role == mover { &moves[..] } else { &[WAIT] })
        };
        let (top, below) = (add(1, 0), add(2, 1));
        graph.set_child(top, &[5, 0], below);
        let mut tree = Tree::new(graph, &TreeOptions::default(), (RoleId(0), None));
        tree.root = top;
        let mut paths = Paths::default();
        paths.clear(2);
        paths.push(top, &[5, 0]);
        (tree, paths)
    }

    /// Ten playouts from each of two starts: the first role makes move 7 in four of them and wins one of these, the second
    /// one makes move 7 in ten and wins all of them.
    fn found() -> Evaluations {
        let mut made = MovesMade::new(2, 2, MOVES + 1);
        for playout in 0..20 {
            made.add_playout(playout / 10);
            if playout % 5 == 0 {
                let goals = if playout == 0 { [100, 0] } else { [0, 100] };
                made.add(playout / 10, RoleId(0), ActionId(7), &goals);
            }
            if playout % 2 == 0 {
                made.add(playout / 10, RoleId(1), ActionId(7), &[0, 100]);
            }
        }
        Evaluations::with_moves(made, 0..2)
    }

    #[test]
    fn what_is_made_behind_a_node_is_noted_in_it() {
        let (mut tree, paths) = tree();
        let mut later = LaterMoves::default();
        assert!(later.take(&found(), 0, Objective::Own));
        assert!(tree.wants_later_moves(&paths, 0..1));
        let below = tree.graph.child(tree.root, &[5, 0]);
        tree.note_later_moves(&paths, 0..1, (below, &[0.4, 0.6]), &mut later);
        let edge = |tree: &Tree, id, role: usize, at: usize| {
            let edge = tree.graph.edges(id, role)[at];
            (edge.later, edge.prior)
        };
        assert_eq!(edge(&tree, below, 1, 7), (10.0, 1.0));
        assert_eq!(edge(&tree, tree.root, 0, 7), (4.0, 0.25));
        assert_eq!(edge(&tree, tree.root, 0, 5), (20.0, 0.4), "all playouts made the move of the way");
        assert!(tree.graph.edges(tree.root, 0)[6].prior.is_nan(), "nobody made it");
        // The same again counts as much.
        assert!(later.take(&found(), 0, Objective::Own));
        tree.note_later_moves(&paths, 0..1, (below, &[0.8, 0.2]), &mut later);
        assert_eq!(edge(&tree, tree.root, 0, 7), (8.0, 0.25));
        let (playouts, value) = edge(&tree, tree.root, 0, 5);
        assert!(playouts == 40.0 && (value - 0.6).abs() < 1e-6, "{value}");
    }

    #[test]
    fn what_is_said_otherwise_is_left_as_it_is() {
        let (mut tree, paths) = tree();
        for edge in tree.graph.edges_mut(tree.root, 0) {
            edge.prior = 0.9;
        }
        let mut later = LaterMoves::default();
        assert!(later.take(&found(), 0, Objective::Own));
        assert!(!tree.wants_later_moves(&paths, 0..1));
        tree.note_later_moves(&paths, 0..1, (NONE, &[0.4, 0.6]), &mut later);
        assert!(tree.graph.edges(tree.root, 0).iter().all(|edge| (edge.prior, edge.later) == (0.9, 0.0)));
        assert!(!later.take(&Evaluations::default(), 0, Objective::Own), "nothing was noted");
    }

    #[test]
    fn to_be_ahead_is_what_counts_where_that_is_played_for() {
        let mut made = MovesMade::new(1, 2, MOVES + 1);
        made.add_playout(0);
        made.add(0, RoleId(0), ActionId(3), &[60, 20]);
        let mut later = LaterMoves::default();
        let found = Evaluations::with_moves(made, 0..1);
        for (objective, value) in [(Objective::Own, 0.6), (Objective::Ahead, 0.7)] {
            assert!(later.take(&found, 0, objective));
            assert!((later.moves[3].value - value).abs() < 1e-6, "{objective:?}");
        }
    }

    #[test]
    fn a_few_playouts_are_a_guess_near_the_mean() {
        let (mut tree, _) = tree();
        let edge = &mut tree.graph.edges_mut(0, 0)[0];
        assert_eq!(edge.guess(0.3), 0.3);
        (edge.prior, edge.later) = (0.9, 8.0);
        assert!((edge.guess(0.3) - 0.6).abs() < 1e-6);
        edge.later = 8e6;
        assert!((edge.guess(0.3) - 0.9).abs() < 1e-3);
        edge.later = 0.0;
        assert!((edge.guess(0.3) - 0.9).abs() < 1e-6, "of another kind: as it is");
    }
}
