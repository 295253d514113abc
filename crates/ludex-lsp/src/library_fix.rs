//! A relation that is used and not defined, but in one of the libraries of rules: the library is put into the text.

use ludex::gdl::{self, Fix, OccurrenceKind, Source, Span};
use ludex::rule_library::{Selection, find_defining, insert};

use crate::document::{Document, is_of};
use crate::names::text_of;

/// The change that puts the library which defines the relation of a finding into the text, with its usual sizes.
pub fn library_fix(document: &Document, finding: &gdl::Diagnostic) -> Option<Fix> {
    if !is_of(finding, &["undefined-relation"]) {
        return None;
    }
    let place = finding.span.start as usize..=finding.span.end as usize;
    let mut names = place.filter_map(|offset| document.names().at(offset));
    let relation = names.find(|found| found.symbol.kind == OccurrenceKind::Relation)?;
    let (name, arity) = (text_of(document, relation.symbol), relation.symbol.arity as usize);
    let library = find_defining(name, arity)?;
    let mut selection = Selection::new();
    selection.add(library.name, &[library.part_defining(name, arity)?.name]).ok()?;
    let inserted = insert(&Source::new(document.source().name(), document.text()), &selection).ok()?;
    let (span, text) = difference(document.text(), &inserted.text);
    Some(Fix::new(
        format!("put in `{name}` from the library `{}`: {}", library.name, library.title),
        span,
        text.to_owned(),
    ))
}

/// What stands in the second text in the place of a part of the first one; both go on alike around it.
fn difference<'a>(old: &str, new: &'a str) -> (Span, &'a str) {
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let start = new.floor_char_boundary(old.floor_char_boundary(same));
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let same = old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b).count();
    // A character is not cut, whichever text it stands in.
    let mut end = same;
    while !(old_rest.is_char_boundary(old_rest.len() - end)
        && new_rest.is_char_boundary(new_rest.len() - end))
    {
        end -= 1;
    }
    (Span::new(start, old.len() - end), &new_rest[..new_rest.len() - end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_as_little_as_can_be() {
        for (old, new, place, text) in [
            ("ab", "aXb", 1..1, "X"),
            ("", "x", 0..0, "x"),
            ("aé", "aè", 1..3, "è"),
            ("aaa", "aa", 2..3, ""),
            ("a\nb\n", "a\nc\nb\n", 2..2, "c\n"),
            ("same", "same", 4..4, ""),
        ] {
            let (span, found) = difference(old, new);
            assert_eq!((span.range(), found), (place, text), "{old:?} {new:?}");
        }
    }
}
