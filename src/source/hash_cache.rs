//! Caches the content hash of a file for as long as its stat stays the same.

use std::sync::Arc;
use std::time::SystemTime;

use super::SourceError;
use super::file::{OpenFile, Stat};
use pagewise_base::hash::ContentHash;
use pagewise_base::share::SharedCache;
use pagewise_store::HashStore;

/// The bytes that are read and hashed at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// Content hashes by stat, so that each file is hashed only once.
pub struct HashCache {
    entries: SharedCache<Stat, ContentHash>,
    store: Option<Arc<dyn HashStore>>,
}

impl HashCache {
    /// The most entries in memory, of about 200 bytes each.
    pub const MAX_ENTRIES: u64 = 100_000;

    /// An empty cache over `store`.
    #[must_use]
    pub fn new(store: Option<Arc<dyn HashStore>>) -> Self {
        Self { entries: SharedCache::new(Self::MAX_ENTRIES), store }
    }

    /// The hash of a file's bytes, or the identity of a remote document, which is not read whole.
    ///
    /// A file that changed within two seconds before `now` is hashed each time, because a coarse clock may give the next
    /// change the same time.
    ///
    /// # Errors
    /// [`SourceError::Io`], and [`SourceError::Changed`] if the file changes while it is read.
    pub fn content_hash(&self, file: &OpenFile, now: SystemTime) -> Result<ContentHash, SourceError> {
        if let Some(identity) = file.remote_identity() {
            return Ok(identity);
        }
        let stat = file.stat();
        if stat.is_recent(now) {
            return hash(file);
        }
        if let Some(content) = self.lookup(&stat) {
            return Ok(content);
        }
        let content = hash(file)?;
        // Programs can set the modification time back, but not the change time, so the whole stat must be equal.
        if file.stat_now()? == stat {
            self.keep(stat, content);
            if let Some(store) = &self.store {
                store.save_hash(&stat.key(), content, now);
            }
        }
        Ok(content)
    }

    fn lookup(&self, stat: &Stat) -> Option<ContentHash> {
        self.entries.get(stat).or_else(|| {
            let content = self.store.as_ref()?.load_hash(&stat.key())?;
            self.keep(*stat, content);
            Some(content)
        })
    }

    fn keep(&self, stat: Stat, content: ContentHash) {
        // They are of files on this machine, whoever asks.
        self.entries.insert(stat, content, 1, None);
    }
}

/// Hashes a file in chunks of [`CHUNK_BYTES`] on this thread. More threads for one file would take them from other
/// requests.
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
