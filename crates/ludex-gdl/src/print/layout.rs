//! Clauses, comments and empty lines in their order.

use super::{ClauseLines, Writer};
use crate::source::Span;
use crate::tree::{Comment, Item, NodeKind, Notation, Rulesheet};

/// Writes all clauses and comments.
pub(super) fn lay_out(rulesheet: &Rulesheet, notation: Notation, writer: &Writer) -> String {
    let mut page = Page {
        out: String::with_capacity(rulesheet.source.text().len() + 1),
        text: rulesheet.source.text(),
        notation,
        last_end: 0,
        after_comment: false,
    };
    let full_stop = notation == Notation::Infix && needs_stops(rulesheet, writer);
    let mut comments = rulesheet.comments.iter().peekable();
    for item in &rulesheet.items {
        while let Some(comment) = comments.next_if(|c| c.span.start < item.span.start) {
            page.comment(comment);
        }
        let mut inside: Vec<&Comment> = Vec::new();
        while let Some(comment) = comments.next_if(|c| c.span.start < item.span.end) {
            inside.push(comment);
        }
        page.clause(writer.clause(item, notation, full_stop), item.span, &inside);
    }
    for comment in comments {
        page.comment(comment);
    }
    if !page.out.is_empty() {
        page.out.push('\n');
    }
    page.out
}

/// Whether some clause or sentence would be taken for a part of the rule before it if that had no full stop.
fn needs_stops(rulesheet: &Rulesheet, writer: &Writer) -> bool {
    let updates = rulesheet.items.iter().any(|item| updates(rulesheet, item));
    let mut pairs = rulesheet.items.iter().zip(rulesheet.items.iter().skip(1));
    pairs.any(|(before, item)| before.body.is_some() && continues_rule(rulesheet, writer, item, updates))
}

/// Whether what this begins with goes on with a rule before it. In SDL, where no clause `updates` anything, `true` has
/// rules.
fn continues_rule(rulesheet: &Rulesheet, writer: &Writer, item: &Item, updates: bool) -> bool {
    match writer.first_word(item) {
        Some(word) => match rulesheet.tree.head(word) {
            Some(("true", 2)) => updates,
            Some((name, _)) => matches!(name, "and" | "or" | "not" | "distinct" | "true" | "does"),
            None => matches!(rulesheet.tree.node(word).kind, NodeKind::Error),
        },
        // A bracket, a negation or a quantifier.
        None => true,
    }
}

/// Whether a clause says what holds at first or next.
fn updates(rulesheet: &Rulesheet, item: &Item) -> bool {
    matches!(rulesheet.tree.head(item.head), Some(("init" | "next", _)))
}

struct Page<'a> {
    out: String,
    text: &'a str,
    notation: Notation,
    /// Where the last clause or comment ended in the text.
    last_end: usize,
    /// A comment was written last, and nothing can follow it on its line.
    after_comment: bool,
}

impl Page<'_> {
    /// The line breaks between the last thing and what starts at `start`.
    fn breaks_before(&self, start: usize) -> usize {
        let between = self.text.get(self.last_end..start).unwrap_or("").as_bytes();
        let count = |b: u8| between.iter().filter(|c| **c == b).count();
        count(b'\n').max(count(b'\r'))
    }

    fn new_line(&mut self, start: usize) {
        if self.out.is_empty() {
            return;
        }
        self.out.push('\n');
        if self.breaks_before(start) > 1 {
            self.out.push('\n');
        }
    }

    fn comment(&mut self, comment: &Comment) {
        let start = comment.span.start as usize;
        if !self.out.is_empty() && !self.after_comment && self.breaks_before(start) == 0 {
            self.out.push(' ');
        } else {
            self.new_line(start);
        }
        self.comment_text(comment.span);
        self.last_end = comment.span.end as usize;
    }

    fn comment_text(&mut self, span: Span) {
        self.after_comment = true;
        let text = self.text.get(span.range()).unwrap_or(";").trim_end();
        let rest = text.trim_start_matches('%');
        if self.notation == Notation::Prefix && rest.len() < text.len() {
            self.out.extend(std::iter::repeat_n(';', text.len() - rest.len()));
            self.out.push_str(rest);
        } else {
            self.out.push_str(text);
        }
    }

    fn clause(&mut self, clause: ClauseLines, span: Span, comments: &[&Comment]) {
        self.new_line(span.start as usize);
        let count = clause.lines.len();
        // Comments after the last subgoal come after the clause, so they do not keep it apart.
        let last_start = clause.lines.last().map_or(0, |l| l.start);
        let interrupted = comments.iter().any(|c| c.span.start < last_start);
        let mut comments = comments.iter().peekable();
        if let (Some(short), false) = (&clause.short, interrupted) {
            self.out.push_str(short);
        } else {
            for (i, line) in clause.lines.iter().enumerate() {
                if i > 0 {
                    self.out.push('\n');
                }
                self.out.push_str(&line.text);
                if i + 1 == count {
                    break;
                }
                let next = clause.lines[i + 1].start;
                let mut on_own_line = false;
                while let Some(comment) = comments.next_if(|c| c.span.start < next) {
                    if on_own_line || self.leads_line(comment.span.start as usize) {
                        self.out.push('\n');
                        self.out.push_str(if self.notation == Notation::Prefix { "    " } else { "  " });
                    } else {
                        self.out.push(' ');
                    }
                    self.comment_text(comment.span);
                    on_own_line = true;
                }
            }
        }
        self.after_comment = false;
        let mut on_own_line = false;
        for comment in comments {
            self.out.push(if on_own_line || self.leads_line(comment.span.start as usize) {
                '\n'
            } else {
                ' '
            });
            self.comment_text(comment.span);
            on_own_line = true;
        }
        self.last_end = span.end as usize;
    }

    fn leads_line(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or("").bytes().rev();
        before.take_while(|b| !matches!(b, b'\n' | b'\r')).all(|b| b.is_ascii_whitespace())
    }
}
