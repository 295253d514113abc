//! States turned into lanes and back.

/// Transposes a matrix of 64 by 64 bits: bit `c` of word `r` becomes bit `r` of word `c` (Hacker's
/// Delight, second edition, figure 7-6, with the lowest bit as column 0).
pub(super) fn transpose(rows: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width != 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = (rows[row] >> width ^ rows[row + width]) & mask;
            rows[row] ^= swapped << width;
            rows[row + width] ^= swapped;
            row = (row + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let mut rng = ludex_game::Rng::from_seed(1);
        let before: [u64; 64] = std::array::from_fn(|_| rng.bits());
        let mut after = before;
        transpose(&mut after);
        for (r, row) in before.iter().enumerate() {
            for (c, column) in after.iter().enumerate() {
                assert_eq!(row >> c & 1, column >> r & 1);
            }
        }
    }
}
