//! Places in a text as the protocol counts them: lines, and in a line units of UTF-16 or bytes.

use lsp_types::{Position, PositionEncodingKind, Range};
use ludex::gdl::Span;

/// What the columns of positions count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
    /// Bytes, where the client offers it.
    Utf8,
}

impl Encoding {
    /// The one to use with a client that offers these.
    pub fn choose(offered: Option<&[PositionEncodingKind]>) -> Self {
        let has_utf8 = offered.is_some_and(|kinds| kinds.contains(&PositionEncodingKind::UTF8));
        if has_utf8 { Encoding::Utf8 } else { Encoding::Utf16 }
    }

    /// What the protocol calls it.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf8 => PositionEncodingKind::UTF8,
        }
    }
}

/// A character that has fewer units than bytes.
#[derive(Clone, Copy, Debug)]
struct Wide {
    /// Where it starts, in bytes and in units from the start of the text.
    byte: usize,
    unit: usize,
    bytes: u8,
    units: u8,
}

/// The lines of a text, and where its characters are that are not ASCII: any place is found by halving.
#[derive(Clone, Debug)]
pub struct Positions {
    encoding: Encoding,
    length: usize,
    /// Where each line starts, and where what stands in it ends.
    lines: Vec<(usize, usize)>,
    wide: Vec<Wide>,
}

impl Positions {
    /// Finds the lines of a text, which end with LF, CRLF or CR.
    pub fn new(text: &str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let mut lines = Vec::new();
        let mut start = 0;
        let mut at = 0;
        while at < bytes.len() {
            let length = match bytes[at] {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
                b'\r' | b'\n' => 1,
                _ => 0,
            };
            if length > 0 {
                lines.push((start, at));
                start = at + length;
            }
            at += length.max(1);
        }
        lines.push((start, bytes.len()));
        let mut wide = Vec::new();
        if encoding == Encoding::Utf16 && !text.is_ascii() {
            let mut saved = 0;
            for (byte, c) in text.char_indices().filter(|(_, c)| !c.is_ascii()) {
                let (bytes, units) = (c.len_utf8(), c.len_utf16());
                wide.push(Wide { byte, unit: byte - saved, bytes: bytes as u8, units: units as u8 });
                saved += bytes - units;
            }
        }
        Self { encoding, length: text.len(), lines, wide }
    }

    /// The number of lines.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// The line of a byte offset, from 0.
    pub fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&(start, _)| start <= offset).saturating_sub(1)
    }

    /// Where a line starts and where what stands in it ends, in bytes; the end of the text for lines that it does not have.
    pub fn line_bounds(&self, line: usize) -> (usize, usize) {
        self.lines.get(line).copied().unwrap_or((self.length, self.length))
    }

    /// The units before a byte offset; in the middle of a character, those before it.
    fn units_to(&self, offset: usize) -> usize {
        match self.wide.partition_point(|wide| wide.byte < offset).checked_sub(1) {
            None => offset,
            Some(last) => {
                let wide = self.wide[last];
                match (offset - wide.byte).checked_sub(wide.bytes.into()) {
                    Some(beyond) => wide.unit + usize::from(wide.units) + beyond,
                    None => wide.unit,
                }
            }
        }
    }

    /// The byte offset of so many units from the start; in the middle of a character, its start.
    fn offset_of_units(&self, units: usize) -> usize {
        match self.wide.partition_point(|wide| wide.unit < units).checked_sub(1) {
            None => units,
            Some(last) => {
                let wide = self.wide[last];
                match units - wide.unit {
                    inside if inside < wide.units.into() => wide.byte,
                    beyond => wide.byte + usize::from(wide.bytes) + beyond - usize::from(wide.units),
                }
            }
        }
    }

    /// A byte offset as a position; one beyond the end is the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.length);
        let line = self.line(offset);
        let (start, end) = self.lines[line];
        // Between the two characters of a line end there is no position.
        let offset = offset.min(end);
        let character = self.units_to(offset) - self.units_to(start);
        Position { line: line as u32, character: character as u32 }
    }

    /// A position as a byte offset. What lies beyond a line is its end, and beyond the text its end. In UTF-8 a
    /// position may stand in the middle of a character: see [`Positions::offset_in`].
    fn offset(&self, position: Position) -> usize {
        let Some(&(start, end)) = self.lines.get(position.line as usize) else { return self.length };
        let character = position.character as usize;
        let offset = match self.encoding {
            Encoding::Utf8 => start.saturating_add(character),
            Encoding::Utf16 => self.offset_of_units(self.units_to(start).saturating_add(character)),
        };
        offset.min(end)
    }

    /// A position as a byte offset of this text, at the start of a character.
    pub fn offset_in(&self, text: &str, position: Position) -> usize {
        text.floor_char_boundary(self.offset(position))
    }

    /// A span as a range.
    pub fn range(&self, span: Span) -> Range {
        let (start, end) = (span.start as usize, (span.end as usize).max(span.start as usize));
        Range { start: self.position(start), end: self.position(end) }
    }

    /// A range as a span of this text; the end is not before the start.
    pub fn span_in(&self, text: &str, range: Range) -> Span {
        let (start, end) = (self.offset_in(text, range.start), self.offset_in(text, range.end));
        Span::new(start.min(end), end.max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_places_go_there_and_back() {
        for text in ["", "ab\ncd", "a\r\nb\rc\n", "ä€𝄞x\r\n𝄞𝄞\nß", "\u{feff}p(ü) % ∧\n\0\n"] {
            for encoding in [Encoding::Utf16, Encoding::Utf8] {
                let positions = Positions::new(text, encoding);
                for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                    let is_inside_line_end =
                        offset > 0 && text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                    if is_inside_line_end {
                        continue;
                    }
                    let position = positions.position(offset);
                    assert_eq!(positions.offset_in(text, position), offset, "{text:?} {encoding:?}");
                    let (start, _) = positions.line_bounds(position.line as usize);
                    let before = &text[start..offset];
                    let expected = match encoding {
                        Encoding::Utf16 => before.encode_utf16().count(),
                        Encoding::Utf8 => before.len(),
                    };
                    assert_eq!(position.character as usize, expected, "{text:?} {offset}");
                }
            }
        }
    }

    #[test]
    fn what_lies_outside_is_the_nearest_place() {
        let text = "a𝄞b\nc";
        let positions = Positions::new(text, Encoding::Utf16);
        let offset = |line, character| positions.offset_in(text, Position { line, character });
        assert_eq!([offset(0, 2), offset(0, 3), offset(0, 99), offset(1, 5), offset(7, 0)], [1, 5, 6, 8, 8]);
        assert_eq!(offset(0, u32::MAX), 6);
        let bytes = Positions::new(text, Encoding::Utf8);
        assert_eq!(bytes.offset_in(text, Position { line: 0, character: 3 }), 1);
        assert_eq!(bytes.offset_in(text, Position { line: 0, character: u32::MAX }), 6);
    }
}
