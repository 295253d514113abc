//! How many legal moves each role has, all lanes at once.

use super::choose::masks;
use super::counting::{count_16, half};
use super::program::LaneProgram;
use super::role_moves::RoleMoves;
use super::states::LaneStates;
use super::transpose::{Rows, TakeRows};
use super::vector::{Kernel, Vector, dispatch};
use crate::kernel::Block;
use crate::stream::{Output, Slot};

/// Binary digits of a count at most: as many as can be put in order of lanes at once.
const MOST_DIGITS: usize = 64;

/// Raises counts, by lane and role, to how many moves the role has there, where lanes go on.
pub(super) fn count_moves<const N: usize>(
    program: &LaneProgram,
    states: &LaneStates<N>,
    going_on: Block<N>,
    counts: &mut [usize],
) {
    let roles = program.roles.len();
    let mut digits = [Block::ZERO; MOST_DIGITS];
    let mut rows: Rows<N> = [Block::ZERO; 64];
    for (number, role) in program.roles.iter().enumerate() {
        dispatch::<N, _>(program.set, Count { role, slots: &states.slots, digits: &mut digits });
        let outputs = (0..role.digits as u32).map(|digit| Output { slot: Slot(digit), complemented: false });
        let take = TakeRows { slots: &digits, outputs, lanes: going_on, rows: &mut rows };
        if dispatch::<N, _>(program.set, take) {
            let own = counts.iter_mut().skip(number).step_by(roles);
            let count = |lane: usize| rows[lane % 64].0[lane / 64] as usize;
            own.enumerate().for_each(|(lane, own)| *own = count(lane).max(*own));
        }
    }
}

/// Counts the moves of a role, one block per binary digit, lowest first.
struct Count<'a, const N: usize> {
    role: &'a RoleMoves,
    slots: &'a [Block<N>],
    digits: &'a mut [Block<N>; MOST_DIGITS],
}

impl<const N: usize> Kernel for Count<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for part in 0..N / V::WORDS {
            let mut sum = [V::zero(); MOST_DIGITS];
            let sum = &mut sum[..self.role.digits];
            for group in &self.role.groups {
                let some = count_16(&masks::<V, N, 16>(group, self.slots, part));
                let mut carry = V::zero();
                for (at, digit) in sum.iter_mut().enumerate() {
                    match some.get(at) {
                        Some(&more) => {
                            let before = *digit;
                            *digit = before.xor3(more, carry);
                            carry = before.majority(more, carry);
                        }
                        None => (*digit, carry) = half(*digit, carry),
                    }
                }
            }
            for (digit, block) in sum.iter().zip(&mut *self.digits) {
                digit.store(block, part);
            }
        }
    }
}
