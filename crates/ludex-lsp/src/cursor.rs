//! What is expected where somebody types, read off the text before the cursor: it need not be whole.

use ludex::gdl::{Notation, Span};

use crate::document::Document;

/// So many bytes before the cursor are looked at.
const FURTHEST: usize = 50_000;

/// What can be written at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing: it is a comment or a quoted name.
    Nothing,
    /// A new clause.
    Clause,
    /// The head of a rule.
    Head,
    /// A condition of a body.
    Condition,
    /// An argument.
    Argument {
        /// What it is an argument of.
        parent: String,
        /// Whether that is a relation, not a function.
        of_relation: bool,
        /// Which one, from 0.
        index: usize,
    },
}

/// A place in a text where somebody types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The word that is being typed, up to the cursor.
    pub word: Span,
    /// What it can be.
    pub expected: Expected,
    /// In prefix notation: the bracket before the word is already there.
    pub is_bracketed: bool,
    /// The variables of the clause so far, without marks, in the order of the text.
    pub variables: Vec<String>,
}

/// Looks at the text before a byte offset.
pub fn cursor(document: &Document, offset: usize) -> Cursor {
    let text = document.text();
    let notation = document.rulesheet().notation;
    let items = &document.rulesheet().items;
    let word_start = word_start(text, offset, notation);
    let before = items.partition_point(|item| (item.span.start as usize) < word_start);
    let mut from = before.checked_sub(1).map_or(0, |at| items[at].span.start as usize);
    if word_start.saturating_sub(from) > FURTHEST {
        from = text[..word_start]
            .rfind('\n')
            .map_or(word_start, |end| end + 1)
            .max(word_start.saturating_sub(FURTHEST));
        from = text.ceil_char_boundary(from);
    }
    let before = &text[from..word_start];
    let (expected, is_bracketed, variables) = match notation {
        Notation::Prefix => prefix(before),
        Notation::Infix => infix(before, text[..word_start].ends_with(['\n', '\r']) || word_start == 0),
    };
    Cursor { word: Span::new(word_start, offset), expected, is_bracketed, variables }
}

fn word_start(text: &str, offset: usize, notation: Notation) -> usize {
    let is_part = |c: char| match notation {
        Notation::Prefix => !c.is_whitespace() && !matches!(c, '(' | ')' | ';'),
        Notation::Infix => c.is_alphanumeric() || c == '_' || c == '-',
    };
    let before = &text[..offset];
    before.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(offset, |(at, _)| at)
}

/// An open list of prefix notation.
struct List {
    head: Option<String>,
    /// How many arguments there are so far.
    count: usize,
}

fn prefix(before: &str) -> (Expected, bool, Vec<String>) {
    let mut lists: Vec<List> = Vec::new();
    let mut variables: Vec<String> = Vec::new();
    let mut chars = before.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            ';' => {
                let mut ended = false;
                for (_, c) in chars.by_ref() {
                    if matches!(c, '\n' | '\r') {
                        ended = true;
                        break;
                    }
                }
                if !ended {
                    return (Expected::Nothing, false, variables);
                }
            }
            '(' => {
                if lists.is_empty() {
                    variables.clear();
                }
                lists.push(List { head: None, count: 0 });
            }
            ')' => {
                lists.pop();
                if let Some(outer) = lists.last_mut() {
                    outer.head.get_or_insert_default();
                    outer.count += 1;
                }
            }
            c if c.is_whitespace() => {}
            _ => {
                let mut end = at + c.len_utf8();
                while let Some(&(next, c)) = chars.peek() {
                    if c.is_whitespace() || matches!(c, '(' | ')' | ';') {
                        break;
                    }
                    end = next + c.len_utf8();
                    chars.next();
                }
                let word = &before[at..end];
                if let Some(name) = word.strip_prefix('?').map(str::to_lowercase)
                    && !name.is_empty()
                    && !variables.contains(&name)
                {
                    variables.push(name);
                }
                if let Some(list) = lists.last_mut() {
                    match &list.head {
                        None => list.head = Some(word.to_lowercase()),
                        Some(_) => list.count += 1,
                    }
                }
            }
        }
    }
    let Some((last, outer)) = lists.split_last() else { return (Expected::Clause, false, Vec::new()) };
    let (expected, is_bracketed) = match &last.head {
        None if outer.is_empty() => (Expected::Clause, true),
        None => (inside(outer), true),
        Some(_) => (inside(&lists), false),
    };
    (expected, is_bracketed, variables)
}

/// What is next in the innermost of some open lists.
fn inside(lists: &[List]) -> Expected {
    let Some((last, outer)) = lists.split_last() else { return Expected::Clause };
    let head = last.head.as_deref().unwrap_or_default();
    let is_sentence =
        |list: &List| matches!(list.head.as_deref(), Some("<=" | "not" | "or" | "and" | "=>" | "<=>"));
    match head {
        "<=" if outer.is_empty() && last.count == 0 => Expected::Head,
        "<=" | "not" | "or" | "and" | "=>" | "<=>" => Expected::Condition,
        _ => Expected::Argument {
            parent: head.to_owned(),
            of_relation: outer.iter().all(is_sentence),
            index: last.count,
        },
    }
}

fn infix(before: &str, starts_line: bool) -> (Expected, bool, Vec<String>) {
    let mut scan = InfixScan::default();
    let mut chars = before.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            ';' | '%' => {
                let ended = chars.by_ref().any(|(_, c)| matches!(c, '\n' | '\r'));
                if !ended {
                    return (Expected::Nothing, false, scan.variables);
                }
                scan.line_started = true;
            }
            '\'' => {
                let ended = chars.by_ref().any(|(_, c)| matches!(c, '\'' | '\n' | '\r'));
                if !ended {
                    return (Expected::Nothing, false, scan.variables);
                }
                scan.operand(None);
            }
            '\n' | '\r' => scan.line_started = true,
            '(' => {
                let head = scan.word.take();
                scan.frames.push((head, 0));
                scan.operator();
            }
            ')' => {
                scan.frames.pop();
                scan.operand(None);
            }
            ',' => {
                if let Some(frame) = scan.frames.last_mut() {
                    frame.1 += 1;
                }
                scan.operator();
            }
            '.' => scan.end_clause(),
            ':' | '&' | '|' | '~' | '=' | '<' | '>' | '!' | '-' | '⇐' | '←' | '∧' | '∨' | '¬' => {
                let is_arrow = before[at..].starts_with(":-")
                    || before[at..].starts_with("<=")
                    || matches!(c, '⇐' | '←');
                scan.has_arrow |= is_arrow || before[at..].starts_with("::");
                scan.operator();
            }
            c if c.is_whitespace() => scan.word = None,
            c if c.is_alphanumeric() || c == '_' => {
                let mut end = at + c.len_utf8();
                while let Some(&(next, c)) =
                    chars.peek().filter(|(_, c)| c.is_alphanumeric() || matches!(c, '_' | '-'))
                {
                    end = next + c.len_utf8();
                    chars.next();
                }
                scan.new_line_clause();
                let word = &before[at..end];
                if word.starts_with(|c: char| c.is_uppercase() || c == '_')
                    && !scan.variables.iter().any(|v| v == word)
                {
                    scan.variables.push(word.to_owned());
                }
                scan.operand(Some(word.to_owned()));
            }
            _ => scan.word = None,
        }
    }
    let expected = match scan.frames.split_last() {
        Some(((Some(head), index), outer)) if head != "not" => {
            let is_group =
                |(head, _): &(Option<String>, usize)| head.as_deref().is_none_or(|head| head == "not");
            Expected::Argument {
                parent: head.clone(),
                of_relation: outer.iter().all(is_group),
                index: *index,
            }
        }
        Some(_) => Expected::Condition,
        None if scan.after_operator && scan.has_arrow => Expected::Condition,
        None if scan.after_operator || starts_line || scan.is_new => Expected::Clause,
        None if scan.has_arrow => Expected::Condition,
        None => Expected::Nothing,
    };
    if expected == Expected::Clause {
        scan.variables.clear();
    }
    (expected, false, scan.variables)
}

/// What was read of a text in infix notation.
#[derive(Default)]
struct InfixScan {
    /// The open brackets, each with the name before it and the commas in it.
    frames: Vec<(Option<String>, usize)>,
    variables: Vec<String>,
    /// The name that was read last, while a bracket may follow.
    word: Option<String>,
    has_arrow: bool,
    after_operator: bool,
    /// Only blanks since the line began.
    line_started: bool,
    /// No part of a clause came yet, or a full stop came last.
    is_new: bool,
}

impl InfixScan {
    fn operand(&mut self, word: Option<String>) {
        self.word = word;
        (self.after_operator, self.line_started, self.is_new) = (false, false, false);
    }

    fn operator(&mut self) {
        self.word = None;
        (self.after_operator, self.line_started, self.is_new) = (true, false, false);
    }

    fn end_clause(&mut self) {
        self.frames.clear();
        self.variables.clear();
        (self.word, self.has_arrow, self.after_operator, self.is_new) = (None, false, false, true);
    }

    /// A name at the start of a line after a whole clause begins another one.
    fn new_line_clause(&mut self) {
        if self.line_started && self.frames.is_empty() && !self.after_operator {
            self.end_clause();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(parent: &str, of_relation: bool, index: usize) -> Expected {
        Expected::Argument { parent: parent.to_owned(), of_relation, index }
    }

    #[test]
    fn brackets_tell_what_is_expected_in_prefix() {
        let expected = |before: &str| {
            let (expected, is_bracketed, _) = prefix(before);
            (expected, is_bracketed)
        };
        assert_eq!(expected("(role x)\n"), (Expected::Clause, false));
        assert_eq!(expected("("), (Expected::Clause, true));
        assert_eq!(expected("(<= "), (Expected::Head, false));
        assert_eq!(expected("(<= ("), (Expected::Head, true));
        assert_eq!(expected("(<= p\n ("), (Expected::Condition, true));
        assert_eq!(expected("(<= p (not "), (Expected::Condition, false));
        assert_eq!(expected("(<= (p ?x) (true (cell 1 "), (argument("cell", false, 1), false));
        assert_eq!(expected("(<= (p ?x) (or (q a) (true ("), (argument("true", true, 0), true));
        assert_eq!(expected("(p a ; b "), (Expected::Nothing, false));
        assert_eq!(prefix("(p ?X ?y ").2, ["x", "y"]);
    }

    #[test]
    fn operators_tell_what_is_expected_in_infix() {
        let expected = |before: &str| infix(before, before.is_empty() || before.ends_with('\n')).0;
        assert_eq!(expected(""), Expected::Clause);
        assert_eq!(expected("role(x)\n"), Expected::Clause);
        assert_eq!(expected("p(X) :- "), Expected::Condition);
        assert_eq!(expected("p(X) :- q(X) &\n  "), Expected::Condition);
        assert_eq!(expected("p(X) :- true(cell(1,"), argument("cell", false, 1));
        assert_eq!(expected("p(X) :- ~true("), argument("true", true, 0));
        assert_eq!(expected("p(X) :- not(q("), argument("q", true, 0));
        assert_eq!(expected("p :- q.\n"), Expected::Clause);
        assert_eq!(expected("p(X) % x "), Expected::Nothing);
        assert_eq!(infix("p(X) :- q(X,Y) & ", false).2, ["X", "Y"]);
        assert_eq!(infix("p(X) :- q(X)\nr(Z) :- ", false).2, ["Z"]);
    }
}
