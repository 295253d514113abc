//! A random legal move for every lane and role, in proportion to weights.
//!
//! Weights are taken apart into binary digits. The legal moves whose weight has a digit are counted as
//! uniform choice counts legal moves; a rank below the sum of all weights then falls to one of the
//! digits, and what remains of it is the number of the move among those that have the digit. A lane
//! without any weight has one digit more, of weight 1, which all its legal moves have.

use ludex_game::RoleId;

use super::choose::{
    ChoiceScratch, ToInputs, add_to_total, count, descend, digits_needed, load_all, masks, note_stuck,
    some_lanes, subtract_count,
};
use super::counting::subtract;
use super::random::LaneRandom;
use super::rank::{Totals, draw_ranks};
use super::role_moves::{GROUP, Group, RoleMoves};
use super::vector::{Kernel, Vector};
use crate::kernel::Block;

/// The weights of the moves of a group.
pub(super) type Weights = [u8; GROUP];

/// The moves of a role by the binary digits of their weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WeightDigits {
    /// The digits that some weight has, and 0 for lanes without any weight.
    places: Vec<usize>,
    /// Per group and place all ones or zeros, by move; the last place has all ones.
    masks: Vec<[u64; GROUP]>,
    /// Whether some move has weight 0.
    some_zero: bool,
}

impl WeightDigits {
    /// For a role with these moves.
    pub fn new(role: &RoleMoves, weights: &[Weights]) -> Self {
        let lengths = || role.groups.iter().map(|group| group.length);
        let used = || weights.iter().zip(lengths()).flat_map(|(all, length)| &all[..length]);
        let mut places: Vec<usize> =
            (0..8).filter(|&place| used().any(|weight| weight >> place & 1 == 1)).collect();
        let mut digits = Vec::new();
        for (all, length) in weights.iter().zip(lengths()) {
            for place in &places {
                digits.push(std::array::from_fn(|at| {
                    let set = at < length && all[at] >> place & 1 == 1;
                    0u64.wrapping_sub(u64::from(set))
                }));
            }
            digits.push([u64::MAX; GROUP]);
        }
        places.push(0);
        Self { places, masks: digits, some_zero: used().any(|&weight| weight == 0) }
    }

    /// The masks of a group, by place.
    #[inline(always)]
    fn of_group(&self, number: usize) -> &[[u64; GROUP]] {
        &self.masks[number * self.places.len()..][..self.places.len()]
    }
}

/// What weighted choice keeps for the role at hand.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightScratch<const N: usize> {
    /// Per group and place, how many moves each lane has.
    counts: Vec<[Block<N>; 5]>,
    /// Per place, the digits of how many moves there are in all groups.
    sums: Vec<Vec<Block<N>>>,
    /// Per place the lanes whose rank falls to it.
    fallen: Vec<Block<N>>,
    /// Digits of the number of the move among those of the place.
    index: Vec<Block<N>>,
}

impl<const N: usize> WeightScratch<N> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let sums: usize = self.sums.iter().map(Vec::capacity).sum();
        let blocks = 5 * self.counts.capacity() + sums + self.fallen.capacity() + self.index.capacity();
        blocks * size_of::<Block<N>>()
    }

    /// Makes room for a role.
    fn fit(&mut self, role: &RoleMoves, places: usize) {
        let counts = role.groups.len() * places;
        if self.counts.len() < counts {
            self.counts.resize(counts, [Block::ZERO; 5]);
        }
        if self.sums.len() < places {
            self.sums.resize(places, Vec::new());
            self.fallen.resize(places, Block::ZERO);
        }
        // Finding a move in a group looks at four digits.
        let digits = role.digits.max(4);
        for blocks in self.sums.iter_mut().chain([&mut self.index]) {
            if blocks.len() < digits {
                blocks.resize(digits, Block::ZERO);
            }
        }
    }
}

/// Chooses as [`ChooseUniform`](super::choose::ChooseUniform) does, with weights per role. Where all
/// legal moves of a lane have weight 0, each is equally likely.
pub(super) struct ChooseWeighted<'a, const N: usize> {
    pub roles: &'a [RoleMoves],
    pub weights: &'a [WeightDigits],
    pub slots: &'a mut [Block<N>],
    pub active: &'a mut Block<N>,
    pub random: &'a mut LaneRandom<N>,
    pub scratch: &'a mut ChoiceScratch<N>,
    pub stuck: &'a mut Vec<(RoleId, Block<N>)>,
}

impl<const N: usize> Kernel for ChooseWeighted<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { roles, weights, slots, active, random, scratch, stuck } = self;
        let ChoiceScratch { totals, weighted, dirty, .. } = scratch;
        for (number, (role, weights)) in roles.iter().zip(weights).enumerate() {
            let width = role.digits + 8;
            weighted.fit(role, weights.places.len());
            totals.total[..width].fill(Block::ZERO);
            for part in 0..N / V::WORDS {
                count_places::<V, N>((role, weights), (slots, active), totals, weighted, part);
            }
            let digits = digits_needed::<V, N>(&totals.total[..width], active).max(1);
            for part in 0..N / V::WORDS {
                let open = some_lanes::<V, N>(&totals.total[..width], active, part);
                draw_ranks(totals, digits, (open, part), random);
                choose_place((role, weights), (open, part), &mut totals.rank[..digits], weighted);
                choose_move((role, weights), (slots, open, part), weighted, &mut dirty[number]);
            }
            note_stuck::<V, N>(&totals.total[..width], active, RoleId(number as u32), stuck);
        }
    }
}

/// Counts the legal moves at each place, and sums up all weights.
#[inline(always)]
fn count_places<V: Vector, const N: usize>(
    (role, weights): (&RoleMoves, &WeightDigits),
    (slots, active): (&[Block<N>], &Block<N>),
    totals: &mut Totals<N>,
    scratch: &mut WeightScratch<N>,
    part: usize,
) {
    let last = weights.places.len() - 1;
    for sum in &mut scratch.sums[..=last] {
        sum[..role.digits].iter_mut().for_each(|digit| V::zero().store(digit, part));
    }
    for (group, moves) in role.groups.iter().enumerate() {
        let x = masks::<V, N, GROUP>(moves, slots, part);
        let digits = &weights.of_group(group)[..last];
        for ((mask, counts), sum) in
            digits.iter().zip(&mut scratch.counts[group * (last + 1)..]).zip(&mut scratch.sums)
        {
            count_masked(&x, mask, counts, &mut sum[..role.digits], part);
        }
    }
    let width = role.digits + 8;
    for (&place, sum) in weights.places[..last].iter().zip(&scratch.sums) {
        add_blocks::<V, N>(&sum[..role.digits], &mut totals.total[place..width], part);
    }
    V::zero().store(&mut scratch.fallen[last], part);
    if !weights.some_zero {
        return;
    }
    let plain = V::load(active, part).and_not(some_lanes::<V, N>(&totals.total[..width], active, part));
    if plain.is_zero() {
        return;
    }
    plain.store(&mut scratch.fallen[last], part);
    for (group, moves) in role.groups.iter().enumerate() {
        let mut x = masks::<V, N, GROUP>(moves, slots, part);
        x.iter_mut().for_each(|mask| *mask = mask.and(plain));
        let counts = &mut scratch.counts[group * (last + 1) + last];
        count_masked(&x, &[u64::MAX; GROUP], counts, &mut scratch.sums[last][..role.digits], part);
    }
    add_blocks::<V, N>(&scratch.sums[last][..role.digits], &mut totals.total[..width], part);
}

/// Counts the moves of a group at one place.
#[inline(always)]
fn count_masked<V: Vector, const N: usize>(
    x: &[V; GROUP],
    mask: &[u64; GROUP],
    counts: &mut [Block<N>; 5],
    sum: &mut [Block<N>],
    part: usize,
) {
    let mut masked = *x;
    for (vector, &mask) in masked.iter_mut().zip(mask) {
        *vector = vector.and(V::splat(mask));
    }
    let number = count::<V, GROUP>(&masked);
    for (digit, block) in number.into_iter().zip(counts) {
        digit.store(block, part);
    }
    add_to_total(&number, sum, part);
}

/// Adds a number to a sum with room for it.
#[inline(always)]
fn add_blocks<V: Vector, const N: usize>(number: &[Block<N>], sum: &mut [Block<N>], part: usize) {
    let mut carry = V::zero();
    let mut terms = number.iter();
    for digit in sum {
        let term = match terms.next() {
            Some(block) => V::load(block, part),
            None if carry.is_zero() => return,
            None => V::zero(),
        };
        let old = V::load(digit, part);
        old.xor3(term, carry).store(digit, part);
        carry = old.majority(term, carry);
    }
}

/// Finds the place to which each rank falls, and the number of the move among those of the place.
#[inline(always)]
fn choose_place<V: Vector, const N: usize>(
    (role, weights): (&RoleMoves, &WeightDigits),
    (lanes, part): (V, usize),
    rank: &mut [Block<N>],
    scratch: &mut WeightScratch<N>,
) {
    let WeightScratch { sums, fallen, index, .. } = scratch;
    let last = weights.places.len() - 1;
    let plain = V::load(&fallen[last], part).and(lanes);
    plain.store(&mut fallen[last], part);
    for (at, digit) in index.iter_mut().enumerate() {
        // Where a lane has no weights the rank is the number of the move.
        let rank = rank.get(at).map_or(V::zero(), |block| V::load(block, part));
        rank.and(plain).store(digit, part);
    }
    let mut open = lanes.and_not(plain);
    for (at, &place) in weights.places[..last].iter().enumerate() {
        if open.is_zero() {
            V::zero().store(&mut fallen[at], part);
            continue;
        }
        let mut here = open;
        if at + 1 < last {
            here = open.and(is_below::<V, N>(rank, &sums[at][..role.digits], place, part));
        }
        here.store(&mut fallen[at], part);
        for (digit, rank) in index[..role.digits].iter_mut().zip(rank.iter().skip(place)) {
            V::load(digit, part).or(V::load(rank, part).and(here)).store(digit, part);
        }
        open = open.and_not(here);
        if at + 1 < last && !open.is_zero() {
            subtract_shifted::<V, N>(rank, &sums[at][..role.digits], place, part);
        }
    }
}

/// Where a rank is below a number of weights of this digit.
#[inline(always)]
fn is_below<V: Vector, const N: usize>(
    rank: &[Block<N>],
    number: &[Block<N>],
    place: usize,
    part: usize,
) -> V {
    let mut borrow = V::zero();
    for (at, digit) in rank.iter().skip(place).enumerate() {
        let term = number.get(at).map_or(V::zero(), |block| V::load(block, part));
        borrow = V::load(digit, part).borrow(term, borrow);
    }
    borrow
}

/// Subtracts a number of weights of this digit from the ranks.
#[inline(always)]
fn subtract_shifted<V: Vector, const N: usize>(
    rank: &mut [Block<N>],
    number: &[Block<N>],
    place: usize,
    part: usize,
) {
    let mut borrow = V::zero();
    for (at, digit) in rank.iter_mut().skip(place).enumerate() {
        let term = number.get(at).map_or(V::zero(), |block| V::load(block, part));
        let (difference, next) = subtract(V::load(digit, part), term, borrow);
        difference.store(digit, part);
        borrow = next;
    }
}

/// Makes the moves.
#[inline(always)]
fn choose_move<V: Vector, const N: usize>(
    (role, weights): (&RoleMoves, &WeightDigits),
    (slots, mut open, part): (&mut [Block<N>], V, usize),
    scratch: &mut WeightScratch<N>,
    dirty: &mut [u8],
) {
    let places = weights.places.len();
    let WeightScratch { counts, fallen, index, .. } = scratch;
    for (group, (moves, dirty)) in role.groups.iter().zip(dirty).enumerate() {
        let mut number = [V::zero(); 5];
        for (counts, fallen) in counts[group * places..][..places].iter().zip(&*fallen) {
            let fallen = V::load(fallen, part);
            if !fallen.is_zero() {
                for (digit, block) in number.iter_mut().zip(counts) {
                    *digit = digit.or(V::load(block, part).and(fallen));
                }
            }
        }
        let any = number[0].or(number[1]).or(number[2]).or(number[3]).or(number[4]).and(open);
        if !any.is_zero() {
            let rank = load_all::<V, N, 4>(index, part);
            let here = open.and(subtract_count(&number, &mut index[..role.digits], part));
            if !here.is_zero() {
                *dirty |= 1 << part;
                let x = masks_fallen::<V, N>(moves, weights.of_group(group), (slots, fallen), part);
                let inputs = ToInputs { slots: &mut *slots, inputs: &moves.inputs, part };
                descend::<V, N, GROUP>(&x, rank, here, inputs);
                open = open.and_not(here);
                continue;
            }
        }
        if *dirty >> part & 1 == 1 {
            *dirty &= !(1 << part);
            for &input in &moves.inputs[..moves.length] {
                V::zero().store(&mut slots[input as usize], part);
            }
        }
    }
}

/// The legal moves of a group that have the digit to which each lane's rank has fallen.
#[inline(always)]
fn masks_fallen<V: Vector, const N: usize>(
    group: &Group,
    digits: &[[u64; GROUP]],
    (slots, fallen): (&[Block<N>], &[Block<N>]),
    part: usize,
) -> [V; GROUP] {
    let mut x = masks::<V, N, GROUP>(group, slots, part);
    let mut kept = [V::zero(); GROUP];
    for (mask, fallen) in digits.iter().zip(fallen) {
        let fallen = V::load(fallen, part);
        for (lanes, &mask) in kept.iter_mut().zip(mask) {
            *lanes = lanes.or(fallen.and(V::splat(mask)));
        }
    }
    for (mask, lanes) in x.iter_mut().zip(kept) {
        *mask = mask.and(lanes);
    }
    x
}
