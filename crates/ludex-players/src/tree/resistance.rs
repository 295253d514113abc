//! Where it is known what the game brings, and it is not the best there is: others may get something wrong.
//!
//! Best play says nothing then, as all moves that keep what is known are worth the same to it. So others are taken to
//! err: they make each move more often the better it looks to them (quantal response: McKelvey and Palfrey, 1995), and
//! what a move is worth is what it brings against them on average. What is proven decides which moves keep what is
//! known, and is not what others are believed to see.

use super::descent::{Tree, mean_with_losses};
use super::deviation::Deviation;
use super::graph::{BEST, Bounds, Edge, NONE, NodeId};
use super::options::Weights;
use super::utility::UtilityType;

/// A move that looks so much worse to a role, of values 0 to 1, is made `e` times less often. Who can win and draws
/// instead errs by half: about one in 150 does so where there is one move of each kind.
const CARELESSNESS: f64 = 0.1;
/// The same where the best move ends the game at once, which hardly anybody misses.
const BLINDNESS: f64 = 0.03;
/// Values nearer to each other than this are the same.
const SAME: f64 = 1e-6;

impl Tree {
    /// Whether there is nothing to find out behind a node: the game is over, or its values are known and nobody can
    /// get anything wrong.
    pub fn is_exact(&self, id: NodeId) -> bool {
        if self.graph.node(id).terminal {
            return true;
        }
        if !self.solver.is_on {
            return false;
        }
        if self.graph.is_solved(id) {
            return !(self.solver.resists
                && self.graph.bounds(id)[self.role].lower < self.most_to_hope_for());
        }
        !self.solver.resists && self.is_resolved(id)
    }

    /// More than this the player does not get, whatever is known of the game and whatever others do.
    fn most_to_hope_for(&self) -> u8 {
        match self.utility {
            UtilityType::ConstantSum { sum } => sum.min(BEST),
            // Bounds hold whatever others do, or all are taken to do what is best for all.
            UtilityType::Cooperative | UtilityType::General => 0,
        }
    }

    /// What an edge brings to its role, 0 to 1, where nothing can change that any more.
    pub fn final_value(&self, edge: &Edge, role: usize) -> Option<f64> {
        let known = self.known_value(edge, role);
        if !self.solver.resists {
            return known;
        }
        known.filter(|_| edge.bounds.value().is_some_and(|value| value >= self.most_to_hope_for()))
    }

    /// Whether a role's edge is not to be tried, where it is sure of so much.
    pub fn is_left_out(&self, id: NodeId, edge: &Edge, role: usize, sure: u8) -> bool {
        if !self.solver.resists {
            return self.is_worse(id, edge, role, sure);
        }
        // What is not known to keep what is sure may yet be found to do so.
        edge.bounds.upper < sure || id == self.root && self.gives_away(edge)
    }

    /// What the player is known to get at the root, 0 to 1, or behind the move that was made already.
    pub fn value_at_root(&self) -> Option<f64> {
        let edges = self.graph.edges(self.root, self.role);
        let forced = self.forced.and_then(|forced| edges.get(forced as usize));
        if let Some(value) = forced.and_then(|edge| self.known_value(edge, self.role)) {
            return Some(value);
        }
        let value =
            self.graph.bounds(self.root)[self.role].value().map(|value| f64::from(value) / f64::from(BEST));
        let resolved = || f64::from(self.graph.resolved_values(self.root)[self.role]);
        value.or_else(|| self.is_resolved(self.root).then(resolved))
    }

    /// Whether an edge of the player's at the root is known to bring less than the player is known to get.
    pub fn gives_away(&self, edge: &Edge) -> bool {
        let brings =
            self.known_value(edge, self.role).unwrap_or(f64::from(edge.bounds.upper) / f64::from(BEST));
        self.forced.is_none() && self.value_at_root().is_some_and(|value| brings < value - SAME)
    }

    /// Whether several moves may keep what is known, or the move is made already.
    pub fn has_choice(&self) -> bool {
        let edges = self.graph.edges(self.root, self.role);
        self.forced.is_some() || edges.iter().filter(|edge| !self.gives_away(edge)).count() > 1
    }

    /// Whether it is known what the game brings, and others can change that by mistakes.
    fn may_hope(&self) -> bool {
        let Some(value) = self.solver.is_on.then(|| self.value_at_root()).flatten() else { return false };
        let most = match self.utility {
            UtilityType::ConstantSum { .. } => self.most_to_hope_for(),
            UtilityType::Cooperative => return false,
            UtilityType::General => self.most_known(),
        };
        value < f64::from(most) / f64::from(BEST) - SAME
    }

    /// What the player gets at most at the root, or behind the move that was made already.
    fn most_known(&self) -> u8 {
        let most = self.graph.bounds(self.root)[self.role].upper;
        let edges = self.graph.edges(self.root, self.role);
        let forced = self.forced.and_then(|forced| edges.get(forced as usize));
        forced.map_or(most, |edge| most.min(edge.bounds.upper))
    }

    /// Where it is known what the game brings, and it is not the best there is: begins to search for what others may
    /// get wrong among the moves that keep it. Whether it begins to.
    pub fn resist(&mut self) -> bool {
        if self.solver.resists || !self.may_hope() || !self.has_choice() {
            return false;
        }
        self.solver.resists = true;
        self.judge_anew();
        true
    }

    /// With a new root: whether it is still so that it is known what the game brings.
    pub fn reconsider(&mut self) {
        if self.solver.resists && !self.may_hope() {
            self.solver.resists = false;
            self.judge_anew();
        }
    }

    /// What visits brought was brought by others than those that play from now on: it soon counts for little.
    fn judge_anew(&mut self) {
        self.graph.fade_visits();
        self.statistics.deviation = Deviation::default();
    }

    /// Between what values, 0 to 1, a role's visits are believed, where this is proven. Who resists hopes for more, and
    /// trusts that others get less.
    pub fn limits(&self, bounds: Bounds, role: usize) -> (f64, f64) {
        let value = |goal: u8| f64::from(goal) / f64::from(BEST);
        match self.solver.resists {
            false => (value(bounds.lower), value(bounds.upper)),
            true if role == self.role => (value(bounds.lower), 1.0),
            true if matches!(self.utility, UtilityType::ConstantSum { .. }) => (0.0, value(bounds.upper)),
            true => (0.0, 1.0),
        }
    }

    /// The edge that is to be tried next of a role that may err: of all that are tried in proportion to what they are
    /// believed to be worth to it, the one that is most behind.
    pub(super) fn fallible_edge(&self, id: NodeId, role: usize) -> u32 {
        let node = self.graph.node(id);
        let edges = self.graph.edges(id, role);
        let mean = if node.visits > 0 { self.graph.sums(id)[role] / f64::from(node.visits) } else { 0.5 };
        let end = |edge: &Edge| {
            let is_end = edge.child != NONE && self.graph.node(edge.child).terminal;
            edge.bounds.value().filter(|_| is_end).map(|goal| f64::from(goal) / f64::from(BEST))
        };
        let prior = Weights::of(edges, 0.0).prior;
        let worth = |edge: &Edge| {
            let guess = edge.guess(mean);
            let value = if edge.visits == 0 { guess } else { mean_with_losses(edge, (guess, prior), 0.0) };
            end(edge).unwrap_or(value)
        };
        let best = edges.iter().map(worth).fold(0.0, f64::max);
        let best_end = edges.iter().filter_map(end).fold(f64::NEG_INFINITY, f64::max);
        let scale = if best_end < best { CARELESSNESS } else { BLINDNESS };
        let behind = |edge: &Edge| {
            let tried = f64::from(edge.visits) + f64::from(edge.pending);
            ((worth(edge) - best) / scale).exp() / (tried + 0.5)
        };
        let most =
            (0u32..).zip(edges).max_by(|(i, a), (j, b)| behind(a).total_cmp(&behind(b)).then(j.cmp(i)));
        most.map_or(0, |(number, _)| number)
    }
}
