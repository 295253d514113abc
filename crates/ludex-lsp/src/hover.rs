//! What is said of the name under the cursor.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use ludex::gdl::{Occurrence, OccurrenceKind, Symbol};
use std::fmt::Write;

use crate::document::Document;
use crate::keywords::keyword;
use crate::knowledge::{Change, Place, Values};
use crate::names::{name_at, place_of, range, text_of};

/// So many values of a domain are shown.
const VALUES: usize = 8;
/// So many argument positions are listed.
const PLACES: usize = 6;

/// The text about the name at a byte offset.
pub fn hover(document: &Document, offset: usize) -> Option<Hover> {
    let found = name_at(document, offset)?;
    let text = match found.symbol.kind {
        OccurrenceKind::Connective => connective(document, found.symbol)?,
        OccurrenceKind::Keyword | OccurrenceKind::Relation => relation(document, found.symbol),
        OccurrenceKind::Function | OccurrenceKind::Constant => term(document, found.symbol),
        OccurrenceKind::Variable => variable(document, found.symbol),
    };
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text }),
        range: Some(range(document, found)),
    })
}

/// A name as code, whatever it is made of.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(longest + 1);
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if longest == 0 { format!("{marks}{clean}{marks}") } else { format!("{marks} {clean} {marks}") }
}

fn connective(document: &Document, symbol: Symbol) -> Option<String> {
    let known = keyword(text_of(document, symbol), document.checked().dialect)?;
    Some(format!("**{}**: connective\n\n{}", code(known.name), known.meaning))
}

fn plural(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

fn relation(document: &Document, symbol: Symbol) -> String {
    let (name, arity) = (text_of(document, symbol), symbol.arity as usize);
    let dialect = document.checked().dialect;
    let known = keyword(name, dialect).filter(|_| symbol.kind == OccurrenceKind::Keyword);
    let what = if known.is_some() { format!("word of {dialect}") } else { "relation".to_owned() };
    let mut text = format!("**{}**: {what}", code(&format!("{name}/{arity}")));
    if let Some(known) = known {
        let _ = write!(text, "\n\n{}", known.meaning);
    }
    if let Some(comment) = comment_above(document, symbol) {
        let _ = write!(text, "\n\n{comment}");
    }
    let uses = document.names().of_symbol(symbol);
    let (heads, others): (Vec<&Occurrence>, Vec<&Occurrence>) =
        uses.partition(|occurrence| occurrence.is_head);
    let mut facts = vec![plural(heads.len(), "clause", "clauses"), plural(others.len(), "use", "uses")];
    if let Some(knowledge) = document.knowledge()
        && let Some(relation) = knowledge.relation(name, arity)
    {
        facts.push(match knowledge.change(relation) {
            Change::Static => "static: the same in every state".to_owned(),
            Change::State => "depends on the state".to_owned(),
            Change::Moves => "depends on the moves".to_owned(),
        });
        facts.extend(knowledge.stratum(relation).map(|stratum| format!("stratum {stratum}")));
        facts.extend(knowledge.is_recursive(relation).then(|| "recursive".to_owned()));
    }
    let _ = write!(text, "\n\n{}", facts.join(" · "));
    domains(document, arity, |index| Place::Relation(name, arity, index), &mut text);
    text
}

/// A line for each argument with what can stand there.
fn domains<'a>(document: &Document, arity: usize, place: impl Fn(usize) -> Place<'a>, text: &mut String) {
    let Some(knowledge) = document.knowledge() else { return };
    for index in 0..arity.min(2 * PLACES) {
        if let Some(values) = knowledge.values(place(index)) {
            let separator = if index == 0 { "\n\n" } else { "\n" };
            let _ = write!(text, "{separator}{}. {}", index + 1, shown(&values));
        }
    }
}

fn shown(values: &Values) -> String {
    let text = values.shown(VALUES);
    if values.is_empty() { format!("*{text}*") } else { code(&text) }
}

fn term(document: &Document, symbol: Symbol) -> String {
    let (name, arity) = (text_of(document, symbol), symbol.arity as usize);
    let is_function = symbol.kind == OccurrenceKind::Function;
    let mut text = if is_function {
        format!("**{}**: function", code(&format!("{name}/{arity}")))
    } else {
        format!("**{}**: constant", code(name))
    };
    // What names of facts, moves and roles mean depends on where they stand.
    if let Some(known) = keyword(name, document.checked().dialect).filter(|known| known.arguments.is_empty())
    {
        let _ = write!(text, "\n\n{}", known.meaning);
    }
    if let Some(comment) = comment_above(document, symbol) {
        let _ = write!(text, "\n\n{comment}");
    }
    let mut places: Vec<(String, usize)> = Vec::new();
    let mut count = 0;
    for occurrence in document.names().of_symbol(symbol) {
        count += 1;
        let Some(place) = place_of(document, occurrence) else { continue };
        let (Place::Relation(parent, parent_arity, index) | Place::Function(parent, parent_arity, index)) =
            place;
        let shown = format!("{} of {}", ordinal(index), code(&format!("{parent}/{parent_arity}")));
        match places.iter().position(|(known, _)| *known == shown) {
            Some(at) => places[at].1 += 1,
            None if places.len() < 4 * PLACES => places.push((shown, 1)),
            None => {}
        }
    }
    places.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let _ = write!(text, "\n\n{}", plural(count, "use", "uses"));
    let listed: Vec<&str> = places.iter().take(PLACES).map(|(place, _)| place.as_str()).collect();
    if !listed.is_empty() {
        let more = if places.len() > PLACES { " and elsewhere" } else { "" };
        let _ = write!(text, ": {}{more}", listed.join(", "));
    }
    if is_function {
        domains(document, arity, |index| Place::Function(name, arity, index), &mut text);
    }
    text
}

fn ordinal(index: usize) -> String {
    const WORDS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
    match WORDS.get(index) {
        Some(word) => format!("{word} argument"),
        None => format!("argument {}", index + 1),
    }
}

/// What a variable can stand for: what can stand in all its places that bind it.
pub(crate) fn values_of_variable(document: &Document, symbol: Symbol) -> Option<Values> {
    let knowledge = document.knowledge()?;
    let places = document.names().of_symbol(symbol).filter(|occurrence| !occurrence.in_head);
    let mut common: Option<Values> = None;
    for occurrence in places {
        let Some(values) = place_of(document, occurrence).and_then(|place| knowledge.values(place)) else {
            continue;
        };
        common = Some(match common {
            Some(before) => before.common(&values),
            None => values,
        });
    }
    common
}

fn variable(document: &Document, symbol: Symbol) -> String {
    let count = document.names().of_symbol(symbol).count();
    let name = document.rulesheet().notation.variable(text_of(document, symbol));
    let mut text = format!(
        "**{}**: variable\n\n{}",
        code(&name),
        plural(count, "place in this clause", "places in this clause")
    );
    if let Some(values) = values_of_variable(document, symbol) {
        let _ = write!(text, "\n\nIt can stand for {}.", shown(&values));
    }
    text
}

/// The comment right above the first clause of a symbol.
fn comment_above(document: &Document, symbol: Symbol) -> Option<String> {
    let first =
        document.names().definitions(symbol, document.rulesheet()).first().copied().filter(|o| o.in_head)?;
    let sheet = document.rulesheet();
    let positions = document.positions();
    let item = sheet.items.get(first.item as usize)?;
    let mut line = positions.line(item.span.start as usize);
    let mut lines: Vec<&str> = Vec::new();
    let mut before = sheet.comments.partition_point(|comment| comment.span.start < item.span.start);
    while let Some(comment) = before.checked_sub(1).map(|at| &sheet.comments[at]) {
        let comment_line = positions.line(comment.span.start as usize);
        let (start, _) = positions.line_bounds(comment_line);
        let is_alone = document.text()[start..comment.span.start as usize].trim().is_empty();
        if comment_line + 1 != line || !is_alone || lines.len() >= 20 {
            break;
        }
        lines.push(document.source().slice(comment.span).trim_start_matches([';', '%', ' ']));
        (line, before) = (comment_line, before - 1);
    }
    lines.reverse();
    let text: String =
        lines.join("\n").chars().filter(|c| !c.is_control() || *c == '\n').take(1_000).collect();
    (!text.trim().is_empty()).then(|| text.replace(['<', '*', '_', '`', '[', '#'], " "))
}
