//! What can stand in each argument, beside the first clause of each relation.

use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, Range};
use ludex::gdl::{OccurrenceKind, Symbol};
use rustc_hash::FxHashSet;

use crate::document::Document;
use crate::knowledge::Place;
use crate::names::text_of;

/// So many values of each argument are shown.
const VALUES: usize = 3;
/// So many arguments are shown.
const ARGUMENTS: usize = 6;

/// The hints in a range.
pub fn inlay_hints(document: &Document, range: Range) -> Vec<InlayHint> {
    let Some(knowledge) = document.knowledge() else { return Vec::new() };
    let wanted = document.positions().span_in(document.text(), range);
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    let mut hints = Vec::new();
    for occurrence in document.names().all().iter().filter(|o| o.is_head) {
        let symbol = occurrence.symbol;
        if symbol.kind != OccurrenceKind::Relation || symbol.arity == 0 || !seen.insert(symbol) {
            continue;
        }
        if occurrence.span.start > wanted.end || occurrence.span.end < wanted.start {
            continue;
        }
        let (name, arity) = (text_of(document, symbol), symbol.arity as usize);
        let domains =
            (0..arity.min(ARGUMENTS)).map(|index| knowledge.values(Place::Relation(name, arity, index)));
        let Some(domains) = domains.collect::<Option<Vec<_>>>() else { continue };
        let shown: Vec<String> =
            domains.iter().map(|values| format!("{{{}}}", values.shown(VALUES))).collect();
        let more = if arity > ARGUMENTS { " × …" } else { "" };
        let item = document.rulesheet().items.get(occurrence.item as usize);
        let head_end = item.map_or(occurrence.span.end, |item| document.rulesheet().tree.span(item.head).end);
        hints.push(InlayHint {
            position: document.positions().position(head_end as usize),
            label: InlayHintLabel::String(format!("{}{more}", shown.join(" × "))),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: Some(true),
            data: None,
        });
    }
    hints
}
