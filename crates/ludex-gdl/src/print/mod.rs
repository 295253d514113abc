//! From a rulesheet back to text, in either notation.
//!
//! Comments and the order of clauses are kept; empty lines are kept as single ones. Nothing here
//! recurses, so a tree of any depth can be printed.

mod infix;
mod layout;
mod prefix;
mod same;
mod spelling;

pub use same::same_rules;
pub use spelling::{spell_constant, spell_variable};

pub(crate) use spelling::Spelling;

use crate::tree::{Item, NodeId, NodeKind, Notation, Rulesheet, Tree};

/// Writes a rulesheet in a notation. Names that the notation cannot spell are quoted, and variables
/// get names that it allows, so that reading the text again yields the same rules
/// ([`same_rules`]).
pub fn print(rulesheet: &Rulesheet, notation: Notation) -> String {
    let spelling = Spelling::new(&rulesheet.tree, rulesheet.notation, notation);
    print_spelled(rulesheet, notation, &spelling)
}

/// Writes a rulesheet tidily in its own notation, one clause or subgoal a line. Names keep their
/// capitals. Doing it twice changes nothing more. The text ends in a line break if it did before.
pub fn fmt(rulesheet: &Rulesheet) -> String {
    let mut spelling = Spelling::new(&rulesheet.tree, rulesheet.notation, rulesheet.notation);
    spelling.as_written = rulesheet.notation == Notation::Prefix;
    let mut text = print_spelled(rulesheet, rulesheet.notation, &spelling);
    if !rulesheet.source.text().ends_with(['\n', '\r']) {
        text.truncate(text.trim_end_matches('\n').len());
    }
    text
}

/// Writes every clause on a line of its own, in the notation of the rulesheet and as messages hold them:
/// without comments and full stops. Names keep their capitals.
pub fn print_clauses(rulesheet: &Rulesheet) -> Vec<String> {
    let notation = rulesheet.notation;
    let mut spelling = Spelling::new(&rulesheet.tree, notation, notation);
    spelling.as_written = notation == Notation::Prefix;
    let writer = Writer { tree: &rulesheet.tree, source: rulesheet.source.text(), spelling: &spelling };
    let one_line = |item: &Item| match &item.body {
        // Without a full stop, the arrow of a rule without subgoals would want the next clause.
        Some(body) if body.is_empty() && notation == Notation::Infix => {
            print_node(&rulesheet.tree, item.head, notation, &spelling)
        }
        _ => {
            let clause = writer.clause(item, notation, false);
            let lines: Vec<&str> = clause.lines.iter().map(|line| line.text.trim_start()).collect();
            lines.join(" ")
        }
    };
    rulesheet.items.iter().map(one_line).collect()
}

/// Writes one term, atom or formula. `written` is the notation that the tree was read from.
pub fn print_term(tree: &Tree, node: NodeId, written: Notation, notation: Notation) -> String {
    let spelling = Spelling::new(tree, written, notation);
    print_node(tree, node, notation, &spelling)
}

pub(crate) fn print_node(tree: &Tree, node: NodeId, notation: Notation, spelling: &Spelling) -> String {
    let mut out = String::new();
    let writer = Writer { tree, source: "", spelling };
    match notation {
        Notation::Prefix => writer.prefix(node, true, &mut out),
        Notation::Infix => writer.infix(node, false, &mut out),
    }
    out
}

pub(crate) fn print_spelled(rulesheet: &Rulesheet, notation: Notation, spelling: &Spelling) -> String {
    let writer = Writer { tree: &rulesheet.tree, source: rulesheet.source.text(), spelling };
    layout::lay_out(rulesheet, notation, &writer)
}

/// A rule or sentence up to this length stays on one line.
const SHORT: usize = 80;

/// What the writers of both notations need.
pub(crate) struct Writer<'a> {
    tree: &'a Tree,
    source: &'a str,
    spelling: &'a Spelling,
}

/// A line of a clause: the head or a subgoal, or a part of a sentence.
struct Line {
    text: String,
    /// Where the node starts in the text it was read from.
    start: u32,
}

/// A clause cut into lines; how they are joined depends on the comments between them.
struct ClauseLines {
    lines: Vec<Line>,
    /// The whole clause on one line, where that is tidier.
    short: Option<String>,
}

impl Writer<'_> {
    fn clause(&self, item: &Item, notation: Notation, full_stop: bool) -> ClauseLines {
        match notation {
            Notation::Prefix => self.prefix_clause(item),
            Notation::Infix => self.infix_clause(item, full_stop),
        }
    }

    /// The name of a constant, variable or compound; the text of something that could not be read.
    fn name(&self, node: NodeId) -> &str {
        let node = self.tree.node(node);
        match node.kind {
            NodeKind::Constant(name) => self.spelling.constant(name, node.span, self.source),
            NodeKind::Variable(name) => self.spelling.variable(name, node.span, self.source),
            NodeKind::Compound { name, name_span, .. } => {
                self.spelling.constant(name, name_span, self.source)
            }
            NodeKind::Error => self.source.get(node.span.range()).unwrap_or(""),
        }
    }
}

#[cfg(test)]
mod sentence_tests;
#[cfg(test)]
mod tests;
