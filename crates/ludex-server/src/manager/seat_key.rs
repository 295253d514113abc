//! What nobody can guess: keys of seats, and seeds that nobody chose.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::error::ManagerError;

/// The key of a seat, as it is kept: whoever shows it has the seat. The key itself is made of the randomness
/// of the operating system when a match is agreed, is told to whoever made the match, and is kept nowhere; what
/// is kept is its digest. So many bits cannot be found again from that by trying.
#[derive(Clone, PartialEq, Eq)]
pub struct SeatKey {
    digest: String,
    taken: bool,
}

/// The keys of seats that nobody has taken yet, by match and seat.
#[derive(Default)]
pub(super) struct SeatKeys(Mutex<BTreeMap<String, BTreeMap<u32, String>>>);

impl SeatKeys {
    fn open(&self) -> MutexGuard<'_, BTreeMap<String, BTreeMap<u32, String>>> {
        // What is in it is whole at all times.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The keys of all seats of a match, in order.
    pub(super) fn add(&self, id: &str, keys: Vec<String>) {
        self.open().insert(id.to_owned(), (0..).zip(keys).collect());
    }

    /// Another key of a seat.
    pub(super) fn set(&self, id: &str, seat: u32, key: &str) {
        self.open().entry(id.to_owned()).or_default().insert(seat, key.to_owned());
    }

    /// The key of a seat, where it is known.
    pub(super) fn get(&self, id: &str, seat: u32) -> Option<String> {
        self.open().get(id)?.get(&seat).cloned()
    }

    /// A seat is taken.
    pub(super) fn forget(&self, id: &str, seat: u32) {
        if let Some(keys) = self.open().get_mut(id) {
            keys.remove(&seat);
        }
    }

    /// A match is over.
    pub(super) fn forget_all(&self, id: &str) {
        self.open().remove(id);
    }
}

/// Says nothing of the keys.
impl fmt::Debug for SeatKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeatKeys").finish_non_exhaustive()
    }
}

/// A new key of 128 bits, in hexadecimal.
pub(super) fn drawn_key() -> Result<String, ManagerError> {
    Ok(hexadecimal(&random_bytes::<16>()?))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl SeatKey {
    /// What is kept of a key.
    pub fn of(key: &str, taken: bool) -> Self {
        Self { digest: hexadecimal(&Sha256::digest(key)), taken }
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
        let shown = hexadecimal(&Sha256::digest(shown));
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
    fn a_key_fits_itself_alone_and_is_not_kept() {
        let (first, second) = (drawn_key().unwrap(), drawn_key().unwrap());
        assert_eq!(first.len(), 32);
        let own = SeatKey::of(&first, false);
        assert!(own.fits(&first) && !own.fits(&second) && !own.fits(own.digest()));
        for wrong in ["", &first[..31], &first.to_uppercase(), &format!("{first} ")] {
            assert!(!own.fits(wrong) || wrong == first, "{wrong}");
        }
        assert!(!SeatKey::kept("", false).fits(""), "no key is no key");
        assert!(!own.digest().contains(&first) && !format!("{own:?}").contains(own.digest()));
        assert_eq!(SeatKey::kept(own.digest(), false), own);
    }

    #[test]
    fn drawn_seeds_are_numbers_that_doubles_keep() {
        let seeds: Vec<u64> = (0..8).map(|_| drawn_seed().unwrap()).collect();
        assert!(seeds.iter().all(|seed| *seed < 1 << 53) && seeds.windows(2).all(|two| two[0] != two[1]));
    }
}
