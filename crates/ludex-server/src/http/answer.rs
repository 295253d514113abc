//! What a player sends back, read byte by byte: no sockets here.
//!
//! Players are written by many people, so much is taken that the standard forbids: bare line feeds, no
//! reason phrase, blanks before the colon of a header, no length, lines that are no headers at all. What
//! a player sends must not harm anybody, so all of it is limited.

use super::chunks::{ChunkError, Chunks};
use super::length::{Length, LengthError};

/// How much of an answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimits {
    /// The bytes before the body.
    pub head: usize,
    /// The lines before the body.
    pub headers: usize,
    /// The bytes of the body.
    pub body: usize,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { head: 16 << 10, headers: 100, body: 64 << 10 }
    }
}

/// Why what came is not an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// It does not begin as HTTP does.
    #[error("not an answer in HTTP: it begins with `{0}`")]
    NotHttp(String),
    /// The status is one of failure.
    #[error("HTTP status {0}")]
    Status(u16),
    /// The player is said to be somewhere else.
    #[error("HTTP status {0}: players are not looked for elsewhere")]
    Redirect(u16),
    /// Too much before the body.
    #[error("more than {0} bytes of headers")]
    LongHead(usize),
    /// Too many lines before the body.
    #[error("more than {0} headers")]
    ManyHeaders(usize),
    /// Too large a body.
    #[error("an answer of more than {0} bytes")]
    LongBody(usize),
    /// The length is no number, or there are several.
    #[error("a bad Content-Length: `{0}`")]
    Length(String),
    /// A transfer encoding other than `chunked`.
    #[error("a Transfer-Encoding that was not asked for: `{0}`")]
    Encoding(String),
    /// The body is said to come in chunks, and does not.
    #[error("a body that is not in chunks as it should be")]
    Chunk,
    /// The connection was closed before anything came.
    #[error("the connection was closed without an answer")]
    Nothing,
    /// The connection was closed before the body began.
    #[error("the connection was closed among the headers")]
    CutHead,
    /// The connection was closed before the end of the body.
    #[error("the connection was closed after {0} bytes of the answer")]
    CutBody(usize),
}

/// Reads one answer.
#[derive(Debug)]
pub struct AnswerReader {
    limits: AnswerLimits,
    part: Part,
    /// The unfinished line.
    line: Vec<u8>,
    /// The bytes and lines before the body so far.
    head: usize,
    headers: usize,
    interim: bool,
    length: Length,
    chunks: Chunks,
    body: Vec<u8>,
}

/// What is read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Status,
    Headers,
    Body,
}

impl AnswerReader {
    /// Nothing was read yet.
    pub fn new(limits: AnswerLimits) -> Self {
        Self {
            limits,
            part: Part::Status,
            line: Vec::new(),
            head: 0,
            headers: 0,
            interim: false,
            length: Length::Missing,
            chunks: Chunks::default(),
            body: Vec::new(),
        }
    }

    /// Takes what came next. The body when the answer is complete; what comes after it does not count.
    ///
    /// # Errors
    /// [`AnswerError`] as soon as this can be no answer any more.
    pub fn take(&mut self, mut bytes: &[u8]) -> Result<Option<Vec<u8>>, AnswerError> {
        while self.part != Part::Body && !bytes.is_empty() {
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let (now, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
            bytes = rest;
            self.take_line(now, end.is_some())?;
        }
        if self.part != Part::Body {
            return Ok(None);
        }
        self.take_body(bytes)?;
        let is_complete = match self.length {
            Length::Missing => false,
            Length::Bytes(length) => self.body.len() as u64 == length,
            Length::Chunked => self.chunks.has_all(),
        };
        Ok(is_complete.then(|| std::mem::take(&mut self.body)))
    }

    /// The connection was closed: the body, where that is how it ends.
    ///
    /// # Errors
    /// [`AnswerError`] where something is missing.
    pub fn end(self) -> Result<Vec<u8>, AnswerError> {
        match (self.part, self.length) {
            (Part::Body, Length::Missing) => Ok(self.body),
            (Part::Body, _) => Err(AnswerError::CutBody(self.body.len())),
            (Part::Status, _) if self.head == 0 => Err(AnswerError::Nothing),
            _ => Err(AnswerError::CutHead),
        }
    }

    fn take_body(&mut self, bytes: &[u8]) -> Result<(), AnswerError> {
        let (limit, known) = (self.limits.body, self.body.len());
        let wanted = match self.length {
            Length::Chunked => {
                let fed = self.chunks.feed(bytes, &mut self.body, limit);
                return fed.map(drop).map_err(|error| match error {
                    ChunkError::TooLong => AnswerError::LongBody(limit),
                    ChunkError::Broken => AnswerError::Chunk,
                });
            }
            Length::Missing if known + bytes.len() > limit => return Err(AnswerError::LongBody(limit)),
            Length::Missing => bytes.len(),
            Length::Bytes(length) => usize::try_from(length).unwrap_or(usize::MAX) - known,
        };
        self.body.extend_from_slice(&bytes[..wanted.min(bytes.len())]);
        Ok(())
    }

    /// Takes a line, or a part of it that is not its end.
    fn take_line(&mut self, bytes: &[u8], whole: bool) -> Result<(), AnswerError> {
        self.head += bytes.len();
        if self.head > self.limits.head {
            return Err(AnswerError::LongHead(self.limits.head));
        }
        self.line.extend_from_slice(bytes);
        if self.part == Part::Status {
            // Whoever speaks something else is not waited for.
            let blank = self.line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let begun = &self.line[blank..];
            let length = begun.len().min(HTTP.len());
            if !begun[..length].eq_ignore_ascii_case(&HTTP[..length]) {
                return Err(AnswerError::NotHttp(shown(begun)));
            }
        }
        if !whole {
            return Ok(());
        }
        let line = std::mem::take(&mut self.line);
        match self.part {
            Part::Status => self.status(&line),
            _ => self.header(line.trim_ascii_end()),
        }
    }

    fn status(&mut self, line: &[u8]) -> Result<(), AnswerError> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(line);
        let code = text.split_ascii_whitespace().nth(1).and_then(|code| code.parse::<u16>().ok());
        match code {
            Some(100 | 102 | 103) => self.interim = true,
            Some(200..=299) => self.interim = false,
            Some(code @ 300..=399) => return Err(AnswerError::Redirect(code)),
            Some(code @ 100..=999) => return Err(AnswerError::Status(code)),
            _ => return Err(AnswerError::NotHttp(shown(line))),
        }
        self.part = Part::Headers;
        Ok(())
    }

    fn header(&mut self, line: &[u8]) -> Result<(), AnswerError> {
        if line.is_empty() {
            return self.begin_body();
        }
        self.headers += 1;
        if self.headers > self.limits.headers {
            return Err(AnswerError::ManyHeaders(self.limits.headers));
        }
        let text = String::from_utf8_lossy(line);
        let Some((name, value)) = text.split_once(':') else { return Ok(()) };
        let (name, value) = (name.trim(), value.trim());
        self.length.take(name, value).map_err(|error| match error {
            LengthError::NoNumber | LengthError::Two => AnswerError::Length(shown(value.as_bytes())),
            LengthError::Encoding => AnswerError::Encoding(shown(value.as_bytes())),
        })
    }

    fn begin_body(&mut self) -> Result<(), AnswerError> {
        self.part = Part::Body;
        match self.length {
            _ if self.interim => (self.length, self.part) = (Length::Missing, Part::Status),
            Length::Bytes(length) if length > self.limits.body as u64 => {
                return Err(AnswerError::LongBody(self.limits.body));
            }
            _ => {}
        }
        Ok(())
    }
}

const HTTP: &[u8] = b"HTTP/";

/// The first of some bytes, as a text that does nobody any harm.
fn shown(bytes: &[u8]) -> String {
    let begin = &bytes[..bytes.len().min(24)];
    begin.trim_ascii_end().escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> Result<Vec<u8>, AnswerError> {
        read_in_pieces(text, text.len().max(1))
    }

    fn read_in_pieces(text: &[u8], size: usize) -> Result<Vec<u8>, AnswerError> {
        let mut reader = AnswerReader::new(AnswerLimits { head: 400, headers: 8, body: 100 });
        for piece in text.chunks(size) {
            if let Some(body) = reader.take(piece)? {
                return Ok(body);
            }
        }
        reader.end()
    }

    const GOOD: &[(&str, &str)] = &[
        ("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\r\nREADY", "READY"),
        ("HTTP/1.1 200 OK\nContent-Length: 10\n\n(mark 2 2)", "(mark 2 2)"),
        ("HTTP/1.1 200\r\n\r\nready", "ready"),
        ("http/1.0  200  fine\r\n\r\n ( mark 2 2 ) \n", " ( mark 2 2 ) \n"),
        ("HTTP/1.1 200 OK\r\nContent-Length : 4\r\nX\r\n: y\r\n\tfolded\r\n\r\nnoop and more", "noop"),
        ("HTTP/1.1 200 OK\r\ncontent-length:2\r\ncontent-length: 2\r\n\r\nok", "ok"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
        ("HTTP/1.1 200 OK\r\n\r\n", ""),
        ("\r\nHTTP/1.1 200 OK\r\n\r\nx", "x"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", "x"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n(mark\r\n5;a=b\r\n 2 2)\r\n0\r\n\r\n",
            "(mark 2 2)",
        ),
        ("HTTP/1.1 200 OK\nTransfer-Encoding : Chunked\n\n4\nnoop\n0\n", "noop"),
    ];

    #[test]
    fn answers_of_all_kinds_are_read_in_pieces_of_any_size() {
        for (text, body) in GOOD {
            for size in 1..=text.len() {
                assert_eq!(
                    read_in_pieces(text.as_bytes(), size).as_deref(),
                    Ok(body.as_bytes()),
                    "{text} in pieces of {size}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_answer_has_an_exact_cause() {
        let long_head = format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(500));
        let many = format!("HTTP/1.1 200 OK\r\n{}", "a: b\r\n".repeat(9));
        for (text, cause) in [
            (&b""[..], "the connection was closed without an answer"),
            (b"HTTP/1.1 200 OK\r\nCont", "the connection was closed among the headers"),
            (b"HTT", "the connection was closed among the headers"),
            (b"\x16\x03\x01\x02\x00", "not an answer in HTTP: it begins with `\\x16\\x03\\x01\\x02\\x00`"),
            (b"READY", "not an answer in HTTP: it begins with `READY`"),
            (b"HTTP/1.1 fine\r\n", "not an answer in HTTP: it begins with `HTTP/1.1 fine`"),
            (b"HTTP/1.1 500 Oh\r\n", "HTTP status 500"),
            (b"HTTP/1.1 101 Switching Protocols\r\n", "HTTP status 101"),
            (b"HTTP/1.1 302 Found\r\n", "HTTP status 302: players are not looked for elsewhere"),
            (long_head.as_bytes(), "more than 400 bytes of headers"),
            (many.as_bytes(), "more than 8 headers"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "an answer of more than 100 bytes"),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
                "an answer of more than 100 bytes",
            ),
            (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", "a bad Content-Length: `-1`"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n", "a bad Content-Length: `+1`"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n", "a bad Content-Length: `2`"),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n",
                "a Transfer-Encoding that was not asked for: `gzip`",
            ),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n(mark",
                "the connection was closed after 5 bytes of the answer",
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnoop",
                "the connection was closed after 0 bytes of the answer",
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnoop\r\n",
                "a body that is not in chunks as it should be",
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffffff\r\n",
                "an answer of more than 100 bytes",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert_eq!(error, cause, "{}", text.escape_ascii());
        }
        let endless = [&b"HTTP/1.1 200 OK\r\n\r\n"[..], &[b'x'; 101]].concat();
        assert_eq!(read(&endless), Err(AnswerError::LongBody(100)));
        let empty_chunks = format!("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n{}", "1\nx\n".repeat(500));
        assert_eq!(read(empty_chunks.as_bytes()), Err(AnswerError::LongBody(100)));
    }

    proptest! {
        #[test]
        fn pieces_change_nothing_and_nothing_grows(
            begin in 0..GOOD.len(),
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
            more in prop::collection::vec(any::<u8>(), 0..300),
            size in 1usize..40,
        ) {
            let mut text = GOOD[begin].0.as_bytes().to_vec();
            for (at, byte) in flips {
                let at = at.index(text.len());
                text[at] = byte;
            }
            text.extend(more);
            let whole = read(&text);
            // Only what is shown of rubbish depends on how much of it was there.
            prop_assert_eq!(read_in_pieces(&text, size).ok(), whole.clone().ok());
            prop_assert!(whole.map_or(0, |body| body.len()) <= 100);
        }
    }
}
