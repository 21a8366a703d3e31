//! Opens the configured store: SQLite, or memory with a warning, or a shared database.

use std::path::Path;
use std::sync::Arc;

#[cfg(not(feature = "postgres"))]
use super::PostgresError;
use super::{MemoryStore, PostgresAddress, SqliteStore, StoreError, StoreReport, StoreWarning, ViewStore};
use crate::HashStore;

pub struct OpenedStore {
    pub views: Arc<dyn ViewStore>,
    /// Content hashes that outlive the process; `None` in memory.
    pub hashes: Option<Arc<dyn HashStore>>,
    /// What went wrong while opening.
    pub warning: Option<StoreWarning>,
}

/// A database shared by several machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// Where it is.
    pub address: PostgresAddress,
    /// Maximum connections of this process.
    pub max_connections: usize,
}

/// Opens the database of `folder`, or a store in memory if that fails.
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

/// Opens a shared database. File hashes belong to one machine, so they are kept in `folder`.
///
/// Never falls back to memory: other machines would not see what was forgotten there.
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

/// Fails: this program was built without the PostgreSQL client.
///
/// # Errors
/// [`PostgresError::NotBuilt`]
#[cfg(not(feature = "postgres"))]
pub fn open_database(_: &DatabaseSettings, _: Option<&Path>) -> Result<OpenedStore, StoreError> {
    Err(PostgresError::NotBuilt.into())
}

/// Inspects the database of a data folder. Reads and records in a temporary conversation.
///
/// # Errors
/// [`StoreError`]
pub fn inspect_folder(folder: &Path) -> Result<StoreReport, StoreError> {
    let (store, _) = SqliteStore::open(folder)?;
    store.inspect()
}

/// Inspects a shared database.
///
/// # Errors
/// [`StoreError`]
#[cfg(feature = "postgres")]
pub fn inspect_database(settings: &DatabaseSettings) -> Result<StoreReport, StoreError> {
    let (store, away) = super::PostgresStore::open(settings.address.clone(), settings.max_connections)?;
    // A second attempt would only report the recent failure.
    match away {
        Some(reason) => Err(reason.into()),
        None => store.inspect(),
    }
}

/// Fails: this program was built without the PostgreSQL client.
///
/// # Errors
/// [`PostgresError::NotBuilt`]
#[cfg(not(feature = "postgres"))]
pub fn inspect_database(_: &DatabaseSettings) -> Result<StoreReport, StoreError> {
    Err(PostgresError::NotBuilt.into())
}
