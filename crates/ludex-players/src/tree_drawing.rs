//! The top of a search tree in the language of Graphviz.

use std::cmp::Reverse;
use std::fmt::Write;

use ludex_game::{ActionId, Signature};
use ludex_logic::escape;

/// A known way from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub from: u32,
    /// The moves that were chosen: of all roles, or of the one that has a choice.
    pub moves: Vec<ActionId>,
    pub to: u32,
    pub visits: u32,
}

/// A tree that can be drawn; its nodes have numbers.
pub(crate) trait DrawnTree {
    /// The known ways out of a node, in an order that is the same every time.
    fn ways(&self, node: u32) -> Vec<Way>;

    /// What a node is worth to each role and how often it was visited, in lines apart by `\\n`.
    fn label(&self, node: u32) -> String;
}

/// Draws at most so many nodes, those visited most first.
pub(crate) fn dot(tree: &dyn DrawnTree, root: u32, nodes: usize, signature: &Signature) -> String {
    let text = |&action: &ActionId| signature.text(signature.action(action));
    let mut out = String::from("digraph tree {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    let mut shown = vec![root];
    let mut fringe = tree.ways(root);
    while shown.len() < nodes {
        let Some(at) = (0..fringe.len()).max_by_key(|&i| (fringe[i].visits, Reverse(i))) else { break };
        let Way { from, moves, to, visits } = fringe.swap_remove(at);
        let label: Vec<String> = moves.iter().map(text).collect();
        // Writing to a string cannot fail.
        let _ =
            writeln!(out, "  n{from} -> n{to} [label=\"{}\\n{visits}\"];", escape::dot(&label.join(", ")));
        if !shown.contains(&to) {
            shown.push(to);
            fringe.extend(tree.ways(to));
        }
    }
    for node in shown {
        let _ = writeln!(out, "  n{node} [label=\"{}\"];", tree.label(node));
    }
    out.push_str("}\n");
    out
}
