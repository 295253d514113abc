//! Whether two rulesheets say the same.

use rustc_hash::FxHashMap;

use crate::tree::{Item, NameId, NodeId, NodeKind, Rulesheet, Tree};

/// Whether two rulesheets have the same clauses in the same order, whatever their notation, layout,
/// comments and names of variables.
pub fn same_rules(a: &Rulesheet, b: &Rulesheet) -> bool {
    a.items.len() == b.items.len()
        && a.items.iter().zip(&b.items).all(|(x, y)| same_clause(&a.tree, x, &b.tree, y))
}

fn same_clause(a: &Tree, x: &Item, b: &Tree, y: &Item) -> bool {
    let mut pairs = vec![(x.head, y.head)];
    match (&x.body, &y.body) {
        (None, None) => {}
        (Some(x), Some(y)) if x.len() == y.len() => pairs.extend(x.iter().copied().zip(y.iter().copied())),
        _ => return false,
    }
    let mut there: FxHashMap<NameId, NameId> = FxHashMap::default();
    let mut back: FxHashMap<NameId, NameId> = FxHashMap::default();
    while let Some((x, y)) = pairs.pop() {
        if !same_node(a, x, b, y, &mut there, &mut back) {
            return false;
        }
        pairs.extend(a.children(x).iter().copied().zip(b.children(y).iter().copied()));
    }
    true
}

fn same_node(
    a: &Tree,
    x: NodeId,
    b: &Tree,
    y: NodeId,
    there: &mut FxHashMap<NameId, NameId>,
    back: &mut FxHashMap<NameId, NameId>,
) -> bool {
    match (&a.node(x).kind, &b.node(y).kind) {
        (NodeKind::Constant(x), NodeKind::Constant(y)) => a.name(*x) == b.name(*y),
        (NodeKind::Variable(x), NodeKind::Variable(y)) => {
            *there.entry(*x).or_insert(*y) == *y && *back.entry(*y).or_insert(*x) == *x
        }
        (NodeKind::Compound { name: n, .. }, NodeKind::Compound { name: m, .. }) => {
            a.name(*n) == b.name(*m) && a.children(x).len() == b.children(y).len()
        }
        (NodeKind::Error, NodeKind::Error) => true,
        _ => false,
    }
}
