//! Writing infix.

use super::{ClauseLines, Line, Writer};
use crate::tree::{Item, NodeId, NodeKind};

/// A rule up to this length stays on one line.
const SHORT: usize = 80;

/// How close the surroundings of a formula bind; what binds less needs brackets.
const ANYTHING: u8 = 0;
const INSIDE_OR: u8 = 2;
const INSIDE_AND: u8 = 3;
const INSIDE_NOT: u8 = 4;
const INSIDE_EQUATION: u8 = 5;

enum Work {
    Node(NodeId, u8),
    Text(&'static str),
}

impl Writer<'_> {
    pub(super) fn infix_clause(&self, item: &Item, full_stop: bool) -> ClauseLines {
        let mut head = String::new();
        self.infix(item.head, ANYTHING, &mut head);
        let start = self.tree.span(item.head).start;
        let stop = if full_stop { "." } else { "" };
        let Some(body) = &item.body else {
            head.push_str(stop);
            return ClauseLines { lines: vec![Line { text: head, start }], short: None };
        };
        if body.is_empty() {
            head.push_str(" :-.");
            return ClauseLines { lines: vec![Line { text: head, start }], short: None };
        }
        // Alone, a disjunction needs no brackets, but a conjunction would fall apart into subgoals.
        let around =
            if body.len() == 1 && !self.is_chain(body[0], "and") { INSIDE_OR - 1 } else { INSIDE_AND };
        let mut lines = vec![Line { text: head + " :-", start }];
        for (i, &node) in body.iter().enumerate() {
            let mut text = String::from("  ");
            self.infix(node, around, &mut text);
            text.push_str(if i + 1 < body.len() { " &" } else { stop });
            lines.push(Line { text, start: self.tree.span(node).start });
        }
        let length: usize = lines.iter().map(|l| l.text.len()).sum();
        let short = (length <= SHORT + 2 * body.len()).then(|| {
            let mut short = String::with_capacity(length);
            for line in &lines {
                if !short.is_empty() {
                    short.push(' ');
                }
                short.push_str(line.text.trim_start());
            }
            short
        });
        ClauseLines { lines, short }
    }

    fn is_chain(&self, node: NodeId, connective: &str) -> bool {
        self.tree.head(node).is_some_and(|(name, arity)| name == connective && arity > 1)
    }

    pub(super) fn infix(&self, node: NodeId, around: u8, out: &mut String) {
        let mut work = vec![Work::Node(node, around)];
        while let Some(next) = work.pop() {
            let (node, around) = match next {
                Work::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Work::Node(node, around) => (node, around),
            };
            let NodeKind::Compound { name, .. } = self.tree.node(node).kind else {
                out.push_str(self.name(node));
                continue;
            };
            let children = self.tree.children(node);
            let (between, own) = match (self.tree.name(name), children.len()) {
                ("and", 2..) => (" & ", INSIDE_AND),
                ("or", 2..) => (" | ", INSIDE_OR),
                ("=", 2) => (" = ", INSIDE_EQUATION),
                ("not", 1) => {
                    if around > INSIDE_NOT {
                        out.push('(');
                        work.push(Work::Text(")"));
                    }
                    out.push('~');
                    work.push(Work::Node(children[0], INSIDE_NOT));
                    continue;
                }
                _ => {
                    out.push_str(self.name(node));
                    (",", ANYTHING)
                }
            };
            if around >= own {
                out.push('(');
                work.push(Work::Text(")"));
            }
            for (i, &child) in children.iter().enumerate().rev() {
                work.push(Work::Node(child, own));
                if i > 0 {
                    work.push(Work::Text(between));
                }
            }
        }
    }
}
