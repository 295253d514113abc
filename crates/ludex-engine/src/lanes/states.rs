//! The states of all lanes.

use std::sync::Arc;

use ludex_game::Goal;

use super::choose::ChoiceScratch;
use super::decisive::Decisive;
use super::expand::ExpandScratch;
use super::program::LaneProgram;
use super::rounds::RoundProgram;
use super::transpose::{PutRows, TakeRows};
use super::vector::{Kernel, Vector, dispatch};
use crate::kernel::{Block, PhaseKind};
use crate::stream::{Output, Stream};

/// The slots of a stream, and what choosing needs beside them.
#[derive(Clone, Debug)]
pub(super) struct LaneStates<const N: usize> {
    /// One more than the stream has: inputs that nothing reads are written to the last.
    pub slots: Vec<Block<N>>,
    pub choice: ChoiceScratch<N>,
    pub expanding: ExpandScratch,
    /// What lanes that look ahead remember.
    pub decisive: Option<Box<Decisive<N>>>,
    /// What the turns of the last round need to choose.
    pub round: Option<RoundScratch<N>>,
    kept: Vec<Block<N>>,
}

/// What choosing keeps between steps for each turn of a round.
#[derive(Clone, Debug)]
pub(super) struct RoundScratch<const N: usize> {
    pub program: Arc<RoundProgram>,
    pub choices: Vec<ChoiceScratch<N>>,
}

impl<const N: usize> RoundScratch<N> {
    fn bytes(&self) -> usize {
        self.choices.iter().map(ChoiceScratch::bytes).sum()
    }
}

/// The lanes of a block, lowest first.
pub(super) fn lanes<const N: usize>(block: Block<N>) -> impl Iterator<Item = usize> {
    block.0.into_iter().enumerate().flat_map(|(word, mut left)| {
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            (left != 0).then(|| {
                left &= left - 1;
                word * 64 + bit
            })
        })
    })
}

pub(super) fn count<const N: usize>(block: Block<N>) -> u32 {
    block.0.iter().map(|word| word.count_ones()).sum()
}

pub(super) fn and<const N: usize>(a: Block<N>, b: Block<N>) -> Block<N> {
    Block(std::array::from_fn(|word| a.0[word] & b.0[word]))
}

pub(super) fn or<const N: usize>(a: Block<N>, b: Block<N>) -> Block<N> {
    Block(std::array::from_fn(|word| a.0[word] | b.0[word]))
}

/// `a & !b`.
pub(super) fn without<const N: usize>(a: Block<N>, b: Block<N>) -> Block<N> {
    Block(std::array::from_fn(|word| a.0[word] & !b.0[word]))
}

/// Whether `lane` is in a block.
pub(super) fn has<const N: usize>(block: &Block<N>, lane: usize) -> bool {
    block.0[lane / 64] >> (lane % 64) & 1 == 1
}

impl<const N: usize> LaneStates<N> {
    /// Lanes in no particular state.
    pub fn new(program: &LaneProgram) -> Self {
        let mut slots = vec![Block::ZERO; program.stream.slots as usize + 1];
        slots[Stream::ONES.0 as usize] = Block::ONES;
        let kept = vec![Block::ZERO; program.stream.bases.len()];
        Self {
            slots,
            choice: ChoiceScratch::new(&program.roles),
            expanding: ExpandScratch::default(),
            decisive: None,
            round: None,
            kept,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.slots.capacity() + self.kept.capacity()) * size_of::<Block<N>>()
            + self.choice.bytes()
            + self.expanding.bytes()
            + self.decisive.as_ref().map_or(0, |decisive| decisive.bytes())
            + self.round.as_ref().map_or(0, RoundScratch::bytes)
    }

    /// Makes room for the programs of a round. They overwrite the inputs of the other programs, which are
    /// therefore marked as set.
    pub fn begin_round(&mut self, program: &Arc<RoundProgram>) -> RoundScratch<N> {
        if self.slots.len() < program.slots {
            self.slots.resize(program.slots, Block::ZERO);
        }
        self.choice.mark_dirty();
        let mut scratch = match self.round.take() {
            Some(last) if Arc::ptr_eq(&last.program, program) => last,
            _ => {
                let choices = program.turns.iter().map(|turn| ChoiceScratch::new(&turn.roles)).collect();
                RoundScratch { program: Arc::clone(program), choices }
            }
        };
        scratch.choices.iter_mut().for_each(ChoiceScratch::mark_dirty);
        scratch
    }

    pub fn run(&mut self, program: &LaneProgram, phase: PhaseKind) {
        program.executor.run(phase, &mut self.slots);
    }

    pub fn output(&self, output: Output) -> Block<N> {
        let block = self.slots[output.slot.0 as usize];
        if output.complemented { without(Block::ONES, block) } else { block }
    }

    /// Makes `words` the state of these lanes.
    pub fn load_same(&mut self, program: &LaneProgram, lanes: Block<N>, words: &[u64]) {
        dispatch::<N, _>(program.set, LoadSame { program, slots: &mut self.slots, lanes, words });
    }

    /// Makes `words_of(lane)` the state of each of these lanes.
    pub fn load<'s>(
        &mut self,
        program: &LaneProgram,
        within: Block<N>,
        words_of: impl Fn(usize) -> &'s [u64],
    ) {
        for (chunk, bases) in program.stream.bases.chunks(64).enumerate() {
            let mut rows = [Block::ZERO; 64];
            for lane in lanes(within) {
                rows[lane % 64].0[lane / 64] = words_of(lane).get(chunk).copied().unwrap_or(0);
            }
            let put = PutRows { slots: &mut self.slots, bases, lanes: within, rows: &mut rows };
            dispatch::<N, _>(program.set, put);
        }
    }

    /// Turns these bits of the words of all lanes.
    pub fn turn(&mut self, program: &LaneProgram, words: &[u64]) {
        for (bases, &word) in program.stream.bases.chunks(64).zip(words) {
            for (_, slot) in bases.iter().enumerate().filter(|(bit, _)| word >> bit & 1 == 1) {
                let block = &mut self.slots[slot.0 as usize];
                *block = without(Block::ONES, *block);
            }
        }
    }

    /// Makes `out` the states of the first `count` lanes, one after the other.
    pub fn save(&self, program: &LaneProgram, count: usize, out: &mut Vec<u64>) {
        let bases = &program.stream.bases;
        let length = bases.len().div_ceil(64);
        out.clear();
        out.resize(count * length, 0);
        let mut rows = [Block::ZERO; 64];
        for (chunk, bases) in bases.chunks(64).enumerate() {
            let outputs = bases.iter().map(|&slot| Output { slot, complemented: false });
            let take = TakeRows { slots: &self.slots, outputs, lanes: Block::ONES, rows: &mut rows };
            dispatch::<N, _>(program.set, take);
            for (lane, words) in out.chunks_exact_mut(length).enumerate() {
                words[chunk] = rows[lane % 64].0[lane / 64];
            }
        }
    }

    /// Advances all lanes but those in `waiting`, which stay in their states.
    pub fn advance(&mut self, program: &LaneProgram, waiting: Block<N>) {
        if waiting == Block::ZERO {
            return self.run(program, PhaseKind::Advance);
        }
        for (kept, slot) in self.kept.iter_mut().zip(&program.stream.bases) {
            *kept = self.slots[slot.0 as usize];
        }
        self.run(program, PhaseKind::Advance);
        let kernel = Restore { program, slots: &mut self.slots, kept: &self.kept, lanes: waiting };
        dispatch::<N, _>(program.set, kernel);
    }

    /// Puts bases that were kept back into these lanes.
    pub fn restore(&mut self, program: &LaneProgram, kept: &[Block<N>], lanes: Block<N>) {
        dispatch::<N, _>(program.set, Restore { program, slots: &mut self.slots, kept, lanes });
    }

    /// The lanes in which exactly one goal of a role holds, after assessing.
    pub fn one_goal(&self, goals: &[(Goal, Output)]) -> Block<N> {
        let (mut some, mut several) = (Block::ZERO, Block::ZERO);
        for &(_, output) in goals {
            let held = self.output(output);
            several = or(several, and(some, held));
            some = or(some, held);
        }
        without(some, several)
    }

    /// Calls `found(lane, role, goal)` for those of `lanes` in which a role has exactly one goal.
    pub fn goals(&self, program: &LaneProgram, within: Block<N>, mut found: impl FnMut(usize, usize, Goal)) {
        for (role, goals) in program.stream.goals.iter().enumerate() {
            let one = and(within, self.one_goal(goals));
            for &(goal, output) in goals {
                lanes(and(one, self.output(output))).for_each(|lane| found(lane, role, goal));
            }
        }
    }
}

struct LoadSame<'a, const N: usize> {
    program: &'a LaneProgram,
    slots: &'a mut [Block<N>],
    lanes: Block<N>,
    words: &'a [u64],
}

impl<const N: usize> Kernel for LoadSame<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for part in 0..N / V::WORDS {
            let lanes = V::load(&self.lanes, part);
            for (at, slot) in self.program.stream.bases.iter().enumerate() {
                let bit = self.words.get(at / 64).copied().unwrap_or(0) >> (at % 64) & 1;
                let block = &mut self.slots[slot.0 as usize];
                V::splat(0u64.wrapping_sub(bit)).select(lanes, V::load(block, part)).store(block, part);
            }
        }
    }
}

struct Restore<'a, const N: usize> {
    program: &'a LaneProgram,
    slots: &'a mut [Block<N>],
    kept: &'a [Block<N>],
    lanes: Block<N>,
}

impl<const N: usize> Kernel for Restore<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for part in 0..N / V::WORDS {
            let lanes = V::load(&self.lanes, part);
            for (kept, slot) in self.kept.iter().zip(&self.program.stream.bases) {
                let block = &mut self.slots[slot.0 as usize];
                V::load(kept, part).select(lanes, V::load(block, part)).store(block, part);
            }
        }
    }
}
