//! The tokens of the infix notation.

use crate::source::Span;
use crate::tree::Comment;

use super::super::prefix::{is_blank, unescaped};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    /// A name between quotes.
    Quoted,
    Variable,
    Open,
    Close,
    Comma,
    And,
    Or,
    Not,
    Arrow,
    Equal,
    NotEqual,
    Implies,
    Iff,
    /// `::`, between a move of Epilog and what it does.
    Operation,
    /// `==>`, between the conditions and the effects of an operation of Epilog.
    Transition,
    /// `AX:`; the variable's name is in [`Token::inner`].
    ForAll,
    /// `EX:`
    Exists,
    Dot,
    /// A character that means nothing here.
    Unknown,
    End,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Of a quantifier its variable, of a quoted name the text between the quotes, else the token.
    pub(crate) inner: (usize, usize),
    /// Nothing but blanks before it on its line.
    pub(crate) leads_line: bool,
    /// Bytes between the start of the line and the token.
    pub(crate) column: usize,
    /// A quoted name that does not end on its line.
    pub(crate) unclosed: bool,
}

impl Token {
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// Cuts a text into tokens; copying a lexer is a way to look ahead.
#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    line_start: usize,
    token_on_line: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let pos = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, bytes: text.as_bytes(), pos, line_start: 0, token_on_line: false }
    }

    /// The next token; comments before it are added to `comments`.
    pub(crate) fn next(&mut self, mut comments: Option<&mut Vec<Comment>>) -> Token {
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b' ' | b'\t' | 0x0b | 0x0c => self.pos += 1,
                b'\n' | b'\r' => {
                    self.pos += 1;
                    self.line_start = self.pos;
                    self.token_on_line = false;
                }
                b';' | b'%' => {
                    let rest = &self.bytes[self.pos..];
                    let length = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
                    if let Some(comments) = comments.as_deref_mut() {
                        comments.push(Comment { span: Span::new(self.pos, self.pos + length) });
                    }
                    self.pos += length;
                }
                0x80.. => match self.char_at(self.pos) {
                    Some(c) if is_blank(c) => self.pos += c.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        let start = self.pos;
        let (kind, end) = self.kind_at(start);
        let mut token = Token {
            kind,
            start,
            end,
            inner: (start, end),
            leads_line: !self.token_on_line,
            column: start - self.line_start,
            unclosed: false,
        };
        match kind {
            Kind::Variable => self.quantifier(&mut token),
            Kind::ForAll | Kind::Exists => self.symbolic_quantifier(&mut token),
            Kind::Quoted => {
                let closed = end > start + 1 && self.quote_closed(start, end);
                token.unclosed = !closed;
                token.inner = (start + 1, if closed { end - 1 } else { end });
            }
            _ => {}
        }
        self.token_on_line = true;
        self.pos = token.end;
        token
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    fn kind_at(&self, at: usize) -> (Kind, usize) {
        let Some(&byte) = self.bytes.get(at) else { return (Kind::End, at) };
        let rest = &self.bytes[at..];
        let one = |kind| (kind, at + 1);
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => {
                let end = self.word_end(at, true);
                let word = &self.bytes[at..end];
                (if word == b"not" { Kind::Not } else { Kind::Name }, end)
            }
            b'A'..=b'Z' | b'_' => (Kind::Variable, self.word_end(at, false)),
            b'(' => one(Kind::Open),
            b')' => one(Kind::Close),
            b',' => one(Kind::Comma),
            b'&' => one(Kind::And),
            b'|' => one(Kind::Or),
            b'~' => one(Kind::Not),
            b'.' => one(Kind::Dot),
            b':' if rest.starts_with(b":-") => (Kind::Arrow, at + 2),
            b':' if rest.starts_with(b"::") => (Kind::Operation, at + 2),
            b'<' if rest.starts_with(b"<=>") => (Kind::Iff, at + 3),
            b'<' if rest.starts_with(b"<=") => (Kind::Arrow, at + 2),
            b'=' if rest.starts_with(b"==>") => (Kind::Transition, at + 3),
            b'=' if rest.starts_with(b"=>") => (Kind::Implies, at + 2),
            b'=' => one(Kind::Equal),
            b'!' if rest.starts_with(b"!=") => (Kind::NotEqual, at + 2),
            b'-' if rest.get(1).is_some_and(u8::is_ascii_digit) => (Kind::Name, self.word_end(at + 1, true)),
            b'\'' => (Kind::Quoted, self.quote_end(at)),
            0x80.. => {
                let Some(c) = self.char_at(at) else { return one(Kind::Unknown) };
                let end = at + c.len_utf8();
                match c {
                    '∧' => (Kind::And, end),
                    '∨' => (Kind::Or, end),
                    '¬' => (Kind::Not, end),
                    '≠' => (Kind::NotEqual, end),
                    '⇐' | '←' => (Kind::Arrow, end),
                    '⇒' | '→' => (Kind::Implies, end),
                    '⇔' | '↔' => (Kind::Iff, end),
                    '∀' => (Kind::ForAll, end),
                    '∃' => (Kind::Exists, end),
                    c if c.is_uppercase() => (Kind::Variable, self.word_end(at, false)),
                    c if c.is_alphanumeric() => (Kind::Name, self.word_end(at, true)),
                    _ => (Kind::Unknown, end),
                }
            }
            _ => one(Kind::Unknown),
        }
    }

    /// Where a word ends. A constant may hold what nothing else could mean: `left-of`, `1/2`, `0.5`.
    fn word_end(&self, from: usize, constant: bool) -> usize {
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => at += 1,
                b'-' if constant && at > from => match self.bytes.get(at + 1) {
                    Some(b) if b.is_ascii_alphanumeric() => at += 1,
                    _ => break,
                },
                b'.' | b'/' if constant && at > from && self.bytes[at - 1].is_ascii_digit() => {
                    match self.bytes.get(at + 1) {
                        Some(b) if b.is_ascii_digit() => at += 1,
                        _ => break,
                    }
                }
                0x80.. => match self.char_at(at) {
                    Some(c) if is_word_part(c) => at += c.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        at
    }

    /// Where a quoted name ends: after its closing quote, or at the end of the line.
    fn quote_end(&self, start: usize) -> usize {
        let mut at = start + 1;
        loop {
            match self.bytes.get(at) {
                None | Some(b'\n' | b'\r') => return at,
                Some(b'\\') if !matches!(self.bytes.get(at + 1), None | Some(b'\n' | b'\r')) => {
                    // The escaped character may have several bytes; those are skipped one by one.
                    at += 2;
                }
                Some(b'\'') => return at + 1,
                Some(_) => at += 1,
            }
        }
    }

    fn quote_closed(&self, start: usize, end: usize) -> bool {
        if self.bytes[end - 1] != b'\'' {
            return false;
        }
        // An escaped quote just before the end of the line closes nothing.
        let slashes = self.bytes[start + 1..end - 1].iter().rev().take_while(|b| **b == b'\\').count();
        slashes % 2 == 0
    }

    /// `AX:` and `EX:` of the language of incomplete descriptions, but not `AX :- ...` and `AX :: ...`.
    fn quantifier(&self, token: &mut Token) {
        let colon = self.bytes.get(token.end) == Some(&b':')
            && !matches!(self.bytes.get(token.end + 1), Some(b'-' | b':'));
        if colon && token.end - token.start > 1 {
            let kind = match self.bytes[token.start] {
                b'A' => Kind::ForAll,
                b'E' => Kind::Exists,
                _ => return,
            };
            token.kind = kind;
            token.inner = (token.start + 1, token.end);
            token.end += 1;
        }
    }

    fn symbolic_quantifier(&self, token: &mut Token) {
        let blanks = |from: usize| self.bytes[from..].iter().take_while(|b| **b == b' ').count();
        let start = token.end + blanks(token.end);
        let end = self.word_end(start, false);
        token.inner = (start, end);
        token.end = end;
        let colon = end + blanks(end);
        if matches!(self.bytes.get(colon), Some(b':' | b'.')) {
            token.end = colon + 1;
        }
    }
}

/// Whether a character may continue a name.
pub(crate) fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_mark(c)
}

/// Combining marks, which are parts of letters.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' | '\u{200c}' | '\u{200d}')
}

/// The name that the text between two quotes spells.
pub(super) fn unquote(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped) => name.push(unescaped(escaped)),
                None => name.push('\\'),
            },
            c => name.push(c),
        }
    }
    name
}
