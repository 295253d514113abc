//! What a player sends back, read byte by byte: no sockets here.
//!
//! Players are written by many people, so much is taken that the standard forbids: bare line feeds, no
//! reason phrase, blanks before the colon of a header, no length, lines that are no headers at all. What
//! a player sends must not harm anybody, so all of it is limited.

use std::ops::ControlFlow;

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
    length: Option<usize>,
    chunked: bool,
    body: Vec<u8>,
}

/// What is read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Status,
    Headers,
    /// So many bytes of the body.
    Exactly(usize),
    /// The body goes on until the connection is closed.
    UntilClosed,
    ChunkSize,
    /// So many bytes of a chunk.
    Chunk(usize),
    ChunkEnd,
}

type Progress = Result<ControlFlow<()>, AnswerError>;
const GO_ON: Progress = Ok(ControlFlow::Continue(()));
const ENOUGH: Progress = Ok(ControlFlow::Break(()));

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
            length: None,
            chunked: false,
            body: Vec::new(),
        }
    }

    /// Takes what came next. The body when the answer is complete; what comes after it does not count.
    ///
    /// # Errors
    /// [`AnswerError`] as soon as this can be no answer any more.
    pub fn take(&mut self, mut bytes: &[u8]) -> Result<Option<Vec<u8>>, AnswerError> {
        while !bytes.is_empty() {
            let progress = match self.part {
                Part::Exactly(wanted) | Part::Chunk(wanted) => {
                    let (now, rest) = bytes.split_at(wanted.min(bytes.len()));
                    bytes = rest;
                    self.body.extend_from_slice(now);
                    self.part = self.after(wanted - now.len());
                    if self.part == Part::Exactly(0) { ENOUGH } else { GO_ON }
                }
                Part::UntilClosed => {
                    if self.body.len() + bytes.len() > self.limits.body {
                        return Err(AnswerError::LongBody(self.limits.body));
                    }
                    self.body.extend_from_slice(bytes);
                    return Ok(None);
                }
                Part::Status | Part::Headers | Part::ChunkSize | Part::ChunkEnd => {
                    let end = bytes.iter().position(|&byte| byte == b'\n');
                    let (now, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
                    bytes = rest;
                    self.take_line(now, end.is_some())
                }
            };
            if progress?.is_break() {
                return Ok(Some(std::mem::take(&mut self.body)));
            }
        }
        Ok(None)
    }

    /// The connection was closed: the body, where that is how it ends.
    ///
    /// # Errors
    /// [`AnswerError`] where something is missing.
    pub fn end(self) -> Result<Vec<u8>, AnswerError> {
        match self.part {
            Part::UntilClosed => Ok(self.body),
            Part::Status if self.head == 0 => Err(AnswerError::Nothing),
            Part::Status | Part::Headers => Err(AnswerError::CutHead),
            Part::Exactly(_) | Part::ChunkSize | Part::Chunk(_) | Part::ChunkEnd => {
                Err(AnswerError::CutBody(self.body.len()))
            }
        }
    }

    /// The part of the body that is read when so much of this one is missing.
    fn after(&self, missing: usize) -> Part {
        match self.part {
            Part::Chunk(_) if missing == 0 => Part::ChunkEnd,
            Part::Chunk(_) => Part::Chunk(missing),
            _ => Part::Exactly(missing),
        }
    }

    /// Takes a line, or a part of it that is not its end.
    fn take_line(&mut self, bytes: &[u8], whole: bool) -> Progress {
        self.head += bytes.len();
        // Lines between chunks count as well: a body may not bring along more of them than of itself.
        if self.head > self.limits.head {
            return Err(match self.part {
                Part::Status | Part::Headers => AnswerError::LongHead(self.limits.head),
                _ => AnswerError::Chunk,
            });
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
            return GO_ON;
        }
        let line = std::mem::take(&mut self.line);
        match self.part {
            Part::Status => self.status(&line),
            Part::Headers => self.header(line.trim_ascii_end()),
            Part::ChunkSize => self.chunk_size(line.trim_ascii()),
            _ if line.trim_ascii().is_empty() => {
                self.part = Part::ChunkSize;
                GO_ON
            }
            _ => Err(AnswerError::Chunk),
        }
    }

    fn status(&mut self, line: &[u8]) -> Progress {
        if line.trim_ascii().is_empty() {
            return GO_ON;
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
        GO_ON
    }

    fn header(&mut self, line: &[u8]) -> Progress {
        if line.is_empty() {
            return self.begin_body();
        }
        self.headers += 1;
        if self.headers > self.limits.headers {
            return Err(AnswerError::ManyHeaders(self.limits.headers));
        }
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { return GO_ON };
        let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            let wrong = || AnswerError::Length(shown(value));
            let digits = std::str::from_utf8(value).ok().filter(|v| v.bytes().all(|b| b.is_ascii_digit()));
            // More digits than a number can have are too many bytes, too.
            let digits = digits.filter(|digits| !digits.is_empty()).ok_or_else(wrong)?;
            let length = digits.parse().unwrap_or(usize::MAX);
            if self.length.replace(length).is_some_and(|before| before != length) {
                return Err(wrong());
            }
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            if value.eq_ignore_ascii_case(b"chunked") {
                self.chunked = true;
            } else if !value.eq_ignore_ascii_case(b"identity") {
                return Err(AnswerError::Encoding(shown(value)));
            }
        }
        GO_ON
    }

    fn begin_body(&mut self) -> Progress {
        if self.interim {
            (self.length, self.chunked) = (None, false);
            self.part = Part::Status;
            return GO_ON;
        }
        self.part = match self.length {
            _ if self.chunked => Part::ChunkSize,
            Some(length) if length > self.limits.body => {
                return Err(AnswerError::LongBody(self.limits.body));
            }
            Some(0) => return ENOUGH,
            Some(length) => Part::Exactly(length),
            None => Part::UntilClosed,
        };
        GO_ON
    }

    fn chunk_size(&mut self, line: &[u8]) -> Progress {
        let digits = line.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        let text = std::str::from_utf8(digits).ok().filter(|t| t.bytes().all(|b| b.is_ascii_hexdigit()));
        let text = text.filter(|text| !text.is_empty()).ok_or(AnswerError::Chunk)?;
        let size = usize::from_str_radix(text, 16).unwrap_or(usize::MAX);
        if size == 0 {
            return ENOUGH;
        }
        if size > self.limits.body - self.body.len() {
            return Err(AnswerError::LongBody(self.limits.body));
        }
        self.part = Part::Chunk(size);
        GO_ON
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
