//! A transposition table of bounded size.

use ludex_game::{ActionId, State};

use crate::fingerprint::fingerprint;

/// What stands for a state in the table: its fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Key(pub(super) [u64; 2]);

impl Key {
    pub(super) fn of(state: &State) -> Self {
        Self(fingerprint(state.words().iter().copied()))
    }
}

/// How a value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Bound {
    #[default]
    Exact,
    /// The true value is at least this.
    Lower,
    /// The true value is at most this.
    Upper,
}

/// What is remembered of a state beside its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Entry {
    /// The best moves of the first two roles that had a choice.
    pub(super) best: [Option<ActionId>; 2],
    /// The levels that were left to the limit.
    pub(super) remaining: u32,
    pub(super) bound: Bound,
    /// Whether no state beyond the horizon had a part in it.
    pub(super) is_complete: bool,
    /// The binary logarithm of the nodes below, the work that is saved, which [`TranspositionTable::store`] fills in. 0 marks
    /// an empty slot.
    pub(super) effort: u8,
}

/// Slots that a state may be in.
const CLUSTER: usize = 4;
/// Slots at first.
const FIRST_SLOTS: usize = 1 << 10;

/// Fixed-size slots, looked up by fingerprint. Grows up to its limit; then what took least work goes.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    keys: Vec<Key>,
    entries: Vec<Entry>,
    /// For each slot as many values as a state has.
    values: Vec<f64>,
    width: usize,
    used: usize,
    most_slots: usize,
}

impl TranspositionTable {
    /// A table for `width` values a state within so many bytes; `None` where not even a small one fits.
    pub(super) fn new(bytes: usize, width: usize) -> Option<Self> {
        let slot = Self::slot_bytes(width);
        // While it grows, the old slots are there beside twice as many new ones.
        let fitting = bytes / slot * 2 / 3;
        if fitting < CLUSTER {
            return None;
        }
        let most_slots = (fitting / 2 + 1).next_power_of_two().max(CLUSTER);
        let mut table =
            Self { keys: Vec::new(), entries: Vec::new(), values: Vec::new(), width, used: 0, most_slots };
        table.allocate(FIRST_SLOTS.min(most_slots));
        Some(table)
    }

    fn slot_bytes(width: usize) -> usize {
        size_of::<Key>() + size_of::<Entry>() + width * size_of::<f64>()
    }

    fn allocate(&mut self, slots: usize) {
        self.keys = vec![Key::default(); slots];
        self.entries = vec![Entry::default(); slots];
        self.values = vec![0.0; slots * self.width];
        self.used = 0;
    }

    /// How many states are remembered.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.keys.len() * Self::slot_bytes(self.width)
    }

    fn cluster(&self, key: Key) -> std::ops::Range<usize> {
        // The number of slots is a power of two and at least a cluster.
        let start = (key.0[0] as usize) & (self.keys.len() - 1) & !(CLUSTER - 1);
        start..start + CLUSTER
    }

    /// What is known about a state.
    pub(super) fn find(&self, key: Key) -> Option<(&Entry, &[f64])> {
        let slot = self.cluster(key).find(|&slot| self.entries[slot].effort > 0 && self.keys[slot] == key)?;
        Some((&self.entries[slot], &self.values[slot * self.width..][..self.width]))
    }

    /// Remembers a state whose search took so many nodes.
    pub(super) fn store(&mut self, key: Key, entry: Entry, values: &[f64], nodes: u64) {
        let effort = (nodes.max(1).ilog2() as u8).saturating_add(1);
        self.put(key, Entry { effort, ..entry }, values);
        if self.used > self.keys.len() / 2 && self.keys.len() < self.most_slots {
            self.grow();
        }
    }

    fn put(&mut self, key: Key, entry: Entry, values: &[f64]) {
        let cluster = self.cluster(key);
        let known = cluster.clone().find(|&slot| self.entries[slot].effort > 0 && self.keys[slot] == key);
        let slot = known.or_else(|| cluster.min_by_key(|&slot| self.entries[slot].effort));
        let Some(slot) = slot else { return };
        self.used += usize::from(self.entries[slot].effort == 0);
        self.keys[slot] = key;
        self.entries[slot] = entry;
        self.values[slot * self.width..][..self.width].copy_from_slice(values);
    }

    fn grow(&mut self) {
        let (keys, entries) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.entries));
        let values = std::mem::take(&mut self.values);
        self.allocate(keys.len() * 2);
        for (slot, (&key, &entry)) in keys.iter().zip(&entries).enumerate() {
            if entry.effort > 0 {
                self.put(key, entry, &values[slot * self.width..][..self.width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        Key::of(&State::new(Default::default(), &[number, 7]))
    }

    #[test]
    fn a_small_table_remembers_what_took_most_work() {
        let mut table = TranspositionTable::new(4096, 1).unwrap();
        table.store(key(0), Entry::default(), &[42.0], 1 << 40);
        for number in 1..10_000 {
            table.store(key(number), Entry::default(), &[number as f64], 1);
        }
        assert!(table.bytes() <= 4096 && table.len() <= table.keys.len());
        assert_eq!(table.find(key(0)).unwrap().1, [42.0]);
        assert_eq!(table.find(key(9_999)).unwrap().1, [9_999.0]);
    }

    #[test]
    fn a_table_grows_and_keeps_what_it_has() {
        let mut table = TranspositionTable::new(1 << 24, 2).unwrap();
        for number in 0..20_000 {
            table.store(key(number), Entry::default(), &[number as f64, 1.0], 1);
        }
        let kept = (0..20_000).filter(|&n| table.find(key(n)).is_some_and(|(_, v)| v[0] == n as f64)).count();
        assert!(kept > 18_000, "{kept}");
        assert!(table.bytes() <= 1 << 24);
        assert!(TranspositionTable::new(100, 2).is_none());
    }
}
