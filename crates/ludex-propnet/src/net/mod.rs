//! The named propositional net (book chapter 9), as the data structure of book 10.2.

mod build;
mod name;
mod statistics;

use std::ops::Range;
use std::sync::Arc;

use ludex_game::Goal;
use ludex_gdl::{GameProgram, Vocabulary};
use ludex_logic::ground::Grounding;
use ludex_logic::{Csr, GroundAtom, SymbolId, TermId, Terms};

pub use statistics::NetStatistics;

/// A node of one net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// As a position, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is: a proposition (the first three) or a connective (book 9.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A move of a role; marked from outside.
    Input,
    /// A bit of the state. Its source is the transition that says what it will be; without one it is
    /// false from the second state on.
    Base,
    /// A proposition that is worked out: the value of its one source. Without a source it never holds.
    View,
    /// True if its source is not.
    Negation,
    /// True if all of its sources are; with one source this is the book's one-input and-gate.
    Conjunction,
    /// True if any of its sources is.
    Disjunction,
    /// Hands the value of its source to the base it leads to, one step later.
    Transition,
}

impl NodeKind {
    /// Whether nodes of this kind are propositions.
    pub fn is_proposition(self) -> bool {
        matches!(self, NodeKind::Input | NodeKind::Base | NodeKind::View)
    }
}

/// Why a game has no propositional net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// A goal value that is no number, or too large a one.
    #[error("the goal value `{value}` of `{role}` is not a plain number")]
    GoalValue {
        /// The role, in prefix notation.
        role: String,
        /// The value, in prefix notation.
        value: String,
    },
    /// A proposition that depends on its own negation.
    #[error("`{name}` depends on its own negation")]
    Unstratified {
        /// The proposition, in prefix notation.
        name: String,
    },
    /// More nodes or arcs than can be numbered.
    #[error("the net has more than {limit} nodes or arcs")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
}

/// A propositional net (book 9.2 and 9.3): propositions with their GDL names, connectives between
/// them, and which of the propositions answer which question.
///
/// It is made from the ground rules one to one: each body with several conditions is an and-gate,
/// each proposition with several rules has an or-gate, each negated proposition one inverter. Where
/// the book puts a proposition without a name between two connectives there is just an arc, except
/// for parts of rules that the grounding itself keeps apart.
///
/// What holds in every state (`legal`, `goal`, `terminal` or `next` as a fact) is a base that feeds
/// itself through a transition and is true at first (figure 9.8): a *latch*.
///
/// Nodes lie in this order: bases, latches, inputs role by role, views, connectives.
#[derive(Clone, Debug)]
pub struct Propnet {
    terms: Arc<Terms>,
    vocabulary: Vocabulary,
    relation_names: Vec<SymbolId>,
    roles: Vec<TermId>,
    kinds: Vec<NodeKind>,
    /// Of the propositions, which come first.
    names: Vec<Option<GroundAtom>>,
    /// Per node what leads to it.
    sources: Csr<NodeId>,
    bases: Vec<NodeId>,
    game_bases: usize,
    inputs: Vec<Vec<NodeId>>,
    views: Vec<NodeId>,
    legals: Vec<Vec<NodeId>>,
    legal_inputs: Vec<Vec<NodeId>>,
    rewards: Vec<Vec<(Goal, NodeId)>>,
    percepts: Vec<Vec<(TermId, NodeId)>>,
    terminal: NodeId,
    initial: Vec<bool>,
    order: Vec<NodeId>,
    recursive: Vec<Range<usize>>,
}

impl Propnet {
    /// The net of a game's ground rules.
    ///
    /// # Errors
    /// [`NetError`] for goal values that are no numbers, negation that is not stratified, and nets of
    /// hundreds of millions of nodes.
    pub fn new(game: &GameProgram, grounding: &Grounding) -> Result<Self, NetError> {
        build::build(game, grounding)
    }

    /// The terms of the game.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// The keywords, to compare with the relations of names.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.kinds.len()
    }

    /// All nodes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.kinds.len() as u32).map(NodeId)
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.kinds[node.index()]
    }

    /// What leads to a node, in the order of the rules.
    pub fn sources(&self, node: NodeId) -> &[NodeId] {
        &self.sources[node.index()]
    }

    /// What a proposition says: `true(p)` for a base, `does(r,a)` for an input. Connectives and parts
    /// of rules have no name.
    pub fn name(&self, node: NodeId) -> Option<&GroundAtom> {
        self.names.get(node.index())?.as_ref()
    }

    /// The first proposition with this name, looked for one by one.
    pub fn find(&self, name: &GroundAtom) -> Option<NodeId> {
        let at = self.names.iter().position(|n| n.as_ref() == Some(name))?;
        Some(NodeId(at as u32))
    }

    /// The roles.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// Per role the moves, in canonical order.
    pub fn inputs(&self) -> &[Vec<NodeId>] {
        &self.inputs
    }

    /// The bits of the state in canonical order, then the latches.
    pub fn bases(&self) -> &[NodeId] {
        &self.bases
    }

    /// The bases that are propositions of the game: all but the latches.
    pub fn game_bases(&self) -> &[NodeId] {
        &self.bases[..self.game_bases]
    }

    /// The bases that are true for ever.
    pub fn latches(&self) -> &[NodeId] {
        &self.bases[self.game_bases..]
    }

    /// The view propositions.
    pub fn views(&self) -> &[NodeId] {
        &self.views
    }

    /// Per role the nodes that say which moves are legal, in canonical order of the moves.
    pub fn legals(&self) -> &[Vec<NodeId>] {
        &self.legals
    }

    /// Per role the inputs that belong to [`Propnet::legals`], one for one. An input that is not
    /// among them is never legal.
    pub fn legal_inputs(&self) -> &[Vec<NodeId>] {
        &self.legal_inputs
    }

    /// Per role the goal values with the nodes that say when they hold, values ascending.
    pub fn rewards(&self) -> &[Vec<(Goal, NodeId)>] {
        &self.rewards
    }

    /// Per role what it may see (GDL-II), in canonical order, with the nodes that say when; empty
    /// in other games.
    pub fn percepts(&self) -> &[Vec<(TermId, NodeId)>] {
        &self.percepts
    }

    /// The node that says whether the state is terminal.
    pub fn terminal(&self) -> NodeId {
        self.terminal
    }

    /// The marking of [`Propnet::bases`] in the initial state.
    pub fn initial(&self) -> &[bool] {
        &self.initial
    }

    /// The proposition of a base, or the move of an input.
    pub fn term(&self, node: NodeId) -> Option<TermId> {
        let name = self.name(node)?;
        let game_base = node.index() < self.game_bases;
        (game_base || self.kind(node) == NodeKind::Input).then(|| name.args.last().copied()).flatten()
    }

    /// All nodes, each after its sources, but for transitions (a base does not wait for its
    /// transition) and within recursive components.
    pub fn order(&self) -> &[NodeId] {
        &self.order
    }

    /// The components of propositions that depend on each other, as ranges of [`Propnet::order`].
    /// Among these nodes there is no inverter; what holds is the least fixpoint.
    pub fn recursive(&self) -> &[Range<usize>] {
        &self.recursive
    }

    /// Bytes held, without the terms.
    pub fn bytes(&self) -> usize {
        let named: usize = self.names.iter().flatten().map(|n| n.args.len() * size_of::<TermId>()).sum();
        let lists = [&self.inputs, &self.legals, &self.legal_inputs].into_iter().flatten();
        let pairs: usize = self.rewards.iter().map(Vec::len).chain(self.percepts.iter().map(Vec::len)).sum();
        self.kinds.len()
            + self.names.len() * size_of::<Option<GroundAtom>>()
            + named
            + self.sources.bytes()
            + 4 * (self.bases.len() + self.views.len() + self.order.len())
            + 4 * lists.map(Vec::len).sum::<usize>()
            + 8 * pairs
            + self.initial.len()
            + self.recursive.len() * size_of::<Range<usize>>()
    }
}
