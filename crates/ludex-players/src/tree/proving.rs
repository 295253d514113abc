//! A proof-number search beside the tree search, and what it tells the tree.

use std::time::Duration;

use ludex_game::{ActionId, Answer, Batch, PlayoutRecord};

use super::descent::Tree;
use super::graph::{BEST, Bounds, NONE, NodeId};
use super::objective::Objective;
use super::utility::UtilityType;
use crate::proof_number::{Found, Prizes, ProofBatch, ProofGraph, ProofId, Range, SWEEP_TIME};

/// How often a batch of proofs fills the lanes, about.
const ROUNDS: usize = 2;
/// Where nothing measures time, so many joint moves are tried for each leaf of the tree, times the share of time.
const UNTIMED_MOVES: f64 = 64.0;
/// The end of the game is in reach of a proof where random games from the root take so many steps, and the part of the
/// time grows to the most as they get shorter...
const NEAR: f64 = 20.0;
/// ... and where they take more, this part of the time is enough for it.
const FAR_SHARE: f64 = 0.1;
/// It never gets more than this.
const MOST_SHARE: f64 = 0.9;
/// Room is made where so many times the time that it takes is left.
const LEFT_TO_SWEEPING: u32 = 4;

/// What the goals of a role can be, as far as the ends of playouts show, where the goals of two roles that play for
/// this have a constant sum.
pub(super) fn prizes(
    records: &[PlayoutRecord],
    objective: Objective,
    utility: UtilityType,
    role: usize,
) -> Option<Prizes> {
    if !matches!(objective.utility(utility), UtilityType::ConstantSum { .. }) {
        return None;
    }
    let ends = records.iter().filter(|record| record.fault.is_none());
    let goals: Option<Vec<_>> =
        ends.map(|end| objective.goals(&end.goals).get(role).copied().flatten()).collect();
    Prizes::of(goals?)
}

/// What is being proven beside the tree.
#[derive(Debug, Default)]
pub(super) struct Proofs {
    pub graph: Option<ProofGraph>,
    /// The part of the time for it.
    pub share: f64,
    /// Whether the game has brought a goal that was not expected, so that nothing is proven beside it any more.
    is_surprised: bool,
    /// The states that were worked out there; kept for its memory.
    answered: Vec<ProofId>,
}

impl Proofs {
    /// Nothing yet, and this part of the time for it.
    pub fn new(share: f64) -> Self {
        Self { share, ..Self::default() }
    }
}

/// One thread's part of the search for proofs.
#[derive(Debug, Default)]
pub(super) struct Prover {
    states: ProofBatch,
    /// The part of the time that it takes.
    share: f64,
    spent: Duration,
    tried: u64,
    /// Whether there is nothing left to find out in this turn.
    is_done: bool,
}

impl Prover {
    /// One that takes this part of the time; the tree always gets some of it.
    pub fn new(share: f64) -> Self {
        Self { share: share.min(MOST_SHARE), is_done: share <= 0.0, ..Self::default() }
    }

    /// Whether it is its turn, after the search took so much time in all, where there is a clock, and so many leaves.
    /// `length` says how many steps random games have.
    pub fn is_due(&self, time: Option<Duration>, leaves: u64, length: f64) -> bool {
        let share = if length <= NEAR {
            self.share + (MOST_SHARE - self.share) * (1.0 - length / NEAR)
        } else {
            FAR_SHARE * self.share
        };
        let is_behind = match time {
            Some(time) => self.spent < time.mul_f64(share),
            None => (self.tried as f64) < share * UNTIMED_MOVES * leaves as f64,
        };
        !self.is_done && is_behind
    }

    /// Takes note that a batch took so long.
    pub fn spend(&mut self, time: Duration) {
        self.spent += time;
    }

    /// Collects a batch; whether there is one. Where room has to be made first, so much time has to be left for it.
    pub fn collect(&mut self, tree: &mut Tree, width: usize, left: Option<Duration>) -> bool {
        let Some(graph) = tree.proofs.graph.as_mut().filter(|_| tree.forced.is_none()) else {
            self.is_done = true;
            return false;
        };
        let sweeping = SWEEP_TIME * u32::try_from(graph.len()).unwrap_or(u32::MAX);
        if graph.is_full() && left.is_some_and(|left| left < LEFT_TO_SWEEPING * sweeping) {
            return false;
        }
        let found = self.states.collect(graph, ROUNDS * width);
        self.is_done = found == Found::Nothing;
        found == Found::Work
    }

    /// Makes the moves of the batch.
    ///
    /// # Errors
    /// What the batch answers; the batch is then to be abandoned.
    pub fn run(&mut self, batch: &mut dyn Batch) -> Answer<()> {
        self.tried += self.states.len() as u64;
        self.states.run(batch)
    }

    /// Enters what was found, also into the tree.
    pub fn finish(&mut self, tree: &mut Tree) {
        let (objective, role) = (tree.objective, tree.role);
        let Some(graph) = &mut tree.proofs.graph else { return };
        self.states.finish(graph, |goals| objective.goals(goals).get(role).copied().flatten().unwrap_or(0));
        if graph.is_odd() {
            return tree.give_up_proofs();
        }
        tree.take_over_proofs();
    }

    /// Gives up a batch.
    pub fn abandon(&mut self, tree: &mut Tree) {
        if let Some(graph) = &mut tree.proofs.graph {
            self.states.abandon(graph);
        }
    }
}

impl Tree {
    /// Makes ready to prove something of the root, whose legal moves these are; `prizes` are the goals of the
    /// player's role, where it is known that they are few.
    pub fn begin_proofs(&mut self, prizes: Option<&Prizes>, limit: usize, legal: &[Vec<ActionId>]) {
        self.doubt_root();
        // Chance plays for nobody.
        let is_constant = matches!(self.utility, UtilityType::ConstantSum { .. }) && self.random.is_none();
        let wants = is_constant && self.proofs.share > 0.0 && !self.proofs.is_surprised;
        let Some(prizes) = prizes.filter(|_| wants) else {
            self.proofs.graph = None;
            return;
        };
        let roles = self.graph.roles;
        let kept = self.proofs.graph.take().filter(|proofs| proofs.asks() == (self.role, prizes));
        let mut proofs = kept.unwrap_or_else(|| ProofGraph::new(prizes.clone(), self.role, roles, limit));
        proofs.set_root(self.graph.state(self.root), |role| &legal[role][..]);
        self.proofs.graph = Some(proofs);
        self.look_at_root();
    }

    /// Forgets what is known of the root where it is not known of which of its moves that is true: the search for
    /// proofs may have forgotten by now, and a move has to be found.
    fn doubt_root(&mut self) {
        let mover = self.graph.node(self.root).mover as usize;
        if mover >= self.graph.roles || self.graph.node(self.root).terminal {
            return;
        }
        let sure = self.graph.edges(self.root, mover).iter().map(|edge| edge.bounds.lower).max().unwrap_or(0);
        if self.graph.bounds(self.root)[mover].lower > sure {
            self.graph.bounds_mut(self.root).fill(Bounds::OPEN);
            self.prove(self.root);
        }
    }

    /// An end of the game brings what was not expected: what was worked out without it is forgotten.
    fn give_up_proofs(&mut self) {
        self.proofs.graph = None;
        self.proofs.is_surprised = true;
        self.graph.forget_bounds();
    }

    /// Takes over what was proven since the last time.
    fn take_over_proofs(&mut self) {
        let mut answered = std::mem::take(&mut self.proofs.answered);
        if let Some(proofs) = &mut self.proofs.graph {
            proofs.take_answered(&mut answered);
        }
        for &id in &answered {
            let Some(proofs) = &self.proofs.graph else { break };
            let (found, range) = (self.graph.find(proofs.state(id)), proofs.range(id));
            if let Some(node) = found.filter(|&node| node != self.root) {
                self.limit(node, range);
            }
        }
        if !answered.is_empty() {
            self.look_at_root();
        }
        self.proofs.answered = answered;
    }

    /// Takes over what is proven of the state of a node.
    pub fn take_over(&mut self, node: NodeId) {
        let Some(proofs) = &self.proofs.graph else { return };
        if let Some(id) = proofs.find(self.graph.state(node)) {
            let range = proofs.range(id);
            self.limit(node, range);
        }
    }

    /// Enters what the player can force in a state.
    fn limit(&mut self, node: NodeId, range: Range) {
        for role in 0..self.graph.roles {
            let found = self.bounds_for(role, range);
            let known = &mut self.graph.bounds_mut(node)[role];
            *known = both(*known, found);
        }
    }

    /// What a role can get at least and at most where the player can force this.
    fn bounds_for(&self, role: usize, range: Range) -> Bounds {
        let own = Bounds { lower: range.least.unwrap_or(0), upper: range.most.unwrap_or(BEST) };
        match self.utility {
            _ if role == self.role => own,
            UtilityType::ConstantSum { sum } => {
                let other = |goal: u8| sum.saturating_sub(goal).min(BEST);
                Bounds { lower: other(own.upper), upper: other(own.lower) }
            }
            UtilityType::Cooperative | UtilityType::General => Bounds::OPEN,
        }
    }

    /// Takes over at the root what is known of the states below, and from there what is known of the root.
    fn look_at_root(&mut self) {
        let (root, mover) = (self.root, self.graph.node(self.root).mover as usize);
        let Some(proofs) = self.proofs.graph.as_ref().filter(|_| mover < self.graph.roles) else { return };
        let ranges: Vec<Range> = proofs.ranges_below_root().collect();
        for (number, range) in ranges.into_iter().enumerate() {
            let mut found = self.bounds_for(mover, range);
            let Some(edge) = self.graph.edges(root, mover).get(number).copied() else { break };
            if edge.child != NONE {
                self.limit(edge.child, range);
                found = self.graph.bounds(edge.child)[mover];
            }
            self.graph.edges_mut(root, mover)[number].bounds = both(edge.bounds, found);
        }
        self.prove(root);
    }
}

/// What two things known come to; the first alone where they cannot both be.
fn both(known: Bounds, found: Bounds) -> Bounds {
    let (lower, upper) = (known.lower.max(found.lower), known.upper.min(found.upper));
    if lower <= upper { Bounds { lower, upper } } else { known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_get_more_of_the_time_towards_the_end_of_the_game() {
        let second = Some(Duration::from_secs(1));
        let is_due = |spent: f64, length: f64| {
            let mut prover = Prover::new(0.4);
            prover.spend(Duration::from_secs_f64(spent));
            prover.is_due(second, 0, length)
        };
        // The share itself where random games take 20 steps, nine tenths at the end, a tenth of the share before.
        for (length, share) in [(20.0, 0.4), (10.0, 0.65), (0.0, 0.9), (21.0, 0.04)] {
            assert!(is_due(share - 0.01, length) && !is_due(share + 0.01, length), "{length}");
        }
    }
}
