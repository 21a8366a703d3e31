//! Caches of readers, so that an object is read once even if several paths lead to it.

use crate::fast_hash::FastMap;
use crate::object::{Object, ObjectId};
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

/// Size of the object cache of a reader that converts another library's objects.
const CACHE_BYTES: usize = 16 << 20;

/// Assumed memory of an object without stream data.
const OBJECT_BYTES: usize = 256;

/// A value larger than this share of a cache is kept apart.
const LARGE_SHARE: usize = 8;

/// The room for large values, as a multiple of the other's. Otherwise one large value and a small one would push each other
/// out, and be made again for each page.
const LARGE_ROOM: usize = 4;

/// A map that is emptied whenever it would exceed its room. Large values have a room of their own.
pub(crate) struct Cache<K, V> {
    small: RwLock<CacheEntries<K, V>>,
    large: RwLock<CacheEntries<K, V>>,
    max_bytes: usize,
}

struct CacheEntries<K, V> {
    values: FastMap<K, Arc<V>>,
    bytes: usize,
}

impl<K: Eq + Hash, V> CacheEntries<K, V> {
    fn new() -> RwLock<Self> {
        RwLock::new(Self { values: FastMap::default(), bytes: 0 })
    }

    /// Inserts a value, in the place of all others if they would exceed `room`.
    fn insert(&mut self, key: K, value: &Arc<V>, bytes: usize, room: usize) {
        if self.bytes.saturating_add(bytes) > room {
            self.values = FastMap::default();
            self.bytes = 0;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.values.insert(key, Arc::clone(value));
    }
}

impl<K: Eq + Hash, V> Cache<K, V> {
    /// An empty cache. It may hold a single value that is larger than its room.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { small: CacheEntries::new(), large: CacheEntries::new(), max_bytes }
    }

    /// The value cached for `key`.
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let known = |entries: &RwLock<CacheEntries<K, V>>| {
            entries.read().unwrap_or_else(PoisonError::into_inner).values.get(key).cloned()
        };
        known(&self.small).or_else(|| known(&self.large))
    }

    /// Caches `value`, which takes `bytes` of memory.
    pub(crate) fn insert(&self, key: K, value: &Arc<V>, bytes: usize) {
        let (entries, room) = match bytes > self.max_bytes / LARGE_SHARE {
            true => (&self.large, self.max_bytes.saturating_mul(LARGE_ROOM)),
            false => (&self.small, self.max_bytes),
        };
        entries.write().unwrap_or_else(PoisonError::into_inner).insert(key, value, bytes, room);
    }
}

/// A reader's objects by id.
pub(crate) struct ObjectCache(Cache<ObjectId, Object>);

impl Default for ObjectCache {
    fn default() -> Self {
        Self(Cache::new(CACHE_BYTES))
    }
}

impl ObjectCache {
    /// The object `id`, from the cache or created by `make`.
    pub(crate) fn get_or_make<E>(
        &self,
        id: ObjectId,
        make: impl FnOnce() -> Result<Object, E>,
    ) -> Result<Arc<Object>, E> {
        if let Some(object) = self.0.get(&id) {
            return Ok(object);
        }
        let object = Arc::new(make()?);
        let data = object.as_stream().map_or(0, |stream| stream.data.len());
        self.0.insert(id, &object, data.saturating_add(OBJECT_BYTES));
        Ok(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_values_and_small_ones_do_not_push_each_other_out() {
        let cache = Cache::new(800);
        let value = Arc::new(());
        for (key, bytes) in [("huge", 3_000), ("large", 101), ("small", 100), ("another", 100)] {
            cache.insert(key, &value, bytes);
        }
        assert!(["huge", "large", "small", "another"].iter().all(|key| cache.get(key).is_some()));
        cache.insert("too much", &value, 200);
        assert_eq!(["huge", "too much", "small"].map(|key| cache.get(&key).is_some()), [false, true, true]);
        (0..8).for_each(|_| cache.insert("small", &value, 100));
        assert_eq!(["another", "too much"].map(|key| cache.get(&key).is_some()), [false, true]);
    }
}
