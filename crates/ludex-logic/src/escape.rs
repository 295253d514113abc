//! Text within the notations of other tools.

/// A text within the quotes of a string of Graphviz (the DOT language). A quote and a backslash are written
/// with a backslash; line ends and other controls have no place there and become spaces.
///
/// ```
/// assert_eq!(ludex_logic::escape::dot("say \"a\\b\""), r#"say \"a\\b\""#);
/// ```
pub fn dot(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A text as the content of an element or attribute of XML, SVG among it. What XML has no way to write
/// becomes the replacement character.
///
/// ```
/// assert_eq!(ludex_logic::escape::xml("a < \"b\" & \u{1}"), "a &lt; &quot;b&quot; &amp; \u{fffd}");
/// ```
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
