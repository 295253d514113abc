//! What each name is, for colours.

use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend};
use ludex::gdl::{OccurrenceKind, Span};
use rustc_hash::FxHashMap;

use crate::document::Document;
use crate::knowledge::Change;
use crate::names::text_of;

const KEYWORD: u32 = 0;
const FUNCTION: u32 = 1;
const PROPERTY: u32 = 2;
const CONSTANT: u32 = 3;
const NUMBER: u32 = 4;
const VARIABLE: u32 = 5;
const COMMENT: u32 = 6;
const OPERATOR: u32 = 7;

/// So many tokens are sent; what comes after them has no colours.
const MOST: usize = 400_000;

const DECLARATION: u32 = 1;
const STATIC: u32 = 2;

/// The names of the kinds of tokens, in the order of their numbers.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: vec![
            SemanticTokenType::KEYWORD,
            SemanticTokenType::FUNCTION,
            SemanticTokenType::PROPERTY,
            SemanticTokenType::ENUM_MEMBER,
            SemanticTokenType::NUMBER,
            SemanticTokenType::VARIABLE,
            SemanticTokenType::COMMENT,
            SemanticTokenType::OPERATOR,
        ],
        token_modifiers: vec![SemanticTokenModifier::DECLARATION, SemanticTokenModifier::STATIC],
    }
}

/// The tokens of a text, or of a part of it, each relative to the one before.
pub fn tokens(document: &Document, part: Option<Span>) -> Vec<SemanticToken> {
    let part = part.unwrap_or(Span::new(0, document.text().len()));
    let wanted = |span: Span| span.start < span.end && span.start < part.end && part.start < span.end;
    let mut found: Vec<(Span, u32, u32)> = Vec::new();
    let mut is_static: FxHashMap<(u32, &str), bool> = FxHashMap::default();
    for occurrence in document.names().all().iter().filter(|o| wanted(o.span)) {
        let symbol = occurrence.symbol;
        let name = text_of(document, symbol);
        let kind = match symbol.kind {
            OccurrenceKind::Connective if name == "not" || name == "distinct" => KEYWORD,
            OccurrenceKind::Connective => OPERATOR,
            OccurrenceKind::Keyword => KEYWORD,
            OccurrenceKind::Relation => FUNCTION,
            OccurrenceKind::Function => PROPERTY,
            OccurrenceKind::Constant if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') => NUMBER,
            OccurrenceKind::Constant => CONSTANT,
            OccurrenceKind::Variable => VARIABLE,
        };
        let mut modifiers = if occurrence.is_head { DECLARATION } else { 0 };
        if symbol.kind == OccurrenceKind::Relation {
            let known = is_static.entry((symbol.arity, name)).or_insert_with(|| {
                let knowledge = document.knowledge();
                knowledge.is_some_and(|knowledge| {
                    let relation = knowledge.relation(name, symbol.arity as usize);
                    relation.is_some_and(|relation| knowledge.change(relation) == Change::Static)
                })
            });
            modifiers |= if *known { STATIC } else { 0 };
        }
        found.push((occurrence.span, kind, modifiers));
    }
    let comments = document.rulesheet().comments.iter().map(|comment| comment.span);
    found.extend(comments.filter(|span| wanted(*span)).map(|span| (span, COMMENT, 0)));
    found.sort_by_key(|(span, ..)| *span);
    relative(document, with_operators(document, part, found))
}

/// The tokens with the operators between them: what is neither blank nor a bracket, comma or full stop.
fn with_operators(document: &Document, part: Span, found: Vec<(Span, u32, u32)>) -> Vec<(Span, u32, u32)> {
    let text = document.text();
    let mut out = Vec::with_capacity(found.len());
    let mut at = part.start as usize;
    let operators = |from: usize, to: usize, out: &mut Vec<(Span, u32, u32)>| {
        let mut start = None;
        let gap = text.get(from..to).unwrap_or_default();
        for (i, c) in gap.char_indices().chain([(gap.len(), ' ')]) {
            let is_part =
                !c.is_whitespace() && !c.is_control() && !matches!(c, '(' | ')' | ',' | '.' | '\u{feff}');
            match (is_part, start) {
                (true, None) => start = Some(i),
                (false, Some(first)) => {
                    out.push((Span::new(from + first, from + i), OPERATOR, 0));
                    start = None;
                }
                _ => {}
            }
        }
    };
    for token in found {
        let start = token.0.start as usize;
        // A quantifier and its variable overlap: the first one stands.
        if start < at && !out.is_empty() {
            continue;
        }
        if start > at {
            operators(at, start, &mut out);
        }
        at = token.0.end as usize;
        out.push(token);
    }
    operators(at, (part.end as usize).max(at), &mut out);
    out
}

fn relative(document: &Document, tokens: Vec<(Span, u32, u32)>) -> Vec<SemanticToken> {
    let (mut line, mut character) = (0, 0);
    let mut out = Vec::with_capacity(tokens.len().min(MOST));
    for (span, token_type, token_modifiers_bitset) in tokens.into_iter().take(MOST) {
        let range = document.positions().range(span);
        // No name goes over a line end; of what else does, the first line counts.
        if range.end.line != range.start.line || range.end.character <= range.start.character {
            continue;
        }
        let delta_line = range.start.line - line;
        let delta_start =
            if delta_line == 0 { range.start.character - character } else { range.start.character };
        (line, character) = (range.start.line, range.start.character);
        let length = range.end.character - range.start.character;
        out.push(SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset });
    }
    out
}
