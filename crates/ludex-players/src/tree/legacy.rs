//! What the tree of one machine leaves to that of another: a player that begins on the rule machine and goes on with a
//! net keeps what it found out.
//!
//! States and moves have other numbers there, and to translate a whole tree would take long. But both machines know the
//! same states by the same joint moves, and have the legal moves in the same order. So a new node whose parent is known
//! to the old tree takes over what the old child says, and the tree grows again where the search goes.

use std::sync::Arc;
use std::thread::Builder;

use ludex_game::{ActionId, Machine, State};

use super::descent::Tree;
use super::graph::{Graph, NONE, NodeId};
use super::objective::Objective;
use super::utility::UtilityType;
use crate::strategy::Turn;

/// Both trees together take no more than so many halves of what one of them may take.
const HALVES: usize = 3;
/// The old tree is of no more use when the root was visited so many times as often as there.
const SURPASSED: u32 = 2;

/// The tree of another machine.
pub(super) struct Legacy {
    graph: Graph,
    machine: Arc<dyn Machine>,
    /// What its values are values of, and under what they were proven.
    objective: Objective,
    utility: UtilityType,
    /// For each new node its number in the old tree, where it has one.
    places: Vec<NodeId>,
}

impl Legacy {
    /// What a tree leaves; nothing where it is empty.
    pub fn of(tree: Tree, machine: Arc<dyn Machine>) -> Option<Self> {
        let Tree { graph, objective, utility, root, .. } = tree;
        (root != NONE).then_some(Self { graph, machine, objective, utility, places: Vec::new() })
    }

    /// The old number of a state of a machine.
    fn find(&self, machine: &dyn Machine, state: &State) -> Option<NodeId> {
        let mut facts = Vec::new();
        machine.facts(state, &mut facts);
        let state = self.machine.state_of(&facts).ok()?;
        self.graph.find(state.words())
    }

    fn place(&self, id: NodeId) -> Option<NodeId> {
        self.places.get(id as usize).copied().filter(|&place| place != NONE)
    }

    fn set_place(&mut self, id: NodeId, place: NodeId) {
        if self.places.len() <= id as usize {
            self.places.resize(id as usize + 1, NONE);
        }
        self.places[id as usize] = place;
    }

    /// Whether a node of the old tree has these legal moves.
    fn has_moves(&self, id: NodeId, legal: &[Vec<ActionId>], machine: &dyn Machine) -> bool {
        let (old, new) = (self.machine.signature(), machine.signature());
        legal.iter().enumerate().all(|(role, legal)| {
            let edges = self.graph.edges(id, role).iter().map(|edge| old.action(edge.action));
            edges.eq(legal.iter().map(|&action| new.action(action)))
        })
    }
}

impl Tree {
    /// Takes over into a new root what the old tree knows of it; where it knows nothing, it is of no more use.
    pub fn inherit_root(&mut self, turn: &Turn<'_>) {
        let Some(legacy) = &mut self.legacy else { return };
        legacy.places.clear();
        let machine = &*turn.arena.machine;
        let moves = |role| self.graph.edges(self.root, role).iter().map(|edge| edge.action).collect();
        let legal: Vec<Vec<ActionId>> = (0..self.graph.roles).map(moves).collect();
        let old = legacy.find(machine, turn.state).filter(|&old| legacy.has_moves(old, &legal, machine));
        match old {
            Some(old) => self.take_over_node(self.root, old),
            None => self.legacy = None,
        }
    }

    /// Takes over into a new node, which a joint move of its parent leads to, what the old tree knows of it.
    pub fn inherit(&mut self, id: NodeId, parent: NodeId, choices: &[u32]) {
        let Some(legacy) = self.legacy.as_mut().filter(|_| id != NONE) else { return };
        legacy.set_place(id, NONE);
        let old = legacy.place(parent).map_or(NONE, |parent| legacy.graph.child(parent, choices));
        if old != NONE {
            self.take_over_node(id, old);
        }
    }

    fn take_over_node(&mut self, id: NodeId, old: NodeId) {
        let Some(legacy) = self.legacy.as_mut().filter(|legacy| legacy.objective == self.objective) else {
            return;
        };
        legacy.graph.fade(old);
        let (from, to) = (&legacy.graph, &mut self.graph);
        let is_alike = (0..to.roles).all(|role| from.edges(old, role).len() == to.edges(id, role).len());
        if !is_alike || from.node(old).terminal || to.node(id).terminal {
            return;
        }
        // What is proven is so for roles that were taken to be what they are taken to be now, or to be anything.
        let is_proven = legacy.utility == self.utility || legacy.utility == UtilityType::General;
        to.node_mut(id).visits = from.node(old).visits;
        to.sums_mut(id).copy_from_slice(from.sums(old));
        for role in 0..to.roles {
            if is_proven {
                to.bounds_mut(id)[role] = from.bounds(old)[role];
            }
            for (edge, old) in to.edges_mut(id, role).iter_mut().zip(from.edges(old, role)) {
                (edge.visits, edge.sum) = (old.visits, old.sum);
                (edge.prior, edge.later) = (old.prior, old.later);
                if is_proven {
                    edge.bounds = old.bounds;
                }
            }
        }
        legacy.set_place(id, old);
    }

    /// Gives up the old tree where there is no room for two, or where the new one knows more.
    pub fn part_with_legacy(&mut self) {
        let Some(legacy) = &self.legacy else { return };
        let most = HALVES * (self.graph.limit() / 2);
        let is_large = self.graph.bytes() + legacy.graph.bytes() > most;
        let is_surpassed = legacy
            .place(self.root)
            .is_none_or(|old| self.graph.node(self.root).visits / SURPASSED > legacy.graph.node(old).visits);
        if is_large || is_surpassed {
            let legacy = self.legacy.take();
            // To give back so much memory takes some time of a turn. Where the system has no thread left, that is so.
            drop(Builder::new().spawn(move || drop(legacy)));
        }
    }
}
