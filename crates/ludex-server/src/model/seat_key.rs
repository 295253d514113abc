//! What is kept of the key of a seat.

use std::fmt;

use ludex::game::sha256;

/// The key of a seat, as it is kept: whoever shows it has the seat. The key itself is made of the randomness
/// of the operating system when a match is agreed, is told to whoever made the match, and is kept nowhere; what
/// is kept is its digest. So many bits cannot be found again from that by trying.
#[derive(Clone, PartialEq, Eq)]
pub struct SeatKey {
    digest: String,
    taken: bool,
}

impl SeatKey {
    /// What is kept of a key.
    pub fn of(key: &str, taken: bool) -> Self {
        Self { digest: sha256(key), taken }
    }

    /// What was kept of a key: from a store.
    pub fn kept(digest: impl Into<String>, taken: bool) -> Self {
        Self { digest: digest.into(), taken }
    }

    /// The SHA-256 of the key, in hexadecimal; empty where there is no key.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether somebody has shown it already: the seat is not to be given to anybody else.
    pub fn is_taken(&self) -> bool {
        self.taken
    }

    /// Whether this is the key. Digests are compared, and all of them: how long it takes says nothing about
    /// the key. A seat without a key is opened by none.
    pub fn fits(&self, shown: &str) -> bool {
        let shown = sha256(shown);
        let (own, shown) = (self.digest.as_bytes(), shown.as_bytes());
        let differ = own.iter().zip(shown).fold(0, |differ, (own, shown)| differ | (own ^ shown));
        differ == 0 && own.len() == shown.len()
    }
}

/// Says nothing of the key.
impl fmt::Debug for SeatKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeatKey").field("taken", &self.taken).finish_non_exhaustive()
    }
}
