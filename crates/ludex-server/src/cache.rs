//! What was made lately and may be wanted again, as long as it takes no more than so many bytes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::lock::lock;

/// So many entries at most, however small they are, where nothing else is said.
const MOST: usize = 4096;
/// What an entry takes beside its value, by rule of thumb.
const OVERHEAD: usize = 256;

/// Values by their keys. What nobody has asked for longest makes room.
#[derive(Debug)]
pub(crate) struct Cache<K, V: ?Sized> {
    room: usize,
    /// No larger value is kept.
    largest: usize,
    most: usize,
    /// Whether values grow while they are kept.
    grows: bool,
    /// How many bytes a value takes.
    bytes: fn(&V) -> usize,
    /// In the order in which they were wanted, the latest last.
    entries: Mutex<Vec<Entry<K, V>>>,
    /// What is being made.
    making: Mutex<BTreeMap<K, Arc<Mutex<()>>>>,
}

#[derive(Debug)]
struct Entry<K, V: ?Sized> {
    key: K,
    value: Arc<V>,
    bytes: usize,
}

impl<K: Ord + Clone, V: ?Sized> Cache<K, V> {
    /// A cache of so many bytes. A value that would push out most of the others is not kept.
    pub(crate) fn new(room: usize, bytes: fn(&V) -> usize) -> Self {
        Self {
            room,
            largest: room / 4,
            most: MOST,
            grows: false,
            bytes,
            entries: Mutex::default(),
            making: Mutex::default(),
        }
    }

    /// A cache of so many values and bytes, which keeps the last one in any case. Values may grow: their bytes are
    /// asked for again with each use.
    pub(crate) fn of_few(most: usize, room: usize, bytes: fn(&V) -> usize) -> Self {
        Self { largest: usize::MAX, most: most.max(1), grows: true, ..Self::new(room, bytes) }
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        lock(&self.entries).len()
    }

    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut entries = lock(&self.entries);
        let place = entries.iter().position(|entry| entry.key == *key)?;
        let mut found = entries.remove(place);
        if self.grows {
            found.bytes = (self.bytes)(&found.value).saturating_add(OVERHEAD);
        }
        let value = Arc::clone(&found.value);
        entries.push(found);
        Some(value)
    }

    /// A value that is kept, or is made now: by one alone, for whom those wait who want the same. `make` says whether
    /// it is to be kept.
    pub(crate) fn get_or<E>(
        &self,
        key: K,
        make: impl FnOnce() -> Result<(Arc<V>, bool), E>,
    ) -> Result<Arc<V>, E> {
        if let Some(found) = self.get(&key) {
            return Ok(found);
        }
        let same = Arc::clone(lock(&self.making).entry(key.clone()).or_default());
        let _same = lock(&same);
        if let Some(found) = self.get(&key) {
            return Ok(found);
        }
        let made = make();
        if let Ok((value, true)) = &made {
            self.put(key.clone(), value);
        }
        lock(&self.making).remove(&key);
        Ok(made?.0)
    }

    /// Keeps a value, in the place of another one with this key.
    pub(crate) fn put(&self, key: K, value: &Arc<V>) {
        let bytes = (self.bytes)(value).saturating_add(OVERHEAD);
        let mut entries = lock(&self.entries);
        entries.retain(|entry| entry.key != key);
        if bytes > self.largest {
            return;
        }
        entries.push(Entry { key, value: Arc::clone(value), bytes });
        let mut held = entries.iter().fold(0usize, |sum, entry| sum.saturating_add(entry.bytes));
        while entries.len() > self.most || held > self.room && entries.len() > 1 {
            held -= entries.remove(0).bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_wanted_for_longest_makes_room() {
        let cache = Cache::<u32, str>::new(10_000, str::len);
        let value: Arc<str> = "x".repeat(2_000).into();
        for key in 0..4 {
            cache.put(key, &value);
        }
        assert!(cache.get(&0).is_some());
        cache.put(4, &value);
        let known: Vec<u32> = (0..5).filter(|key| cache.get(key).is_some()).collect();
        assert_eq!(known, [0, 2, 3, 4]);
        cache.put(9, &"x".repeat(5_000).into());
        assert!(cache.get(&9).is_none() && cache.get(&4).is_some(), "too large to be kept");
        let small = Cache::<usize, str>::new(usize::MAX, str::len);
        (0..MOST + 10).for_each(|key| small.put(key, &value));
        assert!(small.get(&9).is_none() && small.get(&10).is_some());
    }

    #[test]
    fn what_many_want_is_made_once() {
        let cache = Cache::<u32, str>::new(10_000, str::len);
        let made = std::sync::atomic::AtomicUsize::new(0);
        let make = |keep: bool| {
            made.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(20));
            Ok::<_, ()>(("x".into(), keep))
        };
        std::thread::scope(|scope| {
            (0..8).for_each(|_| drop(scope.spawn(|| cache.get_or(1, || make(true)))));
        });
        assert_eq!(made.load(std::sync::atomic::Ordering::SeqCst), 1);
        cache.get_or(2, || make(false)).unwrap();
        cache.get_or(2, || make(false)).unwrap();
        assert_eq!(made.load(std::sync::atomic::Ordering::SeqCst), 3, "what is not to be kept is made again");
        assert_eq!(cache.get_or(3, || Err("no")), Err("no"));
    }
}
