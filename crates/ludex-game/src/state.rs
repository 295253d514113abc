//! States as opaque words that know whose they are.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;

/// Tells the states of one machine from those of others. Machines that are made alike of the same rulesheet have
/// the same tag, also in another process, and can read each other's states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MachineTag(u32);

impl MachineTag {
    /// The lowest bit of a state's tag: it names facts by numbers that were given out while the machine ran.
    const LOCAL: u32 = 1;

    /// The tag of a machine whose states are written in this way: the kind of the encoding, and the texts of what
    /// its bits and numbers stand for, in order.
    pub fn of<'t>(kind: &str, texts: impl Iterator<Item = &'t str>) -> Self {
        // The hash of Fowler, Noll and Vo (FNV-1a), which is the same everywhere.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |text: &str| {
            for &byte in text.as_bytes().iter().chain(&[0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        add(kind);
        texts.for_each(add);
        Self((hash ^ (hash >> 32)) as u32 & !Self::LOCAL)
    }

    /// The tag of states that name facts by numbers which only this process has given out.
    #[must_use]
    pub fn local(self) -> Self {
        Self(self.0 | Self::LOCAL)
    }

    /// Whether a state with this tag is of the machine that has the other one.
    #[inline]
    pub fn is_of(self, machine: Self) -> bool {
        (self.0 ^ machine.0) & !Self::LOCAL == 0
    }
}

/// A state of a game, in the encoding of the machine that made it.
///
/// The words are canonical: two states of one machine are equal exactly when the same facts hold. States of
/// different machines are never equal, and machines refuse those of others with
/// [`GameError::ForeignState`](crate::GameError::ForeignState); cross over through facts
/// ([`Machine::facts`](crate::Machine::facts), [`Machine::state_of`](crate::Machine::state_of)).
///
/// A state can be written, with [`State::to_bytes`] or by serde as the tag and the words, and read by a machine that
/// was made alike of the same rulesheet. Whoever keeps states for longer, or for other engines, keeps facts.
///
/// ```
/// use ludex_game::State;
/// # let text = "(role you) (init (at a)) (legal you go) (next (at b)) (terminal) (goal you 1)";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// # let machine = ludex_game::RuleMachine::new(&game, &Default::default()).unwrap();
/// use ludex_game::Machine;
/// let state = machine.initial().clone();
/// let bytes = state.to_bytes()?;
/// assert_eq!(State::from_bytes(&bytes)?, state);
/// # Ok::<(), ludex_game::StateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct State {
    words: SmallVec<[u64; 6]>,
    tag: MachineTag,
}

/// Why a state cannot be written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// It has facts that the machine did not know beforehand, and numbered in this process.
    #[error("the state has facts that only this process has numbers for: keep its facts instead")]
    Local,
    /// The bytes are no state.
    #[error("{0} bytes are no state: it has 4 bytes for its machine, and 8 for each word")]
    Length(usize),
}

impl State {
    /// A state of the machine with this tag, from its words.
    pub fn new(tag: MachineTag, words: &[u64]) -> Self {
        Self { words: SmallVec::from_slice(words), tag }
    }

    /// A state of the same machine, from other words.
    #[must_use]
    pub fn with_words(&self, words: &[u64]) -> Self {
        Self::new(self.tag, words)
    }

    /// The words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Whose state it is.
    #[inline]
    pub fn tag(&self) -> MachineTag {
        self.tag
    }

    /// Makes it another state of the same machine, in place.
    #[inline]
    pub fn set_words(&mut self, words: &[u64]) {
        self.words.clear();
        self.words.extend_from_slice(words);
    }

    /// Makes it a state of the machine with this tag, in place, with so many words that are 0 and to be filled.
    #[inline]
    pub fn begin(&mut self, tag: MachineTag, words: usize) -> &mut [u64] {
        self.tag = tag;
        self.words.clear();
        self.words.resize(words, 0);
        &mut self.words
    }

    /// The state as bytes: the tag, 4 bytes, then each word, 8 bytes, all with the lowest byte first.
    ///
    /// # Errors
    /// [`StateError::Local`] where another process could not read it.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        self.check_portable()?;
        let words = self.words.iter().flat_map(|word| word.to_le_bytes());
        Ok(self.tag.0.to_le_bytes().into_iter().chain(words).collect())
    }

    /// The state that [`State::to_bytes`] wrote. Whether it is one of a machine shows where it is asked about.
    ///
    /// # Errors
    /// [`StateError::Length`], and [`StateError::Local`] for a tag that is never written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let length = StateError::Length(bytes.len());
        let (tag, rest) = bytes.split_first_chunk::<4>().ok_or(length)?;
        let (words, []) = rest.as_chunks::<8>() else { return Err(length) };
        let words = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
        let state = Self { words, tag: MachineTag(u32::from_le_bytes(*tag)) };
        state.check_portable().map(|()| state)
    }

    fn check_portable(&self) -> Result<(), StateError> {
        if self.tag.0 & MachineTag::LOCAL != 0 { Err(StateError::Local) } else { Ok(()) }
    }
}

impl fmt::Display for MachineTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.check_portable().map_err(serde::ser::Error::custom)?;
        (self.tag.0, self.words()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (tag, words) = <(u32, Vec<u64>)>::deserialize(deserializer)?;
        let state = Self::new(MachineTag(tag), &words);
        state.check_portable().map_err(serde::de::Error::custom)?;
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> MachineTag {
        MachineTag::of("test", text.split(' '))
    }

    #[test]
    fn what_was_written_is_read() {
        let state = State::new(tag("a b"), &[1, u64::MAX, 3]);
        let bytes = state.to_bytes().unwrap();
        assert_eq!((bytes.len(), State::from_bytes(&bytes)), (28, Ok(state.clone())));
        let text = serde_json::to_string(&state).unwrap();
        assert!(text.ends_with(",[1,18446744073709551615,3]]"), "{text}");
        assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
        for length in [0, 3, 5, 11, 27] {
            assert_eq!(State::from_bytes(&bytes[..length]), Err(StateError::Length(length)));
        }
    }

    #[test]
    fn what_no_other_process_understands_is_not_written() {
        let state = State::new(tag("a b").local(), &[7]);
        assert_eq!(state.to_bytes(), Err(StateError::Local));
        assert!(serde_json::to_string(&state).is_err());
        assert!(serde_json::from_str::<State>("[3,[7]]").is_err());
        assert!(state.tag().is_of(tag("a b")) && !state.tag().is_of(tag("a c")));
    }

    #[test]
    fn a_tag_tells_names_and_their_order() {
        let tags = ["a b", "b a", "ab", "a", "a b c"].map(tag);
        for (at, tag) in tags.iter().enumerate() {
            assert!(tags[..at].iter().all(|other| other != tag));
        }
    }
}
