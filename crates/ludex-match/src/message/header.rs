//! The headers of messages, as plain data.

/// What managers call themselves (specification 8).
pub const SENDER: &str = "GAMEMASTER";
/// The media type of messages and answers.
pub const CONTENT_TYPE: &str = "text/acl";

/// The headers of a message of so many bytes to the player of this registered name, in the order of
/// the specification (appendix B).
pub fn request_headers(receiver: &str, length: usize) -> [(&'static str, String); 5] {
    [
        ("Accept", "text/delim".to_owned()),
        ("Sender", SENDER.to_owned()),
        ("Receiver", header_value(receiver)),
        ("Content-type", CONTENT_TYPE.to_owned()),
        ("Content-length", length.to_string()),
    ]
}

/// The headers of an answer of so many bytes.
pub fn response_headers(length: usize) -> [(&'static str, String); 2] {
    [("Content-type", CONTENT_TYPE.to_owned()), ("Content-length", length.to_string())]
}

/// A text that can stand in a header: a line break in a player's name must not start another header.
fn header_value(text: &str) -> String {
    let safe = |c: char| if c == ' ' || c.is_ascii_graphic() { c } else { '?' };
    text.trim().chars().map(safe).collect()
}
