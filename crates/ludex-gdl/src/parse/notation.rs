//! Which notation a text is written in.

use crate::tree::Notation;

/// Finds the notation of a text from the first thing that only one of the two has. A text that both
/// could read alike, such as a single name, counts as prefix when `name` ends in `.kif`, else as infix.
pub fn detect_notation(name: &str, text: &str) -> Notation {
    let fallback = if name.ends_with(".kif") { Notation::Prefix } else { Notation::Infix };
    let bytes = text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes();
    let mut i = 0;
    let mut first = true;
    let mut in_word = false;
    while let Some(&byte) = bytes.get(i) {
        match byte {
            b';' => {
                i = line_end(bytes, i);
                in_word = false;
                continue;
            }
            // A per cent sign inside a prefix name is not a comment.
            b'%' if !in_word => {
                i = line_end(bytes, i);
                continue;
            }
            b'\'' if !in_word => return Notation::Infix,
            b'(' if first => {
                if let Some(found) = list_notation(&bytes[i + 1..]) {
                    return found;
                }
            }
            b'(' if in_word => {
                // `p(` opens arguments in infix; in prefix somebody forgot a blank.
                return if name.ends_with(".kif") { Notation::Prefix } else { Notation::Infix };
            }
            b'(' if bytes[i + 1..].starts_with(b"<=") => return Notation::Prefix,
            b'?' if !in_word => return Notation::Prefix,
            b':' if bytes.get(i + 1) == Some(&b'-') => return Notation::Infix,
            b'&' | b'~' if !in_word => return Notation::Infix,
            // The double arrow of the rtGDL paper.
            0xE2 if bytes[i..].starts_with("⇐".as_bytes()) => return Notation::Infix,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            first = false;
        }
        in_word =
            !byte.is_ascii_whitespace() && !matches!(byte, b'(' | b')' | b',' | b'.' | b'&' | b'|' | b'~');
        i += 1;
    }
    if bytes.contains(&b'(') && !first { Notation::Prefix } else { fallback }
}

/// What the text after a leading `(` tells: a list `(name argument ...)`, or a formula in brackets.
fn list_notation(rest: &[u8]) -> Option<Notation> {
    let blank = |b: &u8| b.is_ascii_whitespace();
    let start = rest.iter().position(|b| !blank(b))?;
    let word = &rest[start..];
    let length = word.iter().position(|b| blank(b) || b"();,&~".contains(b)).unwrap_or(word.len());
    if length == 0 {
        return (word.first() == Some(&b'~')).then_some(Notation::Infix);
    }
    if word.starts_with(b"<=") {
        return Some(Notation::Prefix);
    }
    let after = &word[length..];
    let gap = after.iter().position(|b| !blank(b)).unwrap_or(after.len());
    match after.get(gap) {
        Some(b'(') if gap == 0 => Some(Notation::Infix),
        Some(b'&' | b',' | b'~') => Some(Notation::Infix),
        Some(b'|' | b'=' | b'!') if after.get(gap + 1).is_some_and(|b| blank(b) || *b == b'=') => {
            Some(Notation::Infix)
        }
        Some(_) => Some(Notation::Prefix),
        None => None,
    }
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|b| matches!(b, b'\n' | b'\r')).map_or(bytes.len(), |n| from + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_telling_sign_decides() {
        for (text, expected) in [
            ("(role white)", Notation::Prefix),
            ("\u{feff}; p :- q\n(<= p q)", Notation::Prefix),
            ("% (role a)\nrole(white)", Notation::Infix),
            ("role(white)", Notation::Infix),
            ("open\nterminal :- ~open", Notation::Infix),
            ("terminal ⇐ open", Notation::Infix),
            ("thing1\n(thing 2)", Notation::Prefix),
            ("(p | q) & r", Notation::Infix),
            ("(p(a) | q)", Notation::Infix),
            ("(terminal)", Notation::Prefix),
            ("?x", Notation::Prefix),
            ("p", Notation::Infix),
            ("", Notation::Infix),
        ] {
            assert_eq!(detect_notation("", text), expected, "{text}");
        }
        assert_eq!(detect_notation("a.kif", "0123(56789"), Notation::Prefix);
        assert_eq!(detect_notation("a.kif", "p"), Notation::Prefix);
    }
}
