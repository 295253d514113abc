//! The syntax tree that both notations share.
//!
//! Nodes live in one arena, so that a tree of any depth is built, walked and dropped without
//! recursion. Connectives are ordinary compounds (`or`, `and`, `not`, `distinct`, and in sentences of relational
//! logic `=>`, `<=>`, `=`, and `A:` and `E:` with a variable and a scope); what they mean depends on where they
//! stand, which is the business of lowering.

use std::ops::Range;
use std::sync::Arc;

pub use ludex_logic::Notation;
use rustc_hash::FxHashMap;

use crate::source::{Source, Span};

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// An interned name of a [`Tree`]: a constant's, functor's or variable's, in canonical case
/// (prefix names in lower case), without `?` or quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub(crate) u32);

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A name without arguments: `a`, `12`, `terminal`.
    Constant(NameId),
    /// A variable.
    Variable(NameId),
    /// A name applied to terms or formulas: `cell(1,1,b)`, `(or p q)`; possibly to none: `(p)`.
    Compound {
        /// The functor, relation or connective.
        name: NameId,
        /// Where the name is written.
        name_span: Span,
        /// The arguments, see [`Tree::children`].
        children: Range<u32>,
    },
    /// Something that could not be read; a syntax error was reported for it.
    Error,
}

/// A node with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it is written, brackets included.
    pub span: Span,
}

/// An arena of nodes and names.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    children: Vec<NodeId>,
    names: Vec<Box<str>>,
    by_name: FxHashMap<Box<str>, NameId>,
}

impl Tree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Interns a name that is already in canonical case.
    pub fn intern(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(name.into());
        self.by_name.insert(name.into(), id);
        id
    }

    /// The id of a name, if it occurs.
    pub fn find_name(&self, name: &str) -> Option<NameId> {
        self.by_name.get(name).copied()
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.0 as usize]
    }

    /// Adds a constant.
    pub fn constant(&mut self, name: NameId, span: Span) -> NodeId {
        self.push(NodeKind::Constant(name), span)
    }

    /// Adds a variable.
    pub fn variable(&mut self, name: NameId, span: Span) -> NodeId {
        self.push(NodeKind::Variable(name), span)
    }

    /// Adds a compound.
    pub fn compound(&mut self, name: NameId, name_span: Span, args: &[NodeId], span: Span) -> NodeId {
        let start = self.children.len() as u32;
        self.children.extend_from_slice(args);
        let children = start..self.children.len() as u32;
        self.push(NodeKind::Compound { name, name_span, children }, span)
    }

    /// Adds a name applied to terms: a constant where there are none.
    pub(crate) fn sentence(&mut self, name: &str, args: &[NodeId], span: Span) -> NodeId {
        let name = self.intern(name);
        match args {
            [] => self.constant(name, span),
            args => self.compound(name, span, args, span),
        }
    }

    /// Adds a place holder for something that could not be read.
    pub fn error(&mut self, span: Span) -> NodeId {
        self.push(NodeKind::Error, span)
    }

    fn push(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { kind, span });
        id
    }

    /// How much there is, to come back to with [`Tree::truncate`].
    pub(crate) fn length(&self) -> TreeLength {
        TreeLength { nodes: self.nodes.len(), children: self.children.len() }
    }

    /// Forgets the nodes added since; names stay.
    pub(crate) fn truncate(&mut self, length: TreeLength) {
        self.nodes.truncate(length.nodes);
        self.children.truncate(length.children);
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Where a node is written.
    pub fn span(&self, id: NodeId) -> Span {
        self.node(id).span
    }

    /// The arguments of a compound; none for other nodes.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        match &self.node(id).kind {
            NodeKind::Compound { children, .. } => {
                &self.children[children.start as usize..children.end as usize]
            }
            _ => &[],
        }
    }

    /// The name of a constant or compound with the number of arguments.
    pub fn head(&self, id: NodeId) -> Option<(&str, usize)> {
        match &self.node(id).kind {
            NodeKind::Constant(name) => Some((self.name(*name), 0)),
            NodeKind::Compound { name, children, .. } => Some((self.name(*name), children.len())),
            NodeKind::Variable(_) | NodeKind::Error => None,
        }
    }

    /// A quantified sentence with its variable and its scope.
    pub(crate) fn quantified(&self, id: NodeId) -> Option<(Quantifier, NodeId, NodeId)> {
        let quantifier = match self.head(id)? {
            ("A:", 2) => Quantifier::All,
            ("E:", 2) => Quantifier::Some,
            _ => return None,
        };
        let &[variable, scope] = self.children(id) else { return None };
        let is_variable = matches!(self.node(variable).kind, NodeKind::Variable(_));
        is_variable.then_some((quantifier, variable, scope))
    }

    /// The variables in some nodes, one for each occurrence.
    pub(crate) fn variables(&self, nodes: &[NodeId]) -> impl Iterator<Item = NameId> + '_ {
        let mut open = nodes.to_vec();
        std::iter::from_fn(move || {
            while let Some(node) = open.pop() {
                open.extend(self.children(node));
                if let NodeKind::Variable(name) = self.node(node).kind {
                    return Some(name);
                }
            }
            None
        })
    }

    /// The node with others in the place of some of its variables; `replace` gives them, from the variable's name and place.
    pub(crate) fn mapped(
        &mut self,
        root: NodeId,
        replace: &mut impl FnMut(&mut Self, NameId, Span) -> Option<NodeId>,
    ) -> NodeId {
        // Children before parents, without recursion: terms may be a million deep.
        let mut open = vec![(root, false)];
        let mut done: Vec<NodeId> = Vec::new();
        while let Some((node, is_complete)) = open.pop() {
            let Node { kind, span } = self.node(node).clone();
            match kind {
                NodeKind::Variable(name) => {
                    let new = replace(self, name, span);
                    done.push(new.unwrap_or(node));
                }
                NodeKind::Compound { name, name_span, children } => {
                    if !is_complete {
                        open.push((node, true));
                        open.extend(self.children(node).iter().rev().map(|&child| (child, false)));
                        continue;
                    }
                    let first = done.len() - children.len();
                    let changed = done[first..] != *self.children(node);
                    let args: Vec<NodeId> = done.drain(first..).collect();
                    done.push(if changed { self.compound(name, name_span, &args, span) } else { node });
                }
                NodeKind::Constant(_) | NodeKind::Error => done.push(node),
            }
        }
        // The walk leaves exactly the root.
        done.pop().unwrap_or(root)
    }

    /// Nodes with their variables numbered, as a text: the same for those that differ in names of variables only.
    pub(crate) fn pattern(&self, nodes: &[NodeId]) -> String {
        let mut numbers: Vec<NameId> = Vec::new();
        let mut out = String::new();
        let mut open: Vec<NodeId> = nodes.iter().rev().copied().collect();
        while let Some(node) = open.pop() {
            if let NodeKind::Variable(name) = self.node(node).kind {
                let number = numbers.iter().position(|other| *other == name).unwrap_or_else(|| {
                    numbers.push(name);
                    numbers.len() - 1
                });
                out.push_str(&format!("?{number} "));
            } else {
                if let Some((name, arity)) = self.head(node) {
                    out.push_str(&format!("{name}/{arity} "));
                }
                open.extend(self.children(node).iter().rev());
            }
        }
        out
    }

    /// Whether a formula has a literal of this name.
    pub(crate) fn mentions(&self, formula: NodeId, name: &str) -> bool {
        let mut open = vec![formula];
        while let Some(node) = open.pop() {
            match self.head(node) {
                Some((found, _)) if found == name => return true,
                Some(("and" | "or" | "not", _)) => open.extend(self.children(node)),
                _ => {}
            }
        }
        false
    }

    /// All nodes, in the order they were added.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }

    /// The number of names, some of which may not occur in any clause.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// How a sentence speaks of all objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    /// `AX:p(X)`, `(forall (?x) (p ?x))`: every object. Its nodes are called `A:`.
    All,
    /// `EX:p(X)`, `(exists (?x) (p ?x))`: some object. Its nodes are called `E:`.
    Some,
}

/// How large a tree was at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeLength {
    nodes: usize,
    children: usize,
}

/// A clause as it was written: a fact when `body` is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The head.
    pub head: NodeId,
    /// The subgoals; `Some` and empty for a rule without a body, `(<= p)`.
    pub body: Option<Vec<NodeId>>,
    /// Where the clause is written.
    pub span: Span,
}

/// A comment, in the order of the text, with its marker (`;` or `%`) and without its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it is written.
    pub span: Span,
}

/// A rulesheet as it was written. Parsing never fails: what could not be read is in the diagnostics.
#[derive(Clone, Debug)]
pub struct Rulesheet {
    /// The text.
    pub source: Arc<Source>,
    /// How it is written.
    pub notation: Notation,
    /// All nodes.
    pub tree: Tree,
    /// The clauses in the order of the text.
    pub items: Vec<Item>,
    /// The comments in the order of the text.
    pub comments: Vec<Comment>,
}
