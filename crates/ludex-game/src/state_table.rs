//! States that were met, packed and numbered, with what is noted of each.

/// The number of a state in a [`StateTable`]: states are numbered in the order in which they came.
pub type StateNumber = u32;

/// A state, by its number, and the number of one of its moves, or joint moves.
pub type Step = (StateNumber, u32);

/// States of one machine, packed, in the order in which they came, each with a value: what a search notes of a state.
///
/// By default that is the [`Step`] that the state was first reached by. Bits can be left out of the comparison, so
/// that states that differ in nothing else are one.
///
/// This is the table of all searches that number the states they meet. A transposition table of bounded size, in which
/// states take the places of others, is another thing, and so are graphs whose states are taken out one by one.
///
/// ```
/// let mut table: ludex_game::StateTable = Default::default();
/// let (first, _) = table.insert(&[0], (0, 0)).unwrap();
/// let (second, is_new) = table.insert(&[5], (first, 3)).unwrap();
/// assert!(is_new && table.insert(&[5], (second, 1)) == Some((second, false)));
/// assert_eq!(table.path(second), [(first, 3)]);
/// ```
#[derive(Clone, Debug)]
pub struct StateTable<T = Step> {
    states: PackedStates,
    values: Vec<T>,
}

impl<T> Default for StateTable<T> {
    fn default() -> Self {
        Self { states: PackedStates::default(), values: Vec::new() }
    }
}

impl<T> StateTable<T> {
    /// An empty table that compares states but for these bits, given as words.
    pub fn ignoring(bits: &[u64]) -> Self {
        let states = PackedStates { ignored: bits.to_vec(), ..PackedStates::default() };
        Self { states, values: Vec::new() }
    }

    /// An empty table with room for so many states of so many words together.
    pub fn with_capacity(states: usize, words: usize) -> Self {
        let packed = PackedStates {
            words: Vec::with_capacity(words),
            ends: Vec::with_capacity(states),
            slots: vec![0; slots_for(states)],
            ..PackedStates::default()
        };
        Self { states: packed, values: Vec::with_capacity(states) }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The bytes it takes, but for what values hold elsewhere. Lists that grow have up to twice the room.
    pub fn bytes(&self) -> usize {
        let PackedStates { words, ends, slots, .. } = &self.states;
        (words.capacity() + slots.capacity()) * size_of::<u64>()
            + ends.capacity() * size_of::<u32>()
            + self.values.capacity() * size_of::<T>()
    }

    /// The bytes that it takes more while it takes in one more state of so many words.
    pub fn growth(&self, words: usize) -> usize {
        let slots = Some(slots_for(self.len() + 1)).filter(|&slots| slots > self.states.slots.len());
        slots.unwrap_or(0) * size_of::<u64>()
            + growth(&self.states.words, words)
            + growth(&self.states.ends, self.states.ends_for(words))
            + growth(&self.values, 1)
    }

    /// The states, and the words of all of them, that there is room for without growing where all have as many words.
    pub fn capacity(&self) -> (usize, usize) {
        (self.values.capacity(), self.states.words.capacity())
    }

    /// How many words all states have together.
    pub fn total_words(&self) -> usize {
        self.states.words.len()
    }

    /// The words of a state.
    ///
    /// # Panics
    /// On a number that this table did not give.
    pub fn words(&self, state: StateNumber) -> &[u64] {
        self.states.of(state)
    }

    /// What is noted of a state.
    ///
    /// # Panics
    /// On a number that this table did not give.
    pub fn value(&self, state: StateNumber) -> &T {
        &self.values[state as usize]
    }

    /// What is noted of a state, to be changed.
    ///
    /// # Panics
    /// On a number that this table did not give.
    pub fn value_mut(&mut self, state: StateNumber) -> &mut T {
        &mut self.values[state as usize]
    }

    /// What is noted of all states, in their order.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The number of a state, if it is there.
    pub fn find(&self, words: &[u64]) -> Option<StateNumber> {
        self.states.slot(self.states.hash(words), words).ok()
    }

    /// The number of a state, and whether it is new; where it is, the value is noted. None when there is no number
    /// left.
    pub fn insert(&mut self, words: &[u64], value: T) -> Option<(StateNumber, bool)> {
        let (state, is_new) = self.states.insert(words)?;
        if is_new {
            self.values.push(value);
        }
        Some((state, is_new))
    }

    /// Adds a state; its number if it is new.
    pub fn add(&mut self, words: &[u64], value: T) -> Option<StateNumber> {
        self.insert(words, value).and_then(|(state, is_new)| is_new.then_some(state))
    }

    /// Takes out all states, and keeps the memory.
    pub fn clear(&mut self) {
        self.states.clear();
        self.values.clear();
    }

    /// Takes out the states that are not to be kept, which are asked about in their order. The others stay in it, and
    /// are numbered anew; the memory is kept.
    pub fn retain(&mut self, mut is_kept: impl FnMut(StateNumber, &mut T) -> bool) {
        let mut kept = 0;
        let (values, states) = (&mut self.values, &mut self.states);
        states.retain(|at| {
            let is_kept = is_kept(at, &mut values[at as usize]);
            if is_kept {
                values.swap(kept, at as usize);
                kept += 1;
            }
            is_kept
        });
        self.values.truncate(kept);
    }
}

/// The states alone: what is the same whatever is noted of them.
#[derive(Clone, Debug, Default)]
struct PackedStates {
    words: Vec<u64>,
    count: usize,
    /// How many words the first state has; as long as all have as many, each is found without looking at `ends`.
    width: usize,
    /// Where the words of each state end; empty as long as all have as many.
    ends: Vec<u32>,
    /// Open addressing: the upper half of the hash beside the number of the state plus one; 0 is empty.
    slots: Vec<u64>,
    /// The bits that do not count, from the first word on.
    ignored: Vec<u64>,
}

/// How many slots are needed for so many states: a power of two, at least twice as many.
fn slots_for(states: usize) -> usize {
    (2 * states).next_power_of_two()
}

/// A list that grows has room for so many items at least.
const FEWEST: usize = 4;

/// What a list takes more while it grows for so many items: it is copied to twice the room.
fn growth<T>(list: &Vec<T>, more: usize) -> usize {
    let needed = list.len() + more;
    if needed <= list.capacity() { 0 } else { needed.max(2 * list.capacity()).max(FEWEST) * size_of::<T>() }
}

impl PackedStates {
    fn of(&self, state: StateNumber) -> &[u64] {
        let state = state as usize;
        if self.ends.is_empty() {
            return &self.words[state * self.width..][..self.width];
        }
        let begin = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.words[begin as usize..self.ends[state] as usize]
    }

    /// How many more ends are kept with a further state of so many words.
    fn ends_for(&self, words: usize) -> usize {
        match self.ends.is_empty() {
            true if self.count == 0 || words == self.width => 0,
            true => self.count + 1,
            false => 1,
        }
    }

    fn insert(&mut self, words: &[u64]) -> Option<(StateNumber, bool)> {
        let slots = slots_for(self.count + 1);
        if slots > self.slots.len() {
            self.fill(slots);
        }
        let hash = self.hash(words);
        let at = match self.slot(hash, words) {
            Ok(known) => return Some((known, false)),
            Err(at) => at,
        };
        let state = StateNumber::try_from(self.count).ok().filter(|&state| state < StateNumber::MAX)?;
        u32::try_from(self.words.len() + words.len()).ok()?;
        self.slots[at] = (hash >> 32 << 32) | u64::from(state + 1);
        self.push(words);
        Some((state, true))
    }

    fn push(&mut self, words: &[u64]) {
        let more = self.ends_for(words.len());
        if self.count == 0 {
            self.width = words.len();
        }
        self.ends.reserve(more);
        if more > 1 {
            // The first of another length. All ends fit into 32 bits, as the last one does.
            self.ends.extend((1..=self.count).map(|states| (states * self.width) as u32));
        }
        self.words.extend_from_slice(words);
        if more > 0 {
            self.ends.push(self.words.len() as u32);
        }
        self.count += 1;
    }

    fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.slots.fill(0);
        self.count = 0;
    }

    /// Takes out the states that are not to be kept.
    fn retain(&mut self, mut is_kept: impl FnMut(StateNumber) -> bool) {
        let (mut begin, mut end_of_kept, mut kept) = (0, 0, 0);
        for at in 0..self.count {
            let end = self.ends.get(at).map_or(begin + self.width, |&end| end as usize);
            if is_kept(at as StateNumber) {
                self.words.copy_within(begin..end, end_of_kept);
                end_of_kept += end - begin;
                if let Some(end) = self.ends.get_mut(kept) {
                    *end = end_of_kept as u32;
                }
                kept += 1;
            }
            begin = end;
        }
        self.words.truncate(end_of_kept);
        self.ends.truncate(kept);
        self.count = kept;
        self.fill(self.slots.len());
    }

    /// The number of a state with this hash, or the slot that it would take, where there are slots.
    fn slot(&self, hash: u64, words: &[u64]) -> Result<StateNumber, usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        while let Some(&slot) = self.slots.get(at).filter(|&&slot| slot != 0) {
            let state = (slot as u32).wrapping_sub(1);
            if slot >> 32 == hash >> 32 && self.is_same(self.of(state), words) {
                return Ok(state);
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    /// Enters all states into so many slots.
    fn fill(&mut self, slots: usize) {
        if slots == self.slots.len() {
            self.slots.fill(0);
        } else {
            self.slots = vec![0; slots];
        }
        for state in 0..self.count as StateNumber {
            let hash = self.hash(self.of(state));
            let mut at = hash as usize & (slots - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (slots - 1);
            }
            self.slots[at] = (hash >> 32 << 32) | u64::from(state + 1);
        }
    }

    fn ignored(&self, at: usize) -> u64 {
        self.ignored.get(at).copied().unwrap_or(0)
    }

    fn hash(&self, words: &[u64]) -> u64 {
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
        let mut mix = |word: u64| {
            hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 32;
        };
        if self.ignored.is_empty() {
            words.iter().for_each(|&word| mix(word));
        } else {
            words.iter().enumerate().for_each(|(at, &word)| mix(word & !self.ignored(at)));
        }
        hash
    }

    fn is_same(&self, a: &[u64], b: &[u64]) -> bool {
        if self.ignored.is_empty() {
            return a == b;
        }
        a.len() == b.len() && a.iter().zip(b).enumerate().all(|(at, (a, b))| (a ^ b) & !self.ignored(at) == 0)
    }
}

impl StateTable {
    /// The steps from the first state to this one.
    ///
    /// # Panics
    /// On a number that this table did not give.
    pub fn path(&self, mut state: StateNumber) -> Vec<Step> {
        let mut path = Vec::new();
        while state != 0 {
            let step = *self.value(state);
            path.push(step);
            state = step.0;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn holds_what_a_plain_map_holds() {
        let mut rng = Rng::from_seed(3);
        for (ignored, longest) in [(&[][..], 3), (&[0b110], 3), (&[0, u64::MAX], 3), (&[], 1)] {
            let mut table = StateTable::ignoring(ignored);
            let mut plain = std::collections::BTreeMap::new();
            for round in 0..20_000 {
                let length = 1 + rng.below(longest) as usize;
                let words: Vec<u64> = (0..length).map(|_| rng.below(1_000 / longest.pow(3))).collect();
                let cut = |(at, word): (usize, &u64)| word & !ignored.get(at).copied().unwrap_or(0);
                let key: Vec<u64> = words.iter().enumerate().map(cut).collect();
                assert_eq!(table.find(&words), plain.get(&key).copied());
                let next = plain.len() as StateNumber;
                let (state, is_new) = table.insert(&words, round).unwrap();
                assert_eq!(is_new, !plain.contains_key(&key), "{words:?}");
                assert_eq!(state, *plain.entry(key).or_insert(next));
                assert!(!is_new || (table.words(state), *table.value(state)) == (&words[..], round));
                assert_eq!(table.add(&words, 7), None);
            }
            assert_eq!(table.len(), plain.len());
            let before = table.clone();
            table.retain(|state, _| state % 3 > 0);
            for state in 0..before.len() as StateNumber {
                let found = table.find(before.words(state));
                assert_eq!(found, (state % 3 > 0).then(|| state - state / 3 - 1));
                assert!(found.is_none_or(|found| table.value(found) == before.value(state)));
            }
            table.clear();
            assert!(table.is_empty() && table.find(&[1]).is_none());
        }
    }

    #[test]
    fn remembers_the_way() {
        let mut table = StateTable::default();
        let mut state = table.add(&[0], (0, 9)).unwrap();
        for step in 1..5_000 {
            state = table.add(&[step, step], (state, step as u32)).unwrap();
        }
        assert_eq!(table.path(state), (1..5_000).map(|step| (step - 1, step)).collect::<Vec<Step>>());
        assert!(table.path(0).is_empty());
        assert_eq!(table.value(0), &(0, 9));
    }

    #[test]
    fn no_more_grows_than_was_said() {
        let mut table = StateTable::default();
        for number in 0..5_000 {
            let words = &[number, 1, 2][..if number < 1_500 { 2 } else { 1 + number as usize % 3 }];
            let most = table.bytes() + table.growth(words.len());
            table.insert(words, ()).unwrap();
            assert!(table.bytes() <= most, "{number}");
        }
    }
}
