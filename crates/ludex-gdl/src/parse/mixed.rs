//! A clause of another notation, written in that of the others.

use std::sync::Arc;

use crate::diagnostic::Fix;
use crate::print::print;
use crate::source::{Source, Span};
use crate::tree::{Notation, Rulesheet, Tree};

use super::{infix, prefix};

/// So many bytes are read for one clause.
const LONGEST_CLAUSE: usize = 20_000;

/// Writes the clause around `at`, which is not in `notation`, in that notation; nothing where it cannot be read.
pub(super) fn converted(text: &str, at: Span, notation: Notation) -> Option<Fix> {
    let foreign = match notation {
        Notation::Prefix => Notation::Infix,
        Notation::Infix => Notation::Prefix,
    };
    let before = text.get(..at.start as usize)?;
    let start = match foreign {
        Notation::Prefix => before.len(),
        Notation::Infix => {
            let line = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
            line + text[line..].len() - text[line..].trim_start().len()
        }
    };
    let mut rest = &text[start..];
    if foreign == Notation::Infix {
        // A line that begins with a bracket is a clause of the others.
        let next = rest.match_indices('(').find(|(i, _)| rest[..*i].ends_with(['\n', '\r']));
        rest = &rest[..next.map_or(rest.len(), |(i, _)| i)];
    }
    let most = (0..=rest.len().min(LONGEST_CLAUSE)).rev().find(|&end| rest.is_char_boundary(end))?;
    let rest = &rest[..most];
    let mut sheet = Rulesheet {
        source: Arc::new(Source::new("", rest)),
        notation: foreign,
        tree: Tree::new(),
        items: Vec::new(),
        comments: Vec::new(),
    };
    let errors = match foreign {
        Notation::Prefix => prefix::parse(rest, &mut sheet),
        Notation::Infix => infix::parse(rest, &mut sheet, infix::Reading::Rulesheet),
    };
    let place = at.start as usize - start;
    sheet.items.retain(|item| item.span.start as usize <= place && place < item.span.end as usize);
    let item = sheet.items.first()?;
    if errors.iter().any(|error| error.span.start < item.span.end && item.span.start <= error.span.start) {
        return None;
    }
    let mut end = item.span.end as usize;
    if foreign == Notation::Infix && rest[end..].trim_start_matches([' ', '\t']).starts_with('.') {
        end += rest[end..].find('.')? + 1;
    }
    let span = Span::new(start + item.span.start as usize, start + end);
    sheet.items.truncate(1);
    sheet.comments.clear();
    let clause = print(&sheet, notation).trim().to_owned();
    let name = match notation {
        Notation::Prefix => "prefix",
        Notation::Infix => "infix",
    };
    Some(Fix::new(format!("write this clause in {name} notation"), span, clause))
}
