//! The thing under the cursor, and where else it stands.

use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Range};
use ludex::gdl::{Occurrence, OccurrenceKind, Symbol};
use rustc_hash::FxHashSet;

use crate::document::Document;
use crate::knowledge::Place;

/// The name at a byte offset, if anything is to be said of it.
pub fn name_at(document: &Document, offset: usize) -> Option<&Occurrence> {
    document.names().at(offset)
}

/// The text of a name, as the tree has it.
pub fn text_of(document: &Document, symbol: Symbol) -> &str {
    document.rulesheet().tree.name(symbol.name)
}

/// The argument position that a name stands in.
pub fn place_of<'a>(document: &'a Document, occurrence: &Occurrence) -> Option<Place<'a>> {
    let parent = document.names().parent(occurrence)?;
    let (_, index) = occurrence.place?;
    let (name, arity) = (text_of(document, parent.symbol), parent.symbol.arity as usize);
    Some(match parent.symbol.kind {
        OccurrenceKind::Function => Place::Function(name, arity, index as usize),
        _ => Place::Relation(name, arity, index as usize),
    })
}

/// Where the thing at a byte offset is defined.
pub fn definitions(document: &Document, offset: usize) -> Vec<Location> {
    let Some(found) = name_at(document, offset) else { return Vec::new() };
    let places = document.names().definitions(found.symbol, document.rulesheet());
    places.iter().map(|place| location(document, place)).collect()
}

/// Everywhere that the thing at a byte offset stands.
pub fn references(document: &Document, offset: usize, with_definitions: bool) -> Vec<Location> {
    let Some(found) = name_at(document, offset) else { return Vec::new() };
    let definitions = document.names().definitions(found.symbol, document.rulesheet());
    let definitions: FxHashSet<u32> = definitions.iter().map(|definition| definition.span.start).collect();
    let is_definition = |place: &Occurrence| definitions.contains(&place.span.start);
    let places = document.names().of_symbol(found.symbol);
    places.filter(|p| with_definitions || !is_definition(p)).map(|p| location(document, p)).collect()
}

/// The same in one text, with what is done there: heads are written.
pub fn highlights(document: &Document, offset: usize) -> Vec<DocumentHighlight> {
    let Some(found) = name_at(document, offset) else { return Vec::new() };
    let highlight = |place: &Occurrence| DocumentHighlight {
        range: range(document, place),
        kind: Some(if place.is_head { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ }),
    };
    document.names().of_symbol(found.symbol).map(highlight).collect()
}

/// Where a name stands.
pub fn range(document: &Document, occurrence: &Occurrence) -> Range {
    document.positions().range(occurrence.span)
}

fn location(document: &Document, occurrence: &Occurrence) -> Location {
    Location { uri: document.uri().clone(), range: range(document, occurrence) }
}
