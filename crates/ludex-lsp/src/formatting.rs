//! Laying a rulesheet out.

use lsp_types::{Range, TextEdit};
use ludex::gdl::{Rulesheet, Span, fmt};

use crate::document::Document;

/// The change that lays out the whole text; none where there are syntax errors, or nothing is to be changed.
pub fn format(document: &Document) -> Vec<TextEdit> {
    if !document.is_readable() {
        return Vec::new();
    }
    let new = fmt(document.rulesheet());
    if new == document.text() {
        return Vec::new();
    }
    let whole = Span::new(0, document.text().len());
    vec![TextEdit { range: document.positions().range(whole), new_text: new }]
}

/// The change that lays out the clauses that a range touches.
pub fn format_range(document: &Document, range: Range) -> Vec<TextEdit> {
    if !document.is_readable() {
        return Vec::new();
    }
    let wanted = document.positions().span_in(document.text(), range);
    let sheet = document.rulesheet();
    let touched = |span: Span| span.start <= wanted.end && wanted.start <= span.end;
    let items: Vec<_> = sheet.items.iter().filter(|item| touched(item.span)).cloned().collect();
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return Vec::new() };
    let span = first.span.to(last.span);
    let inside = |inner: Span| span.start <= inner.start && inner.end <= span.end;
    let comments = sheet.comments.iter().filter(|comment| inside(comment.span)).cloned().collect();
    let part = Rulesheet { items, comments, ..sheet.clone() };
    let new = fmt(&part).trim().to_owned();
    if new == document.source().slice(span) {
        return Vec::new();
    }
    vec![TextEdit { range: document.positions().range(span), new_text: new }]
}
