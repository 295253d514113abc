//! Going from state to state, and reading what holds there.

use super::marking::Marking;
use super::wiring::{Group, Literal, Wiring};

impl Marking {
    /// Flips bases; the gates they change are still to be flipped.
    #[inline(always)]
    pub(super) fn flip_bases<const LOOPS: bool>(&mut self, wiring: &Wiring, difference: &[u64]) {
        for (at, &word) in difference.iter().enumerate() {
            if word == 0 {
                continue;
            }
            self.state[at] ^= word;
            self.bits[wiring.difference.start + at] ^= word;
            let mut rest = word;
            while rest != 0 {
                let base = at * 64 + rest.trailing_zeros() as usize;
                self.flip::<LOOPS>(wiring, wiring.first_base + base);
                rest &= rest - 1;
            }
        }
    }

    /// Goes to any state.
    pub(super) fn go_to(&mut self, wiring: &Wiring, words: &[u64]) {
        let difference: smallvec::SmallVec<[u64; 16]> =
            self.state.iter().zip(words).map(|(a, b)| a ^ b).collect();
        if wiring.recursions.is_empty() {
            self.flip_bases::<false>(wiring, &difference);
            self.settle::<false>(wiring);
        } else {
            self.flip_bases::<true>(wiring, &difference);
            self.settle::<true>(wiring);
        }
    }

    /// Reads the legal moves of a role, one bit each.
    #[inline(always)]
    pub(super) fn find_legal(&self, groups: &[Group], legal: &mut [u64]) {
        legal.fill(0);
        for group in groups {
            if group.guard.is_none_or(|guard| self.holds(guard)) {
                let bits = &self.bits[group.words.clone()];
                for (word, bits) in legal[group.offset..].iter_mut().zip(bits) {
                    *word |= bits;
                }
            }
        }
    }

    /// Works out the gates that only goals need.
    pub(super) fn find_goals(&mut self, wiring: &Wiring) {
        let first = wiring.first_goal_gate;
        for gate in 0..wiring.nodes - first {
            let mut operands = wiring.goal_gates[gate].iter();
            let holds = operands.all(|&literal| self.holds(Literal(literal)));
            self.values[first + gate] = u8::from(holds);
        }
    }
}
