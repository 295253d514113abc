//! Random sentences.

use super::{Language, Sentence};
use crate::ids::{Id, VariableId};
use crate::program::Pattern;

/// A small generator of numbers (Marsaglia's xorshift).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }

    /// A sentence, the number of its variables and those that are free.
    pub(super) fn sentence(
        &mut self,
        language: &Language,
        depth: usize,
    ) -> (Sentence, usize, Vec<VariableId>) {
        let free: Vec<VariableId> = (0..self.below(3)).map(VariableId::from_index).collect();
        let mut count = free.len();
        let sentence = self.inner(language, depth, &free, &mut count);
        (sentence, count, free)
    }

    fn inner(
        &mut self,
        language: &Language,
        depth: usize,
        bound: &[VariableId],
        count: &mut usize,
    ) -> Sentence {
        let kind = if depth == 0 { self.below(3) } else { self.below(12) };
        let term = |random: &mut Self| match random.below(bound.len() + 2) {
            number if number < bound.len() => Pattern::Variable(bound[number]),
            number => Pattern::Ground(language.objects[number - bound.len()]),
        };
        match kind {
            0 => return language.p(term(self)),
            1 => return language.q(term(self), term(self)),
            2 => return Sentence::Equal(term(self), term(self)),
            _ => {}
        }
        let mut part = |random: &mut Self| random.inner(language, depth - 1, bound, count);
        match kind {
            3 | 4 => Sentence::Not(Box::new(part(self))),
            5 => Sentence::And((0..1 + self.below(3)).map(|_| part(self)).collect()),
            6 => Sentence::Or((0..1 + self.below(3)).map(|_| part(self)).collect()),
            7 => Sentence::Implies(Box::new(part(self)), Box::new(part(self))),
            8 | 9 => Sentence::Iff(Box::new(part(self)), Box::new(part(self))),
            _ => {
                let variable = VariableId::from_index(*count);
                *count += 1;
                let bound: Vec<VariableId> = bound.iter().copied().chain([variable]).collect();
                let scope = Box::new(self.inner(language, depth - 1, &bound, count));
                if kind == 10 { Sentence::ForAll(variable, scope) } else { Sentence::Exists(variable, scope) }
            }
        }
    }
}
