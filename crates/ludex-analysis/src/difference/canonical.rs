//! A clause as a text that is the same for all ways to write it: whatever the order of its literals, the names of its
//! variables, the notation and the layout.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use ludex_gdl::{Item, NameId, NodeId, NodeKind, Rulesheet, Tree};
use rustc_hash::{FxHashMap, FxHasher};

use super::NameMap;

/// So often variables are told apart by what stands around them.
const ROUNDS: usize = 4;

/// The clause. Equal texts stand for equal clauses; equal clauses have equal texts but for a few in which variables
/// are hard to tell apart.
pub(super) fn canonical(sheet: &Rulesheet, item: &Item, names: &NameMap) -> String {
    Canonical { tree: &sheet.tree, names, colours: FxHashMap::default() }.text(item)
}

/// The clause, with all variables alike.
pub(super) fn outlines(sheet: &Rulesheet, item: &Item, names: &NameMap) -> Vec<u64> {
    let canonical = Canonical { tree: &sheet.tree, names, colours: FxHashMap::default() };
    let hashes = canonical.hashes(item);
    let literals = std::iter::once(&item.head).chain(item.body.iter().flatten());
    literals.filter_map(|node| hashes.get(node).copied()).collect()
}

struct Canonical<'a> {
    tree: &'a Tree,
    names: &'a NameMap,
    /// What is known of each variable.
    colours: FxHashMap<NameId, u64>,
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Whether the order of the arguments says nothing.
fn is_unordered(name: &str) -> bool {
    matches!(name, "and" | "or" | "distinct" | "<=>")
}

impl Canonical<'_> {
    fn name(&self, name: NameId) -> &str {
        let name = self.tree.name(name);
        self.names.get(name).map_or(name, String::as_str)
    }

    fn roots(item: &Item) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::once(item.head).chain(item.body.iter().flatten().copied())
    }

    /// Nodes before those below them.
    fn nodes(&self, item: &Item) -> Vec<NodeId> {
        let mut found: Vec<NodeId> = Self::roots(item).collect();
        let mut at = 0;
        while at < found.len() {
            found.extend(self.tree.children(found[at]));
            at += 1;
        }
        found
    }

    /// What stands at each node, with variables by their colours.
    fn hashes(&self, item: &Item) -> FxHashMap<NodeId, u64> {
        let mut found: FxHashMap<NodeId, u64> = FxHashMap::default();
        for node in self.nodes(item).into_iter().rev() {
            let of = match &self.tree.node(node).kind {
                NodeKind::Variable(name) => hash((1, self.colours.get(name))),
                NodeKind::Error => hash((2, self.tree.span(node).start)),
                NodeKind::Constant(name) => hash((3, self.name(*name))),
                NodeKind::Compound { name, .. } => {
                    let name = self.name(*name);
                    let mut parts: Vec<u64> = self
                        .tree
                        .children(node)
                        .iter()
                        .filter_map(|child| found.get(child).copied())
                        .collect();
                    if is_unordered(name) {
                        parts.sort_unstable();
                    }
                    hash((4, name, parts))
                }
            };
            found.insert(node, of);
        }
        found
    }

    /// Tells variables apart by the places in which they stand.
    fn refine(&mut self, item: &Item) {
        let hashes = self.hashes(item);
        let mut around: FxHashMap<NodeId, u64> = FxHashMap::default();
        for node in Self::roots(item) {
            around.insert(node, hash((node == item.head, hashes.get(&node))));
        }
        let mut places: FxHashMap<NameId, Vec<u64>> = FxHashMap::default();
        for node in self.nodes(item) {
            let here = around.get(&node).copied().unwrap_or_default();
            if let NodeKind::Variable(name) = self.tree.node(node).kind {
                places.entry(name).or_default().push(here);
            }
            let unordered = self.tree.head(node).is_some_and(|(name, _)| is_unordered(name));
            for (at, &child) in self.tree.children(node).iter().enumerate() {
                let place = if unordered { usize::MAX } else { at };
                around.insert(child, hash((here, place, hashes.get(&child))));
            }
        }
        for (name, mut places) in places {
            places.sort_unstable();
            self.colours.insert(name, hash(places));
        }
    }

    fn text(mut self, item: &Item) -> String {
        for _ in 0..ROUNDS {
            self.refine(item);
        }
        let hashes = self.hashes(item);
        let order = |nodes: &[NodeId]| {
            let mut sorted = nodes.to_vec();
            sorted.sort_by_key(|node| hashes.get(node).copied());
            sorted
        };
        let mut out = String::new();
        let mut open = vec![item.head];
        if let Some(body) = &item.body {
            // A rule without subgoals is a fact.
            open = order(body);
            open.reverse();
            open.push(item.head);
        }
        let mut numbers: FxHashMap<NameId, usize> = FxHashMap::default();
        while let Some(node) = open.pop() {
            // Lengths keep names apart, whatever is in them.
            let written = match &self.tree.node(node).kind {
                NodeKind::Variable(name) => {
                    let next = numbers.len();
                    write!(out, "?{} ", numbers.entry(*name).or_insert(next))
                }
                NodeKind::Error => write!(out, "!{} ", self.tree.span(node).start),
                NodeKind::Constant(name) => {
                    let name = self.name(*name);
                    write!(out, "{}:{name} ", name.len())
                }
                NodeKind::Compound { name, .. } => {
                    let (name, children) = (self.name(*name), self.tree.children(node));
                    let sorted = if is_unordered(name) { order(children) } else { children.to_vec() };
                    open.extend(sorted.iter().rev());
                    // A proposition is the same with empty brackets.
                    match children.len() {
                        0 if !is_unordered(name) => write!(out, "{}:{name} ", name.len()),
                        count => write!(out, "{}:{name}/{count} ", name.len()),
                    }
                }
            };
            // Writing to a text cannot fail.
            debug_assert!(written.is_ok());
        }
        out
    }
}
