//! A concurrent map with a bound on its size.

use std::hash::Hash;

use dashmap::DashMap;

/// A map of at most `max_entries`. When it is full, it is cleared: every entry can be computed again.
pub(crate) struct BoundedMap<K: Eq + Hash, V> {
    known: DashMap<K, V>,
    max_entries: usize,
}

impl<K: Eq + Hash, V: Clone> BoundedMap<K, V> {
    pub(crate) fn of(max_entries: usize) -> Self {
        Self { known: DashMap::new(), max_entries }
    }

    pub(crate) fn insert(&self, key: K, value: V) {
        if self.known.len() >= self.max_entries && !self.known.contains_key(&key) {
            self.known.clear();
        }
        self.known.insert(key, value);
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.known.get(key).map(|value| value.clone())
    }

    pub(crate) fn remove(&self, key: &K) -> Option<V> {
        self.known.remove(key).map(|(_, value)| value)
    }

    pub(crate) fn sum(&self, size: impl Fn(&V) -> usize) -> usize {
        self.known.iter().map(|value| size(&value)).sum()
    }

    pub(crate) fn clear(&self) {
        self.known.clear();
    }
}
