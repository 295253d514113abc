//! The outline of a rulesheet, what can be folded, and what grows when a selection grows.

use lsp_types::{DocumentSymbol, FoldingRange, FoldingRangeKind, Position, SelectionRange, SymbolKind};
use ludex::gdl::{Occurrence, OccurrenceKind, Span};
use rustc_hash::FxHashMap;

use crate::document::Document;
use crate::names::{range, text_of};

/// So many characters of a clause are shown.
const SHOWN: usize = 60;

/// So many clauses an outline has: nobody looks through more, and editors take long for them.
const MOST: usize = 20_000;

/// The relations in the order of their first clauses, each with its clauses.
pub fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let mut order: Vec<DocumentSymbol> = Vec::new();
    let mut places: FxHashMap<(u32, String), usize> = FxHashMap::default();
    for occurrence in document.names().all().iter().filter(|o| o.is_head).take(MOST) {
        let Some(item) = document.rulesheet().items.get(occurrence.item as usize) else { continue };
        let name = text_of(document, occurrence.symbol).to_owned();
        let clause = symbol(document, occurrence, item.span, shortened(document.source().slice(item.span)));
        let arity = occurrence.symbol.arity;
        match places.get(&(arity, name.clone())) {
            Some(&at) => {
                let section = &mut order[at];
                section.children.get_or_insert_default().push(clause);
            }
            None => {
                places.insert((arity, name.clone()), order.len());
                let mut section = symbol(document, occurrence, item.span, format!("{name}/{arity}"));
                section.children = Some(vec![clause]);
                order.push(section);
            }
        }
    }
    for section in &mut order {
        let count = section.children.as_ref().map_or(0, Vec::len);
        section.detail = Some(if count == 1 { "1 clause".to_owned() } else { format!("{count} clauses") });
    }
    order
}

#[expect(deprecated, reason = "the field has to be named to make one")]
fn symbol(document: &Document, occurrence: &Occurrence, span: Span, name: String) -> DocumentSymbol {
    let is_keyword = occurrence.symbol.kind == OccurrenceKind::Keyword;
    let range_of_name = range(document, occurrence);
    let whole = document.positions().range(span.to(occurrence.span));
    DocumentSymbol {
        name: if name.trim().is_empty() { "?".to_owned() } else { name },
        detail: None,
        kind: if is_keyword { SymbolKind::KEY } else { SymbolKind::FUNCTION },
        tags: None,
        deprecated: None,
        range: whole,
        selection_range: range_of_name,
        children: None,
    }
}

/// A text on one line, cut short.
fn shortened(text: &str) -> String {
    let mut out = String::new();
    // A clause may be the whole file: only its beginning is looked at.
    for word in text.split_whitespace().take(SHOWN) {
        if !out.is_empty() {
            out.push(' ');
        }
        let left = SHOWN.saturating_sub(out.chars().count());
        out.extend(word.chars().take(left));
        if word.chars().nth(left).is_some() || left == 0 {
            out.push('…');
            break;
        }
    }
    out
}

/// Clauses over several lines, and comments over several lines.
pub fn folding(document: &Document) -> Vec<FoldingRange> {
    let positions = document.positions();
    let lines = |span: Span| (positions.line(span.start as usize), positions.line(span.end as usize));
    let fold = |(start, end): (usize, usize), kind| FoldingRange {
        start_line: start as u32,
        end_line: end as u32,
        kind,
        ..FoldingRange::default()
    };
    let sheet = document.rulesheet();
    let clauses = sheet.items.iter().map(|item| lines(item.span)).filter(|(start, end)| end > start);
    let mut found: Vec<FoldingRange> = clauses.map(|lines| fold(lines, None)).collect();
    // Comments that stand alone on their lines, one under the other.
    let mut block: Option<(usize, usize)> = None;
    let mut finish = |block: Option<(usize, usize)>| {
        found.extend(
            block
                .filter(|(start, end)| end > start)
                .map(|lines| fold(lines, Some(FoldingRangeKind::Comment))),
        );
    };
    for comment in &sheet.comments {
        let (line, _) = lines(comment.span);
        let (start, _) = positions.line_bounds(line);
        let is_alone = document.text()[start..comment.span.start as usize].trim().is_empty();
        block = match block {
            Some((first, last)) if is_alone && line == last + 1 => Some((first, line)),
            other => {
                finish(other);
                is_alone.then_some((line, line))
            }
        };
    }
    finish(block);
    found.sort_by_key(|fold| fold.start_line);
    found
}

/// So many steps a selection grows in.
const MOST_STEPS: usize = 200;

/// For each position what stands there, then what that stands in, up to the clause.
pub fn selections(document: &Document, positions: &[Position]) -> Vec<SelectionRange> {
    positions.iter().map(|&position| selection(document, position)).collect()
}

fn selection(document: &Document, position: Position) -> SelectionRange {
    let offset = document.positions().offset_in(document.text(), position);
    let mut spans = vec![Span::new(0, document.text().len())];
    let sheet = document.rulesheet();
    let holds = |span: Span| span.start as usize <= offset && offset <= span.end as usize;
    let after = sheet.items.partition_point(|item| item.span.start as usize <= offset);
    if let Some(item) = after.checked_sub(1).map(|at| &sheet.items[at]).filter(|item| holds(item.span)) {
        spans.push(item.span);
        let mut open: Vec<_> =
            std::iter::once(item.head).chain(item.body.iter().flatten().copied()).collect();
        while let Some(&node) = open.iter().find(|&&node| holds(sheet.tree.span(node))) {
            spans.push(sheet.tree.span(node));
            open = sheet.tree.children(node).to_vec();
            if spans.len() >= MOST_STEPS {
                break;
            }
        }
        spans.extend(document.names().at(offset).map(|name| name.span).filter(|span| holds(*span)));
    }
    let mut found: Option<SelectionRange> = None;
    for span in spans {
        let range = document.positions().range(span);
        if found.as_ref().is_some_and(|outer| outer.range == range) {
            continue;
        }
        found = Some(SelectionRange { range, parent: found.take().map(Box::new) });
    }
    found.unwrap_or_else(|| SelectionRange {
        range: document.positions().range(Span::default()),
        parent: None,
    })
}
