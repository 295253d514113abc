//! What things are drawn as once their signs are known: by their relation, by letters for colours, by attributes, by
//! marks on numbers.

use ludex_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use super::figures::{self, Figure};
use super::labels::{Owner, Sign};

/// Letters for the colours of sides; which of them `b` is depends on the others.
const LETTERS: [(&str, &str); 5] =
    [("w", "white"), ("r", "red"), ("g", "green"), ("y", "yellow"), ("b", "blue")];
/// Pairs of attributes of pieces: the first of them is that of a bit that is set.
const ATTRIBUTES: [[&[&str]; 2]; 4] = [
    [&["tall", "large", "big", "high"], &["short", "small", "low"]],
    [&["round", "circle", "circular"], &["square", "angular"]],
    [&["dark", "black"], &["light", "white"]],
    [&["hollow", "open", "holed"], &["solid", "full", "filled", "closed"]],
];
/// Fewer things than this do not show that their names are attributes.
const BUILT: usize = 8;

type Signs = FxHashMap<Vec<TermId>, Sign>;

/// See the module; `functor` is the name of the relation, `initial` how often each content is there at first.
pub(super) fn dress(terms: &Terms, functor: &str, signs: &mut Signs, initial: impl Fn(&[TermId]) -> usize) {
    if figures::by_name(functor) == Some(Figure::Disc) {
        let discs = signs.values_mut().filter(|sign| sign.disc && sign.figure == Figure::Person);
        discs.for_each(|sign| sign.figure = Figure::Disc);
    }
    colours(signs);
    attributes(signs);
    marked_numbers(terms, signs, initial);
}

/// Things that are called by the letters of colours, and nothing else is: `r` and `b` are red and blue, `w` and `b`
/// white and black.
fn colours(signs: &mut Signs) {
    let shown = || signs.values().filter(|sign| !sign.glyph.is_empty());
    let letter = |sign: &Sign| LETTERS.iter().position(|(letter, _)| *letter == sign.name);
    let all = shown().all(|sign| letter(sign).is_some() && sign.figure == Figure::Letters);
    if !all || shown().count() < 2 {
        return;
    }
    let is_chess = shown().any(|sign| sign.name == "w");
    for sign in signs.values_mut().filter(|sign| !sign.glyph.is_empty()) {
        let Some((at, (_, colour))) = letter(sign).and_then(|at| Some((at, LETTERS.get(at)?))) else {
            continue;
        };
        let name = if is_chess && sign.name == "b" { "black" } else { colour };
        sign.owner = Some(Owner { name: name.to_owned(), index: at });
        (sign.disc, sign.figure) = (true, Figure::Disc);
    }
}

/// Pieces with four attributes each, by words or by the digits of their names, as those of quarto.
fn attributes(signs: &mut Signs) {
    let shown = || signs.values().filter(|sign| !sign.glyph.is_empty());
    if shown().count() < BUILT || !shown().all(|sign| bits(&sign.name).is_some()) {
        return;
    }
    for sign in signs.values_mut().filter(|sign| !sign.glyph.is_empty()) {
        if let Some(bits) = bits(&sign.name) {
            (sign.figure, sign.owner) = (Figure::Built(bits), None);
        }
    }
}

/// The four attributes that a name says.
fn bits(name: &str) -> Option<u8> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
    if digits.len() == 4 && digits.bytes().all(|digit| matches!(digit, b'0' | b'1')) {
        return u8::from_str_radix(digits, 2).ok();
    }
    let words: Vec<&str> = name.split([' ', '_', '-']).collect();
    ATTRIBUTES.iter().try_fold(0, |bits, [set, unset]| {
        let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
        match (has(set), has(unset)) {
            (true, false) => Some(2 * bits + 1),
            (false, true) => Some(2 * bits),
            _ => None,
        }
    })
}

/// Numbers that are marked or not: those that are as all are at first are plain, the others dark.
fn marked_numbers(terms: &Terms, signs: &mut Signs, initial: impl Fn(&[TermId]) -> usize) {
    let number = |content: &[TermId]| content.iter().position(|&term| terms.integer(term).is_some());
    let Some(first) = signs.keys().next() else { return };
    let Some(at) = number(first).filter(|_| first.len() == 2) else { return };
    let mut flags: Vec<TermId> = signs.keys().filter_map(|content| content.get(1 - at).copied()).collect();
    flags.sort_unstable();
    flags.dedup();
    let fits = |content: &Vec<TermId>| {
        matches!(content[..], [a, b] if number(content) == Some(at)
            && terms.integer(if at == 0 { b } else { a }).is_none())
    };
    if flags.len() != 2 || !signs.keys().all(fits) {
        return;
    }
    let count = |flag: TermId| -> usize {
        signs.keys().filter(|content| content[1 - at] == flag).map(|content| initial(content)).sum()
    };
    let Some(&plain) = flags.iter().find(|&&flag| count(flag) > 0) else { return };
    if flags.iter().all(|&flag| count(flag) > 0) {
        return;
    }
    for (content, sign) in signs.iter_mut() {
        sign.glyph = terms.shown(content[at]);
        sign.owner = None;
        if content[1 - at] != plain {
            sign.figure = Figure::Token;
            sign.glyph.push('*');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_digits_or_words() {
        assert_eq!(bits("p0110"), Some(0b0110));
        assert_eq!(bits("tall square dark hollow"), Some(0b1011));
        assert_eq!((bits("p011"), bits("tall dark"), bits("p0120"), bits("")), (None, None, None, None));
    }
}
