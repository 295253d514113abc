//! Choosing, one lane at a time: the same draws as the vectors make.

use ludex_game::Rng;

use crate::kernel::{Block, InstructionSet};
use crate::lanes::choose::{ChoiceScratch, ChooseUniform};
use crate::lanes::random::LaneRandom;
use crate::lanes::role_moves::RoleMoves;
use crate::lanes::vector::{Detected, dispatch};
use crate::stream::{Output, Slot};
use ludex_game::RoleId;

/// Masks of the moves of some roles, in slots of their own; about every third is complemented.
pub struct Masks<const N: usize> {
    pub slots: Vec<Block<N>>,
    pub legal: Vec<Vec<Output>>,
    pub inputs: Vec<Vec<Option<Slot>>>,
    pub roles: Vec<RoleMoves>,
}

impl<const N: usize> Masks<N> {
    /// Every lane may make each move with likelihood `density / 256`.
    pub fn random(moves: &[usize], density: u64, rng: &mut Rng) -> Self {
        let mut slots = vec![Block::ZERO];
        let mut legal = Vec::new();
        let mut inputs = Vec::new();
        for &count in moves {
            let mut outputs = Vec::new();
            for _ in 0..count {
                let complemented = rng.below(3) == 0;
                let mut mask = Block::<N>::ZERO;
                for lane in 0..64 * N {
                    let set = (rng.below(256) < density) != complemented;
                    mask.0[lane / 64] |= u64::from(set) << (lane % 64);
                }
                outputs.push(Output { slot: Slot(slots.len() as u32), complemented });
                slots.push(mask);
            }
            legal.push(outputs);
        }
        for &count in moves {
            let list = (0..count).map(|_| {
                slots.push(Block::ZERO);
                (rng.below(20) > 0).then(|| Slot(slots.len() as u32 - 1))
            });
            inputs.push(list.collect());
        }
        let unread = slots.len() as u32;
        slots.push(Block::ZERO);
        let roles =
            legal.iter().zip(&inputs).map(|(l, i): (_, &Vec<_>)| RoleMoves::new(l, i, unread)).collect();
        Self { slots, legal, inputs, roles }
    }

    pub fn is_legal(&self, role: usize, at: usize, lane: usize) -> bool {
        let Output { slot, complemented } = self.legal[role][at];
        bit(&self.slots[slot.0 as usize], lane) != complemented
    }

    /// Legal moves of a lane, in the order in which lanes look at them.
    pub fn options(&self, role: usize, lane: usize) -> Vec<usize> {
        let in_order =
            self.roles[role].groups.iter().flat_map(|g| g.moves[..g.length].iter().map(|&m| m as usize));
        in_order.filter(|&m| self.is_legal(role, m, lane)).collect()
    }
}

pub fn bit<const N: usize>(block: &Block<N>, lane: usize) -> bool {
    block.0[lane / 64] >> (lane % 64) & 1 == 1
}

/// What choosing came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen<const N: usize> {
    pub slots: Vec<Block<N>>,
    pub active: Block<N>,
    pub stuck: Vec<(RoleId, Block<N>)>,
}

pub fn choose<const N: usize>(
    masks: &Masks<N>,
    active: Block<N>,
    random: &mut LaneRandom<N>,
    set: InstructionSet,
) -> Chosen<N> {
    let mut slots = masks.slots.clone();
    // Inputs as an earlier step left them.
    for slot in masks.inputs.iter().flatten().flatten() {
        slots[slot.0 as usize] = Block::ONES;
    }
    let mut scratch = ChoiceScratch::new(&masks.roles);
    scratch.mark_dirty();
    let (mut active, mut stuck) = (active, Vec::new());
    let set = Detected::at_most(set);
    let roles = &masks.roles;
    let kernel = ChooseUniform {
        roles,
        first: 0,
        slots: &mut slots,
        active: &mut active,
        random,
        scratch: &mut scratch,
        stuck: &mut stuck,
    };
    dispatch::<N, _>(set, kernel);
    if let Some(unread) = slots.last_mut() {
        *unread = Block::ZERO;
    }
    Chosen { slots, active, stuck }
}

/// The next random word of every generator (xoshiro256++).
fn next<const N: usize>(random: &mut LaneRandom<N>) -> Block<N> {
    let mut out = Block::ZERO;
    for word in 0..N {
        let [a, b, c, d] = random.state.each_mut().map(|block| &mut block.0[word]);
        out.0[word] = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
    }
    out
}

/// Chooses one lane at a time, by Lemire's method written down plainly.
pub fn choose_plainly<const N: usize>(
    masks: &Masks<N>,
    active: Block<N>,
    random: &mut LaneRandom<N>,
) -> Chosen<N> {
    let mut slots = masks.slots.clone();
    let (mut active, mut stuck) = (active, Vec::new());
    for role in 0..masks.roles.len() {
        let mut without = Block::ZERO;
        let mut options: Vec<Vec<usize>> = Vec::new();
        for lane in 0..64 * N {
            let mut list = Vec::new();
            if bit(&active, lane) {
                list = masks.options(role, lane);
                if list.is_empty() {
                    without.0[lane / 64] |= 1 << (lane % 64);
                }
            }
            options.push(list);
        }
        let largest = options.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let digits = 64 - largest.leading_zeros();
        let draws = digits > 1;
        let bits = if draws { digits + 12 } else { 0 };
        let words: Vec<Block<N>> = (0..bits).map(|_| next(random)).collect();
        for (lane, list) in options.iter().enumerate() {
            let total = list.len() as u64;
            if total == 0 {
                continue;
            }
            let drawn: u64 = words.iter().enumerate().map(|(at, w)| u64::from(bit(w, lane)) << at).sum();
            let product = drawn * total;
            let mut rank = product >> bits;
            if draws && product & ((1 << bits) - 1) < (1 << bits) % total {
                rank = random.repeat.below(total);
            }
            if let Some(slot) = masks.inputs[role][list[rank as usize]] {
                slots[slot.0 as usize].0[lane / 64] |= 1 << (lane % 64);
            }
        }
        if without != Block::ZERO {
            stuck.push((RoleId(role as u32), without));
            for (word, gone) in active.0.iter_mut().zip(without.0) {
                *word &= !gone;
            }
        }
    }
    Chosen { slots, active, stuck }
}
