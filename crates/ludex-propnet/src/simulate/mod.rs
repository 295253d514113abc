//! The subroutines of book 10.3 and 10.4, plainly: what faster engines are compared with.

mod backward;
mod forward;
mod oracle;
mod recursion;

use ludex_game::Goal;
use ludex_logic::TermId;

use crate::net::{NodeId, NodeKind, Propnet};
pub use oracle::NetOracle;
use recursion::Recursion;

/// How marks are found (book 10.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// All nodes are worked out, sources first, as soon as one is asked for.
    Forward,
    /// What is asked for is worked out, backwards from there; what was found is remembered until the
    /// marking changes.
    Backward,
}

/// Whether each node of a net is true in some state, after some moves or before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marking {
    marks: Vec<bool>,
}

impl Marking {
    /// Whether a node is true; false for nodes that the net does not have.
    pub fn is_true(&self, node: NodeId) -> bool {
        self.marks.get(node.index()).copied().unwrap_or(false)
    }
}

/// A net with a marking.
///
/// The methods are the book's subroutines: `markbases`, `markactions`, `clearpropnet`, `propmarkp`,
/// `proplegals`, `propnext`, `propreward` and `propterminalp`, with percepts added. Those that speak
/// of a state alone leave no input marked.
#[derive(Clone, Debug)]
pub struct Simulator<'n> {
    net: &'n Propnet,
    propagation: Propagation,
    /// Marks of bases and inputs are always known, others as far as they were worked out.
    marks: Vec<bool>,
    /// Known marks have the number of the marking here.
    known: Vec<u32>,
    marking: u32,
    marked_inputs: Vec<NodeId>,
    stack: Vec<(NodeId, u32)>,
    recursion: Recursion,
    spent: u64,
}

impl<'n> Simulator<'n> {
    /// The net with nothing marked.
    pub fn new(net: &'n Propnet, propagation: Propagation) -> Self {
        Self {
            net,
            propagation,
            marks: vec![false; net.node_count()],
            known: vec![0; net.node_count()],
            marking: 1,
            marked_inputs: Vec::new(),
            stack: Vec::new(),
            recursion: Recursion::new(net),
            spent: 0,
        }
    }

    /// The net.
    pub fn net(&self) -> &'n Propnet {
        self.net
    }

    /// How many arcs and nodes were looked at so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// `markbases`: marks the bases, in the order of [`Propnet::bases`]. What a short vector leaves
    /// open is false, but for latches, which stay true.
    pub fn mark_bases(&mut self, vector: &[bool]) {
        let game_bases = self.net.game_bases().len();
        for (at, &base) in self.net.bases().iter().enumerate() {
            let value = vector.get(at).copied().unwrap_or(at >= game_bases);
            self.set(base, value);
        }
    }

    /// `markactions`: marks these inputs and no others.
    pub fn mark_actions(&mut self, moves: &[NodeId]) {
        let before = std::mem::take(&mut self.marked_inputs);
        before.iter().filter(|n| !moves.contains(n)).for_each(|&input| self.set(input, false));
        for &input in moves {
            if self.net.kind(input) == NodeKind::Input {
                self.set(input, true);
                self.marked_inputs.push(input);
            }
        }
    }

    /// `clearpropnet`: marks no base and no input, not even a latch.
    pub fn clear(&mut self) {
        self.net.bases().iter().for_each(|&base| self.set(base, false));
        self.mark_actions(&[]);
    }

    /// `propmarkp`: whether a node is true under the marking. A transition is true if its base will
    /// be.
    pub fn mark(&mut self, node: NodeId) -> bool {
        if !self.is_known(node) {
            match self.propagation {
                Propagation::Forward => self.propagate(),
                Propagation::Backward => self.work_back(node),
            }
        }
        self.marks[node.index()]
    }

    /// Whether each node is true under the marking, for drawing it.
    pub fn marking(&mut self) -> Marking {
        let marks = self.net.nodes().map(|node| self.mark(node)).collect();
        Marking { marks }
    }

    /// `proplegals`: the inputs that are legal for a role, in canonical order.
    pub fn legals(&mut self, role: usize, state: &[bool]) -> Vec<NodeId> {
        self.mark_state(state);
        let (Some(legals), Some(inputs)) = (self.net.legals().get(role), self.net.legal_inputs().get(role))
        else {
            return Vec::new();
        };
        legals.iter().zip(inputs).filter(|&(&legal, _)| self.mark(legal)).map(|(_, &input)| input).collect()
    }

    /// `propnext`: the marking of the bases after these moves.
    pub fn next(&mut self, moves: &[NodeId], state: &[bool]) -> Vec<bool> {
        self.mark_bases(state);
        self.mark_actions(moves);
        let source = |&base: &NodeId| self.net.sources(base).first().copied();
        let transitions: Vec<Option<NodeId>> = self.net.bases().iter().map(source).collect();
        transitions.into_iter().map(|transition| transition.is_some_and(|t| self.mark(t))).collect()
    }

    /// `propreward`: what the state is worth to a role; `None` where the rules give no value or
    /// several. (The book answers 0 for none and the first of several.)
    pub fn reward(&mut self, role: usize, state: &[bool]) -> Option<Goal> {
        self.mark_state(state);
        let mut found = None;
        for &(value, node) in self.net.rewards().get(role)? {
            if self.mark(node) && found.replace(value).is_some() {
                return None;
            }
        }
        found
    }

    /// `propterminalp`: whether the state is terminal.
    pub fn terminal(&mut self, state: &[bool]) -> bool {
        self.mark_state(state);
        self.mark(self.net.terminal())
    }

    /// What these moves let a role see (GDL-II), in canonical order.
    pub fn percepts(&mut self, role: usize, moves: &[NodeId], state: &[bool]) -> Vec<TermId> {
        self.mark_bases(state);
        self.mark_actions(moves);
        let Some(percepts) = self.net.percepts().get(role) else { return Vec::new() };
        percepts.iter().filter(|&&(_, node)| self.mark(node)).map(|&(term, _)| term).collect()
    }

    fn mark_state(&mut self, state: &[bool]) {
        self.mark_bases(state);
        self.mark_actions(&[]);
    }

    /// Marks a base or an input. Other marks are forgotten if that changes anything.
    fn set(&mut self, node: NodeId, value: bool) {
        if self.marks[node.index()] != value {
            self.marks[node.index()] = value;
            self.marking = self.marking.checked_add(1).unwrap_or_else(|| {
                self.known.fill(0);
                1
            });
        }
    }

    fn is_known(&self, node: NodeId) -> bool {
        matches!(self.net.kind(node), NodeKind::Base | NodeKind::Input)
            || self.known[node.index()] == self.marking
    }

    fn learn(&mut self, node: NodeId, value: bool) {
        self.marks[node.index()] = value;
        self.known[node.index()] = self.marking;
        self.spent += 1;
    }
}
