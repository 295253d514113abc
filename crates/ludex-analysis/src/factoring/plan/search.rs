//! The search in one factor, layer by layer.

use ludex_propnet::{CircuitEvaluator, Edge, GateId};
use rustc_hash::FxHashSet;

use super::super::Factors;
use super::super::game::{FactorGame, Way};

/// A state of a factor, and how it was reached.
pub(super) struct Node {
    /// Bits of the factor's circuit, those of the clock included.
    pub(super) state: Vec<bool>,
    parent: u32,
    /// Position in the circuit's moves, and which of its ways that was.
    action: u32,
    way: u32,
}

/// The search in one factor.
pub(super) struct Search {
    pub(super) factor: usize,
    pub(super) game: FactorGame,
    /// The gates of the whole net that stand for what the factor has come to.
    pub(super) leaves: Vec<GateId>,
    pub(super) nodes: Vec<Node>,
    /// Per number of steps the nodes there.
    pub(super) layers: Vec<std::ops::Range<usize>>,
    /// Per number of steps what can be reached, with a node that does.
    pub(super) outcomes: Vec<Vec<(Vec<bool>, u32)>>,
    pub(super) seen: FxHashSet<Vec<bool>>,
}

impl Search {
    /// No step yet. `outcomes` are the edges of the whole net that the factor is searched for.
    pub(super) fn new(factors: &Factors, outcomes: &[Edge], factor: usize) -> Self {
        let leaves = leaves(factors, outcomes, factor);
        let asked: Vec<Edge> = leaves.iter().map(|&gate| Edge::new(gate, false)).collect();
        let game = factors.game_with(factor, &asked);
        let state = game.circuit.bases.iter().map(|base| base.initial).collect();
        let nodes = vec![Node { state, parent: 0, action: 0, way: 0 }];
        let (layers, outcomes, seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        Self { factor, game, leaves, nodes, layers, outcomes, seen }
    }

    /// Whether the end or the goals depend on the factor.
    pub(super) fn matters(&self) -> bool {
        !self.leaves.is_empty()
    }

    /// The most steps that lead to a state that was found.
    pub(super) fn deepest(&self) -> usize {
        self.layers.iter().rposition(|layer| !layer.is_empty()).unwrap_or(0)
    }

    /// What the factor has come to in a node.
    pub(super) fn outcome(&self, node: usize) -> Vec<bool> {
        let values = CircuitEvaluator::new(&self.game.circuit).in_state(&self.nodes[node].state, &[]);
        self.game.asked.iter().map(|&edge| values.get(edge)).collect()
    }

    /// The states after the legal moves. Where factors move one at a time, moves elsewhere are none.
    pub(super) fn successors(&self, parent: u32, together: bool) -> Vec<Node> {
        let evaluator = CircuitEvaluator::new(&self.game.circuit);
        let state = &self.nodes[parent as usize].state;
        let now = evaluator.in_state(state, &[]);
        let mut found = Vec::new();
        for (action, ways) in (0u32..).zip(&self.game.ways[0]) {
            for (way, made) in (0u32..).zip(ways) {
                let elsewhere = made.class.0.is_empty();
                if now.get(made.legal) && (together || !elsewhere) {
                    found.push(Node { state: evaluator.next(state, &[action]), parent, action, way });
                }
            }
        }
        found
    }

    /// The moves that lead to a node.
    pub(super) fn path(&self, node: u32) -> Vec<&Way> {
        let mut made = Vec::new();
        let mut at = node;
        while at != 0 {
            let node = &self.nodes[at as usize];
            made.push(&self.game.ways[0][node.action as usize][node.way as usize]);
            at = node.parent;
        }
        made.reverse();
        made
    }
}

/// The first gates on the way from the outcomes that depend on this factor and on nothing else.
fn leaves(factors: &Factors, outcomes: &[Edge], factor: usize) -> Vec<GateId> {
    let own = |edge: Edge| {
        let bases = &factors.bases[factor];
        let (mut any, mut all) = (false, true);
        for base in factors.net.support(edge) {
            let inside = bases.binary_search(&base).is_ok();
            any |= inside;
            all &= inside;
        }
        (any, any && all)
    };
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open: Vec<GateId> = outcomes.iter().map(|edge| edge.gate()).collect();
    while let Some(gate) = open.pop() {
        if !seen.insert(gate) {
            continue;
        }
        match own(Edge::new(gate, false)) {
            (_, true) => found.push(gate),
            (true, false) => open.extend(factors.net.operands(gate).iter().map(|e| e.gate())),
            (false, _) => {}
        }
    }
    found.sort_unstable();
    found
}
