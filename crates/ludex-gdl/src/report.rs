//! Diagnostics as text and as JSON.

use std::fmt::Write;

use crate::check::Check;
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// The diagnostics as plain text: for each its severity, code, place and message, the first line of
/// the place with what is meant underlined, the labels, and the hint.
pub fn plain(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let position = source.position(diagnostic.span.start as usize);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}[{}] {}:{position}: {}",
            diagnostic.severity,
            diagnostic.code,
            source.name(),
            diagnostic.message
        );
        underline(source, diagnostic.span, '^', "", &mut out);
        for label in &diagnostic.labels {
            underline(source, label.span, '-', &label.text, &mut out);
        }
        if let Some(hint) = &diagnostic.hint {
            let _ = writeln!(out, "  hint: {hint}");
        }
    }
    out
}

/// Columns of a line that are shown before what is underlined, and of what is underlined.
const SHOWN: usize = 60;

fn underline(source: &Source, span: Span, mark: char, text: &str, out: &mut String) {
    // What is missing altogether is nowhere.
    if span == Span::default() {
        return;
    }
    let position = source.position(span.start as usize);
    let Some(range) = source.line_range(position.line - 1) else { return };
    let line = &source.text()[range.clone()];
    let start = (span.start as usize).clamp(range.start, range.end) - range.start;
    let end = (span.end as usize).clamp(range.start + start, range.end) - range.start;
    let (Some(before), Some(marked)) = (line.get(..start), line.get(start..end)) else { return };
    // A line may be the whole file: neither end of it is looked at further than it is shown.
    let is_long = line.len() > 2 * SHOWN;
    let shown_before = if is_long { SHOWN } else { 2 * SHOWN };
    let first = before.char_indices().rev().take(shown_before).last().map_or(before.len(), |(i, _)| i);
    let indent = before[first..].chars().count();
    let width = marked.chars().take(SHOWN).count().max(1);
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let shown: String = line[first..].chars().take((indent + width).max(2 * SHOWN)).map(clean).collect();
    let marks: String = std::iter::repeat_n(mark, width).collect();
    let number = position.line;
    let margin = number.to_string().len();
    let gap = if text.is_empty() { "" } else { " " };
    let _ = writeln!(out, " {number} | {}", shown.trim_end());
    let _ = writeln!(out, " {:margin$} | {:indent$}{marks}{gap}{text}", "", "");
}

/// The diagnostics as a JSON object with the keys `file` and `diagnostics`, the latter a list of
/// objects with `code`, `name` (of the check, or null), `severity`, `message`, `start` and `end`
/// (byte offsets), `line` and `column` (from 1, the column in characters), `hint` (or null) and
/// `labels` (objects with `start`, `end`, `line`, `column` and `text`).
pub fn json(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::from("{\"file\":");
    string(source.name(), &mut out);
    out.push_str(",\"diagnostics\":[");
    for (i, diagnostic) in diagnostics.iter().enumerate() {
        out.push_str(if i > 0 { ",\n{" } else { "\n{" });
        // Writing to a string cannot fail.
        let _ = write!(out, "\"code\":\"{}\",\"name\":", diagnostic.code);
        match Check::of(diagnostic.code) {
            Some(check) => string(check.name, &mut out),
            None => out.push_str("null"),
        }
        let _ = write!(out, ",\"severity\":\"{}\",\"message\":", diagnostic.severity);
        string(&diagnostic.message, &mut out);
        out.push(',');
        place(source, diagnostic.span, &mut out);
        out.push_str(",\"hint\":");
        match &diagnostic.hint {
            Some(hint) => string(hint, &mut out),
            None => out.push_str("null"),
        }
        out.push_str(",\"labels\":[");
        for (j, label) in diagnostic.labels.iter().enumerate() {
            out.push_str(if j > 0 { ",{" } else { "{" });
            place(source, label.span, &mut out);
            out.push_str(",\"text\":");
            string(&label.text, &mut out);
            out.push('}');
        }
        out.push_str("]}");
    }
    out.push_str("]}");
    out
}

fn place(source: &Source, span: Span, out: &mut String) {
    let position = source.position(span.start as usize);
    let _ = write!(
        out,
        "\"start\":{},\"end\":{},\"line\":{},\"column\":{}",
        span.start, span.end, position.line, position.column
    );
}

/// Appends a JSON string.
fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Code, Severity};

    fn sample() -> (Source, Vec<Diagnostic>) {
        let source = Source::new("a\"b.kif", "(role é)\n(p ?x)\n");
        let diagnostic = Diagnostic::new(Code(30), Severity::Error, Span::new(13, 15), "no\nvalue")
            .label(Span::new(6, 8), "here")
            .hint("bind it");
        (source, vec![diagnostic])
    }

    #[test]
    fn text_underlines_by_characters() {
        let (source, diagnostics) = sample();
        let expected = "error[L030] a\"b.kif:2:4: no\nvalue\n 2 | (p ?x)\n   |    ^^\n \
                        1 | (role é)\n   |       - here\n  hint: bind it\n";
        assert_eq!(plain(&source, &diagnostics), expected);
    }

    #[test]
    fn json_has_byte_offsets_and_escapes() {
        let (source, diagnostics) = sample();
        let expected = concat!(
            r#"{"file":"a\"b.kif","diagnostics":["#,
            "\n",
            r#"{"code":"L030","name":"unsafe-rule","severity":"error","message":"no\nvalue","#,
            r#""start":13,"end":15,"line":2,"column":4,"hint":"bind it","labels":["#,
            r#"{"start":6,"end":8,"line":1,"column":7,"text":"here"}]}]}"#
        );
        assert_eq!(json(&source, &diagnostics), expected);
    }

    #[test]
    fn a_very_long_line_is_cut() {
        let source = Source::new("x", format!("{}y{}", "a".repeat(1_000_000), "b".repeat(1_000_000)));
        let diagnostics =
            [Diagnostic::new(Code(30), Severity::Error, Span::new(1_000_000, 2_000_001), "long")];
        assert!(plain(&source, &diagnostics).len() < 500);
    }
}
