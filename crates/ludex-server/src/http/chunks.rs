//! Bodies in chunks.

/// A line with the length of a chunk, or a header after the last one, is no longer than this.
const LONGEST_LINE: usize = 1024;
/// All these lines together have no more bytes than this and so many for each byte of the body.
const LINES: usize = 16 << 10;
const LINES_PER_BYTE: usize = 8;

/// Why a body in chunks cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkError {
    TooLong,
    Broken,
}

/// Takes chunks apart, however the bytes come.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    state: State,
    line: Vec<u8>,
    /// How many bytes lines have had.
    lines: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// In the line with the length.
    #[default]
    Size,
    /// So many bytes of a chunk are to come.
    Data(usize),
    /// In the line end after a chunk.
    AfterData,
    /// In the headers after the last chunk.
    Trailer,
    Done,
}

impl Chunks {
    /// Whether the whole body is there, and maybe not all that follows it.
    pub(super) fn has_all(&self) -> bool {
        matches!(self.state, State::Trailer | State::Done)
    }

    /// Whether what follows the body is there, too.
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Appends what the bytes bring to `text`, which is to be no longer than `limit`. Gives how many of
    /// the bytes belong to the body.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        text: &mut Vec<u8>,
        limit: usize,
    ) -> Result<usize, ChunkError> {
        let mut at = 0;
        while at < bytes.len() && self.state != State::Done {
            if let State::Data(left) = self.state {
                let here = left.min(bytes.len() - at);
                text.extend_from_slice(&bytes[at..at + here]);
                at += here;
                self.state = if left == here { State::AfterData } else { State::Data(left - here) };
                continue;
            }
            let byte = bytes[at];
            at += 1;
            self.lines += 1;
            if byte == b'\n' {
                self.end_of_line(limit.saturating_sub(text.len()))?;
            } else if self.line.len() >= LONGEST_LINE || self.lines > LINES + LINES_PER_BYTE * text.len() {
                return Err(ChunkError::Broken);
            } else {
                self.line.push(byte);
            }
        }
        Ok(at)
    }

    fn end_of_line(&mut self, room: usize) -> Result<(), ChunkError> {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii();
        self.state = match self.state {
            State::Size => match chunk_size(line)? {
                0 => State::Trailer,
                size if size > room => return Err(ChunkError::TooLong),
                size => State::Data(size),
            },
            State::AfterData if line.is_empty() => State::Size,
            State::AfterData => return Err(ChunkError::Broken),
            State::Trailer if line.is_empty() => State::Done,
            other => other,
        };
        Ok(())
    }
}

/// More digits than a number can have are too many bytes, too.
fn chunk_size(line: &[u8]) -> Result<usize, ChunkError> {
    let digits = line.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    let text = std::str::from_utf8(digits).ok().filter(|t| t.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let text = text.filter(|text| !text.is_empty()).ok_or(ChunkError::Broken)?;
    Ok(usize::from_str_radix(text, 16).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"6\r\n(play \r\nA;x=1\nm nil)1234\r\n0\r\nTrailer: x\r\n\r\nrest";

    #[test]
    fn chunks_are_joined_however_they_come() {
        for size in 1..BODY.len() {
            let (mut chunks, mut text, mut used) = (Chunks::default(), Vec::new(), 0);
            for part in BODY.chunks(size) {
                used += chunks.feed(part, &mut text, 100).unwrap();
            }
            assert!(chunks.is_done());
            assert_eq!(text, b"(play m nil)1234", "{size} bytes at a time");
            assert_eq!(&BODY[used..], b"rest");
        }
    }

    #[test]
    fn bad_chunks_are_told() {
        let feed = |bytes: &[u8], limit| Chunks::default().feed(bytes, &mut Vec::new(), limit);
        assert_eq!(feed(b"zz\r\n", 100), Err(ChunkError::Broken));
        assert_eq!(feed(b"\r\n", 100), Err(ChunkError::Broken));
        assert_eq!(feed(b"1\r\nab\r\n", 100), Err(ChunkError::Broken));
        assert_eq!(feed(b"ffffffffffffffff\r\nabc", 2), Err(ChunkError::TooLong));
        assert_eq!(feed(b"fffffffffffffffff\r\nabc", 2), Err(ChunkError::TooLong));
        assert_eq!(feed(&[b'0'; 2_000], 100), Err(ChunkError::Broken));
    }
}
