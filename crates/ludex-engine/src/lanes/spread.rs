//! Bits of words spread out to bytes of arrays.

use ludex_game::BitRows;

use super::vector::{Detected, Kernel, Vector, dispatch};

/// Writes rows of so many bits, each of which comes in whole words, lowest bit first.
pub(super) fn write_rows<const N: usize>(set: Detected, words: &[u64], bits: usize, out: BitRows<'_>) {
    if bits == 0 {
        return;
    }
    match out {
        BitRows::Unwanted => {}
        BitRows::Bytes(bytes) => dispatch::<N, _>(set, Spread { words, bits, bytes }),
        BitRows::Words(rows) => rows.copy_from_slice(words),
    }
}

/// Makes bytes of 0 and 1 of bits.
struct Spread<'a> {
    words: &'a [u64],
    bits: usize,
    bytes: &'a mut [u8],
}

impl Kernel for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { words, bits, bytes } = self;
        for (row, words) in words.chunks_exact(bits.div_ceil(64)).enumerate() {
            for (at, &word) in words.iter().enumerate() {
                let first = row * bits + at * 64;
                match bytes.get_mut(first..first + 64) {
                    // What is too much is the beginning of the next row, which comes later.
                    Some(out) => {
                        if let Ok(out) = out.try_into() {
                            V::spread(word, out);
                        }
                    }
                    None => {
                        let mut spread = [0; 64];
                        V::spread(word, &mut spread);
                        let out = &mut bytes[first..(row + 1) * bits];
                        out.copy_from_slice(&spread[..out.len()]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::InstructionSet;

    #[test]
    fn rows_of_bits_become_bytes() {
        let mut rng = ludex_game::Rng::from_seed(1);
        for set in [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512] {
            for bits in [1usize, 7, 8, 63, 64, 65, 100, 128, 200] {
                let length = bits.div_ceil(64);
                // As what comes out of lanes: nothing beyond the bits.
                let rest = if bits % 64 == 0 { u64::MAX } else { (1 << (bits % 64)) - 1 };
                let mut words: Vec<u64> = (0..5 * length).map(|_| rng.bits()).collect();
                words.chunks_mut(length).for_each(|row| row[length - 1] &= rest);
                let bit = |row: usize, at: usize| (words[row * length + at / 64] >> (at % 64) & 1) as u8;
                let mut bytes = vec![9; 5 * bits];
                write_rows::<8>(Detected::at_most(set), &words, bits, BitRows::Bytes(&mut bytes));
                let mut copied = vec![9; words.len()];
                write_rows::<8>(Detected::at_most(set), &words, bits, BitRows::Words(&mut copied));
                assert_eq!(copied, words);
                for row in 0..5 {
                    for at in 0..bits {
                        assert_eq!(bytes[row * bits + at], bit(row, at), "{set:?} {bits} {row} {at}");
                    }
                }
            }
        }
    }
}
