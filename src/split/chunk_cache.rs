//! Work on shared objects, done once for all pages of a document.
//!
//! Pages share fonts, images and resource dictionaries. Their serialized bytes, used names, deflated data and hashes are
//! cached here. The cache never changes a result: a miss computes the same bytes again.

use super::closure::SerializedTemplate;
use super::resources::ContentUsage;
use super::verify::MemberScan;
use super::writer::{PreparedObjectStream, PreparedStream, recode};
use pagewise_document::fast_hash::FastMap;
use pagewise_document::object::{Object, ObjectId, Stream};
use pagewise_document::objects::Objects;
use pagewise_document::{DocumentError, ParsedDocument};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// The cache is emptied when it would exceed this. The fonts of a book take one or two megabytes of it.
const MAX_CACHE_BYTES: usize = 8 << 20;

/// Larger values are not cached: they seldom occur on two pages.
const MAX_VALUE_BYTES: usize = 1 << 20;

/// Assumed overhead of a cached value.
const OVERHEAD_BYTES: usize = 256;

/// The cache of one document, as one reader sees the document.
#[derive(Default)]
pub(super) struct ChunkCache {
    parts: RwLock<CachedParts>,
}

#[derive(Default)]
struct CachedParts {
    /// Objects that are serialized alike on every page, by their number in the source.
    templates: FastMap<ObjectId, Arc<SerializedTemplate>>,
    /// Streams re-encoded with Flate.
    recoded: FastMap<ObjectId, Arc<Object>>,
    /// Stream data as written. The flag says whether the source had a filter.
    streams: FastMap<(ObjectId, bool), Arc<PreparedStream>>,
    /// The names and colours that streams and Type 3 fonts use.
    usages: FastMap<ObjectId, Arc<ContentUsage>>,
    /// The last object stream for each checksum. Pages that differ only in content share one.
    object_streams: FastMap<u32, Arc<PreparedObjectStream>>,
    /// The last scan of an object stream for each checksum of its data.
    member_scans: FastMap<u32, Arc<MemberScan>>,
    bytes: usize,
}

impl ChunkCache {
    /// Calls `work` with the document's cache.
    pub(super) fn with<T>(parsed: &ParsedDocument, work: impl FnOnce(&Self) -> T) -> T {
        match parsed.extension.get_or_default::<Self>() {
            Some(cache) => work(cache),
            None => work(&Self::default()),
        }
    }

    /// The cached template of the object `id`.
    pub(super) fn template(&self, id: ObjectId) -> Option<Arc<SerializedTemplate>> {
        self.read().templates.get(&id).cloned()
    }

    /// Caches the template of the object `id`.
    pub(super) fn keep_template(&self, id: ObjectId, template: SerializedTemplate) {
        self.keep(template.size(), |parts| {
            parts.templates.insert(id, Arc::new(template));
        });
    }

    /// The cached usage of the stream or font `id`.
    pub(super) fn usage(&self, id: ObjectId) -> Option<Arc<ContentUsage>> {
        self.read().usages.get(&id).cloned()
    }

    /// Caches the usage of the stream or font `id`.
    pub(super) fn keep_usage(&self, id: ObjectId, usage: &Arc<ContentUsage>) {
        self.keep(usage.names.size(), |parts| {
            parts.usages.insert(id, Arc::clone(usage));
        });
    }

    /// The stream `id` re-encoded with Flate; `None` where the stored encoding is better.
    pub(super) fn recode_cached(
        &self,
        id: ObjectId,
        objects: &dyn Objects,
        stream: &Stream,
    ) -> Result<Option<Arc<Object>>, DocumentError> {
        if let Some(known) = self.read().recoded.get(&id) {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(stream) = recode(objects, stream)? else { return Ok(None) };
        let bytes = stream.data.len();
        let object = Arc::new(Object::Stream(Box::new(stream)));
        self.keep(bytes, |parts| {
            parts.recoded.insert(id, Arc::clone(&object));
        });
        Ok(Some(object))
    }

    /// The data of the stream `id` as written.
    pub(super) fn stream(&self, id: Option<ObjectId>, data: &[u8], is_encoded: bool) -> Arc<PreparedStream> {
        let key = id.filter(|_| PreparedStream::is_worth_caching(data, is_encoded)).map(|id| (id, is_encoded));
        if let Some(known) = key.and_then(|key| self.read().streams.get(&key).cloned()) {
            return known;
        }
        let data = Arc::new(PreparedStream::of(data, is_encoded));
        if let Some(key) = key {
            self.keep(data.size(), |parts| {
                parts.streams.insert(key, Arc::clone(&data));
            });
        }
        data
    }

    /// The object stream with this body as written.
    ///
    /// The checksum selects the candidate, a comparison of all bytes confirms it. Both are cheaper than a hash.
    pub(super) fn object_stream(&self, body: Vec<u8>) -> Arc<PreparedObjectStream> {
        let sum = libdeflater::crc32(&body);
        if let Some(known) = self.read().object_streams.get(&sum).filter(|known| known.is_of(&body)) {
            return Arc::clone(known);
        }
        let prepared = Arc::new(PreparedObjectStream::of(body));
        self.keep(prepared.size(), |parts| {
            parts.object_streams.insert(sum, Arc::clone(&prepared));
        });
        prepared
    }

    /// The scan of the members `numbers` of the object stream `stream`; `scan` computes it on a miss.
    pub(super) fn member_scan(
        &self,
        stream: &Stream,
        numbers: &[u32],
        scan: impl FnOnce() -> Result<MemberScan, DocumentError>,
    ) -> Result<Arc<MemberScan>, DocumentError> {
        let sum = libdeflater::crc32(&stream.data);
        if let Some(known) = self.read().member_scans.get(&sum).filter(|known| known.is_of(stream, numbers)) {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(scan()?);
        self.keep(found.size(), |parts| {
            parts.member_scans.insert(sum, Arc::clone(&found));
        });
        Ok(found)
    }

    fn read(&self) -> RwLockReadGuard<'_, CachedParts> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, bytes: usize, insert: impl FnOnce(&mut CachedParts)) {
        if bytes > MAX_VALUE_BYTES {
            return;
        }
        let mut parts = self.parts.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = bytes.saturating_add(OVERHEAD_BYTES);
        if parts.bytes.saturating_add(bytes) > MAX_CACHE_BYTES {
            *parts = CachedParts::default();
        }
        parts.bytes = parts.bytes.saturating_add(bytes);
        insert(&mut parts);
    }
}
