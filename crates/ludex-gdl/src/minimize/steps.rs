//! What can be made simpler in a rulesheet.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::edit::{Argument, Edit, Value};
use crate::game_program::Dialect;
use crate::scramble::{self, is_number};
use crate::tree::{Item, NameId, NodeId, NodeKind, Rulesheet, Tree};

/// What joins and quantifies formulas, in all languages.
fn is_connective(name: &str) -> bool {
    matches!(name, "and" | "or" | "not" | "=>" | "<=>" | "<=" | "A:" | "E:" | "::" | "==>")
}

/// Names with a meaning of their own in one language or another, which no constant is renamed or merged with.
fn is_keyword(name: &str) -> bool {
    [Dialect::GdlII, Dialect::RtGdl, Dialect::Sdl].iter().any(|&dialect| scramble::is_keyword(name, dialect))
        || is_connective(name)
}

/// The formulas of a clause: its head, its subgoals and what those are joined of, from the outside in.
fn formulas(tree: &Tree, item: &Item) -> Vec<NodeId> {
    let mut open: Vec<NodeId> = item.body.iter().flatten().rev().copied().collect();
    open.push(item.head);
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        found.push(node);
        if is_joined(tree, node) {
            open.extend(tree.children(node).iter().rev());
        }
    }
    found
}

fn is_joined(tree: &Tree, node: NodeId) -> bool {
    tree.head(node).is_some_and(|(name, arity)| arity > 0 && is_connective(name))
}

/// The nodes below some nodes and these themselves, without recursion.
fn below(tree: &Tree, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
    let mut open: Vec<NodeId> = roots.into_iter().collect();
    open.reverse();
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        found.push(node);
        open.extend(tree.children(node).iter().rev());
    }
    found
}

fn clause_nodes(tree: &Tree, item: &Item) -> Vec<NodeId> {
    below(tree, std::iter::once(item.head).chain(item.body.iter().flatten().copied()))
}

/// The terms with arguments in a clause.
fn compound_terms(tree: &Tree, item: &Item) -> Vec<NodeId> {
    let atoms = formulas(tree, item).into_iter().filter(|&node| !is_joined(tree, node));
    let arguments = atoms.flat_map(|atom| tree.children(atom).iter().copied());
    below(tree, arguments).into_iter().filter(|&node| !tree.children(node).is_empty()).collect()
}

/// Literals, alternatives and parts of conjunctions: all that can be left out of clauses.
pub(super) fn droppable(sheet: &Rulesheet) -> Vec<NodeId> {
    let tree = &sheet.tree;
    let mut found = Vec::new();
    for item in &sheet.items {
        let literals: FxHashSet<NodeId> = item.body.iter().flatten().copied().collect();
        for node in formulas(tree, item) {
            if literals.contains(&node) {
                found.push(node);
            }
            if let Some(("and" | "or", 2..)) = tree.head(node) {
                found.extend(tree.children(node));
            }
        }
    }
    found
}

/// Formulas in whose place one of their parts can stand.
pub(super) fn parts_of_formulas(sheet: &Rulesheet) -> Vec<Edit> {
    let tree = &sheet.tree;
    let mut found = Vec::new();
    for node in sheet.items.iter().flat_map(|item| formulas(tree, item)) {
        if is_joined(tree, node) {
            // The variable of a quantifier is no formula.
            let parts = tree.children(node).iter().skip(usize::from(tree.quantified(node).is_some()));
            found.extend(parts.map(|&part| Edit::by_part(node, part)));
        }
    }
    found
}

/// Arguments that can be taken away wherever the name occurs with so many.
pub(super) fn arguments(sheet: &Rulesheet) -> Vec<Edit> {
    let tree = &sheet.tree;
    let nodes = sheet.items.iter().flat_map(|item| clause_nodes(tree, item));
    distinct(nodes.filter(|&node| !is_joined(tree, node)), tree).map(Edit::without_argument).collect()
}

/// Functions in whose place one of their arguments can stand wherever they occur.
pub(super) fn functions(sheet: &Rulesheet) -> Vec<Edit> {
    let terms = sheet.items.iter().flat_map(|item| compound_terms(&sheet.tree, item));
    distinct(terms, &sheet.tree).map(Edit::unwrapped).collect()
}

fn distinct(nodes: impl Iterator<Item = NodeId>, tree: &Tree) -> impl Iterator<Item = Argument> {
    let mut found = BTreeSet::new();
    for node in nodes {
        if let NodeKind::Compound { name, children, .. } = &tree.node(node).kind {
            let arity = children.len();
            found.extend((0..arity).map(|at| Argument { name: *name, arity, at }));
        }
    }
    found.into_iter()
}

/// Single terms in whose place one of their arguments, or their bare name, can stand.
pub(super) fn terms(sheet: &Rulesheet) -> Vec<Edit> {
    let tree = &sheet.tree;
    let nodes = sheet.items.iter().flat_map(|item| compound_terms(tree, item));
    let simpler = |node: NodeId| {
        let parts = tree.children(node).iter().map(move |&part| Edit::by_part(node, part));
        parts.chain([Edit::bare(node)])
    };
    nodes.flat_map(simpler).collect()
}

/// The constants, in the order in which they first occur.
pub(super) fn constants(sheet: &Rulesheet) -> Vec<NameId> {
    let tree = &sheet.tree;
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for item in &sheet.items {
        let atoms = formulas(tree, item).into_iter().filter(|&node| !is_joined(tree, node));
        for node in below(tree, atoms.flat_map(|atom| tree.children(atom).iter().copied())) {
            if let NodeKind::Constant(name) = tree.node(node).kind
                && !is_keyword(tree.name(name))
                && seen.insert(name)
            {
                found.push(name);
            }
        }
    }
    found
}

/// Variables in whose place another one of their clause, or a constant, can stand.
pub(super) fn variables(sheet: &Rulesheet) -> Vec<Edit> {
    let tree = &sheet.tree;
    let first = constants(sheet).first().copied();
    let mut found = Vec::new();
    for (clause, item) in sheet.items.iter().enumerate() {
        let mut names: Vec<NameId> = Vec::new();
        for node in clause_nodes(tree, item) {
            if let NodeKind::Variable(name) = tree.node(node).kind
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        for (at, &name) in names.iter().enumerate() {
            let values = names[..at].iter().map(|&other| Value::Variable(other));
            let values = first.map(Value::Constant).into_iter().chain(values);
            found.extend(values.map(|value| Edit::with_value(clause, name, value)));
        }
    }
    found
}

/// Shorter names for all constants, functions and relations, each with its old name.
pub(super) fn short_names(sheet: &Rulesheet) -> Vec<(NameId, Box<str>)> {
    let mut names = BTreeSet::new();
    for node in sheet.items.iter().flat_map(|item| clause_nodes(&sheet.tree, item)) {
        if let NodeKind::Constant(name) | NodeKind::Compound { name, .. } = sheet.tree.node(node).kind {
            names.insert(name);
        }
    }
    let free = |name: &NameId| !is_keyword(sheet.tree.name(*name)) && !is_number(sheet.tree.name(*name));
    shortened(sheet, names.into_iter().filter(free).collect(), false)
}

/// Shorter names for all variables.
pub(super) fn short_variables(sheet: &Rulesheet) -> Vec<(NameId, Box<str>)> {
    let mut names = BTreeSet::new();
    for node in sheet.items.iter().flat_map(|item| clause_nodes(&sheet.tree, item)) {
        if let NodeKind::Variable(name) = sheet.tree.node(node).kind {
            names.insert(name);
        }
    }
    shortened(sheet, names.into_iter().collect(), true)
}

/// Gives out `a`, `b`... in order, to names that become shorter, and none that is there.
fn shortened(sheet: &Rulesheet, names: Vec<NameId>, capital: bool) -> Vec<(NameId, Box<str>)> {
    let mut free = (0u64..).map(letters).filter(|name| !is_keyword(name));
    let mut found = Vec::new();
    for name in names {
        let old = sheet.tree.name(name);
        let spelled = |name: String| if capital { name.to_uppercase() } else { name };
        let mut unused = free.by_ref().map(spelled).filter(|new| sheet.tree.find_name(new).is_none());
        if let Some(new) = unused.next()
            && new.len() < old.len()
        {
            found.push((name, new.into()));
        }
    }
    found
}

/// The number as letters: `a` to `z`, `aa`, `ab`...
fn letters(mut number: u64) -> String {
    let mut text = Vec::new();
    loop {
        text.push(b'a' + (number % 26) as u8);
        match number / 26 {
            0 => break,
            more => number = more - 1,
        }
    }
    text.iter().rev().map(|&letter| char::from(letter)).collect()
}
