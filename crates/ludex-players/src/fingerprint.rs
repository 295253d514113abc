//! What stands for a state in tables: a fingerprint of 128 bits, or a hash where the state is kept beside it.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// A fingerprint. Two lists of words share one with a chance of about 2^-128, so that among a billion
/// lists any two do with one of about 10^-21.
pub(crate) fn fingerprint(words: impl ExactSizeIterator<Item = u64>) -> [u64; 2] {
    let mut halves = [0x9e37_79b9_7f4a_7c15 ^ words.len() as u64, 0xd1b5_4a32_d192_ed03];
    for word in words {
        halves[0] = fold(halves[0] ^ word, 0xa076_1d64_78bd_642f).rotate_left(23);
        halves[1] = fold(halves[1].wrapping_add(word), 0xe703_7ed1_a0b4_28db) ^ halves[1].rotate_left(41);
    }
    [fold(halves[0], 0x8ebc_6af0_9c88_c6e3), fold(halves[1], 0x5899_65cc_7537_4cc3)]
}

/// Where a state may stand in a table that keeps the states themselves.
pub(crate) fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    words.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}

/// Multiplies to 128 bits and folds the halves.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}
