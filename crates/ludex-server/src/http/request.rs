//! The request line and the headers.

use super::length::{Length, LengthError, has};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Post,
    Get,
    Head,
    Options,
    Other,
}

/// Which HTTP/1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Http10,
    Http11,
}

/// The part of a request before its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: Method,
    pub(crate) version: Version,
    pub(crate) length: Length,
    /// Whether the sender waits to be told to go on.
    pub(crate) expects_continue: bool,
    /// Whether the connection may be used again.
    pub(crate) keeps_alive: bool,
    /// What is asked for: a path, mostly.
    pub(crate) target: String,
    /// How the sender signed it.
    pub(crate) signature: Option<String>,
    /// Who says to send it.
    pub(crate) sender: Option<String>,
    /// Whose pages ask, where a browser does.
    pub(crate) origins: Vec<String>,
    /// Whether a browser says that a page of somebody else asks.
    pub(crate) is_cross_site: bool,
    /// Who is asked.
    pub(crate) hosts: Vec<String>,
    /// Whether a browser asks if pages from elsewhere may reach a private network.
    pub(crate) asks_private_network: bool,
}

/// Why this is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HeadError {
    #[error("this is not HTTP")]
    NotHttp,
    #[error("only HTTP/1.0 and HTTP/1.1 are spoken here")]
    Version,
    #[error("there are too many headers")]
    TooManyHeaders,
    #[error("the headers say different lengths")]
    TwoLengths,
    #[error("this encoding of the body is not known")]
    Encoding,
}

/// Where the body begins, if the blank line before it is there. `seen` bytes were looked at before.
pub(crate) fn head_end(bytes: &[u8], seen: usize) -> Option<usize> {
    // The blank line may have begun in what was seen.
    let mut at = seen.saturating_sub(2);
    while let Some(found) = bytes.get(at..)?.iter().position(|&b| b == b'\n') {
        at += found + 1;
        match bytes.get(at..)? {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

/// Reads request line and headers, up to the blank line. Headers that make no sense are passed over.
pub(crate) fn parse_head(bytes: &[u8], most_headers: usize) -> Result<Head, HeadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let (method, target, version) = request_line(lines.next().unwrap_or_default())?;
    let mut head = Head {
        method,
        version,
        length: Length::Missing,
        expects_continue: false,
        keeps_alive: version == Version::Http11,
        target,
        signature: None,
        sender: None,
        origins: Vec::new(),
        is_cross_site: false,
        hosts: Vec::new(),
        asks_private_network: false,
    };
    for (number, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        if number >= most_headers {
            return Err(HeadError::TooManyHeaders);
        }
        if let Some((name, value)) = line.split_once(':') {
            head.take(name.trim(), value.trim())?;
        }
    }
    Ok(head)
}

fn request_line(line: &str) -> Result<(Method, String, Version), HeadError> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [method, rest @ ..] = &words[..] else { return Err(HeadError::NotHttp) };
    if !method.chars().all(|c| c.is_ascii_alphabetic()) || rest.is_empty() {
        return Err(HeadError::NotHttp);
    }
    // Who names no version speaks the oldest one.
    let version = match rest.last().map(|last| last.to_ascii_uppercase()).as_deref() {
        Some("HTTP/1.1") => Version::Http11,
        Some(other) if other.starts_with("HTTP/1.") => Version::Http10,
        Some(other) if other.starts_with("HTTP/") => return Err(HeadError::Version),
        Some(other) if other.starts_with('/') && rest.len() == 1 => Version::Http10,
        _ => return Err(HeadError::NotHttp),
    };
    let method = match method.to_ascii_uppercase().as_str() {
        "POST" => Method::Post,
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "OPTIONS" => Method::Options,
        _ => Method::Other,
    };
    let target = rest.first().map_or_else(String::new, |target| (*target).to_owned());
    Ok((method, target, version))
}

impl Head {
    fn take(&mut self, name: &str, value: &str) -> Result<(), HeadError> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        match self.length.take(name, value) {
            // A length that is no number says nothing.
            Ok(()) | Err(LengthError::NoNumber) => {}
            Err(LengthError::Two) => return Err(HeadError::TwoLengths),
            Err(LengthError::Encoding) => return Err(HeadError::Encoding),
        }
        if is("content-encoding") && !has(value, "identity") && !value.is_empty() {
            return Err(HeadError::Encoding);
        } else if is("expect") {
            self.expects_continue = value.eq_ignore_ascii_case("100-continue");
        } else if is("connection") || is("proxy-connection") {
            if has(value, "close") {
                self.keeps_alive = false;
            } else if has(value, "keep-alive") {
                self.keeps_alive = true;
            }
        } else if is("sender") {
            self.sender = Some(value.to_owned());
        } else if is("ludex-signature") {
            self.signature = Some(value.to_owned());
        } else if is("origin") {
            self.origins.push(value.to_owned());
        } else if is("sec-fetch-site") {
            self.is_cross_site |= !["same-origin", "none"].iter().any(|own| value.eq_ignore_ascii_case(own));
        } else if is("host") && !value.is_empty() {
            self.hosts.push(value.to_owned());
        } else if is("access-control-request-private-network") {
            self.asks_private_network = value.eq_ignore_ascii_case("true");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Head, HeadError> {
        parse_head(text.as_bytes(), 100)
    }

    #[test]
    fn the_end_is_found_whatever_the_line_ends() {
        for text in ["A\n\nbody", "A\r\n\r\nbody", "A\n\r\nbody", "A\r\n\nbody"] {
            let end = head_end(text.as_bytes(), 0).unwrap();
            assert_eq!(&text[end..], "body");
            for seen in 0..end {
                assert_eq!(head_end(&text.as_bytes()[..seen], 0), None, "{text:?} up to {seen}");
                assert_eq!(head_end(text.as_bytes(), seen), Some(end), "{text:?} from {seen}");
            }
        }
    }

    #[test]
    fn the_message_of_the_specification_is_read() {
        let text = "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMEMASTER\r\nReceiver: GAMEPLAYER\r\n\
                    Content-type: text/acl\r\nContent-length: 1194\r\n\r\n";
        let head = read(text).unwrap();
        assert_eq!((head.method, head.version), (Method::Post, Version::Http10));
        assert_eq!((head.length, head.sender.as_deref()), (Length::Bytes(1194), Some("GAMEMASTER")));
        assert!(!head.keeps_alive && !head.expects_continue);
    }

    #[test]
    fn odd_headers_are_read() {
        let head =
            read("post / http/1.1\nCONTENT-LENGTH :12\n\u{fffd}\nno colon\n: empty\nconnection:Close\n");
        let head = head.unwrap();
        assert_eq!((head.method, head.length), (Method::Post, Length::Bytes(12)));
        assert!(!head.keeps_alive);
        assert_eq!(read("POST /\n").map(|head| head.version), Ok(Version::Http10));
        assert_eq!(read("POST / HTTP/1.1\nContent-Length: many\n").unwrap().length, Length::Missing);
        let huge = read("POST / HTTP/1.1\nContent-Length: 99999999999999999999999999\n");
        assert_eq!(huge.unwrap().length, Length::Bytes(u64::MAX));
        let chunked = read("POST / HTTP/1.1\nTransfer-Encoding: chunked\nContent-Length: 5\n");
        assert_eq!(chunked.unwrap().length, Length::Chunked);
    }

    #[test]
    fn what_is_not_a_request_is_told() {
        assert_eq!(read("\u{16}\u{3}\u{1} junk"), Err(HeadError::NotHttp));
        assert_eq!(read(""), Err(HeadError::NotHttp));
        assert_eq!(read("(info)"), Err(HeadError::NotHttp));
        assert_eq!(read("(play m nil)"), Err(HeadError::NotHttp));
        assert_eq!(read("PRI * HTTP/2.0"), Err(HeadError::Version));
        let lengths = "POST / HTTP/1.1\nContent-Length: 5\ncontent-length: 6\n";
        assert_eq!(read(lengths), Err(HeadError::TwoLengths));
        assert_eq!(read("POST / HTTP/1.1\nContent-Encoding: gzip\n"), Err(HeadError::Encoding));
        let many = format!("POST / HTTP/1.1\n{}", "a: b\n".repeat(101));
        assert_eq!(read(&many), Err(HeadError::TooManyHeaders));
    }
}
