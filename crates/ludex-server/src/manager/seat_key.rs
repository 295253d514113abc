//! What nobody can guess: keys of seats, and seeds that nobody chose.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

use super::error::ManagerError;
use crate::lock::lock;

/// The keys of seats that nobody has taken yet, by match and seat.
#[derive(Default)]
pub(super) struct SeatKeys(Mutex<BTreeMap<String, BTreeMap<u32, String>>>);

impl SeatKeys {
    /// The keys of all seats of a match, in order.
    pub(super) fn add(&self, id: &str, keys: Vec<String>) {
        lock(&self.0).insert(id.to_owned(), (0..).zip(keys).collect());
    }

    /// Another key of a seat.
    pub(super) fn set(&self, id: &str, seat: u32, key: &str) {
        lock(&self.0).entry(id.to_owned()).or_default().insert(seat, key.to_owned());
    }

    /// The key of a seat, where it is known.
    pub(super) fn get(&self, id: &str, seat: u32) -> Option<String> {
        lock(&self.0).get(id)?.get(&seat).cloned()
    }

    /// A seat is taken.
    pub(super) fn forget(&self, id: &str, seat: u32) {
        if let Some(keys) = lock(&self.0).get_mut(id) {
            keys.remove(&seat);
        }
    }

    /// A match is over.
    pub(super) fn forget_all(&self, id: &str) {
        lock(&self.0).remove(id);
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
    Ok(format!("{:032x}", u128::from_le_bytes(random_bytes()?)))
}

/// A secret of 256 bits, in hexadecimal.
pub(super) fn drawn_secret() -> Result<String, ManagerError> {
    Ok(random_bytes::<32>()?.iter().map(|byte| format!("{byte:02x}")).collect())
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
    use crate::model::SeatKey;

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
