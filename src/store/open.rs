//! A store in any case: on disk, or else in memory with a warning; or the one database that many machines share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{MemoryStore, PostgresAddress, PostgresError, SqliteStore, StoreError, StoreReport, ViewStore};
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

/// A database that many machines share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// Where it is.
    pub address: PostgresAddress,
    /// Connections of a process to it, at most.
    pub max_connections: usize,
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
    /// The database that machines share does not answer yet. It is asked again at each use.
    #[error("nothing is remembered until the database answers: {reason}")]
    Away {
        /// Why.
        reason: PostgresError,
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

/// Opens the database that machines share. Content hashes of files are facts of one machine, and are kept in `folder`.
///
/// Memory takes no database's place: the other machines would not know what was forgotten there.
///
/// # Errors
/// [`StoreError`] for what does not pass by itself, such as a wrong password.
#[cfg(feature = "postgres")]
pub fn open_database(settings: &DatabaseSettings, folder: Option<&Path>) -> Result<OpenedStore, StoreError> {
    let (store, away) = super::PostgresStore::open(settings.address.clone(), settings.max_connections)?;
    let hashes = folder.and_then(|folder| SqliteStore::open(folder).ok());
    Ok(OpenedStore {
        views: Arc::new(store),
        hashes: hashes.map(|(store, _)| Arc::new(store) as Arc<dyn HashStore>),
        warning: away.map(|reason| StoreWarning::Away { reason }),
    })
}

/// Refuses: this program was built without the database's client.
///
/// # Errors
/// [`PostgresError::NotBuilt`]
#[cfg(not(feature = "postgres"))]
pub fn open_database(_: &DatabaseSettings, _: Option<&Path>) -> Result<OpenedStore, StoreError> {
    Err(PostgresError::NotBuilt.into())
}

/// What the database that machines share is like.
///
/// # Errors
/// [`StoreError`]
#[cfg(feature = "postgres")]
pub fn inspect_database(settings: &DatabaseSettings) -> Result<StoreReport, StoreError> {
    let (store, away) = super::PostgresStore::open(settings.address.clone(), settings.max_connections)?;
    // Asked again at once, it would only say that it failed a moment ago.
    match away {
        Some(reason) => Err(reason.into()),
        None => store.inspect(),
    }
}

/// Refuses: this program was built without the database's client.
///
/// # Errors
/// [`PostgresError::NotBuilt`]
#[cfg(not(feature = "postgres"))]
pub fn inspect_database(_: &DatabaseSettings) -> Result<StoreReport, StoreError> {
    Err(PostgresError::NotBuilt.into())
}
