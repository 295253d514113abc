//! Lanes that see one move ahead, take wins, and take moves back that let others win.
//!
//! A lane that takes a move back makes no step while the others do: it gets back the state before, with
//! the move excluded, and goes on from there with the next step.

use std::sync::Arc;

use super::decisive_moves::DecisiveProgram;
use super::program::LaneProgram;
use super::states::{LaneStates, and, or, without};
use super::vector::{Kernel, Vector, dispatch};
use crate::kernel::{Block, PhaseKind};
use crate::stream::{Output, Slot, Stream};

/// What lanes remember of the move before.
#[derive(Clone, Debug)]
pub(super) struct Decisive<const N: usize> {
    pub program: Arc<DecisiveProgram>,
    /// Slots of the program that looks ahead.
    slots: Vec<Block<N>>,
    /// The bases in the state before.
    before: Vec<Block<N>>,
    /// Per seeing role and move, where it was taken back.
    excluded: Vec<Vec<Block<N>>>,
    /// Whether any move is excluded anywhere.
    excludes: bool,
    /// Per seeing role, the lanes in which it alone has a choice...
    chooses: Vec<Block<N>>,
    /// ... and those in which it had in the state before.
    chose: Vec<Block<N>>,
    /// Lanes in which the last move may be taken back.
    open: Block<N>,
    /// Lanes that take back their last move in this step, and those that did in the last one.
    back: Block<N>,
    again: Block<N>,
    /// How often moves were taken back at the state, in binary.
    tries: Vec<Block<N>>,
}

impl<const N: usize> Decisive<N> {
    pub fn new(program: &Arc<DecisiveProgram>, bases: usize) -> Self {
        let mut slots = vec![Block::ZERO; program.ahead.stream.slots as usize + 1];
        slots[Stream::ONES.0 as usize] = Block::ONES;
        let seeing = &program.seeing;
        Self {
            slots,
            before: vec![Block::ZERO; bases],
            excluded: seeing.iter().map(|role| vec![Block::ZERO; role.moves.len()]).collect(),
            excludes: false,
            chooses: vec![Block::ZERO; seeing.len()],
            chose: vec![Block::ZERO; seeing.len()],
            open: Block::ZERO,
            back: Block::ZERO,
            again: Block::ZERO,
            tries: vec![Block::ZERO; (u32::BITS - program.retries.leading_zeros()) as usize],
            program: Arc::clone(program),
        }
    }

    /// Bytes held beside the program.
    pub fn bytes(&self) -> usize {
        let excluded: usize = self.excluded.iter().map(Vec::capacity).sum();
        (self.slots.capacity() + self.before.capacity() + excluded) * size_of::<Block<N>>()
    }

    /// Forgets all games.
    pub fn reset(&mut self) {
        self.open = Block::ZERO;
        self.again = Block::ZERO;
        self.excludes = false;
        self.excluded.iter_mut().flatten().for_each(|block| *block = Block::ZERO);
        self.tries.fill(Block::ZERO);
    }

    /// Forgets the last moves of lanes that begin anew.
    pub fn begin(&mut self, lanes: Block<N>) {
        self.open = without(self.open, lanes);
    }

    /// Looks ahead in all lanes, whose states have been decided, and writes down the candidates. Gives
    /// the lanes, among those that play, that take back their last move.
    pub fn look(&mut self, program: &LaneProgram, states: &mut LaneStates<N>, playing: Block<N>) -> Block<N> {
        let decisive_moves = Arc::clone(&self.program);
        for (&from, &to) in program.stream.bases.iter().zip(&decisive_moves.ahead.stream.bases) {
            self.slots[to.0 as usize] = states.slots[from.0 as usize];
        }
        decisive_moves.ahead.executor.run(PhaseKind::Decide, &mut self.slots);
        dispatch::<N, _>(program.set, FindChoosers { program, decisive: self, slots: &states.slots });
        let mut wins = vec![Block::ZERO; decisive_moves.seeing.len()];
        dispatch::<N, _>(
            program.set,
            FindWins { program: &decisive_moves, decisive: self, slots: &states.slots, wins: &mut wins },
        );
        self.back = Block::ZERO;
        for ((&wins, &chooses), &chose) in wins.iter().zip(&self.chooses).zip(&self.chose) {
            self.back = or(self.back, without(and(wins, chooses), chose));
        }
        self.back = and(and(self.back, self.open), playing);
        self.exclude(&decisive_moves, &states.slots);
        let tried = without(Block::ONES, self.below(decisive_moves.retries));
        let mut open = Block::ZERO;
        let kernel = WriteCandidates {
            program: &decisive_moves,
            decisive: self,
            slots: &mut states.slots,
            wins: &wins,
            open: &mut open,
        };
        dispatch::<N, _>(program.set, kernel);
        self.open = without(open, or(tried, self.back));
        self.back
    }

    /// Excludes the moves that are taken back; those of lanes that go on are possible again.
    fn exclude(&mut self, decisive_moves: &DecisiveProgram, slots: &[Block<N>]) {
        let stay = or(self.back, self.again);
        if stay == Block::ZERO && !self.excludes {
            return;
        }
        for ((excluded, role), &chose) in
            self.excluded.iter_mut().zip(&decisive_moves.seeing).zip(&self.chose)
        {
            let back = and(self.back, chose);
            for (excluded, seen) in excluded.iter_mut().zip(&role.moves) {
                *excluded = or(and(*excluded, stay), and(slots[seen.made as usize], back));
            }
        }
        self.excludes = stay != Block::ZERO;
        let mut carry = self.back;
        for digit in &mut self.tries {
            let old = and(*digit, stay);
            *digit = without(or(old, carry), and(old, carry));
            carry = and(old, carry);
        }
    }

    /// The lanes with fewer tries than that.
    fn below(&self, most: u32) -> Block<N> {
        let (mut below, mut equal) = (Block::ZERO, Block::ONES);
        for (at, &digit) in self.tries.iter().enumerate().rev() {
            if most >> at & 1 == 1 {
                below = or(below, without(equal, digit));
                equal = and(equal, digit);
            } else {
                equal = without(equal, digit);
            }
        }
        below
    }

    /// Makes the moves in all lanes but those in `waiting`, which stay in their states, and those that take
    /// a move back, which get back the state before.
    pub fn advance(&mut self, program: &LaneProgram, states: &mut LaneStates<N>, waiting: Block<N>) {
        dispatch::<N, _>(
            program.set,
            Keep {
                slots: &states.slots,
                bases: &program.stream.bases,
                before: &mut self.before,
                back: self.back,
            },
        );
        states.run(program, PhaseKind::Advance);
        let lanes = or(waiting, self.back);
        if lanes != Block::ZERO {
            states.restore(program, &self.before, lanes);
        }
        for (chose, &chooses) in self.chose.iter_mut().zip(&self.chooses) {
            *chose = or(and(*chose, self.back), without(chooses, self.back));
        }
        self.again = self.back;
    }
}

#[inline(always)]
fn value<V: Vector, const N: usize>(slots: &[Block<N>], output: Output, part: usize) -> V {
    let value = V::load(&slots[output.slot.0 as usize], part);
    if output.complemented { V::splat(u64::MAX).and_not(value) } else { value }
}

/// Finds the lanes in which a role alone has a choice.
struct FindChoosers<'a, const N: usize> {
    program: &'a LaneProgram,
    decisive: &'a mut Decisive<N>,
    slots: &'a [Block<N>],
}

impl<const N: usize> Kernel for FindChoosers<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let seeing = &self.decisive.program.seeing;
        for part in 0..N / V::WORDS {
            let (mut all, mut one, mut several) = (V::splat(u64::MAX), V::zero(), V::zero());
            for (number, moves) in self.program.stream.legal.iter().enumerate() {
                let (mut some, mut many) = (V::zero(), V::zero());
                for &legal in moves {
                    let legal = value::<V, N>(self.slots, legal, part);
                    many = many.or(some.and(legal));
                    some = some.or(legal);
                }
                all = all.and(some);
                several = several.or(one.and(many));
                one = one.or(many);
                if let Some(at) = seeing.iter().position(|role| role.role == number) {
                    many.store(&mut self.decisive.chooses[at], part);
                }
            }
            let alone = all.and_not(several);
            for chooses in &mut self.decisive.chooses {
                V::load(chooses, part).and(alone).store(chooses, part);
            }
        }
    }
}

/// Finds the lanes in which a role has a legal move that wins.
struct FindWins<'a, const N: usize> {
    program: &'a DecisiveProgram,
    decisive: &'a Decisive<N>,
    slots: &'a [Block<N>],
    wins: &'a mut [Block<N>],
}

impl<const N: usize> Kernel for FindWins<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for (role, wins) in self.program.seeing.iter().zip(self.wins) {
            for part in 0..N / V::WORDS {
                let mut any = V::zero();
                for seen in &role.moves {
                    let legal = value::<V, N>(self.slots, seen.legal, part);
                    any = any.or(legal.and(value(&self.decisive.slots, seen.wins, part)));
                }
                any.store(wins, part);
            }
        }
    }
}

/// Writes down which moves may be chosen, and where a role has several that do not win.
struct WriteCandidates<'a, const N: usize> {
    program: &'a DecisiveProgram,
    decisive: &'a Decisive<N>,
    slots: &'a mut [Block<N>],
    wins: &'a [Block<N>],
    open: &'a mut Block<N>,
}

impl<const N: usize> Kernel for WriteCandidates<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { program, decisive, slots, wins, open } = self;
        let ones = V::splat(u64::MAX);
        for (at, role) in program.seeing.iter().enumerate() {
            for part in 0..N / V::WORDS {
                let chooses = V::load(&decisive.chooses[at], part);
                let winning = V::load(&wins[at], part).and(chooses);
                let mut safe = V::zero();
                for seen in &role.moves {
                    let loses = value::<V, N>(&decisive.slots, seen.loses, part);
                    safe = safe.or(value::<V, N>(slots, seen.legal, part).and_not(loses));
                }
                let careful = safe.and(chooses).and_not(winning);
                let (mut some, mut many) = (V::zero(), V::zero());
                for (number, seen) in role.moves.iter().enumerate() {
                    let wins = value::<V, N>(&decisive.slots, seen.wins, part);
                    let loses = value::<V, N>(&decisive.slots, seen.loses, part);
                    let fits = wins.select(winning, ones.and_not(loses.and(careful)));
                    let mut candidate = value::<V, N>(slots, seen.legal, part).and(fits);
                    if decisive.excludes {
                        let excluded = V::load(&decisive.excluded[at][number], part).and(chooses);
                        candidate = candidate.and_not(excluded);
                    }
                    candidate.store(&mut slots[seen.candidate as usize], part);
                    many = many.or(some.and(candidate));
                    some = some.or(candidate);
                }
                let several = many.and(chooses).and_not(winning);
                V::load(open, part).or(several).store(open, part);
            }
        }
    }
}

/// Keeps the bases, but in lanes that go back to what is kept.
struct Keep<'a, const N: usize> {
    slots: &'a [Block<N>],
    bases: &'a [Slot],
    before: &'a mut [Block<N>],
    back: Block<N>,
}

impl<const N: usize> Kernel for Keep<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for part in 0..N / V::WORDS {
            let back = V::load(&self.back, part);
            for (before, slot) in self.before.iter_mut().zip(self.bases) {
                let now = V::load(&self.slots[slot.0 as usize], part);
                V::load(before, part).select(back, now).store(before, part);
            }
        }
    }
}
