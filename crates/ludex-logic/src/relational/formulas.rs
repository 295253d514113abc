//! Propositional formulas that share their parts.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::{AtomId, Id};

/// A formula of [`Formulas`], or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(u32);

impl Edge {
    /// The formula that always holds.
    pub const TRUE: Edge = Edge(0);
    /// The formula that never holds.
    pub const FALSE: Edge = Edge(1);

    /// The constant of a value.
    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The number of the node, whether negated or not.
    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the negation of the node.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Edge {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    True,
    Atom(AtomId),
    /// Two parts at least, in ascending order.
    And(Box<[Edge]>),
    /// Both parts are plain, the smaller one first.
    Iff(Edge, Edge),
}

/// What a formula is, leaving aside whether it is negated ([`Edge::is_negated`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeView<'a> {
    /// What always holds.
    True,
    /// An atom.
    Atom(AtomId),
    /// All of these, two at least.
    And(&'a [Edge]),
    /// Both or neither.
    Iff(Edge, Edge),
}

/// Formulas over ground atoms. Equal formulas are one node; a node comes after its parts.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    known: FxHashMap<Node, u32>,
    bytes: usize,
}

impl Default for Formulas {
    fn default() -> Self {
        Self { nodes: vec![Node::True], known: FxHashMap::default(), bytes: 0 }
    }
}

impl Formulas {
    /// The number of different formulas.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none but the constant.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// About how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(super) fn node(&self, edge: Edge) -> &Node {
        &self.nodes[edge.node()]
    }

    /// The atom that a formula is, with whether it is to hold.
    pub fn literal(&self, edge: Edge) -> Option<(AtomId, bool)> {
        if let Node::Atom(atom) = self.node(edge) { Some((*atom, !edge.is_negated())) } else { None }
    }

    /// What a formula is, leaving aside whether it is negated.
    pub fn view(&self, edge: Edge) -> EdgeView<'_> {
        match self.node(edge) {
            Node::True => EdgeView::True,
            Node::Atom(atom) => EdgeView::Atom(*atom),
            Node::And(parts) => EdgeView::And(parts),
            Node::Iff(one, other) => EdgeView::Iff(*one, *other),
        }
    }

    fn intern(&mut self, node: Node) -> Edge {
        if let Some(&number) = self.known.get(&node) {
            return Edge(number << 1);
        }
        let number = self.nodes.len() as u32;
        let parts = if let Node::And(parts) = &node { parts.len() } else { 0 };
        self.bytes += 2 * (size_of::<Node>() + parts * size_of::<Edge>()) + size_of::<u32>();
        self.nodes.push(node.clone());
        self.known.insert(node, number);
        Edge(number << 1)
    }

    /// An atom.
    pub fn atom(&mut self, atom: AtomId) -> Edge {
        self.intern(Node::Atom(atom))
    }

    /// An atom, if it occurs.
    pub fn find_atom(&self, atom: AtomId) -> Option<Edge> {
        self.known.get(&Node::Atom(atom)).map(|&number| Edge(number << 1))
    }

    /// All of these.
    pub fn and(&mut self, mut parts: Vec<Edge>) -> Edge {
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|&part| part != Edge::TRUE);
        // A formula and its negation stand side by side once sorted.
        if parts.contains(&Edge::FALSE) || parts.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Edge::FALSE;
        }
        match parts[..] {
            [] => Edge::TRUE,
            [only] => only,
            _ => self.intern(Node::And(parts.into())),
        }
    }

    /// At least one of these.
    pub fn or(&mut self, parts: Vec<Edge>) -> Edge {
        !self.and(parts.into_iter().map(|part| !part).collect())
    }

    /// Both or neither.
    pub fn iff(&mut self, one: Edge, other: Edge) -> Edge {
        if one == other || one == !other {
            return Edge::constant(one == other);
        }
        for (constant, rest) in [(one, other), (other, one)] {
            if constant == Edge::TRUE || constant == Edge::FALSE {
                return if constant == Edge::TRUE { rest } else { !rest };
            }
        }
        let negated = one.is_negated() != other.is_negated();
        let plain = |edge: Edge| Edge(edge.0 & !1);
        let (one, other) = (plain(one).min(plain(other)), plain(one).max(plain(other)));
        let iff = self.intern(Node::Iff(one, other));
        if negated { !iff } else { iff }
    }

    /// For each node, whether all atoms in it are such.
    pub(super) fn only_of(&self, is_such: impl Fn(AtomId) -> bool) -> Vec<bool> {
        let mut only: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            only.push(match node {
                Node::True => true,
                Node::Atom(atom) => is_such(*atom),
                Node::And(parts) => parts.iter().all(|part| only[part.node()]),
                Node::Iff(one, other) => only[one.node()] && only[other.node()],
            });
        }
        only
    }

    /// A formula with other formulas in place of some atoms. What was worked out for parts is kept in `known`, which
    /// serves for other formulas with the same atoms replaced.
    pub fn replace(
        &mut self,
        edge: Edge,
        by: &FxHashMap<AtomId, Edge>,
        known: &mut FxHashMap<usize, Edge>,
    ) -> Edge {
        let mut needed: Vec<usize> = Vec::new();
        let mut open = vec![edge.node()];
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        while let Some(number) = open.pop() {
            if known.contains_key(&number) || !seen.insert(number) {
                continue;
            }
            needed.push(number);
            match &self.nodes[number] {
                Node::True | Node::Atom(_) => {}
                Node::And(parts) => open.extend(parts.iter().map(|part| part.node())),
                Node::Iff(one, other) => open.extend([one.node(), other.node()]),
            }
        }
        // Parts have smaller numbers.
        needed.sort_unstable();
        for number in needed {
            let part = |edge: &Edge| {
                let replaced = known.get(&edge.node()).copied().unwrap_or(*edge);
                if edge.is_negated() { !replaced } else { replaced }
            };
            let replaced = match self.nodes[number].clone() {
                Node::True => Edge::TRUE,
                Node::Atom(atom) => by.get(&atom).copied().unwrap_or(Edge((number as u32) << 1)),
                Node::And(parts) => {
                    let parts = parts.iter().map(part).collect();
                    self.and(parts)
                }
                Node::Iff(one, other) => {
                    let (one, other) = (part(&one), part(&other));
                    self.iff(one, other)
                }
            };
            known.insert(number, replaced);
        }
        let replaced = known.get(&edge.node()).copied().unwrap_or(edge);
        if edge.is_negated() { !replaced } else { replaced }
    }

    /// The atoms in some formulas, each once.
    pub fn atoms_in(&self, edges: impl IntoIterator<Item = Edge>) -> Vec<AtomId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = edges.into_iter().map(Edge::node).collect();
        let mut atoms = Vec::new();
        while let Some(number) = open.pop() {
            if std::mem::replace(&mut seen[number], true) {
                continue;
            }
            match &self.nodes[number] {
                Node::True => {}
                Node::Atom(atom) => atoms.push(*atom),
                Node::And(parts) => open.extend(parts.iter().map(|part| part.node())),
                Node::Iff(one, other) => open.extend([one.node(), other.node()]),
            }
        }
        atoms.sort_unstable_by_key(|atom| atom.index());
        atoms
    }
}
