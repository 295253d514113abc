//! States turned into lanes and back.
//!
//! Lanes hold the bit of one place of all states side by side; a state outside of lanes is a row of
//! words. Between them lies a transposition of 64 by 64 bits (Hacker's Delight, second edition, figure
//! 7-6, with the lowest bit as column 0) per word of a block, made for all words of a block at once.

use super::vector::{Kernel, Vector};
use crate::kernel::Block;
use crate::stream::{Output, Slot};

/// Sixty-four rows of one word per word of a block: before transposing, row `r` holds bit `r` of 64
/// lanes per word; afterwards, row `r` of word `w` holds 64 bits of lane `64 * w + r`.
pub(super) type Rows<const N: usize> = [Block<N>; 64];

/// One round of transposing: blocks of `WIDTH` by `WIDTH` bits trade places; `REST` is 64 minus `WIDTH`.
#[inline(always)]
fn swap_blocks<V: Vector, const N: usize, const WIDTH: i32, const REST: i32>(
    rows: &mut Rows<N>,
    part: usize,
    mask: u64,
) {
    let width = WIDTH as usize;
    let mask = V::splat(mask);
    for first in (0..64).step_by(2 * width) {
        for row in first..first + width {
            let (a, b) = (V::load(&rows[row], part), V::load(&rows[row + width], part));
            // Turning right by `WIDTH` is shifting right where the mask is set.
            let swapped = a.rotate_left::<REST, WIDTH>().xor(b).and(mask);
            a.xor(swapped.shift_left::<WIDTH>()).store(&mut rows[row], part);
            b.xor(swapped).store(&mut rows[row + width], part);
        }
    }
}

/// Makes rows columns and columns rows.
#[inline(always)]
fn transpose<V: Vector, const N: usize>(rows: &mut Rows<N>, part: usize) {
    swap_blocks::<V, N, 32, 32>(rows, part, 0x0000_0000_FFFF_FFFF);
    swap_blocks::<V, N, 16, 48>(rows, part, 0x0000_FFFF_0000_FFFF);
    swap_blocks::<V, N, 8, 56>(rows, part, 0x00FF_00FF_00FF_00FF);
    swap_blocks::<V, N, 4, 60>(rows, part, 0x0F0F_0F0F_0F0F_0F0F);
    swap_blocks::<V, N, 2, 62>(rows, part, 0x3333_3333_3333_3333);
    swap_blocks::<V, N, 1, 63>(rows, part, 0x5555_5555_5555_5555);
}

/// Turns up to 64 outputs into a row of bits for each of some lanes; other lanes get no bits. Says
/// whether any bit is set.
pub(super) struct TakeRows<'a, I, const N: usize> {
    pub slots: &'a [Block<N>],
    pub outputs: I,
    pub lanes: Block<N>,
    pub rows: &'a mut Rows<N>,
}

impl<I: Iterator<Item = Output> + Clone, const N: usize> Kernel for TakeRows<'_, I, N> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector>(self) -> bool {
        let mut some = false;
        for part in 0..N / V::WORDS {
            let lanes = V::load(&self.lanes, part);
            let mut any = V::zero();
            let mut outputs = self.outputs.clone();
            for row in self.rows.iter_mut() {
                let bits = match outputs.next() {
                    Some(Output { slot, complemented }) => V::load(&self.slots[slot.0 as usize], part)
                        .xor(V::splat(0u64.wrapping_sub(u64::from(complemented))))
                        .and(lanes),
                    None => V::zero(),
                };
                any = any.or(bits);
                bits.store(row, part);
            }
            if !any.is_zero() {
                transpose::<V, N>(self.rows, part);
                some = true;
            }
        }
        some
    }
}

/// Writes rows of bits of some lanes to up to 64 slots.
pub(super) struct PutRows<'a, const N: usize> {
    pub slots: &'a mut [Block<N>],
    pub bases: &'a [Slot],
    pub lanes: Block<N>,
    pub rows: &'a mut Rows<N>,
}

impl<const N: usize> Kernel for PutRows<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for part in 0..N / V::WORDS {
            let lanes = V::load(&self.lanes, part);
            if lanes.is_zero() {
                continue;
            }
            transpose::<V, N>(self.rows, part);
            for (row, slot) in self.rows.iter().zip(self.bases) {
                let block = &mut self.slots[slot.0 as usize];
                V::load(row, part).select(lanes, V::load(block, part)).store(block, part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vector::{Detected, dispatch};
    use super::*;
    use crate::kernel::InstructionSet;

    /// With every instruction set, and for some lanes only.
    fn rows_become_columns<const N: usize>(set: InstructionSet) {
        let mut rng = ludex_game::Rng::from_seed(1);
        let mut random = || Block::<N>(std::array::from_fn(|_| rng.bits()));
        let slots: Vec<Block<N>> = (0..70).map(|_| random()).collect();
        let lanes = random();
        let output = |at: u32| Output { slot: Slot(3 + at), complemented: at.is_multiple_of(3) };
        let mut rows = [Block::ONES; 64];
        let take = TakeRows { slots: &slots, outputs: (0..60).map(output), lanes, rows: &mut rows };
        assert!(dispatch::<N, _>(Detected::at_most(set), take));
        let bit = |block: &Block<N>, lane: usize| block.0[lane / 64] >> (lane % 64) & 1 == 1;
        for lane in 0..64 * N {
            let row = rows[lane % 64].0[lane / 64];
            for at in 0..64 {
                let set = at < 60 && bit(&slots[3 + at], lane) != at.is_multiple_of(3);
                assert_eq!(row >> at & 1 == 1, set && bit(&lanes, lane), "{set:?} {lane} {at}");
            }
        }
        let mut others: Vec<Block<N>> = (0..70).map(|_| random()).collect();
        let before = others.clone();
        let bases: Vec<Slot> = (3..63).map(Slot).collect();
        let put = PutRows { slots: &mut others, bases: &bases, lanes, rows: &mut rows };
        dispatch::<N, _>(Detected::at_most(set), put);
        for (at, (block, old)) in others.iter().zip(&before).enumerate() {
            for lane in 0..64 * N {
                let written = (3..63).contains(&at) && bit(&lanes, lane);
                let complemented = written && (at - 3).is_multiple_of(3);
                let from = if written { &slots[at] } else { old };
                assert_eq!(bit(block, lane), bit(from, lane) != complemented);
            }
        }
        let none =
            TakeRows { slots: &slots, outputs: (0..60).map(output), lanes: Block::ZERO, rows: &mut rows };
        assert!(!dispatch::<N, _>(Detected::at_most(set), none));
        assert_eq!(rows, [Block::ZERO; 64]);
    }

    #[test]
    fn rows_become_columns_and_back() {
        for set in [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512] {
            rows_become_columns::<1>(set);
            rows_become_columns::<4>(set);
            rows_become_columns::<8>(set);
        }
    }
}
