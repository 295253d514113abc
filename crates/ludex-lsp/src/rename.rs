//! Renaming: the same game with another name.

use std::sync::Arc;

use lsp_types::{PrepareRenameResponse, TextEdit};
use ludex::gdl::{
    self, Fix, NodeKind, Notation, Occurrence, OccurrenceKind, Source, detect, is_keyword, is_number, parse,
    spell_constant, spell_variable,
};

use crate::document::Document;
use crate::names::{name_at, range, text_of};

/// Why something cannot be called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    /// The cursor is on no name.
    #[error("there is no name here")]
    NoName,
    /// The name belongs to the language.
    #[error("`{0}` is a word of the language")]
    Keyword(String),
    /// Numbers mean what they say.
    #[error("`{0}` is a number")]
    Number(String),
    /// Whatever the new name is, it is no name.
    #[error("a name cannot be empty")]
    Empty,
    /// The new name is in use, so that two things would become one.
    #[error("`{0}` is the name of something else in this rulesheet")]
    InUse(String),
    /// The new name of a variable is that of another one in the same clause.
    #[error("another variable of this clause is called `{0}`")]
    VariableInUse(String),
    /// The notation cannot write the name.
    #[error("`{0}` cannot be the name of a variable in infix notation")]
    Unspellable(String),
    /// With the new name the rules would be read in another language.
    #[error("with the name `{0}` the rulesheet would be one of another language")]
    OtherLanguage(String),
    /// There are errors in the text, so that not all places are known.
    #[error("some of the text cannot be read: mend the syntax errors first")]
    SyntaxErrors,
}

/// Whether the name at a byte offset can be changed: where it stands, and what it is now.
///
/// # Errors
/// [`RenameError`], as far as the old name is concerned.
pub fn prepare(document: &Document, offset: usize) -> Result<PrepareRenameResponse, RenameError> {
    let found = renameable(document, offset)?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: range(document, found),
        placeholder: text_of(document, found.symbol).to_owned(),
    })
}

/// The changes that give the thing at a byte offset another name.
///
/// # Errors
/// [`RenameError`].
pub fn rename(document: &Document, offset: usize, new: &str) -> Result<Vec<TextEdit>, RenameError> {
    let found = renameable(document, offset)?;
    if document.checked().diagnostics.iter().any(|d| d.code == gdl::SYNTAX) {
        return Err(RenameError::SyntaxErrors);
    }
    let notation = document.rulesheet().notation;
    let is_variable = found.symbol.kind == OccurrenceKind::Variable;
    let name = canonical(new, notation, is_variable);
    if name.is_empty() {
        return Err(RenameError::Empty);
    }
    let spelled = if is_variable { spell_variable(&name, notation) } else { spell_constant(&name, notation) };
    if is_variable {
        if notation == Notation::Infix && spelled != name {
            return Err(RenameError::Unspellable(name));
        }
        variable_is_free(document, found, &name)?;
    } else {
        constant_is_free(document, found, &name)?;
    }
    let places: Vec<&Occurrence> = document.names().of_symbol(found.symbol).collect();
    if !is_variable {
        stays_in_its_language(document, &places, &spelled)?;
    }
    Ok(places
        .iter()
        .map(|place| TextEdit { range: range(document, place), new_text: spelled.clone() })
        .collect())
}

/// A word of another language may make the rulesheet one of that.
fn stays_in_its_language(
    document: &Document,
    places: &[&Occurrence],
    spelled: &str,
) -> Result<(), RenameError> {
    let edits =
        places.iter().map(|place| gdl::TextEdit { span: place.span, text: spelled.to_owned() }).collect();
    let text = Fix { title: String::new(), edits }.apply(document.text());
    let name = document.source().name().to_owned();
    let (sheet, errors) = parse(Arc::new(Source::new(name, text)), Some(document.rulesheet().notation));
    if !errors.is_empty() || detect(&sheet).0 != document.checked().dialect {
        return Err(RenameError::OtherLanguage(spelled.to_owned()));
    }
    Ok(())
}

fn renameable(document: &Document, offset: usize) -> Result<&Occurrence, RenameError> {
    let found = name_at(document, offset).ok_or(RenameError::NoName)?;
    let name = text_of(document, found.symbol);
    match found.symbol.kind {
        OccurrenceKind::Connective | OccurrenceKind::Keyword => Err(RenameError::Keyword(name.to_owned())),
        OccurrenceKind::Variable => Ok(found),
        _ if is_keyword(name, document.checked().dialect) => Err(RenameError::Keyword(name.to_owned())),
        _ if is_number(name) => Err(RenameError::Number(name.to_owned())),
        _ => Ok(found),
    }
}

/// A name as it was typed, without the marks that the notation puts around it, and in small letters where capitals mean nothing.
fn canonical(typed: &str, notation: Notation, is_variable: bool) -> String {
    let typed = typed.trim();
    let typed =
        if is_variable && notation == Notation::Prefix { typed.trim_start_matches('?') } else { typed };
    let mark = if notation == Notation::Prefix { '|' } else { '\'' };
    let quoted =
        typed.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)).filter(|name| !name.is_empty());
    match (quoted, notation) {
        (Some(name), _) => name.to_owned(),
        (None, Notation::Prefix) => typed.to_lowercase(),
        (None, Notation::Infix) => typed.to_owned(),
    }
}

fn variable_is_free(document: &Document, found: &Occurrence, name: &str) -> Result<(), RenameError> {
    let tree = &document.rulesheet().tree;
    let Some(id) = tree.find_name(name).filter(|id| *id != found.symbol.name) else { return Ok(()) };
    let other = gdl::Symbol { name: id, ..found.symbol };
    match document.names().of_symbol(other).next() {
        Some(_) => Err(RenameError::VariableInUse(name.to_owned())),
        None => Ok(()),
    }
}

/// Relations, functions and constants share their names: one of each could be called the same, but whoever reads it
/// would take them for one.
fn constant_is_free(document: &Document, found: &Occurrence, name: &str) -> Result<(), RenameError> {
    if is_keyword(name, document.checked().dialect) {
        return Err(RenameError::Keyword(name.to_owned()));
    }
    if is_number(name) {
        return Err(RenameError::Number(name.to_owned()));
    }
    let tree = &document.rulesheet().tree;
    let Some(id) = tree.find_name(name).filter(|id| *id != found.symbol.name) else { return Ok(()) };
    let uses = |kind: &NodeKind| match kind {
        NodeKind::Constant(other) | NodeKind::Compound { name: other, .. } => *other == id,
        NodeKind::Variable(_) | NodeKind::Error => false,
    };
    if tree.nodes().any(|node| uses(&node.kind)) {
        return Err(RenameError::InUse(name.to_owned()));
    }
    Ok(())
}
