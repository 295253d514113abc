//! Answers as bytes.

use ludex::matches::message::CONTENT_TYPE;

use crate::http::Version;

/// What is said to a sender that waits to be told to go on.
pub(crate) const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// How a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    NoContent,
    BadRequest,
    Forbidden,
    MethodNotAllowed,
    Timeout,
    TooLong,
    Unsupported,
    HeadersTooLong,
    Unavailable,
    Version,
}

impl Status {
    pub(crate) fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::NoContent => "204 No Content",
            Self::BadRequest => "400 Bad Request",
            Self::Forbidden => "403 Forbidden",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::Timeout => "408 Request Timeout",
            Self::TooLong => "413 Content Too Large",
            Self::Unsupported => "415 Unsupported Media Type",
            Self::HeadersTooLong => "431 Request Header Fields Too Large",
            Self::Unavailable => "503 Service Unavailable",
            Self::Version => "505 HTTP Version Not Supported",
        }
    }
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: Status,
    pub(crate) text: String,
    /// Whether the body is left out, and only its length said.
    pub(crate) head_only: bool,
    /// Whose pages a browser is told may read the answer.
    pub(crate) origin: Option<String>,
    /// Whether a browser is told that pages from elsewhere may reach a private network.
    pub(crate) private_network: bool,
}

impl Reply {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, text: text.into(), head_only: false, origin: None, private_network: false }
    }

    /// The answer as it goes over the wire.
    pub(crate) fn bytes(&self, version: Version, keeps_alive: bool) -> Vec<u8> {
        let version = match version {
            Version::Http10 => "HTTP/1.0",
            Version::Http11 => "HTTP/1.1",
        };
        let media = if self.status == Status::Ok { CONTENT_TYPE } else { "text/plain; charset=utf-8" };
        let mut text = format!("{version} {}\r\n", self.status.line());
        if let Some(origin) = &self.origin {
            text.push_str(&format!("Access-Control-Allow-Origin: {origin}\r\nVary: Origin\r\n"));
        }
        if matches!(self.status, Status::NoContent | Status::MethodNotAllowed) {
            text.push_str("Allow: POST, GET, HEAD, OPTIONS\r\n");
        }
        if self.status == Status::NoContent {
            if self.origin.is_some() {
                text.push_str("Access-Control-Allow-Methods: POST, GET, HEAD, OPTIONS\r\n");
                text.push_str("Access-Control-Allow-Headers: Accept, Content-Type, Receiver, Sender\r\n");
                text.push_str("Access-Control-Max-Age: 86400\r\n");
            }
            if self.private_network {
                text.push_str("Access-Control-Allow-Private-Network: true\r\n");
            }
        } else {
            text.push_str(&format!("Content-Type: {media}\r\nContent-Length: {}\r\n", self.text.len()));
        }
        text.push_str(if keeps_alive {
            "Connection: keep-alive\r\n\r\n"
        } else {
            "Connection: close\r\n\r\n"
        });
        if !self.head_only && self.status != Status::NoContent {
            text.push_str(&self.text);
        }
        text.into_bytes()
    }
}
