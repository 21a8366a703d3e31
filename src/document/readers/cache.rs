//! Caches of readers, so that an object is read once even if several paths lead to it.

use crate::fast_hash::FastMap;
use crate::object::{Object, ObjectId};
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

/// Size of the object cache of a reader that converts another library's objects.
const CACHE_BYTES: usize = 16 << 20;

/// Assumed memory of an object without stream data.
const OBJECT_BYTES: usize = 256;

/// A map that is emptied whenever it would exceed `max_bytes`.
pub(crate) struct Cache<K, V> {
    entries: RwLock<CacheEntries<K, V>>,
    max_bytes: usize,
}

struct CacheEntries<K, V> {
    values: FastMap<K, Arc<V>>,
    bytes: usize,
}

impl<K, V> CacheEntries<K, V> {
    fn new() -> Self {
        Self { values: FastMap::default(), bytes: 0 }
    }
}

impl<K: Eq + Hash, V> Cache<K, V> {
    /// An empty cache. It may hold a single value that is larger than `max_bytes`.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { entries: RwLock::new(CacheEntries::new()), max_bytes }
    }

    /// The value cached for `key`.
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).values.get(key).cloned()
    }

    /// Caches `value`, which takes `bytes` of memory.
    pub(crate) fn insert(&self, key: K, value: &Arc<V>, bytes: usize) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.bytes.saturating_add(bytes) > self.max_bytes {
            *entries = CacheEntries::new();
        }
        entries.bytes = entries.bytes.saturating_add(bytes);
        entries.values.insert(key, Arc::clone(value));
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
