//! Words and signs.

use super::syntax::Place;

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) place: Place,
}

/// Signs of more than one character; `:-` comes before `:`.
const SIGNS: &[&str] = &[":-", "..", "!=", "<>", "<=", ">=", "=="];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// The words and signs of a text without comments, which go from `%` to the end of the line.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut column = 1;
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            if first == '%' {
                break;
            }
            let length = length(rest, first);
            if !first.is_whitespace() {
                found.push(Token { text: &rest[..length], place: Place { line: number + 1, column } });
            }
            column += rest[..length].chars().count();
            rest = &rest[length..];
        }
    }
    found
}

/// How long the word or sign is that a text begins with.
fn length(rest: &str, first: char) -> usize {
    if first == '"' {
        let mut is_escaped = false;
        let end = rest.char_indices().skip(1).find(|&(_, c)| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        return end.map_or(rest.len(), |(at, _)| at + 1);
    }
    let hash = usize::from(first == '#');
    let word = rest[hash..].find(|c: char| !is_word(c)).map_or(rest.len(), |at| at + hash);
    if word > hash {
        return word;
    }
    SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len())
}
