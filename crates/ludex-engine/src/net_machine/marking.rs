//! The values of all nodes in one state, and how a change spreads.
//!
//! Each slot counts those of its counted operands that are not satisfied; see [`upkeep`](super::upkeep) for
//! which these are. When a node flips, the counts of its consumers change by one; a slot whose count reaches
//! or leaves zero toggles its bit. For a gate that counts all operands the bit says that it has to be
//! flipped, too, for one that reads others besides that it has to be looked at. Gates are visited in
//! topological order, so that each flips at most once, and one whose count returns to where it was not at
//! all. For an output the bit is the output.

use std::ops::Range;

use super::wiring::{Literal, NONE, Wiring};

/// The values of one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marking {
    /// Per slot the number of its operands that are not satisfied.
    pub(super) counts: Vec<u8>,
    /// Per slot: whether the gate has to be flipped, or the value of the output.
    pub(super) bits: Vec<u64>,
    /// Per node, 0 or 1.
    pub(super) values: Vec<u8>,
    /// A bit per base.
    pub(super) state: Vec<u64>,
    /// Per recursion whether something it was derived from is gone.
    pub(super) anew: Vec<bool>,
    /// The nodes of the moves that were made last; they hold until the next step.
    pub(super) made: Vec<u32>,
    /// A bit per word of `bits`: a gate of it was told to flip since it was visited, so that the other words
    /// are passed over.
    pub(super) told: Vec<u64>,
    /// A bit per gate that is kept: all operands that it counts hold, and it reads others, so that it is
    /// looked at in each step.
    pub(super) reading: Vec<u64>,
    /// A bit per word of `reading`: the word has a bit.
    pub(super) readers: Vec<u64>,
    /// The gates that one move decides and that hold, each after the move's node.
    pub(super) lit: Vec<(u32, u32)>,
}

impl Marking {
    pub(super) fn copy_from(&mut self, other: &Marking) {
        self.counts.copy_from_slice(&other.counts);
        self.bits.copy_from_slice(&other.bits);
        self.values.copy_from_slice(&other.values);
        self.state.copy_from_slice(&other.state);
        self.anew.copy_from_slice(&other.anew);
        self.made.clone_from(&other.made);
        self.told.copy_from_slice(&other.told);
        self.reading.copy_from_slice(&other.reading);
        self.readers.copy_from_slice(&other.readers);
        self.lit.clone_from(&other.lit);
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let words = [&self.bits, &self.told, &self.reading, &self.readers, &self.state];
        self.counts.len() + 8 * words.iter().map(|words| words.len()).sum::<usize>() + self.values.len()
    }

    #[inline(always)]
    pub(super) fn holds(&self, literal: Literal) -> bool {
        u32::from(self.values[(literal.0 >> 1) as usize]) != literal.0 & 1
    }

    #[inline(always)]
    pub(super) fn bit(&self, slot: usize) -> bool {
        self.bits[slot / 64] >> (slot % 64) & 1 == 1
    }

    /// Flips a node and tells its consumers.
    #[inline(always)]
    pub(super) fn flip<const LOOPS: bool>(&mut self, wiring: &Wiring, node: usize) {
        let value = self.values[node] ^ 1;
        self.values[node] = value;
        for &consumer in &wiring.consumers[node] {
            let slot = (consumer >> 1) as usize;
            let satisfied = value ^ (consumer & 1) as u8;
            let count = self.counts[slot];
            self.counts[slot] = count.wrapping_add(1).wrapping_sub(2 * satisfied);
            if count == satisfied {
                self.bits[slot / 64] ^= 1 << (slot % 64);
                self.tell(slot / 64);
            }
        }
        if LOOPS {
            self.mark(wiring, node, value);
        }
    }

    /// A gate of a word of bits was told to flip, or not to.
    #[inline(always)]
    fn tell(&mut self, word: usize) {
        self.told[word / 64] |= 1 << (word % 64);
    }

    /// Tells recursions that a node they read has flipped.
    fn mark(&mut self, wiring: &Wiring, node: usize, value: u8) {
        for &mark in &wiring.marks[node] {
            let slot = (mark >> 2) as usize;
            self.bits[slot / 64] |= 1 << (slot % 64);
            self.tell(slot / 64);
            let bad = if value == 1 { 1 } else { 2 };
            self.anew[wiring.marker[slot] as usize] |= mark & bad != 0;
        }
    }

    /// Flips the gates that depend on the state alone, where they have to be flipped.
    #[inline(always)]
    pub(super) fn settle<const LOOPS: bool>(&mut self, wiring: &Wiring) {
        self.visit_gates::<LOOPS>(wiring, &wiring.still);
    }

    /// Replaces the moves that were made last, and flips the gates that depend on moves, where they
    /// have to be flipped because of that or of the change of the state since.
    ///
    /// The gates are settled once for both, so that one that only gets another cause for the value it
    /// has does not flip.
    #[inline(always)]
    pub(super) fn make<const LOOPS: bool>(&mut self, wiring: &Wiring, moves: &[u32]) {
        let mut made = std::mem::take(&mut self.made);
        for &node in made.iter().filter(|node| !moves.contains(node)) {
            self.flip::<LOOPS>(wiring, node as usize);
        }
        for &node in moves.iter().filter(|node| !made.contains(node)) {
            self.flip::<LOOPS>(wiring, node as usize);
        }
        self.decide::<LOOPS>(wiring, moves);
        made.clear();
        made.extend_from_slice(moves);
        self.made = made;
        self.visit_gates::<LOOPS>(wiring, &wiring.moving);
    }

    /// Visits the gates in these words that may have to be flipped.
    #[inline(always)]
    fn visit_gates<const LOOPS: bool>(&mut self, wiring: &Wiring, words: &Range<usize>) {
        for top in words.start / 64..words.end.div_ceil(64) {
            let here = part(words, top);
            let mut also = self.readers[top];
            loop {
                let some = (self.told[top] | also) & here;
                if some == 0 {
                    break;
                }
                let first = some & some.wrapping_neg();
                also &= !first;
                self.visit_word::<LOOPS>(wiring, top * 64 + some.trailing_zeros() as usize);
                self.told[top] &= !first;
            }
        }
    }

    /// Visits the gates of a word that may have to be flipped.
    #[inline(always)]
    fn visit_word<const LOOPS: bool>(&mut self, wiring: &Wiring, at: usize) {
        let mut also = self.reading[at];
        loop {
            // A gate may be told of a flip of one that comes before it in the same word.
            let word = self.bits[at] | also;
            if word == 0 {
                break;
            }
            let rest = word & (word - 1);
            self.bits[at] &= rest;
            also &= rest;
            let slot = at * 64 + word.trailing_zeros() as usize;
            if LOOPS && wiring.marker[slot] != NONE {
                self.run(wiring, wiring.marker[slot] as usize);
            } else if wiring.partial[at] & (word & !rest) == 0 {
                self.flip::<LOOPS>(wiring, slot);
            } else {
                self.look::<LOOPS>(wiring, slot);
            }
        }
    }

    /// Flips the gates that one move and the state decide, where they have to be flipped.
    #[inline(always)]
    fn decide<const LOOPS: bool>(&mut self, wiring: &Wiring, moves: &[u32]) {
        let mut lit = std::mem::take(&mut self.lit);
        for &(_, slot) in lit.iter().filter(|(node, _)| !moves.contains(node)) {
            self.flip::<LOOPS>(wiring, slot as usize);
        }
        lit.clear();
        for &node in moves {
            let mut holds = true;
            for pair in wiring.direct[node as usize - wiring.first_input].chunks_exact(2) {
                holds &= self.holds(Literal(pair[1]));
                let slot = pair[0];
                if slot == NONE {
                    continue;
                }
                if holds {
                    lit.push((node, slot));
                }
                if u8::from(holds) != self.values[slot as usize] {
                    self.flip::<LOOPS>(wiring, slot as usize);
                }
                holds = true;
            }
        }
        self.lit = lit;
    }

    /// Works out a gate that does not count all of its operands.
    #[inline(always)]
    fn look<const LOOPS: bool>(&mut self, wiring: &Wiring, slot: usize) {
        let (at, bit) = (slot / 64, 1 << (slot % 64));
        let mut holds = self.counts[slot] == 0;
        if holds {
            self.reading[at] |= bit;
            self.readers[at / 64] |= 1 << (at % 64);
            holds = wiring.waits[slot].iter().all(|&literal| self.holds(Literal(literal)));
        } else {
            self.reading[at] &= !bit;
            if self.reading[at] == 0 {
                self.readers[at / 64] &= !(1 << (at % 64));
            }
        }
        if u8::from(holds) != self.values[slot] {
            self.flip::<LOOPS>(wiring, slot);
        }
    }

    /// Brings a recursion to its least fixpoint: from below, or from where it is if it can only grow.
    #[cold]
    fn run(&mut self, wiring: &Wiring, number: usize) {
        let recursion = &wiring.recursions[number];
        if std::mem::take(&mut self.anew[number]) {
            for variable in 0..recursion.variables {
                if self.values[recursion.first_variable + variable] == 1 {
                    self.set_variable(wiring, number, variable);
                }
            }
        }
        // Each round but the last makes a variable true.
        for _ in 0..=recursion.variables {
            self.settle_body(wiring, recursion.body.clone());
            let mut changed = false;
            for at in recursion.differs.clone() {
                let mut word = self.bits[at];
                changed |= word != 0;
                while word != 0 {
                    let variable = (at - recursion.differs.start) * 64 + word.trailing_zeros() as usize;
                    self.set_variable(wiring, number, variable);
                    word &= word - 1;
                }
            }
            if !changed {
                break;
            }
        }
        self.settle_body(wiring, recursion.copies.clone());
    }

    /// Flips a variable of a recursion.
    fn set_variable(&mut self, wiring: &Wiring, number: usize, variable: usize) {
        let recursion = &wiring.recursions[number];
        self.flip::<true>(wiring, recursion.first_variable + variable);
        self.bits[recursion.differs.start + variable / 64] ^= 1 << (variable % 64);
    }

    fn settle_body(&mut self, wiring: &Wiring, words: Range<usize>) {
        for at in words {
            while self.bits[at] != 0 {
                let word = self.bits[at];
                self.bits[at] = word & (word - 1);
                self.flip::<true>(wiring, at * 64 + word.trailing_zeros() as usize);
            }
        }
    }
}

/// Of the 64 words from 64 times `top` on, a bit for each that is among these.
#[inline(always)]
fn part(words: &Range<usize>, top: usize) -> u64 {
    let first = words.start.saturating_sub(top * 64);
    let end = (words.end - top * 64).min(64);
    if first >= end { 0 } else { (u64::MAX >> (64 - (end - first))) << first }
}
