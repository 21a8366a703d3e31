//! A store in any case: on disk, or else in memory with a warning.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{MemoryStore, SqliteStore, StoreError, ViewStore};
use crate::source::HashStore;

/// A store, and what the user should know about it.
pub struct OpenedStore {
    /// The views.
    pub views: Arc<dyn ViewStore>,
    /// Content hashes that outlive the process; `None` in memory.
    pub hashes: Option<Arc<dyn HashStore>>,
    /// What went wrong on the way.
    pub warning: Option<StoreWarning>,
}

/// What went wrong while a store was opened, though one was.
#[derive(Debug, thiserror::Error)]
pub enum StoreWarning {
    /// The database was corrupt. It was renamed, and an empty one took its place.
    #[error("the database was corrupt and is now {}; conversations start anew", set_aside.display())]
    SetAside {
        /// Where the corrupt file now is.
        set_aside: PathBuf,
    },
    /// Views are kept in memory, and end with this process.
    #[error("conversations end with this process: {reason}")]
    MemoryOnly {
        /// Why.
        reason: StoreError,
    },
}

/// Opens the database of `folder`, or a store in memory where that fails.
#[must_use]
pub fn open_or_memory(folder: &Path) -> OpenedStore {
    match SqliteStore::open(folder) {
        Ok((store, warning)) => {
            let store = Arc::new(store);
            OpenedStore { views: store.clone(), hashes: Some(store), warning }
        }
        Err(reason) => OpenedStore {
            views: Arc::new(MemoryStore::new()),
            hashes: None,
            warning: Some(StoreWarning::MemoryOnly { reason }),
        },
    }
}
