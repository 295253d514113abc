//! How the rules of a library look in a rulesheet: a section between two comments.

use std::sync::Arc;

use ludex_gdl::{Notation, Source, parse, print};

use super::{Library, Part, RuleLibraryError, Values, find};

/// What the first line of a section begins with, after the mark of a comment.
const BEGIN: &str = "---- rules:";
/// What the last line of a section begins with.
const END: &str = "---- end of rules:";
/// The longest line of a comment.
const WIDTH: usize = 100;

/// A section that stands in a text.
#[derive(Debug)]
pub(super) struct Section {
    /// Whose rules they are.
    pub library: &'static Library,
    /// With these values.
    pub values: Values,
    /// The parts that are there.
    pub parts: Vec<&'static str>,
    /// Where, in bytes, its two lines included.
    pub range: std::ops::Range<usize>,
}

/// A section with these parts of a library.
pub(super) fn written(library: &Library, values: &Values, parts: &[&Part], notation: Notation) -> String {
    let mark = comment_mark(notation);
    let mut first = format!("{mark} {BEGIN} {}", library.name);
    for (name, value) in values.iter() {
        first.push_str(&format!(" {name}={value}"));
    }
    if parts.len() < library.parts.len() {
        let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
        first.push_str(&format!(" parts={}", names.join(",")));
    }
    let mut out = format!("{first}\n");
    comment(&mut out, &format!("{}. {}", library.title, library.explanation), notation);
    for part in parts {
        out.push('\n');
        comment(&mut out, part.idea, notation);
        for relation in part.relations {
            comment(&mut out, &format!("{}: {}", relation.text(notation), relation.meaning), notation);
        }
        for relation in part.asks {
            let text = relation.text(notation);
            let text = format!("It asks {text}, which is for you to define: {}", relation.meaning);
            comment(&mut out, &text, notation);
        }
        out.push_str(&in_notation(&(part.rules)(values), notation));
    }
    out.push_str(&format!("{mark} {END} {}\n", library.name));
    out
}

/// What begins a comment.
pub(crate) fn comment_mark(notation: Notation) -> char {
    match notation {
        Notation::Prefix => ';',
        Notation::Infix => '%',
    }
}

/// A text as lines of a comment.
pub(crate) fn comment(out: &mut String, text: &str, notation: Notation) {
    let mark = comment_mark(notation);
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && line.chars().count() + word.chars().count() + 3 > WIDTH {
            out.push_str(&format!("{mark} {line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        out.push_str(&format!("{mark} {line}\n"));
    }
}

/// Rules in prefix notation, which end with a line end, in a notation. Their comments are lines of their own.
pub(crate) fn in_notation(prefix: &str, notation: Notation) -> String {
    if notation == Notation::Prefix {
        return prefix.to_owned();
    }
    let (rulesheet, _) = parse(Arc::new(Source::new("rules", prefix)), Some(Notation::Prefix));
    let text = print(&rulesheet, notation);
    let lines = text.lines().map(|line| match line.strip_prefix(';') {
        Some(rest) => format!("%{rest}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// The sections of a text.
///
/// # Errors
/// A section has no end, or its first line is none.
pub(super) fn sections(text: &str) -> Result<Vec<Section>, RuleLibraryError> {
    let mut found = Vec::new();
    let mut open: Option<Section> = None;
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len();
        let wrong = |message: String| RuleLibraryError::Section { line: number + 1, message };
        let plain = line.trim().trim_start_matches([';', '%']).trim_start();
        let is_comment = plain.len() < line.trim().len();
        if let Some(rest) = plain.strip_prefix(BEGIN).filter(|_| is_comment) {
            if let Some(open) = &open {
                return Err(wrong(format!("the section of `{}` above has no end", open.library.name)));
            }
            open = Some(read_first_line(rest, start).map_err(wrong)?);
        } else if let Some(rest) = plain.strip_prefix(END).filter(|_| is_comment) {
            match open.take() {
                Some(mut section) if section.library.name == rest.trim() => {
                    section.range.end = end;
                    found.push(section);
                }
                _ => return Err(wrong(format!("no section of `{}` begins above", rest.trim()))),
            }
        }
        start = end;
    }
    if let Some(open) = open {
        let line = text[..open.range.start].lines().count() + 1;
        let message = format!("the section of `{}` that begins here has no end", open.library.name);
        return Err(RuleLibraryError::Section { line, message });
    }
    Ok(found)
}

fn read_first_line(text: &str, start: usize) -> Result<Section, String> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let library = find(name).ok_or_else(|| format!("there is no library `{name}`"))?;
    let mut values = Values::usual(library.parameters);
    let mut parts: Vec<&'static str> = library.parts.iter().map(|part| part.name).collect();
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` sets nothing"))?;
        if name == "parts" {
            let wanted: Vec<&str> = value.split(',').collect();
            parts.retain(|part| wanted.contains(part));
        } else {
            values.set(library, name, value).map_err(|error| error.to_string())?;
        }
    }
    Ok(Section { library, values, parts, range: start..start })
}
