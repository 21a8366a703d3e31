//! The content hash of a file, remembered as long as its stat stays the same.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::SourceError;
use super::file::{OpenFile, Stat};
use crate::hash::ContentHash;

/// How much is read and hashed at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// Where content hashes outlive the process. A failure to load or save is a missing entry, never an error.
pub trait HashStore: Send + Sync {
    /// The hash kept under a [`Stat::key`].
    fn load_hash(&self, key: &[u8; 32]) -> Option<ContentHash>;
    /// Keeps a hash under a [`Stat::key`].
    fn save_hash(&self, key: &[u8; 32], content: ContentHash, now: SystemTime);
}

/// Content hashes by stat, so that a file is read for its hash once.
pub struct HashCache {
    known: Mutex<Known>,
    store: Option<Arc<dyn HashStore>>,
}

impl HashCache {
    /// Entries kept in memory. 100,000, at some 200 bytes each; the oldest leave first.
    pub const MAX_ENTRIES: usize = 100_000;

    /// An empty cache over `store`.
    #[must_use]
    pub fn new(store: Option<Arc<dyn HashStore>>) -> Self {
        Self { known: Mutex::default(), store }
    }

    /// The hash of a file's bytes.
    ///
    /// A file that changed within two seconds before `now` is hashed each time: its clock may be too coarse to tell
    /// the next change from the last one.
    ///
    /// # Errors
    /// [`SourceError::Changed`] where it was written to while it was read, and [`SourceError::Io`].
    pub fn content_hash(&self, file: &OpenFile, now: SystemTime) -> Result<ContentHash, SourceError> {
        let stat = file.stat();
        if stat.is_fresh(now) {
            return hash(file);
        }
        if let Some(content) = self.cached(&stat) {
            return Ok(content);
        }
        let content = hash(file)?;
        // Times can be set back, but not the last of them: unless all are the same, the hash is not kept.
        if file.stat_now()? == stat {
            self.keep(stat, content);
            if let Some(store) = &self.store {
                store.save_hash(&stat.key(), content, now);
            }
        }
        Ok(content)
    }

    fn cached(&self, stat: &Stat) -> Option<ContentHash> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).hashes.get(stat).copied();
        known.or_else(|| {
            let content = self.store.as_ref()?.load_hash(&stat.key())?;
            self.keep(*stat, content);
            Some(content)
        })
    }

    fn keep(&self, stat: Stat, content: ContentHash) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.hashes.insert(stat, content).is_none() {
            known.order.push_back(stat);
        }
        if known.order.len() > Self::MAX_ENTRIES
            && let Some(oldest) = known.order.pop_front()
        {
            known.hashes.remove(&oldest);
        }
    }
}

#[derive(Default)]
struct Known {
    hashes: HashMap<Stat, ContentHash>,
    /// The stats in the order in which they came.
    order: VecDeque<Stat>,
}

/// Hashes a file in chunks of [`CHUNK_BYTES`], on this thread: each request has a thread of its own, and a pool of
/// more for one file would take them from the others.
fn hash(file: &OpenFile) -> Result<ContentHash, SourceError> {
    let mut hasher = blake3::Hasher::new();
    let mut chunk = vec![0; CHUNK_BYTES.min(usize::try_from(file.len()).unwrap_or(CHUNK_BYTES)).max(1)];
    let mut offset = 0;
    loop {
        let read = file.read_at(offset, &mut chunk)?;
        hasher.update(chunk.get(..read).unwrap_or_default());
        offset += read as u64;
        if read < chunk.len() || offset >= file.len() {
            break;
        }
    }
    if !file.is_unchanged()? {
        return Err(SourceError::Changed { path: file.path().to_path_buf() });
    }
    Ok(ContentHash(*hasher.finalize().as_bytes()))
}
