//! What a text is that is written in none of the notations of the GDL family, or in the one of them that is read in a way of
//! its own (Epilog).

use crate::check::registry::UNSUPPORTED_DIALECT;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::infix::lexer::{Kind, Lexer};

/// What to do with a game of another family.
const HINT: &str = "write the rules in a language of the GDL family; `ludex check --help` names them";

/// Whether a text in infix notation has operations, `move(X) :: condition ==> effects`, which only Epilog has.
pub(super) fn has_operations(text: &str) -> bool {
    if !text.contains("::") && !text.contains("==>") {
        return false;
    }
    let mut lexer = Lexer::new(text);
    loop {
        match lexer.next(None).kind {
            Kind::Operation | Kind::Transition => return true,
            Kind::End => return false,
            _ => {}
        }
    }
}

/// The error about a game of another family, RG or RBG, at the first word that tells it.
pub(super) fn find(text: &str) -> Option<Diagnostic> {
    let start = first_word(text)?;
    let rest = &text[start..];
    let length = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '_')).unwrap_or(rest.len());
    let word = &rest[..length];
    let message = if is_rbg(word, &rest[length..]) {
        "this is a game of RBG (Regular Boardgames): moves are regular expressions over a board, which is another family of \
         languages than GDL"
    } else if is_rg(word, &rest[length..]) {
        "this is a game of RG (Regular Games): an automaton whose edges assign variables, which is another family of languages \
         than GDL"
    } else {
        return None;
    };
    Some(UNSUPPORTED_DIALECT.at(Span::new(start, start + length), message).hint(HINT))
}

/// Where the text begins behind blanks and the comments of these languages, `//` and `/* */`.
fn first_word(text: &str) -> Option<usize> {
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    loop {
        let rest = &text[at..];
        let start = rest.find(|c: char| !c.is_whitespace())?;
        let rest = &rest[start..];
        let length = match rest.get(..2) {
            Some("//") => rest.find(['\n', '\r'])?,
            Some("/*") => rest.find("*/")? + 2,
            _ => return Some(at + start),
        };
        at += start + length;
    }
}

/// `#players = white(100), black(100)` and the other sections of RBG.
fn is_rbg(word: &str, behind: &str) -> bool {
    matches!(word, "#players" | "#pieces" | "#variables" | "#board" | "#rules")
        && behind.trim_start().starts_with('=')
}

/// `type Player = { white, black };`, `const`, `var`; in its high-level form `domain Player = white | black`.
fn is_rg(word: &str, behind: &str) -> bool {
    let name = behind.trim_start();
    if !matches!(word, "type" | "const" | "var" | "domain") || name.len() == behind.len() {
        return false;
    }
    let after = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    after.len() < name.len()
        && after.trim_start().starts_with(['=', ':'])
        && !after.trim_start().starts_with(":-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_tell_epilog() {
        for (text, expected) in [
            ("role(a) % ::\nset(N) :: on(N)", true),
            ("set(N) ::\n  ~on(N) ==> on(N)", true),
            ("p ==> q", true),
            ("p(X) :- q(X) % ==>\n", false),
            ("'::'(a)", false),
            ("p => q", false),
            ("p : : q", false),
            ("AX:(p(X) => q(X))", false),
        ] {
            assert_eq!(has_operations(text), expected, "{text}");
        }
    }

    #[test]
    fn games_of_other_families_are_named() {
        let found = |text: &str| find(text).map(|error| (text[error.span.range()].to_owned(), error.message));
        for (text, word, language) in [
            ("// Tic-tac-toe.\n#players = white(100), black(100)\n#rules = ->white", "#players", "RBG"),
            ("/* a */ #board = rectangle(up,down,left,right,[e,e])", "#board", "RBG"),
            ("type Player = { white, black };\nbegin, end: player = white;", "type", "RG"),
            ("\u{feff}\n\nvar board: Board = { :empty };", "var", "RG"),
            ("domain Player = white | black", "domain", "RG"),
        ] {
            let (found, message) = found(text).unwrap();
            assert_eq!(found, word);
            assert!(message.contains(&format!("{language} (")), "{message}");
        }
        for text in [
            "type(a)",
            "type :- p",
            "var\nrole(a)",
            "",
            "//",
            "/*",
            "% #players = x",
            "#players",
            "domain(x)",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
