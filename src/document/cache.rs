//! What readers keep, so that an object reached by two ways is read once.

use super::keyed::KeyedMap;
use super::object::{Object, ObjectId};
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

/// Objects of a reader that converts those of another are kept until they come to this many bytes.
const CACHE_BYTES: usize = 16 << 20;

/// What an object without a stream is taken to cost.
const OBJECT_BYTES: usize = 256;

/// Things by their keys, kept until they come to so many bytes, then dropped together.
pub(crate) struct Cache<K, V> {
    kept: RwLock<Kept<K, V>>,
    max_bytes: usize,
}

struct Kept<K, V> {
    things: KeyedMap<K, Arc<V>>,
    bytes: usize,
}

impl<K, V> Kept<K, V> {
    fn new() -> Self {
        Self { things: KeyedMap::default(), bytes: 0 }
    }
}

impl<K: Eq + Hash, V> Cache<K, V> {
    /// A cache of `max_bytes`, or of one thing that is larger.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { kept: RwLock::new(Kept::new()), max_bytes }
    }

    /// What is kept as `key`.
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).things.get(key).cloned()
    }

    /// Keeps `thing`, which costs so many bytes.
    pub(crate) fn keep(&self, key: K, thing: &Arc<V>, bytes: usize) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes.saturating_add(bytes) > self.max_bytes {
            *kept = Kept::new();
        }
        kept.bytes = kept.bytes.saturating_add(bytes);
        kept.things.insert(key, Arc::clone(thing));
    }
}

/// Objects of one reader by their identifiers.
pub(crate) struct ObjectCache(Cache<ObjectId, Object>);

impl Default for ObjectCache {
    fn default() -> Self {
        Self(Cache::new(CACHE_BYTES))
    }
}

impl ObjectCache {
    /// The object `id`, made by `make` where it is not kept.
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
        self.0.keep(id, &object, data.saturating_add(OBJECT_BYTES));
        Ok(object)
    }
}
