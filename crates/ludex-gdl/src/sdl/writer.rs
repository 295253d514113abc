//! Rules without steps, written into a tree whose places are those of the rules with steps.

use ludex_logic::{Pattern, RelationId, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::distances::Order;
use super::memory::Memory;
use super::names::Names;
use super::placement::Version;
use crate::convert::{free_variable, variable_beside};
use crate::diagnostic::Diagnostic;
use crate::game_program::GameProgram;
use crate::source::Span;
use crate::tree::{NameId, NodeId, NodeKind, Notation, Tree};

/// What the rules are written into, and what they turn out to need.
pub(super) struct Writer<'a> {
    pub game: &'a GameProgram,
    pub order: Order<'a>,
    pub names: Names,
    pub notation: Notation,
    pub tree: Tree,
    /// The versions of relations that some rule asks for.
    pub needed: FxHashSet<(RelationId, Version)>,
    pub memories: Vec<Memory>,
    /// Whether some rule asks which of two steps is earlier.
    pub asks_earlier: bool,
    /// Whether some rule asks for any fact.
    pub asks_any_fact: bool,
    pub found: Vec<Diagnostic>,
}

impl Writer<'_> {
    /// A name applied to terms.
    pub fn sentence(&mut self, name: &str, args: &[NodeId], span: Span) -> NodeId {
        self.tree.sentence(name, args, span)
    }

    /// `true(FACT)`.
    pub fn holds(&mut self, fact: NodeId, span: Span) -> NodeId {
        self.sentence("true", &[fact], span)
    }

    /// `~FORMULA`.
    pub fn not(&mut self, formula: NodeId, span: Span) -> NodeId {
        self.sentence("not", &[formula], span)
    }

    /// `true(step(LABEL))`.
    pub fn step_is(&mut self, label: NodeId, span: Span) -> NodeId {
        let name = self.names.step.clone();
        let fact = self.sentence(&name, &[label], span);
        self.holds(fact, span)
    }

    /// The step at a place of the chain.
    pub fn step(&mut self, place: i64, span: Span) -> Option<NodeId> {
        let step = self.order.chain.step(place)?;
        let name = self.step_name(step)?.to_owned();
        Some(self.sentence(&name, &[], span))
    }

    fn step_name(&self, step: TermId) -> Option<&str> {
        match self.game.program.terms.view(step) {
            ludex_logic::TermView::Constant(name) => Some(self.game.program.terms.name(name)),
            ludex_logic::TermView::Compound(..) => None,
        }
    }

    /// A variable of a rule that has none of this name yet.
    pub fn variable(&mut self, name: &str, span: Span) -> NodeId {
        self.free_variable(name, [], span)
    }

    /// A variable that is none of these.
    pub fn free_variable<'t>(
        &mut self,
        wanted: &str,
        taken: impl IntoIterator<Item = &'t str>,
        span: Span,
    ) -> NodeId {
        let name = free_variable(wanted, taken, self.notation);
        let name = self.tree.intern(&name);
        self.tree.variable(name, span)
    }

    /// A variable that these terms do not have.
    pub fn variable_beside(&mut self, wanted: &str, terms: &[NodeId], span: Span) -> NodeId {
        variable_beside(&mut self.tree, wanted, terms, self.notation, span)
    }

    /// Whether two nodes read the same.
    pub fn same(&self, one: NodeId, other: NodeId) -> bool {
        let mut open = vec![(one, other)];
        while let Some((one, other)) = open.pop() {
            let is_same = match (&self.tree.node(one).kind, &self.tree.node(other).kind) {
                (NodeKind::Variable(one), NodeKind::Variable(other)) => one == other,
                _ => self.tree.head(one).is_some() && self.tree.head(one) == self.tree.head(other),
            };
            if !is_same {
                return false;
            }
            open.extend(
                self.tree.children(one).iter().copied().zip(self.tree.children(other).iter().copied()),
            );
        }
        true
    }

    /// A term with other terms in the place of some variables.
    pub fn replaced(&mut self, node: NodeId, pattern: &Pattern, by: &FxHashMap<NameId, NodeId>) -> NodeId {
        match pattern {
            Pattern::Ground(_) => node,
            Pattern::Variable(_) => match self.tree.node(node).kind {
                NodeKind::Variable(name) => by.get(&name).copied().unwrap_or(node),
                _ => node,
            },
            // Lowering has limited how deep a term with variables is.
            Pattern::Compound(_, patterns) => {
                let children = self.tree.children(node).to_vec();
                let new: Vec<NodeId> = children
                    .iter()
                    .zip(patterns)
                    .map(|(&child, pattern)| self.replaced(child, pattern, by))
                    .collect();
                if new == children {
                    return node;
                }
                let NodeKind::Compound { name, name_span, .. } = self.tree.node(node).kind else {
                    return node;
                };
                let span = self.tree.span(node);
                self.tree.compound(name, name_span, &new, span)
            }
        }
    }

    /// What an author calls a relation.
    pub fn written_name(&self, relation: RelationId) -> String {
        self.game.program.relation_name(relation).to_owned()
    }

    /// An atom of the present state, without its step.
    pub fn present(&mut self, relation: RelationId, args: &[NodeId], span: Span) -> Vec<NodeId> {
        let atom = self.atom(relation, Version::Now, args, span);
        let mut parts = vec![atom];
        // What is remembered is no fact of the author's.
        if relation == self.game.vocabulary.truth
            && args.first().is_some_and(|&fact| matches!(self.tree.node(fact).kind, NodeKind::Variable(_)))
        {
            self.asks_any_fact = true;
            let name = self.names.remembered.clone();
            let remembered = self.sentence(&name, args, span);
            parts.push(self.not(remembered, span));
        }
        parts
    }

    /// An atom without its step, in the state that the version is about.
    pub fn atom(&mut self, relation: RelationId, version: Version, args: &[NodeId], span: Span) -> NodeId {
        self.needed.insert((relation, version));
        let name = if relation == self.game.vocabulary.truth && version != Version::Now {
            self.names.holds(version).to_owned()
        } else {
            self.names.relation(relation, version).to_owned()
        };
        self.sentence(&name, args, span)
    }
}
