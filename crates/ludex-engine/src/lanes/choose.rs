//! A random legal move for every lane and role.

use ludex_game::RoleId;

use super::counting::{Chosen, count_4, count_8, count_16, descend_4, descend_8, descend_16, subtract};
use super::random::LaneRandom;
use super::rank::{Totals, draw_ranks};
use super::role_moves::{GROUP, Group, RoleMoves};
use super::vector::{Kernel, Vector};
use crate::kernel::Block;

/// Binary digits of a count of the moves of one group.
const GROUP_DIGITS: usize = 5;

/// What choosing keeps between steps.
#[derive(Clone, Debug)]
pub(super) struct ChoiceScratch<const N: usize> {
    /// Per group of the role at hand, how many moves each lane has.
    counts: Vec<[Block<N>; GROUP_DIGITS]>,
    pub totals: Totals<N>,
    /// Per role and group whether an input may be set: one bit per word of a block.
    pub(super) dirty: Vec<Vec<u8>>,
}

impl<const N: usize> ChoiceScratch<N> {
    /// For inputs that are all zero.
    pub fn new(roles: &[RoleMoves]) -> Self {
        let groups = roles.iter().map(|r| r.groups.len()).max().unwrap_or(0);
        let digits = roles.iter().map(|r| r.digits).max().unwrap_or(0).max(GROUP_DIGITS);
        Self {
            counts: vec![[Block::ZERO; GROUP_DIGITS]; groups],
            totals: Totals::new(digits),
            dirty: roles.iter().map(|r| vec![0; r.groups.len()]).collect(),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let dirty: usize = self.dirty.iter().map(Vec::capacity).sum();
        GROUP_DIGITS * self.counts.capacity() * size_of::<Block<N>>() + self.totals.bytes() + dirty
    }

    /// Notes that any input may be set.
    pub fn mark_dirty(&mut self) {
        self.dirty.iter_mut().for_each(|role| role.fill(u8::MAX));
    }
}

/// Chooses for each role and each active lane one of the legal moves, each as likely as the others,
/// and writes the inputs of all lanes. Lanes where a role has no legal move leave `active` and are
/// noted with the first such role.
pub(super) struct ChooseUniform<'a, const N: usize> {
    /// Some of the roles, one after the other.
    pub roles: &'a [RoleMoves],
    /// The number of the first of them.
    pub first: usize,
    pub slots: &'a mut [Block<N>],
    pub active: &'a mut Block<N>,
    pub random: &'a mut LaneRandom<N>,
    pub scratch: &'a mut ChoiceScratch<N>,
    pub stuck: &'a mut Vec<(RoleId, Block<N>)>,
}

impl<const N: usize> Kernel for ChooseUniform<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { roles, first, slots, active, random, scratch, stuck } = self;
        for (at, role) in (first..).zip(roles) {
            match &role.groups[..] {
                [] => scratch.totals.total[..1].fill(Block::ZERO),
                [only] => {
                    if only.length <= 4 {
                        choose_in_group::<V, N, 4>(only, slots, active, random, &mut scratch.totals);
                    } else if only.length <= 8 {
                        choose_in_group::<V, N, 8>(only, slots, active, random, &mut scratch.totals);
                    } else {
                        choose_in_group::<V, N, 16>(only, slots, active, random, &mut scratch.totals);
                    }
                }
                _ => choose_in_many::<V, N>(role, at, slots, active, random, scratch),
            }
            note_stuck::<V, N>(&scratch.totals.total[..role.digits], active, RoleId(at as u32), stuck);
        }
    }
}

/// Takes lanes whose total is 0 out of `active`.
#[inline(always)]
fn note_stuck<V: Vector, const N: usize>(
    total: &[Block<N>],
    active: &mut Block<N>,
    role: RoleId,
    stuck: &mut Vec<(RoleId, Block<N>)>,
) {
    let mut any = false;
    let mut without = Block::ZERO;
    for part in 0..N / V::WORDS {
        let lanes = V::load(active, part);
        let some = some_lanes::<V, N>(total, active, part);
        let missing = lanes.and_not(some);
        missing.store(&mut without, part);
        any |= !missing.is_zero();
        some.store(active, part);
    }
    if any {
        stuck.push((role, without));
    }
}

/// The legal masks of a group of at most `LENGTH` moves.
#[inline(always)]
pub(super) fn masks<V: Vector, const N: usize, const LENGTH: usize>(
    group: &Group,
    slots: &[Block<N>],
    part: usize,
) -> [V; GROUP] {
    let mut x = [V::zero(); GROUP];
    for (at, mask) in x.iter_mut().enumerate().take(LENGTH) {
        *mask = V::load(&slots[group.legal[at] as usize], part);
    }
    if group.complemented != 0 {
        for (at, mask) in x.iter_mut().enumerate().take(LENGTH) {
            *mask = mask.xor(V::splat(0u64.wrapping_sub(u64::from(group.complemented >> at & 1))));
        }
    }
    x
}

/// How many of the masks are set, by lane.
#[inline(always)]
fn count<V: Vector, const LENGTH: usize>(x: &[V; GROUP]) -> [V; GROUP_DIGITS] {
    let zero = V::zero();
    match LENGTH {
        4 => {
            let [a, b, c] = count_4(x, 0);
            [a, b, c, zero, zero]
        }
        8 => {
            let [a, b, c, d] = count_8(x, 0);
            [a, b, c, d, zero]
        }
        _ => count_16(x),
    }
}

/// Writes chosen moves to their inputs.
struct ToInputs<'a, const N: usize> {
    pub slots: &'a mut [Block<N>],
    pub inputs: &'a [u32; GROUP],
    pub part: usize,
}

impl<V: Vector, const N: usize> Chosen<V> for ToInputs<'_, N> {
    #[inline(always)]
    fn put(&mut self, at: usize, lanes: V) {
        lanes.store(&mut self.slots[self.inputs[at] as usize], self.part);
    }
}

/// Finds the moves of these ranks in a group and writes them to the inputs.
#[inline(always)]
fn descend<V: Vector, const N: usize, const LENGTH: usize>(
    x: &[V; GROUP],
    rank: [V; 4],
    lanes: V,
    mut chosen: ToInputs<'_, N>,
) {
    match LENGTH {
        4 => descend_4(x, 0, [rank[0], rank[1]], lanes, &mut chosen),
        8 => descend_8(x, 0, [rank[0], rank[1], rank[2]], lanes, &mut chosen),
        _ => descend_16(x, rank, lanes, &mut chosen),
    }
}

/// Makes the only legal move in each lane.
#[inline(always)]
fn copy_masks<V: Vector, const N: usize>(
    x: &[V; GROUP],
    lanes: V,
    length: usize,
    mut chosen: ToInputs<'_, N>,
) {
    for (at, &mask) in x.iter().enumerate().take(length) {
        chosen.put(at, mask.and(lanes));
    }
}

/// The first `LENGTH` of the blocks.
#[inline(always)]
fn load_all<V: Vector, const N: usize, const LENGTH: usize>(blocks: &[Block<N>], part: usize) -> [V; LENGTH] {
    let mut out = [V::zero(); LENGTH];
    for (vector, block) in out.iter_mut().zip(blocks) {
        *vector = V::load(block, part);
    }
    out
}

/// How many digits the totals of these lanes need.
#[inline(always)]
fn digits_needed<V: Vector, const N: usize>(total: &[Block<N>], lanes: &Block<N>) -> usize {
    for (at, digit) in total.iter().enumerate().rev() {
        for part in 0..N / V::WORDS {
            if !V::load(digit, part).and(V::load(lanes, part)).is_zero() {
                return at + 1;
            }
        }
    }
    0
}

/// Chooses for a role with one group.
#[inline(always)]
fn choose_in_group<V: Vector, const N: usize, const LENGTH: usize>(
    group: &Group,
    slots: &mut [Block<N>],
    active: &Block<N>,
    random: &mut LaneRandom<N>,
    totals: &mut Totals<N>,
) {
    for part in 0..N / V::WORDS {
        let number = count::<V, LENGTH>(&masks::<V, N, LENGTH>(group, slots, part));
        for (digit, block) in number.into_iter().zip(&mut totals.total) {
            digit.store(block, part);
        }
    }
    let digits = digits_needed::<V, N>(&totals.total[..GROUP_DIGITS], active);
    for part in 0..N / V::WORDS {
        let some = some_lanes::<V, N>(&totals.total[..GROUP_DIGITS], active, part);
        let x = masks::<V, N, LENGTH>(group, slots, part);
        if digits <= 1 {
            copy_masks(&x, some, LENGTH, ToInputs { slots, inputs: &group.inputs, part });
        } else {
            draw_ranks(totals, digits, (some, part), random);
            let rank = load_all::<V, N, 4>(&totals.rank, part);
            descend::<V, N, LENGTH>(&x, rank, some, ToInputs { slots, inputs: &group.inputs, part });
        }
    }
}

/// Lanes with a total above 0.
#[inline(always)]
fn some_lanes<V: Vector, const N: usize>(total: &[Block<N>], active: &Block<N>, part: usize) -> V {
    let mut some = V::zero();
    for digit in total {
        some = some.or(V::load(digit, part));
    }
    some.and(V::load(active, part))
}

/// Adds a number of a few digits to the total.
#[inline(always)]
fn add_to_total<V: Vector, const N: usize>(number: &[V], total: &mut [Block<N>], part: usize) {
    let mut carry = V::zero();
    let places = number.len().min(total.len());
    let (first, others) = total.split_at_mut(places);
    for (digit, &term) in first.iter_mut().zip(number) {
        let old = V::load(digit, part);
        old.xor3(term, carry).store(digit, part);
        carry = old.majority(term, carry);
    }
    for digit in others {
        if carry.is_zero() {
            return;
        }
        let old = V::load(digit, part);
        old.xor(carry).store(digit, part);
        carry = old.and(carry);
    }
}

/// Subtracts a group's count from the rank, and answers which lanes had a lower rank.
#[inline(always)]
fn subtract_count<V: Vector, const N: usize>(count: &[V], rank: &mut [Block<N>], part: usize) -> V {
    let mut borrow = V::zero();
    for (at, digit) in rank.iter_mut().enumerate() {
        let term = count.get(at).copied().unwrap_or(V::zero());
        let (difference, next) = subtract(V::load(digit, part), term, borrow);
        difference.store(digit, part);
        borrow = next;
    }
    borrow
}

/// Chooses for a role with several groups.
#[inline(always)]
fn choose_in_many<V: Vector, const N: usize>(
    role: &RoleMoves,
    number: usize,
    slots: &mut [Block<N>],
    active: &Block<N>,
    random: &mut LaneRandom<N>,
    scratch: &mut ChoiceScratch<N>,
) {
    let ChoiceScratch { counts, totals, dirty, .. } = scratch;
    totals.total[..role.digits].fill(Block::ZERO);
    for (group, counts) in role.groups.iter().zip(&mut *counts) {
        for part in 0..N / V::WORDS {
            let digits = count::<V, GROUP>(&masks::<V, N, GROUP>(group, slots, part));
            for (digit, block) in digits.into_iter().zip(&mut *counts) {
                digit.store(block, part);
            }
            add_to_total(&digits, &mut totals.total[..role.digits], part);
        }
    }
    let digits = digits_needed::<V, N>(&totals.total[..role.digits], active);
    for part in 0..N / V::WORDS {
        let mut open = some_lanes::<V, N>(&totals.total[..role.digits], active, part);
        if digits > 1 {
            draw_ranks(totals, digits, (open, part), random);
        }
        for ((group, counts), dirty) in role.groups.iter().zip(&*counts).zip(&mut dirty[number]) {
            let inputs = ToInputs { slots: &mut *slots, inputs: &group.inputs, part };
            open =
                open.and_not(choose_among_many::<V, N>(group, counts, digits, open, totals, inputs, dirty));
        }
    }
}

/// Makes the moves of one of several groups; answers in which lanes.
#[inline(always)]
fn choose_among_many<V: Vector, const N: usize>(
    group: &Group,
    counts: &[Block<N>; GROUP_DIGITS],
    digits: usize,
    open: V,
    totals: &mut Totals<N>,
    inputs: ToInputs<'_, N>,
    dirty: &mut u8,
) -> V {
    let part = inputs.part;
    let counts = load_all::<V, N, GROUP_DIGITS>(counts, part);
    let any = counts[0].or(counts[1]).or(counts[2]).or(counts[3]).or(counts[4]).and(open);
    if !any.is_zero() {
        if digits <= 1 {
            *dirty |= 1 << part;
            copy_masks(&masks::<V, N, GROUP>(group, inputs.slots, part), any, GROUP, inputs);
            return any;
        }
        let rank = load_all::<V, N, 4>(&totals.rank, part);
        let here = open.and(subtract_count(&counts, &mut totals.rank[..digits], part));
        if !here.is_zero() {
            *dirty |= 1 << part;
            descend::<V, N, GROUP>(&masks::<V, N, GROUP>(group, inputs.slots, part), rank, here, inputs);
            return here;
        }
    }
    if *dirty >> part & 1 == 1 {
        *dirty &= !(1 << part);
        for &input in &inputs.inputs[..group.length] {
            V::zero().store(&mut inputs.slots[input as usize], part);
        }
    }
    V::zero()
}
