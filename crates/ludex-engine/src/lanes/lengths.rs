//! How many steps each lane has made, bit-sliced.

use super::states::{and, count, has, without};
use super::vector::{Kernel, Vector};
use crate::kernel::Block;

/// Counters that go up to a limit.
#[derive(Clone, Debug)]
pub(super) struct Lengths<const N: usize> {
    digits: Vec<Block<N>>,
    limit: u32,
}

impl<const N: usize> Lengths<N> {
    /// All zero.
    pub fn new(limit: u32) -> Self {
        Self { digits: vec![Block::ZERO; (u32::BITS - limit.leading_zeros()) as usize], limit }
    }

    /// Adds 1 in these lanes, which are below the limit.
    pub fn count_step(&mut self, lanes: Block<N>) {
        let mut carry = lanes;
        for digit in &mut self.digits {
            if carry == Block::ZERO {
                return;
            }
            let old = *digit;
            for word in 0..N {
                digit.0[word] ^= carry.0[word];
            }
            carry = and(old, carry);
        }
    }

    /// Takes 1 away in these lanes, which are above 0.
    pub fn take_back(&mut self, lanes: Block<N>) {
        let mut borrow = lanes;
        for digit in &mut self.digits {
            if borrow == Block::ZERO {
                return;
            }
            let old = *digit;
            for word in 0..N {
                digit.0[word] ^= borrow.0[word];
            }
            borrow = without(borrow, old);
        }
    }

    /// Sets these lanes to 0.
    pub fn reset(&mut self, lanes: Block<N>) {
        for digit in &mut self.digits {
            *digit = without(*digit, lanes);
        }
    }

    /// Those of `lanes` that are at the limit.
    pub fn at_limit(&self, lanes: Block<N>) -> Block<N> {
        let mut equal = lanes;
        for (at, digit) in self.digits.iter().enumerate().rev() {
            equal = if self.limit >> at & 1 == 1 { and(equal, *digit) } else { without(equal, *digit) };
            if equal == Block::ZERO {
                break;
            }
        }
        equal
    }

    /// The steps of one lane.
    pub fn of(&self, lane: usize) -> u32 {
        self.digits.iter().rev().fold(0, |n, digit| n << 1 | u32::from(has(digit, lane)))
    }
}

/// The sum of the lengths of some lanes, and of their squares.
pub(super) struct SumLengths<'a, const N: usize> {
    pub lengths: &'a Lengths<N>,
    pub lanes: Block<N>,
}

impl<const N: usize> Kernel for SumLengths<'_, N> {
    type Output = (u64, u64);

    #[inline(always)]
    fn run<V: Vector>(self) -> (u64, u64) {
        let digits = &self.lengths.digits;
        let (mut sum, mut squares) = (0u64, 0u64);
        for (i, a) in digits.iter().enumerate() {
            let a = and(*a, self.lanes);
            if a == Block::ZERO {
                continue;
            }
            let ones = u64::from(count(a));
            sum = sum.wrapping_add(ones << i);
            squares = squares.wrapping_add(ones << (2 * i));
            for (j, b) in digits.iter().enumerate().skip(i + 1) {
                squares = squares.wrapping_add(u64::from(count(and(a, *b))) << (i + j + 1));
            }
        }
        (sum, squares)
    }
}
