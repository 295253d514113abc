//! What is wrong with a rulesheet, where, and what to do about it.

use std::fmt;

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably a mistake; the meaning is clear.
    Warning,
    /// The rulesheet has no meaning, or no finite one.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// The stable code of a kind of diagnostic, such as `L001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{:03}", self.0)
    }
}

/// A second place that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// A piece of text in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced; empty where something is put in.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// A change of the text after which a finding is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is done, as an order: `remove this clause`.
    pub title: String,
    /// The changes, none of which overlaps another.
    pub edits: Vec<TextEdit>,
}

impl Fix {
    /// A change in one place.
    pub fn new(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self { title: title.into(), edits: vec![TextEdit { span, text: text.into() }] }
    }

    /// The same change in several places.
    pub(crate) fn everywhere(title: impl Into<String>, spans: Vec<Span>, text: &str) -> Self {
        let edits = spans.into_iter().map(|span| TextEdit { span, text: text.to_owned() }).collect();
        Self { title: title.into(), edits }
    }

    /// Clauses that are taken out, each with its full stop, and with its line where it stands alone there.
    pub(crate) fn without_clauses(title: impl Into<String>, text: &str, clauses: &[Span]) -> Self {
        let mut edits: Vec<TextEdit> = Vec::new();
        for clause in clauses {
            let mut span = with_its_line(text, *clause);
            // Where two stand on one line, the line of the one before is not taken twice.
            if let Some(last) = edits.last() {
                span.start = span.start.max(last.span.end);
            }
            edits.push(TextEdit { span, text: String::new() });
        }
        Self { title: title.into(), edits }
    }

    /// The text after the change.
    ///
    /// ```
    /// use ludex_gdl::{Fix, Span};
    ///
    /// assert_eq!(Fix::new("name it", Span::new(6, 9), "you").apply("(role me_)"), "(role you)");
    /// ```
    pub fn apply(&self, text: &str) -> String {
        let mut edits: Vec<&TextEdit> = self.edits.iter().collect();
        edits.sort_by_key(|edit| edit.span);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for edit in edits {
            let range = edit.span.range();
            out.push_str(text.get(at..range.start).unwrap_or_default());
            out.push_str(&edit.text);
            at = range.end.max(at);
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }
}

/// A clause with its full stop and what is blank around it, as far as that is of no use without it.
fn with_its_line(text: &str, clause: Span) -> Span {
    let is_blank = |c: char| matches!(c, ' ' | '\t');
    let range = clause.range();
    let (Some(before), Some(mut after)) = (text.get(..range.start), text.get(range.end..)) else {
        return clause;
    };
    // In prefix notation a full stop right behind a clause would be the name of another one.
    let is_prefix = text.get(range.clone()).is_some_and(|clause| clause.starts_with('('));
    let stop = after.trim_start_matches(is_blank);
    if let Some(rest) = stop.strip_prefix('.').filter(|_| !is_prefix) {
        after = rest;
    }
    let end_of_line = after.trim_start_matches(is_blank);
    let leads = before.trim_end_matches(is_blank);
    let starts_line = leads.is_empty() || leads.ends_with(['\n', '\r']);
    let mut span = Span::new(range.start, text.len() - after.len());
    if end_of_line.is_empty() || end_of_line.starts_with(['\n', '\r']) {
        span.start = leads.len() as u32;
        span.end = (text.len() - end_of_line.len()) as u32;
        if starts_line {
            let line_end =
                if end_of_line.starts_with("\r\n") { 2 } else { usize::from(!end_of_line.is_empty()) };
            span.end += line_end as u32;
        }
    } else {
        span.end = (text.len() - end_of_line.len()) as u32;
    }
    span
}

/// One finding about a rulesheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// What is wrong: one sentence, lower case, no full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// What to do.
    pub hint: Option<String>,
    /// How to do it, where that needs no thought.
    pub fix: Option<Box<Fix>>,
}

impl Diagnostic {
    /// A diagnostic without labels and hint.
    pub fn new(code: Code, severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), span, labels: Vec::new(), hint: None, fix: None }
    }

    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
    /// Says how to do it.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<Option<Fix>>) -> Self {
        self.fix = fix.into().map(Box::new);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str, clause: &str) -> String {
        let start = text.find(clause).unwrap();
        Fix::without_clauses("", text, &[Span::new(start, start + clause.len())]).apply(text)
    }

    #[test]
    fn a_clause_goes_with_its_line() {
        assert_eq!(without("(a)\n  (b) \n(c)", "(b)"), "(a)\n(c)");
        assert_eq!(without("(a) (b) (c)", "(b)"), "(a) (c)");
        assert_eq!(without("(a) (b)\n(c)", "(b)"), "(a)\n(c)");
        assert_eq!(without("(a) (b) ; why\n", "(b)"), "(a) ; why\n");
        assert_eq!(without("a.\r\nb(X).\r\nc", "b(X)"), "a.\r\nc");
        assert_eq!(without("a\nb", "b"), "a\n");
    }

    #[test]
    fn two_clauses_on_one_line() {
        let text = "(a)\n(b) (c)\n(d)";
        let spans = [Span::new(4, 7), Span::new(8, 11)];
        assert_eq!(Fix::without_clauses("", text, &spans).apply(text), "(a)\n\n(d)");
    }
}
