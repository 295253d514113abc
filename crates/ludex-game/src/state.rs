//! States as opaque words.

use smallvec::SmallVec;

/// A state of a game, in the encoding of the machine that made it.
///
/// The words are canonical: two states of one machine are equal exactly when the same facts hold.
/// States of different machines must not be compared; cross over through facts
/// ([`Machine::facts`](crate::Machine::facts), [`Machine::state_of`](crate::Machine::state_of)).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct State(SmallVec<[u64; 6]>);

impl State {
    /// A state from a machine's words.
    pub fn from_words(words: &[u64]) -> Self {
        Self(SmallVec::from_slice(words))
    }

    /// The words.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The words, to be overwritten in place.
    pub fn words_mut(&mut self) -> &mut SmallVec<[u64; 6]> {
        &mut self.0
    }
}
