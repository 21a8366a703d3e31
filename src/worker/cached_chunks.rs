//! Chunks of pages that may be needed again.

use std::collections::BTreeMap;

use pagewise_base::page::PageIndex;
use pagewise_split::PageChunk;

/// Chunks that were cut for a page's text, picture, fingerprint or bytes.
#[derive(Default)]
pub(super) struct CachedChunks {
    chunks: BTreeMap<PageIndex, PageChunk>,
    bytes: usize,
}

/// The most bytes of cached chunks: more than one answer has.
const MAX_CACHED_BYTES: usize = 32 << 20;

impl CachedChunks {
    /// Keeps a chunk, instead of the others if there is no room.
    pub(super) fn insert(&mut self, page: PageIndex, chunk: PageChunk) {
        if self.bytes.saturating_add(chunk.bytes.len()) > MAX_CACHED_BYTES {
            *self = Self::default();
        }
        if chunk.bytes.len() <= MAX_CACHED_BYTES && !self.chunks.contains_key(&page) {
            self.bytes = self.bytes.saturating_add(chunk.bytes.len());
            self.chunks.insert(page, chunk);
        }
    }

    pub(super) fn get(&self, page: PageIndex) -> Option<PageChunk> {
        self.chunks.get(&page).cloned()
    }
}
