//! A random legal move for every lane and role, in proportion to weights.

use ludex_game::RoleId;

use super::choose::{
    ChoiceScratch, ToInputs, add_to_total, count, digits_needed, masks, note_stuck, some_lanes,
    subtract_count,
};
use super::counting::{Chosen, subtract};
use super::random::LaneRandom;
use super::rank::{Totals, draw_ranks};
use super::role_moves::{GROUP, Group, RoleMoves};
use super::vector::{Vector, Word};
use crate::kernel::Block;

/// Digits of the largest sum of weights of a group: `16 * 255`.
const SUM_DIGITS: usize = 12;

/// The weights of the moves of a group.
pub(super) type Weights = [u8; GROUP];

/// Chooses as [`ChooseUniform`](super::choose::ChooseUniform) does, with weights per role and group.
/// Where all legal moves of a lane have weight 0, each is equally likely.
pub(super) struct ChooseWeighted<'a, const N: usize> {
    pub roles: &'a [RoleMoves],
    pub weights: &'a [Vec<Weights>],
    pub slots: &'a mut [Block<N>],
    pub active: &'a mut Block<N>,
    pub random: &'a mut LaneRandom<N>,
    pub scratch: &'a mut ChoiceScratch<N>,
    pub stuck: &'a mut Vec<(RoleId, Block<N>)>,
}

impl<const N: usize> ChooseWeighted<'_, N> {
    /// Chooses, on plain words: this is not as hot as uniform choice, and long to compile.
    pub fn run(self) {
        let Self { roles, weights, slots, active, random, scratch, stuck } = self;
        for ((number, role), weights) in (0..).zip(roles).zip(weights) {
            choose_for_role(role, weights, slots, active, random, &mut scratch.totals);
            note_stuck::<Word, N>(&scratch.totals.total[..role.digits + 8], active, RoleId(number), stuck);
        }
        scratch.soil();
    }
}

/// Lanes in which no legal move has a weight.
fn plain_lanes<const N: usize>(
    role: &RoleMoves,
    weights: &[Weights],
    slots: &[Block<N>],
    part: usize,
) -> Word {
    let mut any = Word::zero();
    for (group, weights) in role.groups.iter().zip(weights) {
        let x = masks::<Word, N, GROUP>(group, slots, part);
        for at in 0..GROUP {
            if weights[at] > 0 {
                any = any.or(x[at]);
            }
        }
    }
    Word::splat(u64::MAX).and_not(any)
}

/// Digit `digit` of the weight of a move, by lane: its weight where it is legal, 1 in `plain` lanes.
fn weight_digit(mask: Word, weight: u8, digit: usize, plain: Word) -> Word {
    if digit < 8 && weight >> digit & 1 == 1 {
        mask
    } else if digit == 0 {
        mask.and(plain)
    } else {
        Word::zero()
    }
}

/// The sum of the weights of the legal moves of a group.
fn sum_of_group(x: &[Word; GROUP], weights: &Weights, plain: Word) -> [Word; SUM_DIGITS] {
    let used = weights.iter().fold(1, |all, w| all | w);
    let mut sum = [Word::zero(); SUM_DIGITS];
    for digit in 0..8 {
        if used >> digit & 1 == 0 {
            continue;
        }
        let mut plane = [Word::zero(); GROUP];
        for (at, place) in plane.iter_mut().enumerate() {
            *place = weight_digit(x[at], weights[at], digit, plain);
        }
        let number = count::<Word, GROUP>(&plane);
        let mut carry = Word::zero();
        for (at, total) in sum.iter_mut().enumerate().skip(digit) {
            let term = number.get(at - digit).copied().unwrap_or(Word::zero());
            let old = *total;
            *total = old.xor3(term, carry);
            carry = old.majority(term, carry);
        }
    }
    sum
}

/// Finds the move of a group in which the ranks fall, by going through its moves in order.
fn find_in_group<const N: usize>(
    x: &[Word; GROUP],
    (group, weights): (&Group, &Weights),
    mut rank: [Word; SUM_DIGITS],
    (mut here, plain): (Word, Word),
    mut inputs: ToInputs<'_, N>,
) {
    for at in 0..group.length.min(GROUP) {
        let mut borrow = Word::zero();
        for (digit, place) in rank.iter_mut().enumerate() {
            let (difference, next) = subtract(*place, weight_digit(x[at], weights[at], digit, plain), borrow);
            *place = difference;
            borrow = next;
        }
        inputs.put(at, here.and(borrow));
        here = here.and_not(borrow);
    }
}

/// Chooses for one role.
fn choose_for_role<const N: usize>(
    role: &RoleMoves,
    weights: &[Weights],
    slots: &mut [Block<N>],
    active: &Block<N>,
    random: &mut LaneRandom<N>,
    totals: &mut Totals<N>,
) {
    let width = role.digits + 8;
    totals.total[..width].fill(Block::ZERO);
    for part in 0..N {
        let plain = plain_lanes(role, weights, slots, part);
        for (group, weights) in role.groups.iter().zip(weights) {
            let sum = sum_of_group(&masks::<Word, N, GROUP>(group, slots, part), weights, plain);
            add_to_total(&sum, &mut totals.total[..width], part);
        }
    }
    let digits = digits_needed::<Word, N>(&totals.total[..width], active).max(1);
    for part in 0..N {
        let plain = plain_lanes(role, weights, slots, part);
        let mut open = some_lanes::<Word, N>(&totals.total[..width], active, part);
        draw_ranks(totals, digits, (open, part), random);
        for (group, weights) in role.groups.iter().zip(weights) {
            let x = masks::<Word, N, GROUP>(group, slots, part);
            let sum = sum_of_group(&x, weights, plain);
            let mut rank = [Word::zero(); SUM_DIGITS];
            for (vector, block) in rank.iter_mut().zip(&totals.rank[..digits]) {
                *vector = Word::load(block, part);
            }
            let here = open.and(subtract_count(&sum, &mut totals.rank[..digits], part));
            open = open.and_not(here);
            let inputs = ToInputs { slots: &mut *slots, inputs: &group.inputs, part };
            find_in_group(&x, (group, weights), rank, (here, plain), inputs);
        }
    }
}
