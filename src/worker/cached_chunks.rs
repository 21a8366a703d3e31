//! Chunks of pages that may be requested next.

use std::collections::BTreeMap;

use pagewise_base::page::PageIndex;

/// Chunks that were cut for a page's text, picture or fingerprint, until the page itself is requested.
#[derive(Default)]
pub(super) struct CachedChunks {
    chunks: BTreeMap<PageIndex, pagewise_split::PageChunk>,
    bytes: usize,
}

/// The most bytes of cached chunks: more than one answer has.
const MAX_CACHED_BYTES: usize = 32 << 20;

impl CachedChunks {
    /// Keeps a chunk, if there is room.
    pub(super) fn insert(&mut self, page: PageIndex, chunk: pagewise_split::PageChunk) {
        let bytes = self.bytes.saturating_add(chunk.bytes.len());
        if bytes <= MAX_CACHED_BYTES && !self.chunks.contains_key(&page) {
            self.bytes = bytes;
            self.chunks.insert(page, chunk);
        }
    }

    /// The chunk of a page, which is no longer kept then.
    pub(super) fn take(&mut self, page: PageIndex) -> Option<pagewise_split::PageChunk> {
        let chunk = self.chunks.remove(&page)?;
        self.bytes = self.bytes.saturating_sub(chunk.bytes.len());
        Some(chunk)
    }
}
