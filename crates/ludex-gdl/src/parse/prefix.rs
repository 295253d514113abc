//! The prefix notation: `(<= (p ?x) (q ?x))`.
//!
//! One loop over the bytes with an explicit stack of open lists. The first reading trusts the
//! parentheses. A list that is never closed shows by the end of the text, or by a rule that starts
//! inside it; then the clause is read a second time, up to the place where the next clause seems to
//! start, and indentation tells which of its lists to blame. Many rulesheets start the lines *inside*
//! a clause in column 1, so a column alone is never enough to call a clause unclosed.

use crate::diagnostic::{Diagnostic, Fix, TextEdit};
use crate::source::Span;
use crate::tree::{Comment, Item, NameId, NodeId, NodeKind, Rulesheet, TreeLength};

use super::syntax_error;

mod sentence;

/// Second readings may cost this many times the length of the text before they are given up.
const REREAD_FACTOR: usize = 4;
/// How many places one diagnostic lists.
const MOST_LABELS: usize = 8;
/// How many enclosing lists are looked at for a suspicious indentation.
const MOST_SUSPECTS: usize = 64;

#[derive(Clone, Copy, PartialEq)]
enum Head {
    Missing,
    Named(NameId, Span),
    Arrow,
    /// The variables of a quantifier, `(?x ?y)`; the span is that of the first.
    Variables(Span),
    /// An error was reported for it, or for a list around it.
    Bad,
}

struct OpenList {
    open: usize,
    /// Where its elements start on the stack of values.
    base: usize,
    head: Head,
    /// It stands where a formula can stand: there `forall` and the like are no names.
    is_formula: bool,
    /// How many of its elements came from a list of variables, in front.
    bound: usize,
    /// Nothing more is said about its head: the list around it was reported.
    quiet: bool,
    column: usize,
    /// Nothing but blanks before it on its line.
    leads_line: bool,
}

/// What to go back to when the clause turns out to be unclosed.
struct Checkpoint {
    pos: usize,
    line_start: usize,
    tree: TreeLength,
    comments: usize,
    diagnostics: usize,
    items: usize,
}

/// How the current clause is read.
struct Clause {
    start: Checkpoint,
    /// In the second reading: where the clause must end.
    limit: Option<usize>,
    /// The first opening parenthesis in column 1.
    first_in_margin: Option<usize>,
    /// The same after an empty line or a line with only a comment.
    first_in_margin_after_gap: Option<usize>,
    /// The list that indentation suggests is not closed.
    suspect: Option<usize>,
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    sheet: &'a mut Rulesheet,
    diagnostics: Vec<Diagnostic>,
    open_lists: Vec<OpenList>,
    values: Vec<NodeId>,
    clause: Option<Clause>,
    reread: usize,
    line_start: usize,
    /// Where the last thing that is not a blank or a comment ended.
    last_end: usize,
    /// The last diagnostic is about a stray `)` and nothing was opened since.
    after_stray: bool,
    folded: String,
}

/// Reads `text` into `sheet` and returns the syntax errors.
pub(super) fn parse(text: &str, sheet: &mut Rulesheet) -> Vec<Diagnostic> {
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        pos: if text.starts_with('\u{feff}') { 3 } else { 0 },
        sheet,
        diagnostics: Vec::new(),
        open_lists: Vec::new(),
        values: Vec::new(),
        clause: None,
        reread: 0,
        line_start: 0,
        last_end: 0,
        after_stray: false,
        folded: String::new(),
    };
    parser.run();
    parser.diagnostics
}

/// Bytes that end a name: blanks, parentheses and the start of a comment.
const ENDS_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let ends = b" \t\n\r\x0b\x0c();";
    let mut i = 0;
    while i < ends.len() {
        table[ends[i] as usize] = true;
        i += 1;
    }
    table
};

impl Parser<'_> {
    fn run(&mut self) {
        loop {
            if let Some(limit) = self.clause.as_ref().and_then(|c| c.limit)
                && self.pos >= limit
            {
                self.end_unclosed();
            }
            let Some(&byte) = self.bytes.get(self.pos) else {
                if self.open_lists.is_empty() {
                    return;
                }
                self.unclosed(self.bytes.len());
                continue;
            };
            match byte {
                b' ' | b'\t' | 0x0b | 0x0c => self.pos += 1,
                b'\n' | b'\r' => {
                    self.pos += 1;
                    self.line_start = self.pos;
                }
                b'(' => self.open(),
                b')' => self.close(),
                b';' => self.comment(),
                b'|' => self.quoted(false),
                b'?' if self.bytes.get(self.pos + 1) == Some(&b'|') => self.quoted(true),
                0x80.. => {
                    // The bytes before are ASCII or whole characters, so this is a character boundary.
                    let blank = self.text[self.pos..].chars().next().filter(|&c| is_blank(c));
                    match blank {
                        Some(c) => self.pos += c.len_utf8(),
                        None => self.name(),
                    }
                }
                _ => self.name(),
            }
        }
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.pos..];
        let length = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        self.sheet.comments.push(Comment { span: Span::new(self.pos, self.pos + length) });
        self.pos += length;
    }

    fn name(&mut self) {
        let start = self.pos;
        let end = name_end(self.text, start + usize::from(self.bytes[start] < 0x80)).max(start + 1);
        self.pos = end;
        let span = Span::new(start, end);
        let text = &self.text[start..end];
        if let Some(variable) = text.strip_prefix('?') {
            if variable.is_empty() {
                let hint = "a variable is written as `?x`";
                self.diagnostics.push(syntax_error(span, "a variable without a name").hint(hint));
            }
            let id = self.intern_folded(start + 1, end);
            self.variable(id, span);
        } else if text == "<=" {
            self.arrow(span);
        } else {
            let id = self.intern_folded(start, end);
            self.constant(id, span);
        }
    }

    /// Prefix names mean the same in every case; they are kept in lower case.
    fn intern_folded(&mut self, start: usize, end: usize) -> NameId {
        let text = &self.text[start..end];
        if text.bytes().any(|b| b.is_ascii_uppercase() || b >= 0x80) {
            self.folded.clear();
            self.folded.extend(text.chars().flat_map(char::to_lowercase));
            self.sheet.tree.intern(&self.folded)
        } else {
            self.sheet.tree.intern(text)
        }
    }

    /// A name between bars keeps its case and may hold any character.
    fn quoted(&mut self, variable: bool) {
        let start = self.pos;
        let mut name = String::new();
        let mut at = start + 1 + usize::from(variable);
        let closed = loop {
            let Some(c) = self.text[at..].chars().next() else { break false };
            match c {
                '\n' | '\r' => break false,
                '|' => {
                    at += 1;
                    break true;
                }
                '\\' => {
                    at += 1;
                    let Some(escaped) = self.text[at..].chars().next() else { break false };
                    if matches!(escaped, '\n' | '\r') {
                        break false;
                    }
                    at += escaped.len_utf8();
                    name.push(unescaped(escaped));
                }
                c => {
                    at += c.len_utf8();
                    name.push(c);
                }
            }
        };
        self.pos = at;
        let span = Span::new(start, at);
        if !closed {
            let bar = start + usize::from(variable);
            let error = syntax_error(Span::new(bar, bar + 1), "this quoted name does not end on its line");
            self.diagnostics.push(error.hint("write `|` at the end of the name"));
        }
        let id = self.sheet.tree.intern(&name);
        if variable { self.variable(id, span) } else { self.constant(id, span) }
    }

    fn variable(&mut self, name: NameId, span: Span) {
        self.last_end = span.end as usize;
        if let Some(list) = self.open_lists.last_mut()
            && list.head == Head::Missing
        {
            list.head = Head::Variables(span);
            if !self.can_bind() {
                self.no_name();
                return;
            }
        }
        let node = self.sheet.tree.variable(name, span);
        self.value(node, span);
    }

    fn constant(&mut self, name: NameId, span: Span) {
        self.last_end = span.end as usize;
        self.no_name();
        if let Some(list) = self.open_lists.last_mut()
            && list.head == Head::Missing
        {
            list.head = Head::Named(name, span);
            return;
        }
        let node = self.sheet.tree.constant(name, span);
        self.value(node, span);
    }

    fn arrow(&mut self, span: Span) {
        let depth = self.open_lists.len();
        let Some(list) = self.open_lists.last_mut() else {
            self.last_end = span.end as usize;
            let error = syntax_error(span, "`<=` outside of a rule");
            self.diagnostics.push(error.hint("a rule is written as `(<= head subgoal ...)`"));
            return;
        };
        if list.head != Head::Missing {
            self.no_name();
            self.last_end = span.end as usize;
            let node = self.sheet.tree.error(span);
            self.diagnostics.push(syntax_error(span, "`<=` can only start a rule"));
            self.value(node, span);
            return;
        }
        if depth == 1 {
            self.last_end = span.end as usize;
            list.head = Head::Arrow;
            return;
        }
        let open = list.open;
        let leads_line = list.leads_line;
        if leads_line && self.can_reread() {
            self.unclosed(open);
            return;
        }
        self.last_end = span.end as usize;
        let list = &mut self.open_lists[depth - 1];
        list.head = Head::Bad;
        if !list.quiet {
            let error =
                syntax_error(Span::new(open, span.end as usize), "a rule cannot stand inside a clause");
            self.diagnostics.push(error.hint("close the clause before it"));
        }
    }

    fn value(&mut self, node: NodeId, span: Span) {
        if self.open_lists.is_empty() {
            self.sheet.items.push(Item { head: node, body: None, span });
        } else {
            self.values.push(node);
        }
    }

    fn open(&mut self) {
        let open = self.pos;
        if self.open_lists.is_empty() && self.clause.is_none() {
            self.clause = Some(Clause {
                start: Checkpoint {
                    pos: open,
                    line_start: self.line_start,
                    tree: self.sheet.tree.length(),
                    comments: self.sheet.comments.len(),
                    diagnostics: self.diagnostics.len(),
                    items: self.sheet.items.len(),
                },
                limit: None,
                first_in_margin: None,
                first_in_margin_after_gap: None,
                suspect: None,
            });
        }
        self.after_stray = false;
        self.pos = open + 1;
        let column = open - self.line_start;
        let leads_line = self.last_end <= self.line_start;
        self.last_end = self.pos;
        if let Some(clause) = &mut self.clause {
            let in_margin = open == 0 || matches!(self.bytes[open - 1], b'\n' | b'\r');
            if in_margin && !self.open_lists.is_empty() {
                clause.first_in_margin.get_or_insert(open);
                if clause.first_in_margin_after_gap.is_none() && after_gap(self.bytes, open) {
                    clause.first_in_margin_after_gap = Some(open);
                }
            }
            let second_reading = clause.limit.is_some();
            if second_reading && leads_line && clause.suspect.is_none() && self.open_lists.len() > 1 {
                let mut inner = self.open_lists[1..].iter().take(MOST_SUSPECTS);
                clause.suspect = inner.find(|f| f.column >= column).map(|f| f.open);
            }
        }
        self.no_name();
        let mut quiet = false;
        if let Some(outer) = self.open_lists.last_mut()
            && outer.head == Head::Missing
        {
            quiet = true;
            outer.head = Head::Bad;
            if !outer.quiet {
                let span = Span::new(open, open + 1);
                let error = syntax_error(span, "a list must start with a name, not with another list");
                self.diagnostics.push(error.hint("remove one of the two parentheses"));
            }
        }
        let is_formula = self.formula_follows();
        self.open_lists.push(OpenList {
            open,
            base: self.values.len(),
            head: Head::Missing,
            is_formula,
            bound: 0,
            quiet,
            column,
            leads_line,
        });
    }

    fn close(&mut self) {
        let at = self.pos;
        self.pos = at + 1;
        if self.open_lists.is_empty() {
            let span = Span::new(at, at + 1);
            // A run of them is one mistake: what follows the first is only its echo.
            if self.after_stray
                && let Some(last) = self.diagnostics.last_mut()
            {
                if last.labels.len() < MOST_LABELS {
                    last.labels.push(crate::diagnostic::Label { span, text: "and this one".into() });
                    let edit = TextEdit { span, text: String::new() };
                    last.fix.iter_mut().for_each(|fix| fix.edits.push(edit.clone()));
                } else {
                    last.fix = None;
                }
            } else {
                let error = syntax_error(span, "this `)` closes nothing");
                let error = error.hint("remove it, or look for a `)` too many before it");
                self.diagnostics.push(error.fix(Fix::new("remove it", span, "")));
                self.after_stray = true;
            }
            return;
        }
        self.last_end = self.pos;
        self.close_list(self.pos);
    }

    /// Makes a node, or at the outermost level a clause, of the innermost open list.
    fn close_list(&mut self, end: usize) {
        let Some(list) = self.open_lists.pop() else { return };
        let span = Span::new(list.open, end);
        let args = &self.values[list.base..];
        let node = match list.head {
            Head::Named(name, name_span) => self.named_list(&list, name, name_span, span),
            Head::Variables(_) => {
                // They stay among the values, as the first of the list around.
                let count = args.len();
                if let Some(outer) = self.open_lists.last_mut() {
                    outer.bound = count;
                }
                return;
            }
            Head::Arrow => {
                let item = match args {
                    [head, body @ ..] => Item { head: *head, body: Some(body.to_vec()), span },
                    [] => {
                        self.diagnostics.push(syntax_error(span, "a rule without a head"));
                        Item { head: self.sheet.tree.error(span), body: Some(Vec::new()), span }
                    }
                };
                self.values.truncate(list.base);
                self.sheet.items.push(item);
                self.clause = None;
                return;
            }
            Head::Missing => {
                if !list.quiet {
                    self.diagnostics.push(syntax_error(span, "an empty list means nothing"));
                }
                self.sheet.tree.error(span)
            }
            Head::Bad => self.sheet.tree.error(span),
        };
        self.values.truncate(list.base);
        if !self.open_lists.is_empty() {
            self.values.push(node);
            return;
        }
        self.clause = None;
        if !matches!(self.sheet.tree.node(node).kind, NodeKind::Error) {
            self.sheet.items.push(Item { head: node, body: None, span });
        }
    }

    fn can_reread(&self) -> bool {
        self.reread <= REREAD_FACTOR * self.bytes.len()
    }

    /// The clause is still open at `at`, where a rule or nothing follows: reads it again, up to the
    /// place where the next clause seems to start.
    fn unclosed(&mut self, at: usize) {
        let Some(mut clause) = self.clause.take() else { return };
        let is_rule = matches!(self.open_lists.first(), Some(OpenList { head: Head::Arrow, .. }));
        // A rule often has its subgoals in the margin, a fact hardly ever.
        let margin = if is_rule { clause.first_in_margin_after_gap } else { clause.first_in_margin };
        let limit = margin.unwrap_or(at).min(at);
        if clause.limit.is_some() || !self.can_reread() {
            clause.limit = Some(self.pos);
            self.clause = Some(clause);
            self.end_unclosed();
            return;
        }
        let start = clause.start;
        self.reread += self.pos - start.pos;
        self.pos = start.pos;
        self.line_start = start.line_start;
        self.last_end = start.pos;
        self.sheet.tree.truncate(start.tree);
        self.sheet.comments.truncate(start.comments);
        self.sheet.items.truncate(start.items);
        self.diagnostics.truncate(start.diagnostics);
        self.open_lists.clear();
        self.values.clear();
        self.clause = Some(Clause {
            start,
            limit: Some(limit),
            first_in_margin: None,
            first_in_margin_after_gap: None,
            suspect: None,
        });
    }

    /// The second reading has come to its limit: reports the list to blame and closes all of them.
    fn end_unclosed(&mut self) {
        let (Some(clause), Some(first)) = (self.clause.take(), self.open_lists.first()) else { return };
        let open = clause.suspect.unwrap_or(first.open);
        let missing = self.open_lists.len();
        let mut error = syntax_error(Span::new(open, open + 1), "this `(` is never closed");
        if self.pos < self.bytes.len() {
            error = error.label(Span::new(self.pos, self.pos + 1), "the next clause starts here");
        }
        let hint = match missing {
            1 => "one `)` is missing".to_owned(),
            n => format!("{n} closing parentheses are missing in this clause"),
        };
        let end = self.last_end;
        let title = format!("close the clause with {missing} more `)`");
        let fix = Fix::new(title, Span::new(end, end), ")".repeat(missing));
        self.diagnostics.push(error.hint(hint).fix(fix));
        while !self.open_lists.is_empty() {
            self.close_list(end);
        }
        self.clause = None;
    }
}

/// Whether the line before the one that starts at `line` is empty or only a comment.
fn after_gap(bytes: &[u8], line: usize) -> bool {
    let Some(end) = bytes[..line].iter().rposition(|b| !matches!(b, b'\n' | b'\r')) else { return true };
    let breaks = bytes[end + 1..line].iter().filter(|b| **b == b'\n').count();
    let breaks = breaks.max(bytes[end + 1..line].iter().filter(|b| **b == b'\r').count());
    let start = bytes[..=end].iter().rposition(|b| matches!(b, b'\n' | b'\r')).map_or(0, |n| n + 1);
    let first = bytes[start..=end].iter().find(|b| !b.is_ascii_whitespace());
    breaks > 1 || matches!(first, None | Some(b';'))
}

/// Where a name ends that `from` stands in: at the first blank, parenthesis or semicolon.
pub(super) fn name_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = from;
    while let Some(&byte) = bytes.get(end) {
        if byte < 0x80 {
            if ENDS_NAME[byte as usize] {
                break;
            }
            end += 1;
        } else {
            // Names are left byte by byte or character by character: a boundary.
            match text[end..].chars().next() {
                Some(c) if !is_blank(c) => end += c.len_utf8(),
                _ => break,
            }
        }
    }
    end
}

/// Blanks of any script; a byte order mark in the middle of a text counts as one.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}')
}

/// What `\c` stands for in a quoted name.
pub(super) fn unescaped(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    }
}

#[cfg(test)]
mod tests;
