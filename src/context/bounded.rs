//! What a process has found out, as much of it as may be kept.

use std::hash::Hash;

use dashmap::DashMap;

/// Entries that are kept. 65,536, at some 200 bytes each.
const MAX_ENTRIES: usize = 65_536;

/// Facts by what they are of. Where it is full all of it goes: it is found out again when it is asked for.
pub(super) struct Bounded<K: Eq + Hash, V> {
    known: DashMap<K, V>,
}

impl<K: Eq + Hash, V> Default for Bounded<K, V> {
    fn default() -> Self {
        Self { known: DashMap::new() }
    }
}

impl<K: Eq + Hash, V: Clone> Bounded<K, V> {
    pub(super) fn insert(&self, key: K, value: V) {
        if self.known.len() >= MAX_ENTRIES {
            self.known.clear();
        }
        self.known.insert(key, value);
    }

    pub(super) fn get(&self, key: &K) -> Option<V> {
        self.known.get(key).map(|value| value.clone())
    }
}
