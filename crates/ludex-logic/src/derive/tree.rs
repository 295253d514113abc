//! The derivation tree of a query (book 13.4-13.6): every derivation step that can be made, with
//! the failures.

use rustc_hash::FxHashMap;

use super::facts::Reason;
use crate::budget::LimitError;
use crate::ids::{IdVec, SymbolId, VariableId};
use crate::program::{Formula, Pattern};

/// How much of a derivation tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeOptions {
    /// The most steps on one branch; longer branches are [`NodeKind::Cut`].
    pub depth: usize,
    /// The most nodes in all.
    pub nodes: usize,
    /// How deeply the derivations inside negations are followed.
    pub negations: usize,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self { depth: 1000, nodes: 10_000, negations: 8 }
    }
}

/// The name of a variable in one copy of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VariableName {
    /// The name in the clause.
    pub name: SymbolId,
    /// The number of the copy: that many primes follow the name.
    pub copy: u32,
}

/// How a query ends or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// There are further steps.
    Inner,
    /// The empty query: a successful derivation.
    Success,
    /// The selected literal cannot be resolved, or the test fails.
    Failure,
    /// The selected atom repeats the one it comes from; going on would not end.
    Loop,
    /// A limit of [`TreeOptions`] was reached.
    Cut,
}

/// How a query was reached from the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The selected atom was resolved with a clause or given fact.
    Resolution {
        /// The clause or fact.
        reason: Reason,
        /// The number of the copy, 0 for the clause as it is written.
        copy: u32,
        /// The most general unifier, in the order in which it was found.
        unifier: Vec<(VariableId, Pattern)>,
    },
    /// The negated formula does not follow.
    Negation,
    /// The two terms differ.
    Distinct,
    /// The alternative of this number was chosen, from 0.
    Alternative(usize),
}

/// A query in a derivation tree.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// The query before this one; none at a root.
    pub parent: Option<usize>,
    /// The step from there.
    pub step: Option<Step>,
    /// What is left to show, the selected literal first; variables are those of the whole tree.
    pub subgoals: Vec<Formula>,
    /// How the query ends.
    pub kind: NodeKind,
    /// The root of the derivations of the formula under the selected negation.
    pub negation: Option<usize>,
    /// The steps that can be made, in the order of rule numbers.
    pub children: Vec<usize>,
}

/// Why a root is in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// The query: all derivations.
    Query,
    /// One derivation of an answer that all derivations in the tree missed because they were cut.
    Answer,
    /// The formula under a negation: all derivations if it fails, one if it succeeds.
    Negation,
}

/// The first query of a group of derivations.
#[derive(Clone, Debug)]
pub struct Root {
    /// The node.
    pub node: usize,
    /// Why it is there.
    pub kind: RootKind,
    /// The variables of the root's query.
    pub variables: Vec<VariableId>,
}

/// All derivations of a query.
#[derive(Clone, Debug, Default)]
pub struct DerivationTree {
    /// All queries; indices are the node numbers.
    pub nodes: Vec<TreeNode>,
    /// The query first.
    pub roots: Vec<Root>,
    /// The names of the variables.
    pub variables: IdVec<VariableId, VariableName>,
    /// The values of the root's variables at each [`NodeKind::Success`].
    pub answers: FxHashMap<usize, Vec<Pattern>>,
    /// Whether anything was cut by a limit.
    pub truncated: bool,
    /// The limit of the budget that ended the building, where one did.
    pub stopped: Option<LimitError>,
}

impl DerivationTree {
    /// The last queries of all derivations under a root, from left to right.
    pub fn leaves(&self, root: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            let children = &self.nodes[node].children;
            if children.is_empty() {
                found.push(node);
            }
            stack.extend(children.iter().rev());
        }
        found
    }

    pub(super) fn add(&mut self, parent: Option<usize>, step: Option<Step>) -> usize {
        let node = self.nodes.len();
        if let Some(parent) = parent {
            self.nodes[parent].children.push(node);
        }
        self.nodes.push(TreeNode {
            parent,
            step,
            subgoals: Vec::new(),
            kind: NodeKind::Inner,
            negation: None,
            children: Vec::new(),
        });
        node
    }

    /// Leaves only the way from the root to this leaf.
    pub(super) fn prune(&mut self, leaf: usize) {
        let mut at = leaf;
        while let Some(parent) = self.nodes[at].parent {
            self.nodes[parent].children = vec![at];
            at = parent;
        }
    }

    /// Marks the queries that were still to be taken further as cut.
    pub(super) fn stop(&mut self, limit: LimitError) {
        for node in self.nodes.iter_mut().filter(|node| node.children.is_empty()) {
            if node.kind == NodeKind::Inner {
                node.kind = NodeKind::Cut;
            }
        }
        self.truncated = true;
        self.stopped = Some(limit);
    }

    /// The queries from the root to a node: one linear derivation.
    pub fn path(&self, leaf: usize) -> Vec<usize> {
        let mut path = vec![leaf];
        let mut at = leaf;
        while let Some(parent) = self.nodes[at].parent {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }
}
