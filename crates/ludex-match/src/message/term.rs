//! Terms and names as messages spell them.

use ludex_gdl::{Notation, parse_term, print_term, spell_constant};
use ludex_logic::{TermId, TermView, Terms};

/// A term in prefix notation as messages hold it: with bars around names that prefix could not tell from
/// others, such as `|moveLeft|` of a rulesheet in infix.
pub fn term_text(terms: &Terms, term: TermId) -> String {
    enum Job {
        Term(TermId),
        Close,
    }
    let mut text = String::new();
    let mut jobs = vec![Job::Term(term)];
    while let Some(job) = jobs.pop() {
        let Job::Term(term) = job else {
            text.push(')');
            continue;
        };
        if !text.is_empty() && !text.ends_with('(') {
            text.push(' ');
        }
        match terms.view(term) {
            TermView::Constant(name) => text.push_str(&spell_constant(terms.name(name), Notation::Prefix)),
            TermView::Compound(name, arguments) => {
                text.push('(');
                text.push_str(&spell_constant(terms.name(name), Notation::Prefix));
                jobs.push(Job::Close);
                jobs.extend(arguments.iter().rev().map(|&argument| Job::Term(argument)));
            }
        }
    }
    text
}

/// A term that is given in prefix, in a notation. What is no term becomes one name, so that it cannot
/// break the message it stands in.
pub(super) fn in_notation(term: &str, notation: Notation) -> String {
    match parse_term(term, Some(Notation::Prefix)) {
        Ok((tree, node)) => print_term(&tree, node, Notation::Prefix, notation),
        Err(_) => spell_constant(term.trim(), notation),
    }
}

/// The name of a match in a message: as it is where that can be read again.
pub(super) fn spell_id(id: &str, notation: Notation) -> String {
    let plain = id.starts_with(|c: char| c.is_alphanumeric())
        && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !id.ends_with('.');
    if plain { id.to_owned() } else { spell_constant(id, notation) }
}

/// What names of matches are compared by: their case means nothing, since prefix notation has none.
pub fn match_key(id: &str) -> String {
    id.chars().flat_map(char::to_lowercase).collect()
}
