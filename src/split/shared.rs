//! What the pages of one document have in common, worked out once for all that are cut out of it.
//!
//! Fonts, pictures and resource dictionaries stand on many pages, and what is made of them is the same on each: their
//! bytes, the names that their content uses, their data deflated, its hash. Nothing here decides what a page is: what
//! is not kept is worked out again, and comes to the same bytes.

use super::recode::recoded;
use super::recorded::Recorded;
use super::used::Use;
use super::verify::Surveyed;
use super::writer::{Data, Packed};
use crate::document::keyed::KeyedMap;
use crate::document::object::{Object, ObjectId, Stream};
use crate::document::objects::Objects;
use crate::document::{DocumentError, Reading};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Bytes that are kept for one document, then dropped together. 8 MiB: the fonts of a book have one or two, and their data
/// is kept by the reader.
const MAX_KEPT_BYTES: usize = 8 << 20;

/// Bytes of one thing that is kept: what is larger is seldom on two pages.
const MAX_THING_BYTES: usize = 1 << 20;

/// What a thing is taken to cost besides its bytes.
const THING_BYTES: usize = 256;

/// What is kept for one document, as one reader sees it.
#[derive(Default)]
pub(super) struct Shared {
    kept: RwLock<Kept>,
}

#[derive(Default)]
struct Kept {
    /// Objects that are written alike wherever they are reached, by their number in the source.
    recorded: KeyedMap<ObjectId, Arc<Recorded>>,
    /// Streams in another filter.
    recoded: KeyedMap<ObjectId, Arc<Object>>,
    /// Streams' data, and whether it had a filter.
    data: KeyedMap<(ObjectId, bool), Arc<Data>>,
    /// What streams and fonts draw with.
    uses: KeyedMap<ObjectId, Arc<Use>>,
    /// Object streams by the checksum of their objects, the last of each: pages that differ in their content alone have the
    /// same one.
    packed: KeyedMap<u32, Arc<Packed>>,
    /// What object streams hold, by the checksum of their data, the last of each.
    surveyed: KeyedMap<u32, Arc<Surveyed>>,
    bytes: usize,
}

impl Shared {
    /// Has `work` use what is kept for a document.
    pub(super) fn with<T>(reading: &Reading, work: impl FnOnce(&Self) -> T) -> T {
        match reading.keepsake.of::<Self>() {
            Some(shared) => work(shared),
            None => work(&Self::default()),
        }
    }

    /// How the object `id` is written, where it is known.
    pub(super) fn recorded(&self, id: ObjectId) -> Option<Arc<Recorded>> {
        self.read().recorded.get(&id).cloned()
    }

    /// Keeps how the object `id` is written.
    pub(super) fn keep_recorded(&self, id: ObjectId, recorded: Recorded) {
        self.keep(recorded.size(), |kept| {
            kept.recorded.insert(id, Arc::new(recorded));
        });
    }

    /// What the stream or font `id` draws with, where it is known.
    pub(super) fn used(&self, id: ObjectId) -> Option<Arc<Use>> {
        self.read().uses.get(&id).cloned()
    }

    /// Keeps what the stream or font `id` draws with.
    pub(super) fn keep_used(&self, id: ObjectId, used: &Arc<Use>) {
        self.keep(used.names.size(), |kept| {
            kept.uses.insert(id, Arc::clone(used));
        });
    }

    /// The stream `id` in another filter, where that is better.
    pub(super) fn recoded(
        &self,
        id: ObjectId,
        objects: &dyn Objects,
        stream: &Stream,
    ) -> Result<Option<Arc<Object>>, DocumentError> {
        if let Some(known) = self.read().recoded.get(&id) {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(stream) = recoded(objects, stream)? else { return Ok(None) };
        let bytes = stream.data.len();
        let object = Arc::new(Object::Stream(Box::new(stream)));
        self.keep(bytes, |kept| {
            kept.recoded.insert(id, Arc::clone(&object));
        });
        Ok(Some(object))
    }

    /// The data of the stream `id` as it is written.
    pub(super) fn data(&self, id: Option<ObjectId>, data: &[u8], is_encoded: bool) -> Arc<Data> {
        let key = id.filter(|_| Data::is_work(data, is_encoded)).map(|id| (id, is_encoded));
        if let Some(known) = key.and_then(|key| self.read().data.get(&key).cloned()) {
            return known;
        }
        let data = Arc::new(Data::of(data, is_encoded));
        if let Some(key) = key {
            self.keep(data.size(), |kept| {
                kept.data.insert(key, Arc::clone(&data));
            });
        }
        data
    }

    /// The body of an object stream as it is written.
    ///
    /// It is compared whole with what is known: the checksum only says with which one. Both are an eleventh of the
    /// instructions of a hash.
    pub(super) fn packed(&self, body: Vec<u8>) -> Arc<Packed> {
        let sum = libdeflater::crc32(&body);
        if let Some(known) = self.read().packed.get(&sum).filter(|known| known.is_of(&body)) {
            return Arc::clone(known);
        }
        let packed = Arc::new(Packed::of(body));
        self.keep(packed.size(), |kept| {
            kept.packed.insert(sum, Arc::clone(&packed));
        });
        packed
    }

    /// What `survey` finds of the members `numbers` in the object stream `stream`.
    pub(super) fn surveyed(
        &self,
        stream: &Stream,
        numbers: &[u32],
        survey: impl FnOnce() -> Result<Surveyed, DocumentError>,
    ) -> Result<Arc<Surveyed>, DocumentError> {
        let sum = libdeflater::crc32(&stream.data);
        if let Some(known) = self.read().surveyed.get(&sum).filter(|known| known.is_of(stream, numbers)) {
            return Ok(Arc::clone(known));
        }
        let surveyed = Arc::new(survey()?);
        self.keep(surveyed.size(), |kept| {
            kept.surveyed.insert(sum, Arc::clone(&surveyed));
        });
        Ok(surveyed)
    }

    fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, bytes: usize, put: impl FnOnce(&mut Kept)) {
        if bytes > MAX_THING_BYTES {
            return;
        }
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = bytes.saturating_add(THING_BYTES);
        if kept.bytes.saturating_add(bytes) > MAX_KEPT_BYTES {
            *kept = Kept::default();
        }
        kept.bytes = kept.bytes.saturating_add(bytes);
        put(&mut kept);
    }
}
