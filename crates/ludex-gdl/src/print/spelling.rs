//! How names are spelled in a notation.

use rustc_hash::FxHashSet;

use crate::parse::infix::lexer::is_word_part;
use crate::parse::prefix::is_blank;
use crate::source::Span;
use crate::tree::{NameId, NodeKind, Notation, Tree};

/// The spelling of every name of a tree, in one notation.
pub(crate) struct Spelling {
    constants: Vec<String>,
    variables: Vec<String>,
    /// Names are copied from the text they were read from where possible.
    pub(super) as_written: bool,
}

impl Spelling {
    pub(crate) fn new(tree: &Tree, written: Notation, target: Notation) -> Self {
        Self::renamed(tree, written, target, |name| name.to_owned(), |name| name.to_owned())
    }

    /// With other names: `constant` maps the names of constants, functions and relations,
    /// `variable` those of variables.
    pub(crate) fn renamed(
        tree: &Tree,
        written: Notation,
        target: Notation,
        constant: impl Fn(&str) -> String,
        variable: impl Fn(&str) -> String,
    ) -> Self {
        let mut is_variable = vec![false; tree.name_count()];
        for node in tree.nodes() {
            if let NodeKind::Variable(name) = &node.kind {
                is_variable[name.0 as usize] = true;
            }
        }
        let names = || (0..tree.name_count() as u32).map(|n| tree.name(NameId(n)));
        let constants = names().map(|name| spell_constant(&constant(name), target)).collect();
        let mut used: FxHashSet<String> = FxHashSet::default();
        let mut variables = vec![String::new(); tree.name_count()];
        // Names that can stay as they are come first, so that no other takes their spelling.
        for keep in [true, false] {
            for (i, name) in names().enumerate() {
                if !is_variable[i] || !variables[i].is_empty() {
                    continue;
                }
                let name = variable(name);
                let folded = match (written, target) {
                    (Notation::Infix, Notation::Prefix) => fold(&name),
                    _ => name.clone(),
                };
                let spelled = spell_variable(&folded, target);
                let unchanged = spelled.trim_start_matches('?') == name;
                if unchanged != keep {
                    continue;
                }
                let mut unique = spelled;
                let mut number = 2;
                while !used.insert(unique.clone()) {
                    unique = spell_variable(&format!("{folded}_{number}"), target);
                    number += 1;
                }
                variables[i] = unique;
            }
        }
        Self { constants, variables, as_written: false }
    }

    pub(super) fn constant<'a>(&'a self, name: NameId, span: Span, source: &'a str) -> &'a str {
        self.as_written(span, source).unwrap_or(&self.constants[name.0 as usize])
    }

    pub(super) fn variable<'a>(&'a self, name: NameId, span: Span, source: &'a str) -> &'a str {
        self.as_written(span, source).unwrap_or(&self.variables[name.0 as usize])
    }

    /// The text of a name, where names are copied.
    pub(super) fn as_written<'a>(&self, span: Span, source: &'a str) -> Option<&'a str> {
        source.get(span.range()).filter(|text| self.as_written && !text.is_empty())
    }
}

fn fold(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The name of a constant, function or relation as a notation writes it, quoted where needed.
pub fn spell_constant(name: &str, notation: Notation) -> String {
    match notation {
        Notation::Prefix if prefix_spells(name) && !name.starts_with('?') && name != "<=" => name.to_owned(),
        Notation::Prefix => quote(name, '|'),
        Notation::Infix if infix_spells(name) => name.to_owned(),
        Notation::Infix => quote(name, '\''),
    }
}

/// The name of a variable, given without its mark, as a notation writes it: quoted in prefix where
/// needed; in infix, which has no quoted variables, with other letters where needed.
pub fn spell_variable(name: &str, notation: Notation) -> String {
    match notation {
        Notation::Prefix if prefix_spells(name) => format!("?{name}"),
        Notation::Prefix => format!("?{}", quote(name, '|')),
        Notation::Infix => {
            let mut spelled = String::with_capacity(name.len() + 1);
            let mut chars = name.chars();
            match chars.next() {
                Some('_') => spelled.push('_'),
                Some(c) if c.is_alphabetic() => {
                    spelled.extend(c.to_uppercase());
                    if !spelled.starts_with(char::is_uppercase) {
                        spelled.insert(0, 'V');
                    }
                }
                Some(c) => {
                    spelled.push('V');
                    spelled.push(if is_word_part(c) { c } else { '_' });
                }
                None => spelled.push('V'),
            }
            spelled.extend(chars.map(|c| if is_word_part(c) { c } else { '_' }));
            spelled
        }
    }
}

fn prefix_spells(name: &str) -> bool {
    !name.is_empty()
        // Bare, it would pass for the arrow of the other notation.
        && !name.starts_with(":-")
        && !name.starts_with('|')
        && !name.chars().any(|c| is_blank(c) || matches!(c, '(' | ')' | ';'))
        && (name.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) || fold(name) == name)
}

fn infix_spells(name: &str) -> bool {
    let digits = name.strip_prefix('-').unwrap_or(name);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if [whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())) {
        return true;
    }
    let starts = name.chars().next().is_some_and(|c| c.is_alphanumeric() && !c.is_uppercase());
    starts && name != "not" && name.chars().all(is_word_part)
}

fn quote(name: &str, mark: char) -> String {
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push(mark);
    for c in name.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => {
                if c == mark || c == '\\' {
                    quoted.push('\\');
                }
                quoted.push(c);
            }
        }
    }
    quoted.push(mark);
    quoted
}
