//! Source text with positions.

use std::fmt;
use std::ops::Range;

/// A range of bytes in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// As a range of indices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A named text. Lines end with LF, CRLF or CR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    /// The number of characters that start before each block of [`BLOCK`] bytes: a line may be the
    /// whole text, and columns are asked for once per finding.
    characters_before: Vec<u32>,
}

const BLOCK: usize = 4096;

impl Source {
    /// A text with the name that messages show, usually a file name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        for (i, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' || byte == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
                line_starts.push(i as u32 + 1);
            }
        }
        let mut characters = 0;
        let characters_before = bytes
            .chunks(BLOCK)
            .map(|block| {
                let before = characters;
                characters += count_characters(block) as u32;
                before
            })
            .collect();
        Self { name: name.into(), text, line_starts, characters_before }
    }

    /// The name that messages show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name without folders and the ending of a rulesheet.
    pub fn short_name(&self) -> &str {
        let file = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = [".kif", ".gdl"].iter().find_map(|ending| file.strip_suffix(ending));
        stem.unwrap_or(file)
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty where the span does not lie in the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The number of lines.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The byte range of a line counted from 0, without its line end.
    pub fn line_range(&self, line: usize) -> Option<Range<usize>> {
        let start = *self.line_starts.get(line)? as usize;
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |&e| e as usize);
        let trimmed = self.text[start..end].trim_end_matches(['\n', '\r']);
        Some(start..start + trimmed.len())
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> LineColumn {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|&s| s as usize <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let column = self.characters_to(offset) - self.characters_to(start);
        LineColumn { line: line + 1, column: column + 1 }
    }

    /// The number of characters that start before a byte offset.
    fn characters_to(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let before = self.characters_before.get(block).map_or(0, |&count| count as usize);
        match self.text.as_bytes().get(block * BLOCK..offset) {
            Some(rest) if block < self.characters_before.len() => before + count_characters(rest),
            // The end of a text that fills its last block.
            _ => count_characters(self.text.as_bytes()),
        }
    }
}

/// The number of characters that start in some bytes of UTF-8.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let source = Source::new("x", "a\nb\r\nc\rd");
        assert_eq!(source.line_count(), 4);
        let lines: Vec<_> = (0..4).map(|l| &source.text()[source.line_range(l).unwrap()]).collect();
        assert_eq!(lines, ["a", "b", "c", "d"]);
        assert_eq!(source.position(5).to_string(), "3:1");
    }

    #[test]
    fn columns_count_characters() {
        let source = Source::new("x", "é∧z");
        assert_eq!(source.position(5).column, 3);
    }

    #[test]
    fn columns_of_a_long_line_are_exact() {
        let source = Source::new("x", format!("p\n{}", "é".repeat(3 * BLOCK)));
        for column in [1, 2, BLOCK / 2, BLOCK, 2 * BLOCK + 1, 3 * BLOCK + 1] {
            assert_eq!(source.position(2 + 2 * (column - 1)), LineColumn { line: 2, column });
        }
        let full = Source::new("x", "a".repeat(BLOCK));
        assert_eq!(full.position(BLOCK).column, BLOCK + 1);
    }
}
