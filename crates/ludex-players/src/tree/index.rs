//! Finding the numbers of things by their hashes, in a table that grows by one bucket at a time (linear hashing:
//! Litwin, 1980): however many things there are, no single one of them takes long to put in or out. A table that
//! grows at once costs a search with a million nodes a good part of a turn.

use super::graph::NONE;

/// The numbers of things, which their owner keeps in a list and compares.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The first number of each bucket.
    heads: Vec<u32>,
    /// By number: the next one in its bucket.
    links: Vec<Link>,
    len: usize,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    hash: u32,
}

impl Link {
    const FREE: Self = Self { next: NONE, hash: 0 };
}

/// The bits that say the bucket, where buckets are so many: one more than is needed for some, which then is taken
/// off again.
fn mask(buckets: usize) -> usize {
    buckets.next_power_of_two() - 1
}

/// All bits of a hash count, wherever the good ones are.
fn fold(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}

impl Index {
    /// Room for so many numbers.
    pub fn with_capacity(numbers: usize) -> Self {
        Self { heads: Vec::with_capacity(numbers), links: Vec::with_capacity(numbers), len: 0 }
    }

    /// What each number takes.
    pub const BYTES: usize = size_of::<Link>() + size_of::<u32>();

    /// Bytes held.
    pub fn held(&self) -> usize {
        self.heads.capacity() * size_of::<u32>() + self.links.capacity() * size_of::<Link>()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.len * Self::BYTES
    }

    /// Takes out everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.links.clear();
        self.len = 0;
    }

    /// The number with this hash that is the one.
    pub fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let hash = fold(hash);
        let mut number = *self.heads.get(self.bucket(hash)?)?;
        while number != NONE {
            let link = self.links[number as usize];
            if link.hash == hash && is_it(number) {
                return Some(number);
            }
            number = link.next;
        }
        None
    }

    /// Puts a number in that is not there.
    pub fn insert(&mut self, hash: u64, number: u32) {
        self.len += 1;
        if self.len > self.heads.len() {
            self.split();
        }
        let place = number as usize;
        if self.links.len() <= place {
            self.links.resize(place + 1, Link::FREE);
        }
        self.links[place].hash = fold(hash);
        self.push(number);
    }

    /// Takes a number out; nothing happens where it is not there.
    pub fn remove(&mut self, number: u32) {
        let Some(&Link { next, hash }) = self.links.get(number as usize) else { return };
        let Some(bucket) = self.bucket(hash) else { return };
        let mut before = NONE;
        let mut at = self.heads[bucket];
        while at != number {
            if at == NONE {
                return;
            }
            (before, at) = (at, self.links[at as usize].next);
        }
        match self.links.get_mut(before as usize) {
            Some(link) => link.next = next,
            None => self.heads[bucket] = next,
        }
        self.len -= 1;
    }

    /// The bucket of a hash; none where there are no buckets.
    fn bucket(&self, hash: u32) -> Option<usize> {
        let buckets = self.heads.len();
        let bucket = hash as usize & mask(buckets);
        (buckets > 0).then_some(if bucket < buckets { bucket } else { bucket & mask(buckets) >> 1 })
    }

    /// Puts a number first in its bucket.
    fn push(&mut self, number: u32) {
        let link = &self.links[number as usize];
        // There is a bucket for each number at least.
        let Some(bucket) = self.bucket(link.hash) else { return };
        self.links[number as usize].next = std::mem::replace(&mut self.heads[bucket], number);
    }

    /// Makes one more bucket, for some of the numbers of another one.
    fn split(&mut self) {
        let new = self.heads.len();
        self.heads.push(NONE);
        let old = new & mask(new + 1) >> 1;
        let mut number = std::mem::replace(&mut self.heads[old], NONE);
        while number != NONE {
            let next = self.links[number as usize].next;
            self.push(number);
            number = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ludex_game::Rng;

    use super::*;

    /// Puts in and takes out at random, with hashes of which many are the same; what is in is found, and nothing else.
    #[test]
    fn what_is_in_is_found() {
        for seed in 0..30 {
            let mut rng = Rng::from_seed(seed);
            let hashes = [3, 1 << 10, u64::MAX][seed as usize % 3];
            let (mut index, mut model) = (Index::default(), BTreeMap::<u32, u64>::new());
            for _ in 0..3_000 {
                let number = rng.below(700) as u32;
                if model.remove(&number).is_some() {
                    index.remove(number);
                } else {
                    let hash = rng.below(hashes);
                    model.insert(number, hash);
                    index.insert(hash, number);
                }
                let number = rng.below(700) as u32;
                let hash = model.get(&number).copied().unwrap_or(rng.below(hashes));
                assert_eq!(index.find(hash, |found| found == number).is_some(), model.contains_key(&number));
            }
            index.remove(1_000);
            assert_eq!(index.bytes(), model.len() * Index::BYTES);
            index.clear();
            assert_eq!(index.find(0, |_| true), None);
            assert_eq!(index.bytes(), 0);
        }
    }

    /// Buckets stay short while a hundred thousand numbers come and go, and no more than one is split at a time.
    #[test]
    fn nothing_takes_long() {
        let mut index = Index::default();
        let hash = |number: u32| u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let longest = |index: &Index| {
            let length = |&head: &u32| {
                let link = |number: u32| index.links.get(number as usize);
                std::iter::successors(link(head), |before| link(before.next)).count()
            };
            index.heads.iter().map(length).max().unwrap_or(0)
        };
        for number in 0..100_000 {
            let buckets = index.heads.len();
            index.insert(hash(number), number);
            assert!(index.heads.len() - buckets <= 1);
        }
        assert!(longest(&index) < 16, "{}", longest(&index));
        (0..100_000).filter(|number| number % 3 > 0).for_each(|number| index.remove(number));
        (100_000..150_000).for_each(|number| index.insert(hash(number), number));
        assert!(index.heads.len() <= 100_000 && longest(&index) < 16);
        assert!(
            (0..150_000)
                .filter(|n| n % 3 == 0 || *n >= 100_000)
                .all(|n| index.find(hash(n), |m| m == n) == Some(n))
        );
    }
}
