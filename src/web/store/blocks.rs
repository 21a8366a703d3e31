//! Documents that are read by ranges: their versions by URL, and the blocks that were read of each version.

use std::path::PathBuf;

use super::files::{DraftFile, mark_used, read_limited};
use super::record::RangedVersion;
use super::{BLOCKS, FetchStore, MAX_RECORD_BYTES, RANGED, key_of};
use crate::error::WebError;
use crate::http::Url;
use pagewise_base::hash::ContentHash;

/// The bytes of a hash, which stands before the bytes of a block.
const HASH_BYTES: usize = 32;

impl FetchStore {
    /// The version of a URL that was read by ranges.
    pub(crate) fn version(&self, url: &Url) -> Option<RangedVersion> {
        RangedVersion::read(&read_limited(&self.read_folder()?.join(RANGED).join(key_of(url)), MAX_RECORD_BYTES)?)
    }

    /// Stores the version of a URL.
    pub(crate) fn keep_version(&self, url: &Url, version: &RangedVersion) -> Result<(), WebError> {
        self.write(RANGED, &key_of(url), version.to_text().as_bytes())
    }

    /// Forgets the version of a URL, so that its server is asked for it without a validator.
    pub(crate) fn forget_version(&self, url: &Url) {
        if let Some(folder) = self.read_folder() {
            let _ = std::fs::remove_file(folder.join(RANGED).join(key_of(url)));
        }
    }

    /// The bytes of a block; `None` if it is not stored, or damaged.
    pub(crate) fn block(&self, document: &ContentHash, index: u64) -> Option<Vec<u8>> {
        let path = self.block_path(document, index)?;
        let mut bytes = std::fs::read(&path).ok()?;
        let hash = ContentHash(*bytes.first_chunk::<HASH_BYTES>()?);
        bytes.drain(..HASH_BYTES);
        if hash != ContentHash::of(&bytes) {
            return None;
        }
        mark_used(&path);
        Some(bytes)
    }

    /// Whether a block is stored.
    pub(crate) fn has_block(&self, document: &ContentHash, index: u64) -> bool {
        self.block_path(document, index).is_some_and(|path| path.exists())
    }

    /// Stores a block. It is not forced to the disk: its hash shows whether it survived a power cut.
    pub(crate) fn keep_block(&self, document: &ContentHash, index: u64, bytes: &[u8]) -> Result<(), WebError> {
        let write = |folder: PathBuf| {
            let mut draft = DraftFile::create(&folder)?;
            draft.add_all(&ContentHash::of(bytes).0)?;
            draft.add_all(bytes)?;
            draft.finish_unsynced_as(&block_name(document, index))
        };
        write(self.folder()?.join(BLOCKS)).map_err(|error| WebError::store(&error))?;
        self.count_written(bytes.len() as u64);
        Ok(())
    }

    fn block_path(&self, document: &ContentHash, index: u64) -> Option<PathBuf> {
        Some(self.read_folder()?.join(BLOCKS).join(block_name(document, index)))
    }
}

fn block_name(document: &ContentHash, index: u64) -> String {
    format!("{document}-{index}")
}
