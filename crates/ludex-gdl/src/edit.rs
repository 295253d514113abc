//! A rulesheet with something left out, put in the place of something else, or called by another name.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::Span;
use crate::tree::{Item, NameId, NodeId, NodeKind, Rulesheet, Tree};

/// What is to be changed in a rulesheet. Numbers of clauses, nodes and names are those of that rulesheet.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{Edit, Source, fmt, parse};
///
/// let (rulesheet, _) = parse(Arc::new(Source::new("a.kif", "(p a)\n(<= (q ?x) (p ?x) (r ?x))\n")), None);
/// let last = rulesheet.items[1].body.as_ref().unwrap()[1];
/// assert_eq!(fmt(&rulesheet.edited(&Edit::without_nodes([last]))), "(p a)\n(<= (q ?x)\n    (p ?x))\n");
/// assert_eq!(fmt(&rulesheet.edited(&Edit::without_clauses([1]))), "(p a)\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Edit {
    clauses: FxHashSet<usize>,
    /// Nodes that are gone, or in whose place one of their parts stands.
    nodes: FxHashMap<NodeId, Option<NodeId>>,
    /// Compounds in whose place their bare name stands.
    bare: FxHashSet<NodeId>,
    argument: Option<Argument>,
    unwrapped: Option<Argument>,
    constants: FxHashMap<NameId, Box<str>>,
    variables: FxHashMap<(usize, NameId), Value>,
    variable_names: FxHashMap<NameId, Box<str>>,
}

/// One argument of all compounds with this name and so many arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Argument {
    pub(crate) name: NameId,
    pub(crate) arity: usize,
    pub(crate) at: usize,
}

/// What stands in the place of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Variable(NameId),
    Constant(NameId),
}

impl Edit {
    /// Leaves out clauses, by their numbers from 0.
    pub fn without_clauses(clauses: impl IntoIterator<Item = usize>) -> Self {
        Self { clauses: clauses.into_iter().collect(), ..Self::default() }
    }

    /// Leaves out literals, alternatives of disjunctions and parts of conjunctions. A rule without its last literal is
    /// a fact; a disjunction without its last alternative stays, and never holds.
    pub fn without_nodes(nodes: impl IntoIterator<Item = NodeId>) -> Self {
        Self { nodes: nodes.into_iter().map(|node| (node, None)).collect(), ..Self::default() }
    }

    /// Puts a part of a node in its place.
    pub(crate) fn by_part(node: NodeId, part: NodeId) -> Self {
        Self { nodes: [(node, Some(part))].into_iter().collect(), ..Self::default() }
    }

    /// Takes a compound's arguments away.
    pub(crate) fn bare(node: NodeId) -> Self {
        Self { bare: [node].into_iter().collect(), ..Self::default() }
    }

    /// Takes one argument away wherever the name has so many.
    pub(crate) fn without_argument(argument: Argument) -> Self {
        Self { argument: Some(argument), ..Self::default() }
    }

    /// Puts one argument in the place of each compound of the name.
    pub(crate) fn unwrapped(argument: Argument) -> Self {
        Self { unwrapped: Some(argument), ..Self::default() }
    }

    /// Calls constants, functions and relations by other names.
    pub(crate) fn renamed(names: impl IntoIterator<Item = (NameId, Box<str>)>) -> Self {
        Self { constants: names.into_iter().collect(), ..Self::default() }
    }

    /// Calls variables by other names, in all clauses.
    pub(crate) fn variables_renamed(names: impl IntoIterator<Item = (NameId, Box<str>)>) -> Self {
        Self { variable_names: names.into_iter().collect(), ..Self::default() }
    }

    /// Puts something else in the place of a variable of one clause.
    pub(crate) fn with_value(clause: usize, variable: NameId, value: Value) -> Self {
        Self { variables: [((clause, variable), value)].into_iter().collect(), ..Self::default() }
    }
}

impl Rulesheet {
    /// The rulesheet with a change, without comments and empty lines.
    #[must_use]
    pub fn edited(&self, edit: &Edit) -> Self {
        let mut builder = Builder { old: &self.tree, tree: Tree::new(), edit, clause: 0 };
        let mut items = Vec::with_capacity(self.items.len());
        for (clause, item) in self.items.iter().enumerate() {
            if edit.clauses.contains(&clause) {
                continue;
            }
            builder.clause = clause;
            let Some(head) = builder.node(item.head) else { continue };
            let body = item.body.as_ref().and_then(|body| {
                let kept: Vec<NodeId> = body.iter().filter_map(|&node| builder.node(node)).collect();
                (!kept.is_empty() || body.is_empty()).then_some(kept)
            });
            // With its place in the text, an empty line would stand for each clause that is gone.
            items.push(Item { head, body, span: Span::default() });
        }
        let (source, notation) = (Arc::clone(&self.source), self.notation);
        Self { source, notation, tree: builder.tree, items, comments: Vec::new() }
    }
}

/// Copies nodes into a tree of their own.
struct Builder<'a> {
    old: &'a Tree,
    tree: Tree,
    edit: &'a Edit,
    clause: usize,
}

enum Task {
    Enter(NodeId),
    /// A compound with so many of its arguments before it.
    Leave(NodeId, usize),
}

impl Builder<'_> {
    /// Children before parents, without recursion: terms may be a million deep.
    fn node(&mut self, root: NodeId) -> Option<NodeId> {
        let mut open = vec![Task::Enter(root)];
        let mut done: Vec<Option<NodeId>> = Vec::new();
        while let Some(task) = open.pop() {
            match task {
                Task::Enter(node) => match self.found(node) {
                    None => done.push(None),
                    Some(node) => match self.leaf(node) {
                        Some(leaf) => done.push(Some(leaf)),
                        None => {
                            let kept = self.arguments(node);
                            open.push(Task::Leave(node, kept.len()));
                            open.extend(kept.into_iter().rev().map(Task::Enter));
                        }
                    },
                },
                Task::Leave(node, count) => {
                    let children: Vec<Option<NodeId>> = done.drain(done.len() - count..).collect();
                    done.push(self.compound(node, &children));
                }
            }
        }
        done.pop().flatten()
    }

    /// What stands in the place of a node; nothing where it is gone.
    fn found(&self, mut node: NodeId) -> Option<NodeId> {
        loop {
            if let Some(&change) = self.edit.nodes.get(&node) {
                // Parts lie below the node, so this ends.
                node = change?;
                continue;
            }
            match self.edit.unwrapped.filter(|argument| self.fits(node, argument)) {
                Some(argument) => node = self.old.children(node)[argument.at],
                None => return Some(node),
            }
        }
    }

    fn fits(&self, node: NodeId, argument: &Argument) -> bool {
        let children = self.old.children(node);
        let named =
            matches!(self.old.node(node).kind, NodeKind::Compound { name, .. } if name == argument.name);
        named && children.len() == argument.arity && argument.at < argument.arity
    }

    /// The arguments that are kept.
    fn arguments(&self, node: NodeId) -> Vec<NodeId> {
        let mut children = self.old.children(node).to_vec();
        if let Some(argument) = self.edit.argument.filter(|argument| self.fits(node, argument)) {
            children.remove(argument.at);
        }
        children
    }

    /// What has no arguments, or loses them.
    fn leaf(&mut self, node: NodeId) -> Option<NodeId> {
        let span = self.old.span(node);
        match self.old.node(node).kind.clone() {
            NodeKind::Constant(name) => Some(self.constant(name, span)),
            NodeKind::Variable(name) => Some(match self.edit.variables.get(&(self.clause, name)) {
                None => self.variable(name, span),
                Some(&Value::Variable(other)) => self.variable(other, Span::default()),
                Some(&Value::Constant(other)) => self.constant(other, Span::default()),
            }),
            NodeKind::Compound { name, name_span, children } => {
                let loses_all = !children.is_empty() && self.arguments(node).is_empty();
                (loses_all || self.edit.bare.contains(&node)).then(|| self.constant(name, name_span))
            }
            NodeKind::Error => Some(self.tree.error(span)),
        }
    }

    fn constant(&mut self, name: NameId, span: Span) -> NodeId {
        let (name, span) = self.name(name, span);
        self.tree.constant(name, span)
    }

    fn variable(&mut self, name: NameId, span: Span) -> NodeId {
        let (text, span) = match self.edit.variable_names.get(&name) {
            Some(text) => (text.as_ref(), Span::default()),
            None => (self.old.name(name), span),
        };
        let name = self.tree.intern(text);
        self.tree.variable(name, span)
    }

    /// A name with its place in the text, where it is still written as it is there.
    fn name(&mut self, name: NameId, span: Span) -> (NameId, Span) {
        match self.edit.constants.get(&name) {
            Some(text) => (self.tree.intern(text), Span::default()),
            None => (self.tree.intern(self.old.name(name)), span),
        }
    }

    /// A compound of what is left of its arguments.
    fn compound(&mut self, node: NodeId, children: &[Option<NodeId>]) -> Option<NodeId> {
        let NodeKind::Compound { name, name_span, .. } = self.old.node(node).kind else { return None };
        let kept: Vec<NodeId> = children.iter().copied().flatten().collect();
        if kept.len() < children.len() {
            match (self.old.name(name), kept.as_slice()) {
                ("and" | "or", &[only]) => return Some(only),
                ("and" | "or", [_, ..]) | ("or", []) => {}
                // What is said of something that is gone is gone, too.
                _ => return None,
            }
        }
        let (name, name_span) = self.name(name, name_span);
        Some(self.tree.compound(name, name_span, &kept, self.old.span(node)))
    }
}
