//! Bodies in chunks.

use super::body::BodyError;

/// A line with the length of a chunk, or a header after the last one, is no longer than this.
const LONGEST_LINE: usize = 1024;

/// Takes chunks apart, however the bytes come.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    state: State,
    line: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// In the line with the length.
    #[default]
    Size,
    /// So many bytes of a chunk are to come.
    Data(u64),
    /// In the line end after a chunk.
    AfterData,
    /// In the headers after the last chunk.
    Trailer,
    Done,
}

impl Chunks {
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
    ) -> Result<usize, BodyError> {
        let mut at = 0;
        while at < bytes.len() && self.state != State::Done {
            match self.state {
                State::Data(left) => {
                    let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - at);
                    if text.len().saturating_add(here) > limit {
                        return Err(BodyError::TooLong);
                    }
                    text.extend_from_slice(&bytes[at..at + here]);
                    at += here;
                    let left = left - here as u64;
                    self.state = if left == 0 { State::AfterData } else { State::Data(left) };
                }
                _ => {
                    let byte = bytes[at];
                    at += 1;
                    if byte == b'\n' {
                        self.end_of_line()?;
                    } else if self.line.len() >= LONGEST_LINE {
                        return Err(BodyError::Chunk);
                    } else {
                        self.line.push(byte);
                    }
                }
            }
        }
        Ok(at)
    }

    fn end_of_line(&mut self) -> Result<(), BodyError> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).trim().to_owned();
        self.state = match self.state {
            State::Size => {
                let digits = line.split(';').next().unwrap_or_default().trim();
                match u64::from_str_radix(digits, 16) {
                    Ok(0) => State::Trailer,
                    Ok(length) => State::Data(length),
                    Err(_) => return Err(BodyError::Chunk),
                }
            }
            State::AfterData if line.is_empty() => State::Size,
            State::AfterData => return Err(BodyError::Chunk),
            State::Trailer if line.is_empty() => State::Done,
            other => other,
        };
        Ok(())
    }
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
        assert_eq!(feed(b"zz\r\n", 100), Err(BodyError::Chunk));
        assert_eq!(feed(b"\r\n", 100), Err(BodyError::Chunk));
        assert_eq!(feed(b"1\r\nab\r\n", 100), Err(BodyError::Chunk));
        assert_eq!(feed(b"ffffffffffffffff\r\nabc", 2), Err(BodyError::TooLong));
        assert_eq!(feed(b"fffffffffffffffff\r\nabc", 2), Err(BodyError::Chunk));
        assert_eq!(feed(&[b'0'; 2_000], 100), Err(BodyError::Chunk));
    }
}
