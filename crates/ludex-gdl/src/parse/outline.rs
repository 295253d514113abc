//! The outline of a text: where its parts stand, without reading them.
//!
//! Messages hold lists that are no terms, `((role white) (role black))`, and whole rulesheets. Here
//! they are cut into parts, which are then read by the parsers of the notations.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::Notation;

use super::infix::lexer::{Kind, Lexer};
use super::prefix::{is_blank, name_end};
use super::syntax_error;

/// One part of a text that stands in no bracket of that text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// From its first to its last character; comments around it are left out.
    pub span: Span,
    /// The comma or full stop behind it, or both, in infix.
    pub separator: Option<Span>,
}

/// Cuts a text into parts. In prefix these are names and lists, separated by blanks; in infix
/// whatever commas or full stops separate, where square brackets count as brackets, too. Comments
/// separate and belong to no part, unless they stand inside one.
///
/// # Errors
/// The first bracket without a partner, or a separator with nothing before it. What stands in the
/// parts is not looked at.
pub fn split(text: &str, notation: Notation) -> Result<Vec<Part>, Diagnostic> {
    match notation {
        Notation::Prefix => split_prefix(text),
        Notation::Infix => split_infix(text),
    }
}

fn split_prefix(text: &str) -> Result<Vec<Part>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let closed = match byte {
            b'(' => {
                open.push(at);
                at += 1;
                continue;
            }
            b')' => {
                at += 1;
                let Some(start) = open.pop() else { return Err(stray(start, ')')) };
                Span::new(start, at)
            }
            b';' => {
                at += bytes[at..].iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(bytes.len() - at);
                continue;
            }
            b'|' => {
                at = quoted_end(text, at + 1);
                Span::new(start, at)
            }
            b'?' if bytes.get(at + 1) == Some(&b'|') => {
                at = quoted_end(text, at + 2);
                Span::new(start, at)
            }
            _ => {
                // Parts end between characters, so this is a character boundary.
                let first = text[at..].chars().next().unwrap_or(' ');
                at += first.len_utf8();
                if is_blank(first) {
                    continue;
                }
                at = name_end(text, at);
                Span::new(start, at)
            }
        };
        if open.is_empty() {
            parts.push(Part { span: closed, separator: None });
        }
    }
    match open.last() {
        Some(&at) => Err(unclosed(at, '(')),
        None => Ok(parts),
    }
}

/// Where a name between bars ends: after its second bar, or at the end of the line.
fn quoted_end(text: &str, from: usize) -> usize {
    let mut escaped = false;
    for (i, c) in text[from..].char_indices() {
        match c {
            '\n' | '\r' => return from + i,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '|' => return from + i + 1,
            _ => {}
        }
    }
    text.len()
}

fn split_infix(text: &str) -> Result<Vec<Part>, Diagnostic> {
    let mut lexer = Lexer::new(text);
    let mut parts: Vec<Part> = Vec::new();
    let mut open: Vec<(usize, char)> = Vec::new();
    // The part that is being read, and whether something must follow: a comma was last.
    let mut part: Option<Span> = None;
    let mut after_comma = None;
    loop {
        let token = lexer.next(None);
        let bracket = text.as_bytes().get(token.start).copied().filter(|_| token.end == token.start + 1);
        match (token.kind, bracket) {
            (Kind::End, _) => break,
            (Kind::Open, _) => open.push((token.start, ')')),
            (Kind::Unknown, Some(b'[')) => open.push((token.start, ']')),
            (Kind::Close, _) | (Kind::Unknown, Some(b']')) => {
                let found = if token.kind == Kind::Close { ')' } else { ']' };
                match open.pop() {
                    Some((_, wanted)) if wanted == found => {}
                    Some((at, wanted)) => return Err(mismatched(at, wanted, token.start)),
                    None => return Err(stray(token.start, found)),
                }
            }
            (Kind::Comma | Kind::Dot, _) if open.is_empty() => {
                let last = parts.last_mut();
                match (part.take(), last) {
                    (Some(span), _) => parts.push(Part { span, separator: Some(token.span()) }),
                    // `p., q`: both together separate.
                    (None, Some(last)) if token.kind == Kind::Comma && after_comma.is_none() => {
                        last.separator = last.separator.map(|s| s.to(token.span()));
                    }
                    _ => return Err(nothing_before(token.start)),
                }
                after_comma = (token.kind == Kind::Comma).then_some(token.start);
                continue;
            }
            _ => {}
        }
        after_comma = None;
        part = Some(part.map_or(token.span(), |span| span.to(token.span())));
    }
    if let Some(&(at, wanted)) = open.last() {
        return Err(unclosed(at, if wanted == ')' { '(' } else { '[' }));
    }
    if let Some(at) = after_comma {
        let error = syntax_error(Span::new(at, at + 1), "something is missing after this comma");
        return Err(error.hint("remove the comma, or write what it announces"));
    }
    parts.extend(part.map(|span| Part { span, separator: None }));
    Ok(parts)
}

fn stray(at: usize, bracket: char) -> Diagnostic {
    let message = format!("this `{bracket}` closes nothing");
    syntax_error(Span::new(at, at + 1), message).hint("remove it, or look for one too many before it")
}

fn unclosed(at: usize, bracket: char) -> Diagnostic {
    let message = format!("this `{bracket}` is never closed");
    syntax_error(Span::new(at, at + 1), message).hint("close it: the text may have been cut off")
}

fn mismatched(open: usize, wanted: char, close: usize) -> Diagnostic {
    let message = format!("a `{wanted}` should stand here");
    syntax_error(Span::new(close, close + 1), message)
        .label(Span::new(open, open + 1), "to close this bracket")
        .hint("brackets must close in the order in which they open")
}

fn nothing_before(at: usize) -> Diagnostic {
    syntax_error(Span::new(at, at + 1), "nothing stands before this").hint("remove it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, notation: Notation) -> Vec<&str> {
        split(text, notation).unwrap().iter().map(|p| &text[p.span.range()]).collect()
    }

    fn error(text: &str, notation: Notation) -> (usize, String) {
        let error = split(text, notation).unwrap_err();
        (error.span.start as usize, error.message)
    }

    #[test]
    fn prefix_parts_are_names_and_lists() {
        let text = "\u{feff}START ;( a comment\n|a (b|((role x)(p ?|;|\\|) ;)\n)ü\u{a0}10";
        assert_eq!(
            parts(text, Notation::Prefix),
            ["START", "|a (b|", "((role x)(p ?|;|\\|) ;)\n)", "ü", "10"]
        );
        assert_eq!(parts("a|b c", Notation::Prefix), ["a|b", "c"]);
        assert_eq!(parts(r"|a\|b| |c", Notation::Prefix), [r"|a\|b|", "|c"]);
        assert_eq!(parts(" ;nothing", Notation::Prefix), [""; 0]);
        assert_eq!(error("a (b (c)", Notation::Prefix), (2, "this `(` is never closed".into()));
        assert_eq!(error("a) b", Notation::Prefix), (1, "this `)` closes nothing".into()));
    }

    #[test]
    fn infix_parts_stand_between_commas_and_stops() {
        let text = "role(x), p(X) :- q(X,1.5) & ~r % no, a comment\n, 'a,b' . t., [u,v]";
        let expected = ["role(x)", "p(X) :- q(X,1.5) & ~r", "'a,b'", "t", "[u,v]"];
        assert_eq!(parts(text, Notation::Infix), expected);
        let separators: Vec<_> = split(text, Notation::Infix)
            .unwrap()
            .iter()
            .map(|p| p.separator.map_or("", |s| &text[s.range()]))
            .collect();
        assert_eq!(separators, [",", ",", ".", ".,", ""]);
        assert_eq!(parts("p.", Notation::Infix), ["p"]);
        assert_eq!(error("a, f([b)]", Notation::Infix), (7, "a `]` should stand here".into()));
        assert_eq!(error("a,,b", Notation::Infix), (2, "nothing stands before this".into()));
        assert_eq!(error(",b", Notation::Infix), (0, "nothing stands before this".into()));
        assert_eq!(error("a,", Notation::Infix), (1, "something is missing after this comma".into()));
        assert_eq!(error("f[a", Notation::Infix), (1, "this `[` is never closed".into()));
        assert_eq!(error("a]", Notation::Infix), (1, "this `]` closes nothing".into()));
    }

    #[test]
    fn a_million_brackets_are_no_problem() {
        for (open, close, notation) in
            [("(", ")", Notation::Prefix), ("(", ")", Notation::Infix), ("[", "]", Notation::Infix)]
        {
            let text = open.repeat(1_000_000) + &close.repeat(1_000_000);
            assert_eq!(parts(&text, notation), [&text]);
            assert!(split(&open.repeat(1_000_000), notation).is_err());
        }
    }
}
