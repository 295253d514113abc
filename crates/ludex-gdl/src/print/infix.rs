//! Writing infix.

use super::{ClauseLines, Line, SHORT, Writer};
use crate::tree::{Item, NodeId, NodeKind, Quantifier};

/// How close the surroundings of a formula bind; what binds no closer needs brackets.
const ANYTHING: u8 = 0;
const INSIDE_IMPLICATION: u8 = 1;
const INSIDE_OR: u8 = 2;
const INSIDE_AND: u8 = 3;
const INSIDE_NOT: u8 = 4;
const INSIDE_EQUATION: u8 = 5;

/// Parts of a sentence that is too long for one line, and of one whose left side is.
const INDENTATIONS: [&str; 2] = ["  ", "    "];

enum Work {
    Node(NodeId, u8),
    Text(&'static str),
}

/// How a node is written.
enum Form {
    /// A name, with arguments or without.
    Term,
    Negation(NodeId),
    Quantified(Quantifier, NodeId, NodeId),
    Joined(Operator),
}

/// What stands between the parts of a formula.
#[derive(Clone, Copy)]
struct Operator {
    sign: &'static str,
    /// How close it binds.
    binds: u8,
    /// What the last part needs brackets for. The parts of a chain are alike; an implication goes on to the right.
    last: u8,
}

impl Operator {
    fn alike(sign: &'static str, binds: u8) -> Form {
        Form::Joined(Self { sign, binds, last: binds })
    }

    fn arrow(sign: &'static str) -> Form {
        Form::Joined(Self { sign, binds: INSIDE_IMPLICATION, last: ANYTHING })
    }
}

/// A part of a sentence on a line of its own: what stands before, the part, what it stands in, what stands behind.
struct Part {
    before: String,
    node: NodeId,
    around: u8,
    behind: &'static str,
}

impl Writer<'_> {
    pub(super) fn infix_clause(&self, item: &Item, full_stop: bool) -> ClauseLines {
        let stop = if full_stop { "." } else { "" };
        if let Some(operation) = self.operation(item) {
            return self.infix_operation(operation, stop);
        }
        let Some(body) = &item.body else { return self.infix_sentence(item.head, stop) };
        let mut head = String::new();
        self.infix(item.head, false, &mut head);
        let start = self.tree.span(item.head).start;
        if body.is_empty() {
            head.push_str(" :-.");
            return ClauseLines { lines: vec![Line { text: head, start }], short: None };
        }
        // Alone, a formula needs no brackets, but a conjunction would fall apart into subgoals.
        let around = if body.len() == 1 && !self.is_chain(body[0], "and") { ANYTHING } else { INSIDE_AND };
        let mut lines = vec![Line { text: head + " :-", start }];
        for (i, &node) in body.iter().enumerate() {
            let mut text = String::from("  ");
            self.infix_within(node, around, false, &mut text);
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

    /// An operation of Epilog: the move, and what it does.
    fn operation(&self, item: &Item) -> Option<(NodeId, NodeId)> {
        let is_operation = item.body.is_none() && self.tree.head(item.head) == Some(("::", 2));
        match self.tree.children(item.head) {
            &[head, effects] if is_operation => Some((head, effects)),
            _ => None,
        }
    }

    /// An operation: the move, its conditions one on each line, and the effects.
    fn infix_operation(&self, (head, body): (NodeId, NodeId), stop: &str) -> ClauseLines {
        let mut text = String::new();
        self.infix(head, false, &mut text);
        let mut lines = vec![Line { text: text + " ::", start: self.tree.span(head).start }];
        let mut add = |node: NodeId, around: u8, [before, behind]: [&str; 2]| {
            let mut text = before.to_owned();
            self.infix_within(node, around, false, &mut text);
            text.push_str(behind);
            lines.push(Line { text, start: self.tree.span(node).start });
        };
        let effects = match (self.tree.head(body), self.tree.children(body)) {
            (Some(("==>", 2)), &[conditions, effects]) => {
                let parts = self.conjuncts(&conditions);
                for (i, &part) in parts.iter().enumerate() {
                    let around = if parts.len() == 1 { INSIDE_IMPLICATION } else { INSIDE_AND };
                    add(part, around, ["  ", if i + 1 < parts.len() { " &" } else { "" }]);
                }
                Some(effects)
            }
            _ => None,
        };
        let (first, others) = if effects.is_some() { ("  ==> ", "      ") } else { ("  ", "  ") };
        let effects = effects.unwrap_or(body);
        let mut parts = self.conjuncts(&effects);
        let mut whole = String::new();
        self.infix(effects, false, &mut whole);
        if first.len() + whole.len() + stop.len() <= SHORT {
            parts = std::slice::from_ref(&effects);
        }
        for (i, &part) in parts.iter().enumerate() {
            let around = if parts.len() == 1 { ANYTHING } else { INSIDE_AND };
            let behind = if i + 1 < parts.len() { " &" } else { stop };
            add(part, around, [if i == 0 { first } else { others }, behind]);
        }
        let short = lines.iter().map(|line| line.text.trim_start()).collect::<Vec<_>>().join(" ");
        ClauseLines { lines, short: (short.len() <= SHORT).then_some(short) }
    }

    /// The parts of a conjunction, or all of another formula.
    fn conjuncts<'n>(&'n self, node: &'n NodeId) -> &'n [NodeId] {
        if self.is_chain(*node, "and") { self.tree.children(*node) } else { std::slice::from_ref(node) }
    }

    fn is_chain(&self, node: NodeId, connective: &str) -> bool {
        self.tree.head(node).is_some_and(|(name, arity)| name == connective && arity > 1)
    }

    /// A fact, or a sentence of relational logic.
    fn infix_sentence(&self, node: NodeId, stop: &str) -> ClauseLines {
        let is_sentence = !matches!(self.form(node, true), Form::Term);
        let mut whole = String::new();
        self.infix(node, is_sentence, &mut whole);
        whole.push_str(stop);
        let start = self.tree.span(node).start;
        let (parts, closing) = self.parts(node);
        if parts.len() < 2 {
            return ClauseLines { lines: vec![Line { text: whole, start }], short: None };
        }
        let mut lines = Vec::with_capacity(parts.len());
        for (i, part) in parts.iter().enumerate() {
            let mut text = part.before.clone();
            self.infix_within(part.node, part.around, true, &mut text);
            text.push_str(part.behind);
            lines.push(Line { text, start: if i == 0 { start } else { self.tree.span(part.node).start } });
        }
        if let Some(last) = lines.last_mut() {
            last.text.push_str(closing);
            last.text.push_str(stop);
        }
        ClauseLines { lines, short: (whole.len() <= SHORT).then_some(whole) }
    }

    /// The parts of a sentence that go on lines of their own, and the bracket behind them. Negations and quantifiers
    /// around all of it stay with the first part.
    fn parts(&self, sentence: NodeId) -> (Vec<Part>, &'static str) {
        let mut opening = String::new();
        let mut node = sentence;
        let operator = loop {
            node = match self.form(node, true) {
                Form::Negation(target) => {
                    opening.push('~');
                    target
                }
                Form::Quantified(quantifier, variable, scope) => {
                    self.infix_quantifier(quantifier, variable, &mut opening);
                    scope
                }
                Form::Joined(operator) if operator.binds < INSIDE_NOT => break operator,
                Form::Joined(_) | Form::Term => return (Vec::new(), ""),
            }
        };
        let closing = if node == sentence { "" } else { ")" };
        if node != sentence {
            opening.push('(');
        }
        let mut parts = Vec::new();
        match self.tree.children(node) {
            &[left, right] if operator.binds == INSIDE_IMPLICATION => {
                let mut indentation = INDENTATIONS[0];
                let mut text = String::new();
                self.infix_within(left, operator.binds, true, &mut text);
                if opening.len() + text.len() + operator.sign.len() > SHORT && self.is_split(left) {
                    self.split(left, operator.binds, [&opening, INDENTATIONS[0]], operator.sign, &mut parts);
                    indentation = INDENTATIONS[1];
                } else {
                    let behind = operator.sign.trim_end();
                    parts.push(Part { before: opening, node: left, around: operator.binds, behind });
                }
                self.split(right, operator.last, [indentation; 2], "", &mut parts);
            }
            _ => self.split(node, ANYTHING, [&opening, INDENTATIONS[0]], "", &mut parts),
        }
        (parts, closing)
    }

    /// Whether a formula is a chain, whose parts can stand on lines of their own.
    fn is_split(&self, node: NodeId) -> bool {
        self.is_chain(node, "and") || self.is_chain(node, "or")
    }

    /// The parts of a chain, or all of another formula.
    fn split(
        &self,
        node: NodeId,
        around: u8,
        [first, others]: [&str; 2],
        behind: &'static str,
        parts: &mut Vec<Part>,
    ) {
        let behind = behind.trim_end();
        match self.form(node, true) {
            Form::Joined(operator) if self.is_split(node) => {
                let children = self.tree.children(node);
                for (i, &child) in children.iter().enumerate() {
                    let before = if i == 0 { first } else { others }.to_owned();
                    let behind = if i + 1 < children.len() { operator.sign.trim_end() } else { behind };
                    parts.push(Part { before, node: child, around: operator.binds, behind });
                }
            }
            _ => parts.push(Part { before: first.to_owned(), node, around, behind }),
        }
    }

    /// The name or variable that a clause or sentence begins with; `None` where it begins with another sign.
    pub(super) fn first_word(&self, item: &Item) -> Option<NodeId> {
        let is_sentence = item.body.is_none() && !matches!(self.form(item.head, true), Form::Term);
        let mut node = self.operation(item).map_or(item.head, |(head, _)| head);
        let mut around = ANYTHING;
        loop {
            match self.form(node, is_sentence) {
                Form::Term => return Some(node),
                Form::Joined(operator) if around < operator.binds => {
                    node = *self.tree.children(node).first()?;
                    around = operator.binds;
                }
                _ => return None,
            }
        }
    }

    /// How a node is written; in sentences, inequalities have a sign as equations have, and no blanks around it.
    fn form(&self, node: NodeId, in_sentence: bool) -> Form {
        if let Some((quantifier, variable, scope)) = self.tree.quantified(node) {
            return Form::Quantified(quantifier, variable, scope);
        }
        let NodeKind::Compound { name, .. } = self.tree.node(node).kind else { return Form::Term };
        match (self.tree.name(name), self.tree.children(node)) {
            ("not", &[target]) => Form::Negation(target),
            ("and", [_, _, ..]) => Operator::alike(" & ", INSIDE_AND),
            ("or", [_, _, ..]) => Operator::alike(" | ", INSIDE_OR),
            ("=>", [_, _]) => Operator::arrow(" => "),
            ("<=>", [_, _]) => Operator::arrow(" <=> "),
            ("==>", [_, _]) => Operator::arrow(" ==> "),
            ("=", [_, _]) => Operator::alike(if in_sentence { "=" } else { " = " }, INSIDE_EQUATION),
            ("distinct", [_, _]) if in_sentence => Operator::alike("!=", INSIDE_EQUATION),
            _ => Form::Term,
        }
    }

    /// A term, atom or formula that stands alone.
    pub(super) fn infix(&self, node: NodeId, in_sentence: bool, out: &mut String) {
        self.infix_within(node, ANYTHING, in_sentence, out);
    }

    fn infix_within(&self, node: NodeId, around: u8, in_sentence: bool, out: &mut String) {
        let mut work = vec![Work::Node(node, around)];
        while let Some(next) = work.pop() {
            let (node, around) = match next {
                Work::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Work::Node(node, around) => (node, around),
            };
            let form = self.form(node, in_sentence);
            let binds = match form {
                Form::Term => u8::MAX,
                // A negation in another needs no brackets.
                Form::Negation(_) | Form::Quantified(..) => INSIDE_NOT + 1,
                Form::Joined(operator) => operator.binds,
            };
            if around >= binds {
                out.push('(');
                work.push(Work::Text(")"));
            }
            match form {
                Form::Term => self.infix_term(node, &mut work, out),
                Form::Negation(target) => {
                    out.push('~');
                    work.push(Work::Node(target, INSIDE_NOT));
                }
                Form::Quantified(quantifier, variable, scope) => {
                    self.infix_quantifier(quantifier, variable, out);
                    work.push(Work::Node(scope, INSIDE_NOT));
                }
                Form::Joined(Operator { sign, binds, last }) => {
                    let mut around = last;
                    for &part in self.tree.children(node).iter().rev() {
                        work.extend([Work::Node(part, around), Work::Text(sign)]);
                        around = binds;
                    }
                    // There is no sign before the first part.
                    work.pop();
                }
            }
        }
    }

    /// A name; its arguments are left to do.
    fn infix_term(&self, node: NodeId, work: &mut Vec<Work>, out: &mut String) {
        let name = self.name(node);
        // `:-` would be an arrow.
        if out.ends_with(':') && name.starts_with('-') {
            out.push(' ');
        }
        out.push_str(name);
        if !matches!(self.tree.node(node).kind, NodeKind::Compound { .. }) {
            return;
        }
        out.push('(');
        work.push(Work::Text(")"));
        for (i, &argument) in self.tree.children(node).iter().enumerate().rev() {
            work.push(Work::Node(argument, ANYTHING));
            if i > 0 {
                work.push(Work::Text(","));
            }
        }
    }

    fn infix_quantifier(&self, quantifier: Quantifier, variable: NodeId, out: &mut String) {
        out.push(match quantifier {
            Quantifier::All => 'A',
            Quantifier::Some => 'E',
        });
        out.push_str(self.name(variable));
        out.push(':');
    }
}
