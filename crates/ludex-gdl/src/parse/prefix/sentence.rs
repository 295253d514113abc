//! What prefix writes of the sentences of relational logic: `(forall (?x ?y) (=> (p ?x) (q ?y)))`.
//!
//! Rulesheets may call a relation or function `forall` or `exists`. Such a word is a quantifier only where a formula
//! can stand, and only before a variable or a list of nothing but variables. A name in bars is never one.

use crate::source::Span;
use crate::tree::{NameId, NodeId, NodeKind};

use super::super::syntax_error;
use super::{Head, OpenList, Parser};

impl Parser<'_> {
    /// Whether the list that opens here stands where a formula can stand.
    pub(super) fn formula_follows(&self) -> bool {
        let Some(outer) = self.open_lists.last() else { return true };
        let elements = &self.values[outer.base..];
        match outer.head {
            // The head of a rule is an atom.
            Head::Arrow => !elements.is_empty(),
            Head::Named(name, span) if outer.is_formula => match self.sheet.tree.name(name) {
                "and" | "or" | "not" | "=>" | "<=>" | "::" | "==>" => true,
                "forall" | "exists" if self.is_bare(span) => match elements {
                    &[variable] => self.is_variable(variable),
                    _ => outer.bound > 0,
                },
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the list that starts with a variable here can hold the variables of a quantifier.
    pub(super) fn can_bind(&self) -> bool {
        let [.., outer, list] = &self.open_lists[..] else { return false };
        let Head::Named(name, span) = outer.head else { return false };
        outer.is_formula
            && list.base == outer.base
            && matches!(self.sheet.tree.name(name), "forall" | "exists")
            && self.is_bare(span)
    }

    /// Something that is not a variable comes in the innermost list: if that starts with a variable, it is no list of
    /// variables, and has no name.
    pub(super) fn no_name(&mut self) {
        let Some(list) = self.open_lists.last_mut() else { return };
        let Head::Variables(first) = list.head else { return };
        list.head = Head::Bad;
        if !list.quiet {
            let message = "a variable cannot be the name of a relation or function";
            self.diagnostics.push(syntax_error(first, message));
        }
    }

    /// The node of a list with a name, whose elements are the last values.
    pub(super) fn named_list(
        &mut self,
        list: &OpenList,
        name: NameId,
        name_span: Span,
        span: Span,
    ) -> NodeId {
        let elements = &self.values[list.base..];
        let word = self.sheet.tree.name(name);
        let is_special = list.is_formula && matches!(word, "forall" | "exists" | "=>" | "/=");
        if !is_special || !self.is_bare(name_span) {
            return self.sheet.tree.compound(name, name_span, elements, span);
        }
        let elements = elements.to_vec();
        match (word, &elements[..]) {
            ("=>", [antecedents @ .., consequent]) if antecedents.len() > 1 => {
                let antecedents = self.conjunction(antecedents);
                self.sheet.tree.compound(name, name_span, &[antecedents, *consequent], span)
            }
            ("/=", [_, _]) => {
                let name = self.sheet.tree.intern("distinct");
                self.sheet.tree.compound(name, name_span, &elements, span)
            }
            ("forall" | "exists", [variable, scope])
                if self.is_variable(*variable) && (list.bound == 1 || !self.is_variable(*scope)) =>
            {
                self.quantified(name, &[*variable], *scope, [name_span, span])
            }
            ("forall" | "exists", elements) if list.bound > 0 => {
                let (variables, scopes) = elements.split_at(list.bound);
                if let [scope] = *scopes {
                    return self.quantified(name, variables, scope, [name_span, span]);
                }
                let found = if scopes.is_empty() { "none" } else { "several" };
                let message =
                    format!("a quantifier needs one sentence behind its variables, and here are {found}");
                let hint = "write `(forall (?x ?y) sentence)`";
                self.diagnostics.push(syntax_error(name_span, message).hint(hint));
                self.sheet.tree.error(span)
            }
            _ => self.sheet.tree.compound(name, name_span, &elements, span),
        }
    }

    /// Several antecedents as one: `(=> p q r)` is `(=> (and p q) r)`.
    fn conjunction(&mut self, formulas: &[NodeId]) -> NodeId {
        let tree = &mut self.sheet.tree;
        let span = match formulas {
            [first, .., last] => tree.span(*first).to(tree.span(*last)),
            _ => Span::default(),
        };
        let name = tree.intern("and");
        // The word is not written anywhere.
        let word = Span { end: span.start, ..span };
        tree.compound(name, word, formulas, span)
    }

    /// One node for each variable, the last innermost.
    fn quantified(
        &mut self,
        name: NameId,
        variables: &[NodeId],
        scope: NodeId,
        [word, span]: [Span; 2],
    ) -> NodeId {
        let tree = &mut self.sheet.tree;
        let name = if tree.name(name) == "forall" { "A:" } else { "E:" };
        let name = tree.intern(name);
        let mut node = scope;
        for (i, &variable) in variables.iter().enumerate().rev() {
            let span = if i == 0 { span } else { tree.span(variable).to(tree.span(scope)) };
            node = tree.compound(name, word, &[variable, node], span);
        }
        node
    }

    fn is_bare(&self, name: Span) -> bool {
        self.bytes.get(name.start as usize) != Some(&b'|')
    }

    fn is_variable(&self, node: NodeId) -> bool {
        matches!(self.sheet.tree.node(node).kind, NodeKind::Variable(_))
    }
}
