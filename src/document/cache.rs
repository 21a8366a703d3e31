//! Converted objects, kept so that an object reached by two ways is converted once.

use super::object::{Object, ObjectId};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Objects are kept until they come to this many bytes, then dropped together.
const CACHE_BYTES: usize = 16 << 20;

/// What an object without a stream is taken to cost.
const OBJECT_BYTES: usize = 256;

/// Objects of one reader by their identifiers.
#[derive(Default)]
pub(crate) struct ObjectCache {
    kept: RwLock<Kept>,
}

#[derive(Default)]
struct Kept {
    objects: HashMap<ObjectId, Arc<Object>>,
    bytes: usize,
}

impl ObjectCache {
    /// The object `id`, made by `make` where it is not kept.
    pub(crate) fn get_or_make<E>(
        &self,
        id: ObjectId,
        make: impl FnOnce() -> Result<Object, E>,
    ) -> Result<Arc<Object>, E> {
        if let Some(object) = self.kept.read().unwrap_or_else(PoisonError::into_inner).objects.get(&id) {
            return Ok(Arc::clone(object));
        }
        let object = Arc::new(make()?);
        self.keep(id, &object);
        Ok(object)
    }

    fn keep(&self, id: ObjectId, object: &Arc<Object>) {
        let data = object.as_stream().map_or(0, |stream| stream.data.len());
        let bytes = data.saturating_add(OBJECT_BYTES);
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes.saturating_add(bytes) > CACHE_BYTES {
            *kept = Kept::default();
        }
        kept.bytes = kept.bytes.saturating_add(bytes);
        kept.objects.insert(id, Arc::clone(object));
    }
}
