//! How long a body is said to be.

/// How long a body is said to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Length {
    /// Nothing is said.
    #[default]
    Missing,
    /// So many bytes.
    Bytes(u64),
    /// In pieces that say how long they are.
    Chunked,
}

/// Why a header says nothing that could be a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LengthError {
    NoNumber,
    /// Another header says otherwise.
    Two,
    /// The body is encoded in a way that is not known.
    Encoding,
}

impl Length {
    /// Takes a header into account. A length that is too large for a number is too large; where chunks are announced,
    /// it does not count.
    pub(super) fn take(&mut self, name: &str, value: &str) -> Result<(), LengthError> {
        if name.eq_ignore_ascii_case("content-length") {
            if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(LengthError::NoNumber);
            }
            let length = value.parse().unwrap_or(u64::MAX);
            match *self {
                Self::Chunked => {}
                Self::Bytes(known) if known != length => return Err(LengthError::Two),
                _ => *self = Self::Bytes(length),
            }
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            if has(value, "chunked") {
                *self = Self::Chunked;
            } else if !has(value, "identity") {
                return Err(LengthError::Encoding);
            }
        }
        Ok(())
    }
}

/// Whether a word is one of those that commas separate.
pub(super) fn has(value: &str, word: &str) -> bool {
    value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word))
}
