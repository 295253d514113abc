//! What nobody can guess: keys of seats, and seeds that nobody chose.

use std::fmt;

use sha2::{Digest, Sha256};

use super::error::ManagerError;

/// The key of a seat: whoever shows it has the seat. It is made of the randomness of the operating system
/// when a match is agreed, and is kept with the match.
#[derive(Clone, PartialEq, Eq)]
pub struct SeatKey {
    text: String,
    taken: bool,
}

impl SeatKey {
    /// A key that is known already: from a store.
    pub fn new(text: impl Into<String>, taken: bool) -> Self {
        Self { text: text.into(), taken }
    }

    /// A new key of 128 bits, in hexadecimal.
    pub(super) fn draw() -> Result<Self, ManagerError> {
        let text = random_bytes::<16>()?.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Ok(Self::new(text, false))
    }

    /// The key as it is shown.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether somebody has shown it already: the seat is not to be given to anybody else.
    pub fn is_taken(&self) -> bool {
        self.taken
    }

    /// Whether this is the key. Digests are compared, and all of them: how long it takes says nothing about
    /// the key. A seat without a key is opened by none.
    pub fn fits(&self, shown: &str) -> bool {
        let (own, shown) = (Sha256::digest(&self.text), Sha256::digest(shown));
        let differ = own.iter().zip(shown.iter()).fold(0, |differ, (own, shown)| differ | (own ^ shown));
        differ == 0 && !self.text.is_empty()
    }
}

/// Says nothing of the key.
impl fmt::Debug for SeatKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeatKey").field("taken", &self.taken).finish_non_exhaustive()
    }
}

/// A seed that nobody can know beforehand. Records and forms are read by programs whose numbers are doubles,
/// so it has the 53 bits that these keep.
pub(crate) fn drawn_seed() -> Result<u64, ManagerError> {
    Ok(u64::from_le_bytes(random_bytes()?) >> 11)
}

fn random_bytes<const COUNT: usize>() -> Result<[u8; COUNT], ManagerError> {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes).map_err(std::io::Error::from)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_fits_itself_alone() {
        let (first, second) = (SeatKey::draw().unwrap(), SeatKey::draw().unwrap());
        assert_eq!(first.text().len(), 32);
        assert!(first.fits(first.text()) && !first.fits(second.text()));
        for wrong in ["", &first.text()[..31], &first.text().to_uppercase(), &format!("{} ", first.text())] {
            assert!(!first.fits(wrong) || wrong == first.text(), "{wrong}");
        }
        assert!(!SeatKey::new("", false).fits(""), "no key is no key");
        assert!(!format!("{first:?}").contains(first.text()));
    }

    #[test]
    fn drawn_seeds_are_numbers_that_doubles_keep() {
        let seeds: Vec<u64> = (0..8).map(|_| drawn_seed().unwrap()).collect();
        assert!(seeds.iter().all(|seed| *seed < 1 << 53) && seeds.windows(2).all(|two| two[0] != two[1]));
    }
}
