//! States that were seen, packed, with the way to each.

/// The number of a state in a [`StateTable`]: states are numbered in the order in which they came.
pub type StateNumber = u32;

/// A set of states of one machine in the order in which they came, each with the state that it was first
/// reached from and the number of the move, or joint move, that led there.
///
/// Bits can be left out of the comparison, so that states that differ in nothing else are one.
///
/// ```
/// let mut table = ludex_game::StateTable::default();
/// let (first, _) = table.insert(&[0], 0, 0).unwrap();
/// let (second, is_new) = table.insert(&[5], first, 3).unwrap();
/// assert!(is_new && table.insert(&[5], second, 1) == Some((second, false)));
/// assert_eq!(table.path(second), [3]);
/// ```
#[derive(Debug, Default)]
pub struct StateTable {
    words: Vec<u64>,
    /// Where the words of each state end.
    ends: Vec<usize>,
    parents: Vec<StateNumber>,
    moves: Vec<u32>,
    /// Open addressing: the upper half of the hash beside the number of the state plus one; 0 is empty.
    slots: Vec<u64>,
    /// The bits that do not count, from the first word on.
    ignored: Vec<u64>,
}

impl StateTable {
    /// An empty table that compares states but for these bits, given as words.
    pub fn ignoring(bits: &[u64]) -> Self {
        Self { ignored: bits.to_vec(), ..Self::default() }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes it takes. Lists that grow have up to twice the room.
    pub fn bytes(&self) -> usize {
        8 * (self.words.capacity() + self.slots.capacity() + self.ends.capacity())
            + 4 * (self.parents.capacity() + self.moves.capacity())
    }

    /// The words of a state.
    ///
    /// # Panics
    /// On a number that this table did not give.
    pub fn words(&self, state: StateNumber) -> &[u64] {
        let state = state as usize;
        let begin = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.words[begin..self.ends[state]]
    }

    /// The state that a state was first reached from, and the number of the move; the first state is its
    /// own parent.
    ///
    /// # Panics
    /// On a number that this table did not give.
    pub fn parent(&self, state: StateNumber) -> (StateNumber, u32) {
        (self.parents[state as usize], self.moves[state as usize])
    }

    /// The numbers of the moves from the first state to this one.
    ///
    /// # Panics
    /// On a number that this table did not give.
    pub fn path(&self, mut state: StateNumber) -> Vec<u32> {
        let mut path = Vec::new();
        while state != 0 {
            let (parent, number) = self.parent(state);
            path.push(number);
            state = parent;
        }
        path.reverse();
        path
    }

    /// The number of a state, and whether it is new; where it is, `parent` and `number` say how it was
    /// reached. None when there is no number left.
    pub fn insert(&mut self, words: &[u64], parent: StateNumber, number: u32) -> Option<(StateNumber, bool)> {
        if 2 * (self.len() + 1) > self.slots.len() {
            self.grow();
        }
        let hash = self.hash(words);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            if slot >> 32 == hash >> 32 && self.is_same(self.words(slot as u32 - 1), words) {
                return Some((slot as u32 - 1, false));
            }
            at = (at + 1) & mask;
        }
        let state = u32::try_from(self.len()).ok().filter(|&state| state < u32::MAX)?;
        self.slots[at] = (hash >> 32 << 32) | u64::from(state + 1);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
        self.parents.push(parent);
        self.moves.push(number);
        Some((state, true))
    }

    /// Adds a state; its number if it is new.
    pub fn add(&mut self, words: &[u64], parent: StateNumber, number: u32) -> Option<StateNumber> {
        self.insert(words, parent, number).and_then(|(state, is_new)| is_new.then_some(state))
    }

    fn ignored(&self, at: usize) -> u64 {
        self.ignored.get(at).copied().unwrap_or(0)
    }

    fn hash(&self, words: &[u64]) -> u64 {
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
        for (at, &word) in words.iter().enumerate() {
            hash = (hash ^ (word & !self.ignored(at))).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 32;
        }
        hash
    }

    fn is_same(&self, a: &[u64], b: &[u64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).enumerate().all(|(at, (a, b))| (a ^ b) & !self.ignored(at) == 0)
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(1024);
        let mut slots = vec![0; size];
        for state in 0..self.len() as StateNumber {
            let hash = self.hash(self.words(state));
            let mut at = hash as usize & (size - 1);
            while slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            slots[at] = (hash >> 32 << 32) | u64::from(state + 1);
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn holds_what_a_plain_map_holds() {
        let mut rng = Rng::from_seed(3);
        for ignored in [&[][..], &[0b110], &[0, u64::MAX]] {
            let mut table = StateTable::ignoring(ignored);
            let mut plain = std::collections::BTreeMap::new();
            for _ in 0..20_000 {
                let length = 1 + rng.below(3) as usize;
                let words: Vec<u64> = (0..length).map(|_| rng.below(24)).collect();
                let cut = |(at, word): (usize, &u64)| word & !ignored.get(at).copied().unwrap_or(0);
                let key: Vec<u64> = words.iter().enumerate().map(cut).collect();
                let next = plain.len() as StateNumber;
                let (state, is_new) = table.insert(&words, 0, 7).unwrap();
                assert_eq!(is_new, !plain.contains_key(&key), "{words:?}");
                assert_eq!(state, *plain.entry(key).or_insert(next));
                assert!(!is_new || table.words(state) == words);
                assert_eq!(table.add(&words, 0, 7), None);
            }
            assert_eq!(table.len(), plain.len());
        }
    }

    #[test]
    fn remembers_the_way() {
        let mut table = StateTable::default();
        let mut state = table.add(&[0], 0, 9).unwrap();
        for step in 1..5_000 {
            state = table.add(&[step, step], state, step as u32).unwrap();
        }
        assert_eq!(table.path(state), (1..5_000).collect::<Vec<u32>>());
        assert!(table.path(0).is_empty());
        assert_eq!(table.parent(0), (0, 9));
    }
}
