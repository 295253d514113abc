//! States that were seen, packed, with the way to each.

/// The number of a state, in the order in which states were found.
pub(super) type Node = u32;

/// A set of states in the order in which they came, each with the state it was first reached from and
/// the number of the joint move that led there.
#[derive(Debug, Default)]
pub(super) struct Table {
    words: Vec<u64>,
    /// Where the words of each state end.
    ends: Vec<usize>,
    parents: Vec<Node>,
    /// The position of the joint move among those of the parent.
    joints: Vec<u32>,
    /// Open addressing: the upper half of the hash beside the number of the state plus one; 0 is empty.
    slots: Vec<u64>,
}

impl Table {
    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The memory it takes. Lists that grow have up to twice the room.
    pub(super) fn bytes(&self) -> usize {
        8 * (self.words.capacity() + self.slots.capacity() + self.ends.capacity())
            + 4 * (self.parents.capacity() + self.joints.capacity())
    }

    /// The words of a state.
    pub(super) fn words(&self, node: Node) -> &[u64] {
        let node = node as usize;
        let begin = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.words[begin..self.ends[node]]
    }

    /// The state that a state was first reached from, and by which of its joint moves; the first state
    /// is its own parent.
    pub(super) fn parent(&self, node: Node) -> (Node, u32) {
        (self.parents[node as usize], self.joints[node as usize])
    }

    /// The number of a state, and whether it is new. None when there is no number left.
    pub(super) fn insert(&mut self, words: &[u64], parent: Node, joint: u32) -> Option<(Node, bool)> {
        if 2 * (self.len() + 1) > self.slots.len() {
            self.grow();
        }
        let hash = hash(words);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            if slot >> 32 == hash >> 32 && self.words(slot as u32 - 1) == words {
                return Some((slot as u32 - 1, false));
            }
            at = (at + 1) & mask;
        }
        let node = u32::try_from(self.len()).ok().filter(|&node| node < u32::MAX)?;
        self.slots[at] = (hash >> 32 << 32) | u64::from(node + 1);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
        self.parents.push(parent);
        self.joints.push(joint);
        Some((node, true))
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(1024);
        let mut slots = vec![0; size];
        for node in 0..self.len() as Node {
            let hash = hash(self.words(node));
            let mut at = hash as usize & (size - 1);
            while slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            slots[at] = (hash >> 32 << 32) | u64::from(node + 1);
        }
        self.slots = slots;
    }
}

fn hash(words: &[u64]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for &word in words {
        hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 32;
    }
    hash
}

/// One bit for each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// The bit of a node; false where none was set.
    pub(super) fn get(&self, node: Node) -> bool {
        self.0.get(node as usize / 64).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Sets the bit of a node.
    pub(super) fn set(&mut self, node: Node) {
        let at = node as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (node % 64);
    }

    /// The nodes whose bit is set, ascending.
    pub(super) fn ones(&self) -> impl Iterator<Item = Node> + '_ {
        (0..64 * self.0.len() as Node).filter(|&node| self.get(node))
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;

    use super::*;

    #[test]
    fn holds_what_a_plain_map_holds() {
        let mut rng = Rng::from_seed(3);
        let mut table = Table::default();
        let mut plain = std::collections::BTreeMap::new();
        for _ in 0..20_000 {
            let length = 1 + rng.below(3) as usize;
            let words: Vec<u64> = (0..length).map(|_| rng.below(24)).collect();
            let next = plain.len() as Node;
            let (node, new) = table.insert(&words, 0, 7).unwrap();
            assert_eq!(new, !plain.contains_key(&words));
            assert_eq!(node, *plain.entry(words.clone()).or_insert(next));
            assert_eq!(table.words(node), words);
        }
        assert_eq!(table.len(), plain.len());
    }

    #[test]
    fn bits_are_set_and_listed() {
        let mut bits = Bits::default();
        [3, 64, 200, 3].into_iter().for_each(|node| bits.set(node));
        assert!(bits.get(3) && bits.get(64) && bits.get(200) && !bits.get(4) && !bits.get(10_000));
        assert_eq!(bits.ones().collect::<Vec<_>>(), [3, 64, 200]);
    }
}
