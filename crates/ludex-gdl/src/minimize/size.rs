//! How much there is of a rulesheet.

use rustc_hash::FxHashSet;

use crate::tree::{NodeKind, Rulesheet};

/// How large a rulesheet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Clauses.
    pub clauses: usize,
    /// Names and variables, each as often as it is written, and arrows of rules. Of a text that cannot be read as
    /// clauses: characters.
    pub symbols: usize,
    /// Different names, and different variables of each clause.
    pub names: usize,
}

impl Size {
    /// The size of a rulesheet.
    pub fn of(sheet: &Rulesheet) -> Self {
        let mut size = Self { clauses: sheet.items.len(), ..Self::default() };
        let mut names = FxHashSet::default();
        for (clause, item) in sheet.items.iter().enumerate() {
            size.symbols += usize::from(item.body.is_some());
            let mut open = vec![item.head];
            open.extend(item.body.iter().flatten());
            while let Some(node) = open.pop() {
                size.symbols += 1;
                open.extend(sheet.tree.children(node));
                match sheet.tree.node(node).kind {
                    NodeKind::Constant(name) | NodeKind::Compound { name, .. } => names.insert((None, name)),
                    NodeKind::Variable(name) => names.insert((Some(clause), name)),
                    NodeKind::Error => false,
                };
            }
        }
        size.names = names.len();
        size
    }

    /// Whether it is less than another: in symbols, then in names.
    pub fn is_less_than(&self, other: &Self) -> bool {
        (self.symbols, self.names) < (other.symbols, other.names)
    }
}
