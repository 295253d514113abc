//! States that were seen, packed, with the way to each.

use ludex_game::ActionId;

/// The number of a state in a [`Table`].
pub(super) type Node = u32;

/// A set of states in the order they came, each with the state and the move it was reached by.
///
/// Bits can be left out of the comparison, so that states that differ in nothing else are one.
#[derive(Default)]
pub(super) struct Table {
    words: Vec<u64>,
    /// Where the words of each state end.
    ends: Vec<usize>,
    parents: Vec<Node>,
    actions: Vec<ActionId>,
    /// Open addressing: the upper half of the hash beside the number of the state plus one; 0 is empty.
    slots: Vec<u64>,
    /// The bits that do not count, from the first word on.
    ignored: Vec<u64>,
}

impl Table {
    /// An empty table that compares states but for these bits.
    pub(super) fn ignoring(bits: &[u64]) -> Self {
        Self { ignored: bits.to_vec(), ..Self::default() }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The memory its states take. Lists that grow have up to twice the room.
    pub(super) fn bytes(&self) -> usize {
        8 * (self.words.len() + self.slots.len() + self.len()) + 8 * self.len()
    }

    /// The words of a state.
    pub(super) fn words(&self, node: Node) -> &[u64] {
        let node = node as usize;
        let begin = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.words[begin..self.ends[node]]
    }

    /// Adds a state and gives its number, unless it is known. The first state is its own parent.
    pub(super) fn insert(&mut self, words: &[u64], parent: Node, action: ActionId) -> Option<Node> {
        if 2 * (self.len() + 1) > self.slots.len() {
            self.grow();
        }
        let hash = self.hash(words);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            if slot >> 32 == hash >> 32 && self.is_same(self.words(slot as u32 - 1), words) {
                return None;
            }
            at = (at + 1) & mask;
        }
        // The callers stop at their share of the memory, long before so many states.
        let node = u32::try_from(self.len()).ok().filter(|&node| node < u32::MAX)?;
        self.slots[at] = (hash >> 32 << 32) | u64::from(node + 1);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
        self.parents.push(parent);
        self.actions.push(action);
        Some(node)
    }

    /// The moves from the first state to this one.
    pub(super) fn path(&self, mut node: Node) -> Vec<ActionId> {
        let mut path = Vec::new();
        while node != 0 {
            path.push(self.actions[node as usize]);
            node = self.parents[node as usize];
        }
        path.reverse();
        path
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
        for node in 0..self.len() as Node {
            let hash = self.hash(self.words(node));
            let mut at = hash as usize & (size - 1);
            while slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            slots[at] = (hash >> 32 << 32) | u64::from(node + 1);
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex_game::Rng;

    #[test]
    fn holds_what_a_plain_set_holds() {
        let mut rng = Rng::from_seed(3);
        for ignored in [&[][..], &[0b110], &[0, u64::MAX]] {
            let mut table = Table::ignoring(ignored);
            let mut plain = std::collections::BTreeSet::new();
            for _ in 0..20_000 {
                let length = 1 + rng.below(3) as usize;
                let words: Vec<u64> = (0..length).map(|_| rng.below(24)).collect();
                let cut = |(at, word): (usize, &u64)| word & !ignored.get(at).copied().unwrap_or(0);
                let key: Vec<u64> = words.iter().enumerate().map(cut).collect();
                let new = table.insert(&words, 0, ActionId(0));
                assert_eq!(new.is_some(), plain.insert(key), "{words:?}");
                if let Some(node) = new {
                    assert_eq!(table.words(node), words);
                }
            }
            assert_eq!(table.len(), plain.len());
        }
    }

    #[test]
    fn remembers_the_way() {
        let mut table = Table::default();
        let mut node = table.insert(&[0], 0, ActionId(9)).unwrap();
        for step in 1..5_000 {
            node = table.insert(&[step, step], node, ActionId(step as u32)).unwrap();
        }
        let expected: Vec<ActionId> = (1..5_000).map(ActionId).collect();
        assert_eq!(table.path(node), expected);
        assert_eq!(table.path(0), []);
    }
}
