//! Where a body ends.

use std::time::Duration;

use super::chunks::{ChunkError, Chunks};
use super::length::Length;

/// A sender that says no length is done after so long a silence, if its brackets match.
const SHORT_SILENCE: Duration = Duration::from_millis(200);
/// So is one that announced more than it sent, after so long.
const LONG_SILENCE: Duration = Duration::from_secs(1);

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the message is too long")]
    TooLong,
    #[error("there is no message")]
    Empty,
    #[error("the message was cut off")]
    CutOff,
    #[error("a chunk of the message is broken")]
    Chunk,
}

impl From<ChunkError> for BodyError {
    fn from(error: ChunkError) -> Self {
        match error {
            ChunkError::TooLong => Self::TooLong,
            ChunkError::Broken => Self::Chunk,
        }
    }
}

/// How far a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All is there.
    Complete,
    /// More is to come; if nothing comes for so long, it is complete as it is.
    More(Option<Duration>),
}

/// A body that is being read.
///
/// Its end is where the length says, or where the sender ends the connection. Since lengths are missing or
/// miscounted (even in the specification, appendix B), brackets help: a message has as many that open as
/// that close.
#[derive(Debug)]
pub(crate) struct Body {
    length: Length,
    limit: usize,
    text: Vec<u8>,
    /// What came after the announced length.
    rest: Vec<u8>,
    chunks: Chunks,
    /// Brackets that are open at the end of the text.
    open: i64,
    has_words: bool,
}

impl Body {
    /// A body of which nothing is read yet, of at most `limit` bytes.
    pub(crate) fn new(length: Length, limit: usize) -> Result<Self, BodyError> {
        if matches!(length, Length::Bytes(bytes) if bytes > limit as u64) {
            return Err(BodyError::TooLong);
        }
        let (text, rest) = (Vec::new(), Vec::new());
        Ok(Self { length, limit, text, rest, chunks: Chunks::default(), open: 0, has_words: false })
    }

    /// Takes in bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), BodyError> {
        let before = self.text.len();
        match self.length {
            Length::Chunked => {
                let used = self.chunks.feed(bytes, &mut self.text, self.limit)?;
                self.rest.extend_from_slice(&bytes[used..]);
            }
            Length::Missing => self.text.extend_from_slice(bytes),
            Length::Bytes(announced) => {
                let room = usize::try_from(announced).unwrap_or(usize::MAX).saturating_sub(before);
                let (here, rest) = bytes.split_at(room.min(bytes.len()));
                self.text.extend_from_slice(here);
                self.rest.extend_from_slice(rest);
            }
        }
        self.count(before);
        if self.is_short_of_brackets() {
            // The length was miscounted: the message goes on.
            let before = self.text.len();
            self.text.append(&mut self.rest);
            self.count(before);
        }
        if self.text.len().saturating_add(self.rest.len()) > self.limit {
            return Err(BodyError::TooLong);
        }
        Ok(())
    }

    fn count(&mut self, from: usize) {
        for byte in &self.text[from..] {
            match byte {
                b'(' | b'[' => self.open += 1,
                b')' | b']' => self.open -= 1,
                _ => {}
            }
            self.has_words |= !byte.is_ascii_whitespace();
        }
    }

    /// Whether all that was announced is there, but brackets are open.
    fn is_short_of_brackets(&self) -> bool {
        matches!(self.length, Length::Bytes(bytes) if self.text.len() as u64 >= bytes) && self.open > 0
    }

    /// How far it is.
    pub(crate) fn progress(&self) -> Progress {
        let looks_whole = self.has_words && self.open <= 0;
        match self.length {
            Length::Chunked if self.chunks.is_done() => Progress::Complete,
            Length::Chunked => Progress::More(None),
            Length::Bytes(_) if self.is_short_of_brackets() => Progress::More(Some(SHORT_SILENCE)),
            Length::Bytes(bytes) if self.text.len() as u64 >= bytes => Progress::Complete,
            Length::Bytes(_) => Progress::More(looks_whole.then_some(LONG_SILENCE)),
            Length::Missing if looks_whole => Progress::More(Some(SHORT_SILENCE)),
            Length::Missing if self.has_words => Progress::More(None),
            Length::Missing => Progress::More(Some(LONG_SILENCE)),
        }
    }

    /// The text, and what came after it. `is_closed` says that the sender ended the connection rather than
    /// falling silent.
    pub(crate) fn finish(self, is_closed: bool) -> Result<(String, Vec<u8>), BodyError> {
        let is_short = match self.length {
            Length::Chunked => !self.chunks.is_done(),
            Length::Bytes(bytes) => (self.text.len() as u64) < bytes && self.open > 0,
            Length::Missing => is_closed && self.open > 0,
        };
        if !self.has_words {
            return Err(BodyError::Empty);
        }
        if is_short {
            return Err(BodyError::CutOff);
        }
        Ok((String::from_utf8_lossy(&self.text).into_owned(), self.rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(length: Length, text: &str) -> Body {
        let mut body = Body::new(length, 100).unwrap();
        body.feed(text.as_bytes()).unwrap();
        body
    }

    fn text(body: Body, is_closed: bool) -> Result<String, BodyError> {
        body.finish(is_closed).map(|(text, _)| text)
    }

    #[test]
    fn announced_bodies_end_where_they_say() {
        let body = fed(Length::Bytes(6), "(info)\r\nPOST");
        assert_eq!(body.progress(), Progress::Complete);
        assert_eq!(body.finish(false).unwrap(), ("(info)".into(), b"\r\nPOST".to_vec()));
        let part = fed(Length::Bytes(12), "(play m");
        assert_eq!(part.progress(), Progress::More(None));
        assert_eq!(text(part, true), Err(BodyError::CutOff));
    }

    #[test]
    fn miscounted_bodies_are_understood() {
        // One too few, with the last byte in the same packet or later, and one too many.
        assert_eq!(text(fed(Length::Bytes(5), "(info)"), false).as_deref(), Ok("(info)"));
        let mut late = fed(Length::Bytes(5), "(info");
        assert_eq!(late.progress(), Progress::More(Some(SHORT_SILENCE)));
        late.feed(b")").unwrap();
        assert_eq!(late.progress(), Progress::Complete);
        let early = fed(Length::Bytes(7), "(info)");
        assert_eq!(early.progress(), Progress::More(Some(LONG_SILENCE)));
        assert_eq!(text(early, false).as_deref(), Ok("(info)"));
    }

    #[test]
    fn bodies_without_a_length_end_with_silence_or_the_connection() {
        assert_eq!(fed(Length::Missing, "(play m (").progress(), Progress::More(None));
        assert_eq!(fed(Length::Missing, "(play m ()) ").progress(), Progress::More(Some(SHORT_SILENCE)));
        assert_eq!(fed(Length::Missing, "\r\n").progress(), Progress::More(Some(LONG_SILENCE)));
        assert_eq!(text(fed(Length::Missing, "info"), true).as_deref(), Ok("info"));
        assert_eq!(text(fed(Length::Missing, "(play m ("), true), Err(BodyError::CutOff));
        assert_eq!(text(fed(Length::Missing, " "), true), Err(BodyError::Empty));
    }

    #[test]
    fn bodies_are_limited() {
        assert_eq!(Body::new(Length::Bytes(101), 100).err(), Some(BodyError::TooLong));
        for length in [Length::Missing, Length::Bytes(10)] {
            let mut body = Body::new(length, 100).unwrap();
            assert_eq!(body.feed(&[b'('; 101]), Err(BodyError::TooLong), "{length:?}");
        }
    }
}
