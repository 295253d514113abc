//! Random ranks below bit-sliced totals, exactly uniform.
//!
//! Lemire's multiply and shift, all lanes at once: with `k` random bits `u`, the rank below `t` is
//! the high part of `t * u`, computed digit by digit as the random bits come. Draws whose low part is
//! under `2^k mod t` must be repeated; that needs a low part below `2^digits`, which almost no lane
//! has, so only those are looked at, one by one.

use ludex_game::Rng;

use super::random::{Generator, LaneRandom};
use super::vector::Vector;
use crate::kernel::Block;

/// Random bits past the digits of the total: a lane is looked at once in `2^EXTRA` draws.
const EXTRA: usize = 12;

/// Totals with the ranks drawn below them, lowest digit first. `low` is scratch.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals<const N: usize> {
    pub total: Vec<Block<N>>,
    pub rank: Vec<Block<N>>,
    low: Vec<Block<N>>,
}

impl<const N: usize> Totals<N> {
    pub fn new(digits: usize) -> Self {
        let blocks = vec![Block::ZERO; digits];
        Self { total: blocks.clone(), rank: blocks.clone(), low: blocks }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.total.capacity() + self.rank.capacity() + self.low.capacity()) * size_of::<Block<N>>()
    }
}

/// Draws for each lane of `lanes` a rank below its total, which is above 0 and has at most `digits`
/// digits; ranks of other lanes are left as they come. Digits of the rank past `digits` become 0.
#[inline(always)]
pub(super) fn draw_ranks<V: Vector, const N: usize>(
    totals: &mut Totals<N>,
    digits: usize,
    (lanes, part): (V, usize),
    random: &mut LaneRandom<N>,
) {
    let mut generator = Generator::<V>::load(&random.state, part);
    let rest = match digits {
        2 => multiply::<V, N, 2>(totals, part, &mut generator),
        3 => multiply::<V, N, 3>(totals, part, &mut generator),
        4 => multiply::<V, N, 4>(totals, part, &mut generator),
        5 => multiply::<V, N, 5>(totals, part, &mut generator),
        6 => multiply::<V, N, 6>(totals, part, &mut generator),
        7 => multiply::<V, N, 7>(totals, part, &mut generator),
        _ => multiply_any(totals, digits, part, &mut generator),
    };
    for digit in totals.rank.iter_mut().skip(digits) {
        V::zero().store(digit, part);
    }
    generator.store(&mut random.state, part);
    let near = lanes.and_not(rest);
    if !near.is_zero() {
        let mut lanes = Block::ZERO;
        near.store(&mut lanes, part);
        repeat_draws(totals, digits, lanes, &mut random.repeat);
    }
}

/// Multiplies totals of `DIGITS` digits by random numbers; answers where the low part of the product
/// has a digit past the first `DIGITS`.
#[inline(always)]
fn multiply<V: Vector, const N: usize, const DIGITS: usize>(
    totals: &mut Totals<N>,
    part: usize,
    generator: &mut Generator<V>,
) -> V {
    let mut total = [V::zero(); DIGITS];
    for (vector, block) in total.iter_mut().zip(&totals.total) {
        *vector = V::load(block, part);
    }
    let mut high = [V::zero(); DIGITS];
    for block in totals.low.iter_mut().take(DIGITS) {
        multiply_bit(&total, &mut high, generator.bits()).store(block, part);
    }
    let mut rest = V::zero();
    for _ in 0..EXTRA {
        rest = rest.or(multiply_bit(&total, &mut high, generator.bits()));
    }
    for (vector, block) in high.into_iter().zip(&mut totals.rank) {
        vector.store(block, part);
    }
    rest
}

/// Adds `total` where the random bit is set, and shifts: the digit shifted out is the next digit of
/// the low part.
#[inline(always)]
fn multiply_bit<V: Vector, const DIGITS: usize>(total: &[V; DIGITS], high: &mut [V; DIGITS], random: V) -> V {
    let first = total[0].and(random);
    let out = high[0].xor(first);
    let mut carry = high[0].and(first);
    for digit in 1..DIGITS {
        let term = total[digit].and(random);
        high[digit - 1] = high[digit].xor3(term, carry);
        carry = high[digit].majority(term, carry);
    }
    high[DIGITS - 1] = carry;
    out
}

/// [`multiply`] for any number of digits.
#[inline(always)]
fn multiply_any<V: Vector, const N: usize>(
    totals: &mut Totals<N>,
    digits: usize,
    part: usize,
    generator: &mut Generator<V>,
) -> V {
    let Totals { total, rank, low } = totals;
    let (total, rank, low) = (&total[..digits], &mut rank[..digits], &mut low[..digits]);
    for digit in &mut *rank {
        V::zero().store(digit, part);
    }
    let mut rest = V::zero();
    for step in 0..digits + EXTRA {
        let random = generator.bits();
        let mut carry = V::zero();
        let mut out = V::zero();
        for digit in 0..digits {
            let (term, high) = (V::load(&total[digit], part).and(random), V::load(&rank[digit], part));
            let sum = high.xor3(term, carry);
            carry = high.majority(term, carry);
            match digit.checked_sub(1) {
                None => out = sum,
                Some(below) => sum.store(&mut rank[below], part),
            }
        }
        if let Some(highest) = rank.last_mut() {
            carry.store(highest, part);
        }
        match low.get_mut(step) {
            Some(place) => out.store(place, part),
            None => rest = rest.or(out),
        }
    }
    rest
}

/// Draws anew for those of `lanes` whose draw must be rejected.
#[cold]
#[inline(never)]
fn repeat_draws<const N: usize>(totals: &mut Totals<N>, digits: usize, lanes: Block<N>, repeat: &mut Rng) {
    let Totals { total, rank, low } = totals;
    for (word, mut left) in lanes.0.into_iter().enumerate() {
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let number = |blocks: &[Block<N>]| {
                blocks[..digits].iter().rev().fold(0u64, |n, block| n << 1 | (block.0[word] >> bit & 1))
            };
            let bound = number(total).max(1);
            if number(low) < (1u64 << (digits + EXTRA)) % bound {
                let drawn = repeat.below(bound);
                for (digit, block) in rank[..digits].iter_mut().enumerate() {
                    block.0[word] = block.0[word] & !(1 << bit) | (drawn >> digit & 1) << bit;
                }
            }
        }
    }
}
