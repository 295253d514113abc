//! Gamemaster's newer notation: told by its rules for moves, `move(X) :: condition ==> effects`.

use crate::check::registry::UNSUPPORTED_DIALECT;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::infix::lexer::{Kind, Lexer};

/// What is said of the notation, whatever tells it.
pub(crate) const MESSAGE: &str =
    "this is Gamemaster's newer notation (Epilog rules `::`, `==>`), which cannot be run";
/// What to do about it.
pub(crate) const HINT: &str =
    "in GDL, `next` and `does` say what a move changes, and `legal` names the role and the move";

/// The error about the first sign that only this notation has, if there is one in the text.
pub(super) fn find(text: &str) -> Option<Diagnostic> {
    if !text.contains("::") && !text.contains("==>") {
        return None;
    }
    let mut lexer = Lexer::new(text);
    let mut last = lexer.next(None);
    while last.kind != Kind::End {
        let token = lexer.next(None);
        let sign = text.get(last.start..token.end);
        if last.end == token.start && matches!(sign, Some("::" | "==>")) {
            let span = Span::new(last.start, token.end);
            return Some(UNSUPPORTED_DIALECT.at(span, MESSAGE).hint(HINT));
        }
        last = token;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        find(text).map(|error| &text[error.span.range()])
    }

    #[test]
    fn rules_for_moves_tell_it() {
        assert_eq!(found("role(a) % ::\nset(N) :: on(N)"), Some("::"));
        assert_eq!(found("set(N) ::\n  ~on(N) ==> on(N)"), Some("::"));
        assert_eq!(found("p ==> q"), Some("==>"));
        for text in ["p(X) :- q(X) % ==>\n", "'::'(a)", "p => q", "p : : q", "AX:(p(X) => q(X))"] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
