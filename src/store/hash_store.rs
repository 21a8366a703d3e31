//! Content hashes of files, kept beyond the life of a process.

use std::time::SystemTime;

use pagewise_base::hash::ContentHash;

/// Stores content hashes beyond the life of the process. A failure to load or save counts as a missing entry.
pub trait HashStore: Send + Sync {
    /// Loads the hash that is stored under the digest of a file's stat.
    fn load_hash(&self, key: &[u8; 32]) -> Option<ContentHash>;
    /// Stores a hash under the digest of a file's stat.
    fn save_hash(&self, key: &[u8; 32], content: ContentHash, now: SystemTime);
}
