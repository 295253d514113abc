//! Writing prefix.

use super::{ClauseLines, Line, Writer};
use crate::tree::{Item, NodeId, NodeKind};

enum Work {
    Node(NodeId),
    Close,
}

impl Writer<'_> {
    pub(super) fn prefix_clause(&self, item: &Item) -> ClauseLines {
        let line = |node: NodeId, before: &str| {
            let mut text = before.to_owned();
            self.prefix(node, &mut text);
            Line { text, start: self.tree.span(node).start }
        };
        let Some(body) = &item.body else {
            return ClauseLines { lines: vec![line(item.head, "")], short: None };
        };
        let mut lines = vec![line(item.head, "(<= ")];
        lines.extend(body.iter().map(|&node| line(node, "    ")));
        if let Some(last) = lines.last_mut() {
            last.text.push(')');
        }
        ClauseLines { lines, short: None }
    }

    pub(super) fn prefix(&self, node: NodeId, out: &mut String) {
        let mut work = vec![Work::Node(node)];
        let mut first = true;
        while let Some(next) = work.pop() {
            let Work::Node(node) = next else {
                out.push(')');
                continue;
            };
            if !first {
                out.push(' ');
            }
            first = false;
            if let NodeKind::Compound { .. } = self.tree.node(node).kind {
                out.push('(');
                work.push(Work::Close);
                work.extend(self.tree.children(node).iter().rev().map(|&c| Work::Node(c)));
            }
            out.push_str(self.name(node));
        }
    }
}
