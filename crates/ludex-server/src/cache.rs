//! What was made lately and may be wanted again, as long as it takes no more than so many bytes.

use crate::lock::lock;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

/// So many entries at most, however small they are.
const MOST: usize = 4096;
/// What an entry takes beside its value, by rule of thumb.
const OVERHEAD: usize = 256;

/// Values by their keys. What nobody has asked for longest makes room.
#[derive(Debug)]
pub(crate) struct Cache<K, V: ?Sized> {
    room: usize,
    inner: Mutex<Inner<K, V>>,
}

#[derive(Debug)]
struct Inner<K, V: ?Sized> {
    values: BTreeMap<K, (Arc<V>, usize)>,
    /// The keys in the order in which they were wanted, the latest last.
    order: VecDeque<K>,
    bytes: usize,
}

impl<K: Ord + Clone, V: ?Sized> Cache<K, V> {
    /// A cache of so many bytes.
    pub(crate) fn new(room: usize) -> Self {
        let inner = Inner { values: BTreeMap::new(), order: VecDeque::new(), bytes: 0 };
        Self { room, inner: Mutex::new(inner) }
    }

    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut inner = lock(&self.inner);
        let found = Arc::clone(&inner.values.get(key)?.0);
        inner.order.retain(|known| known != key);
        inner.order.push_back(key.clone());
        Some(found)
    }

    /// Keeps a value of so many bytes; one that would push out most of the others is not kept.
    pub(crate) fn put(&self, key: K, value: &Arc<V>, bytes: usize) {
        let bytes = bytes.saturating_add(OVERHEAD);
        let mut inner = lock(&self.inner);
        if bytes > self.room / 4 || inner.values.contains_key(&key) {
            return;
        }
        inner.bytes += bytes;
        inner.values.insert(key.clone(), (Arc::clone(value), bytes));
        inner.order.push_back(key);
        while inner.bytes > self.room || inner.values.len() > MOST {
            let Some(oldest) = inner.order.pop_front() else { break };
            let gone = inner.values.remove(&oldest).map_or(0, |(_, bytes)| bytes);
            inner.bytes -= gone;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_wanted_for_longest_makes_room() {
        let cache = Cache::<u32, str>::new(10_000);
        let value: Arc<str> = "x".into();
        for key in 0..4 {
            cache.put(key, &value, 2_000);
        }
        assert!(cache.get(&0).is_some());
        cache.put(4, &value, 2_000);
        let known: Vec<u32> = (0..5).filter(|key| cache.get(key).is_some()).collect();
        assert_eq!(known, [0, 2, 3, 4]);
        cache.put(9, &value, 5_000);
        assert!(cache.get(&9).is_none() && cache.get(&4).is_some(), "too large to be kept");
        let small = Cache::<usize, str>::new(usize::MAX);
        (0..MOST + 10).for_each(|key| small.put(key, &value, 1));
        assert!(small.get(&9).is_none() && small.get(&10).is_some());
    }
}
