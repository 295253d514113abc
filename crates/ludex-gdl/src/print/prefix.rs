//! Writing prefix.

use super::{ClauseLines, Line, SHORT, Writer};
use crate::tree::{Item, NodeId, NodeKind, Quantifier};

/// Before the subgoals of a rule, and before what else belongs to a sentence.
const INDENTATION: &str = "    ";
/// What is below a long opening is not indented more than this.
const DEEPEST: usize = 40;

enum Work {
    /// A node, and whether it stands where a formula can stand.
    Node(NodeId, bool),
    Close,
}

impl Writer<'_> {
    pub(super) fn prefix_clause(&self, item: &Item) -> ClauseLines {
        let Some(body) = &item.body else { return self.prefix_sentence(item.head) };
        let line = |node: NodeId, before: &str, is_formula: bool| {
            let mut text = before.to_owned();
            self.prefix(node, is_formula, &mut text);
            Line { text, start: self.tree.span(node).start }
        };
        let mut lines = vec![line(item.head, "(<= ", false)];
        lines.extend(body.iter().map(|&node| line(node, INDENTATION, true)));
        if let Some(last) = lines.last_mut() {
            last.text.push(')');
        }
        ClauseLines { lines, short: None }
    }

    /// A fact, or a sentence of relational logic. What is too long has the parts of its outermost connective on lines of
    /// their own, and the parts of those that are still too long.
    fn prefix_sentence(&self, node: NodeId) -> ClauseLines {
        let mut whole = String::new();
        self.prefix(node, true, &mut whole);
        let start = self.tree.span(node).start;
        let Some((opening, core, depth)) = self.opening(node, String::new()) else {
            return ClauseLines { lines: vec![Line { text: whole, start }], short: None };
        };
        let mut lines: Vec<Line> = Vec::new();
        let mut before = opening;
        for &part in self.tree.children(core) {
            let indentation = before.len().min(DEEPEST);
            let mut text = before;
            before = INDENTATION.to_owned();
            let start = if lines.is_empty() { start } else { self.tree.span(part).start };
            let column = text.len();
            self.prefix(part, true, &mut text);
            let broken =
                if text.len() > SHORT { self.opening(part, text[..column].to_owned()) } else { None };
            let Some((opening, core, depth)) = broken else {
                lines.push(Line { text, start });
                continue;
            };
            let column = (indentation + opening.len() - column).min(DEEPEST);
            self.hang(core, opening, " ".repeat(column), start, &mut lines);
            close(&mut lines, depth);
        }
        close(&mut lines, depth);
        ClauseLines { lines, short: (whole.len() <= SHORT).then_some(whole) }
    }

    /// The parts of a connective on lines of their own.
    fn hang(&self, core: NodeId, opening: String, below: String, start: u32, lines: &mut Vec<Line>) {
        let mut before = opening;
        for (i, &part) in self.tree.children(core).iter().enumerate() {
            let mut text = before;
            before = below.clone();
            self.prefix(part, true, &mut text);
            lines.push(Line { text, start: if i == 0 { start } else { self.tree.span(part).start } });
        }
    }

    /// What stands before the first part of a formula: the quantifiers and negations around its outermost connective, and
    /// that, which is returned with the number of lists that are open. `None` where no connective is.
    fn opening(&self, formula: NodeId, before: String) -> Option<(String, NodeId, usize)> {
        let mut text = before;
        let mut node = formula;
        let mut depth = 1;
        loop {
            if let Some(scope) = self.prefix_quantifiers(node, &mut text) {
                text.push(' ');
                node = scope;
            } else {
                let is_negation = match self.tree.head(node)? {
                    ("not", 1) => true,
                    ("and" | "or", 1..) | ("=>" | "<=>" | "::" | "==>", 2) => false,
                    _ => return None,
                };
                text.push('(');
                text.push_str(self.name(node));
                text.push(' ');
                if !is_negation {
                    return Some((text, node, depth));
                }
                node = *self.tree.children(node).first()?;
            }
            depth += 1;
        }
    }

    /// A term, atom or formula; the last only where one can stand.
    pub(super) fn prefix(&self, node: NodeId, is_formula: bool, out: &mut String) {
        let mut work = vec![Work::Node(node, is_formula)];
        let mut first = true;
        while let Some(next) = work.pop() {
            let Work::Node(node, is_formula) = next else {
                out.push(')');
                continue;
            };
            if !first {
                out.push(' ');
            }
            first = false;
            if is_formula && let Some(scope) = self.prefix_quantifiers(node, out) {
                work.extend([Work::Close, Work::Node(scope, true)]);
                continue;
            }
            let NodeKind::Compound { .. } = self.tree.node(node).kind else {
                out.push_str(self.name(node));
                continue;
            };
            out.push('(');
            work.push(Work::Close);
            let joins = is_formula && self.is_connective(node);
            work.extend(self.tree.children(node).iter().rev().map(|&child| Work::Node(child, joins)));
            if is_formula && self.is_misread(node) {
                out.push('|');
                out.push_str(self.name(node));
                out.push('|');
            } else {
                out.push_str(self.name(node));
            }
        }
    }

    fn is_connective(&self, node: NodeId) -> bool {
        matches!(self.tree.head(node), Some(("and" | "or" | "not" | "=>" | "<=>" | "::" | "==>", _)))
    }

    /// Whether the name of an atom would be read as something else if it stood without bars.
    fn is_misread(&self, node: NodeId) -> bool {
        let is_variable = |node: NodeId| matches!(self.tree.node(node).kind, NodeKind::Variable(_));
        match (self.name(node).to_ascii_lowercase().as_str(), self.tree.children(node)) {
            ("forall" | "exists", &[first, second]) => is_variable(first) && !is_variable(second),
            ("=>", [_, _, _, ..]) => true,
            // This is how `distinct` may be written.
            ("/=", [_, _]) => self.tree.head(node) != Some(("distinct", 2)),
            _ => false,
        }
    }

    /// Opens the list of a quantified sentence, one for a run of equal quantifiers, and returns the scope.
    fn prefix_quantifiers(&self, node: NodeId, out: &mut String) -> Option<NodeId> {
        let (quantifier, variable, mut scope) = self.tree.quantified(node)?;
        out.push('(');
        out.push_str(self.quantifier_word(quantifier, node));
        out.push_str(" (");
        out.push_str(self.name(variable));
        while let Some((next, variable, inner)) = self.tree.quantified(scope)
            && next == quantifier
        {
            out.push(' ');
            out.push_str(self.name(variable));
            scope = inner;
        }
        out.push(')');
        Some(scope)
    }

    /// The word for a quantifier, with the capitals that it is written with.
    fn quantifier_word(&self, quantifier: Quantifier, node: NodeId) -> &str {
        let word = match quantifier {
            Quantifier::All => "forall",
            Quantifier::Some => "exists",
        };
        let NodeKind::Compound { name_span, .. } = self.tree.node(node).kind else { return word };
        let written = self.spelling.as_written(name_span, self.source);
        written.filter(|text| text.eq_ignore_ascii_case(word)).unwrap_or(word)
    }
}

fn close(lines: &mut [Line], depth: usize) {
    if let Some(last) = lines.last_mut() {
        last.text.extend(std::iter::repeat_n(')', depth));
    }
}
