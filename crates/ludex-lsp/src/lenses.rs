//! What can be done with a game, above its first role.

use lsp_types::{CodeLens, Command, Range};
use ludex::gdl::OccurrenceKind;
use serde_json::json;

use crate::commands::CommandName;
use crate::document::Document;
use crate::names::text_of;

/// The lenses of a document.
pub fn lenses(document: &Document) -> Vec<CodeLens> {
    let names = document.names().all().iter();
    let mut heads = names.filter(|o| o.is_head && o.symbol.kind == OccurrenceKind::Keyword);
    let Some(role) = heads.find(|o| text_of(document, o.symbol) == "role") else { return Vec::new() };
    let Some(item) = document.rulesheet().items.get(role.item as usize) else { return Vec::new() };
    let start = document.positions().position(item.span.start as usize);
    let range = Range { start, end: start };
    let lens = |name: CommandName| CodeLens {
        range,
        command: Some(Command {
            title: name.title().to_owned(),
            command: name.as_str().to_owned(),
            arguments: Some(vec![json!(document.uri().as_str())]),
        }),
        data: None,
    };
    CommandName::OF_GAMES.into_iter().map(lens).collect()
}
