//! Cases with the values that were found, in the author's layout.

use ludex_game::Rules;
use ludex_gdl::{Span, spell_constant};
use ludex_logic::{TermId, TermView};

use super::{CaseFile, CaseReport};

/// A new text for a part of a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// Names in longer terms are not quoted.
const LONGEST_SPELLED: u64 = 4096;

/// A term as it can be read again: names are quoted where the notation wants that.
pub(super) fn spelled(rules: &Rules, term: TermId) -> String {
    let text = rules.text(term);
    let is_read = rules.find_term(&text).is_ok_and(|found| found == Some(term));
    // Writing goes as deep as the term, so that its length must be bounded.
    if is_read || rules.signature().terms().text_bytes(term) > LONGEST_SPELLED {
        text
    } else {
        quoted(rules, term)
    }
}

fn quoted(rules: &Rules, term: TermId) -> String {
    let terms = rules.signature().terms();
    let name = |symbol| spell_constant(terms.name(symbol), rules.notation());
    match terms.view(term) {
        TermView::Constant(symbol) => name(symbol),
        TermView::Compound(functor, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|&argument| quoted(rules, argument)).collect();
            rules.notation().sentence(&name(functor), &arguments)
        }
    }
}

/// A line that goes on does so before it is longer than this.
const WIDTH: usize = 100;

/// Terms behind a line of so many characters, going on over several lines where they are many.
pub(super) fn terms_text(texts: &[String], mut column: usize) -> String {
    let mut out = String::new();
    for (number, text) in texts.iter().enumerate() {
        let width = text.chars().count() + 2;
        if number > 0 {
            out.push(',');
        }
        if number > 0 && column + width > WIDTH {
            out.push_str("\n   ");
            column = 3;
        }
        out.push(' ');
        out.push_str(text);
        column += width;
    }
    out
}

/// The text of a case file with the values that were found where others were expected. Comments and layout stay, and so
/// do lines that speak of moves that cannot be made, or that fail in another way than by a value.
pub fn blessed(file: &CaseFile, reports: &[CaseReport]) -> String {
    let mut edits: Vec<&Edit> = reports
        .iter()
        .flat_map(|report| &report.outcomes)
        .filter_map(|outcome| outcome.edit.as_ref())
        .collect();
    edits.sort_by_key(|edit| edit.span);
    let text = file.source.text();
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        let range = edit.span.range();
        let Some(before) = text.get(at..range.start) else { continue };
        out.push_str(before);
        out.push_str(&edit.text);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
