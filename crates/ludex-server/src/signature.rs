//! Messages to players that are signed with a secret both sides know, so that a player plays for its manager only.
//!
//! A signed message has the header `Ludex-Signature: t=SECONDS,v1=HEX`: the time of the manager in seconds since 1970, and
//! the HMAC-SHA256 (RFC 2104) under the secret of that number in decimal, the method, the path, each followed by a line
//! feed, and the body.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2_for_hmac::Sha256;

/// The name of the header.
pub(crate) const HEADER: &str = "Ludex-Signature";
/// How far the clocks of both sides may be apart, with the way from one to the other, in seconds.
const STALE: u64 = 300;
/// How long a secret may be, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 16..=200;

/// What a manager and a player know, and nobody else.
#[derive(Clone, PartialEq, Eq)]
pub struct MessageSecret(String);

/// Says nothing of it.
impl fmt::Debug for MessageSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageSecret")
    }
}

/// Why a text cannot be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shared secret has 16 to 200 visible characters of ASCII, without spaces")]
pub struct NoSecret;

/// Why a message is not taken as one of the manager. The text says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsigned {
    #[error("this player plays for a manager that signs its messages; this one has no {HEADER}")]
    Missing,
    #[error("the header {HEADER} of this message cannot be read")]
    Unreadable,
    #[error("this message was signed too long ago, or the clocks of manager and player differ by minutes")]
    Stale,
    #[error("this message is signed with another secret, or was changed on its way")]
    Wrong,
}

impl MessageSecret {
    /// Reads a secret.
    ///
    /// # Errors
    /// [`NoSecret`].
    pub fn read(text: &str) -> Result<Self, NoSecret> {
        let text = text.trim();
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_plain && LENGTHS.contains(&text.len()) { Ok(Self(text.to_owned())) } else { Err(NoSecret) }
    }

    /// The secret itself, to be kept.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    fn code<'a>(
        &self,
        at: u64,
        method: &str,
        path: &str,
        body: impl Iterator<Item = &'a str>,
    ) -> Option<Hmac<Sha256>> {
        // Any number of bytes can be a key.
        let mut code = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).ok()?;
        code.update(format!("{at}\n{method}\n{path}\n").as_bytes());
        body.for_each(|piece| code.update(piece.as_bytes()));
        Some(code)
    }

    /// The value of the header of a message that is sent at this time, in milliseconds since 1970.
    pub(crate) fn sign<'a>(
        &self,
        now: u64,
        method: &str,
        path: &str,
        body: impl Iterator<Item = &'a str>,
    ) -> String {
        let at = now / 1000;
        let code = self.code(at, method, path, body).map(|code| code.finalize().into_bytes());
        let hex = code.map_or_else(String::new, |code| hex(&code));
        format!("t={at},v1={hex}")
    }

    /// That a message was signed with this secret, and lately. Codes are compared in a time that says nothing of them.
    pub(crate) fn check(
        &self,
        header: Option<&str>,
        now: u64,
        method: &str,
        path: &str,
        body: &str,
    ) -> Result<(), Unsigned> {
        let header = header.ok_or(Unsigned::Missing)?;
        let (mut at, mut shown) = (None, None);
        for part in header.split(',') {
            match part.trim().split_once('=') {
                Some(("t", text)) => at = text.parse::<u64>().ok(),
                Some(("v1", text)) => shown = bytes(text),
                // What later versions add.
                _ => {}
            }
        }
        let (Some(at), Some(shown)) = (at, shown) else { return Err(Unsigned::Unreadable) };
        let code = self.code(at, method, path, std::iter::once(body)).ok_or(Unsigned::Unreadable)?;
        code.verify_slice(&shown).map_err(|_| Unsigned::Wrong)?;
        if (now / 1000).abs_diff(at) > STALE { Err(Unsigned::Stale) } else { Ok(()) }
    }
}

/// A code as hexadecimal digits.
pub(crate) fn hex(code: &[u8]) -> String {
    code.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that the hexadecimal digits of a code stand for.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000_123;

    fn secret() -> MessageSecret {
        MessageSecret::read(" a-secret-of-two-sides\n").unwrap()
    }

    /// The bytes of the example were computed by the `hmac` module of Python.
    #[test]
    fn a_message_is_signed_as_it_is_written_down() {
        let secret = MessageSecret::read("0123456789abcdef").unwrap();
        let header = secret.sign(1_000_000, "POST", "/", ["(PLAY ", "M1 NIL)"].into_iter());
        assert_eq!(header, "t=1000,v1=e096c42261443208607790aea8ae2a9594f8e514106be3e3d74a4873f7267179");
    }

    #[test]
    fn what_is_unsigned_stale_or_changed_is_refused() {
        let own = secret();
        let header = own.sign(NOW, "POST", "/", std::iter::once("(INFO)"));
        let check = |header: Option<&str>, now, path, body| own.check(header, now, "POST", path, body);
        assert_eq!(check(Some(&header), NOW, "/", "(INFO)"), Ok(()));
        assert_eq!(check(Some(&header), NOW + STALE * 1000, "/", "(INFO)"), Ok(()));
        for now in [NOW + STALE * 1000 + 1000, NOW - STALE * 1000 - 1000] {
            assert_eq!(check(Some(&header), now, "/", "(INFO)"), Err(Unsigned::Stale));
        }
        assert_eq!(check(None, NOW, "/", "(INFO)"), Err(Unsigned::Missing));
        assert_eq!(check(Some(&header), NOW, "/x", "(INFO)"), Err(Unsigned::Wrong));
        assert_eq!(check(Some(&header), NOW, "/", "(INFO )"), Err(Unsigned::Wrong));
        let later = header.replace("t=1700000000", "t=1700000001");
        assert_eq!(check(Some(&later), NOW, "/", "(INFO)"), Err(Unsigned::Wrong), "the time is signed, too");
        let other = MessageSecret::read("another-secret-of-two").unwrap();
        let header = other.sign(NOW, "POST", "/", std::iter::once("(INFO)"));
        assert_eq!(check(Some(&header), NOW, "/", "(INFO)"), Err(Unsigned::Wrong));
        for odd in
            ["", "t=1", "v1=00", "t=x,v1=zz", "t=99999999999999999999,v1=", "t=1700000000,v1=é", "=,=,="]
        {
            assert_eq!(check(Some(odd), NOW, "/", "(INFO)"), Err(Unsigned::Unreadable), "{odd}");
        }
    }

    #[test]
    fn a_secret_is_long_and_is_shown_to_nobody() {
        for wrong in [
            "",
            "short",
            "with a space in it",
            "line\nfeed-in-the-middle",
            &"x".repeat(201),
            "sécret-of-two-sides",
        ] {
            assert_eq!(MessageSecret::read(wrong), Err(NoSecret), "{wrong}");
        }
        assert_eq!(format!("{:?}", secret()), "MessageSecret");
    }
}
