//! Errors and warnings of stores.

use std::path::{Path, PathBuf};

use super::PostgresError;

/// Why a store could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder or a file in it could not be created or opened.
    #[error("{}: {source}", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    /// The data folder is on a network file system, which several machines cannot use for one database.
    #[error("{} is on a network file system; PAGEWISE_DATA_DIR names another folder", path.display())]
    Network { path: PathBuf },
    /// Other processes kept the database locked for longer than [`SqliteStore::BUSY_TIMEOUT`](super::SqliteStore::BUSY_TIMEOUT).
    #[error("the database is locked: {}", path.display())]
    Busy { path: PathBuf },
    /// The database is read-only.
    #[error("the database cannot be written: {}", path.display())]
    ReadOnly { path: PathBuf },
    /// No room is left.
    #[error("the disk is full: {}", path.display())]
    DiskFull { path: PathBuf },
    /// The database was found corrupt while in use. If possible it was renamed and replaced by an empty one.
    #[error("{}", corrupt(path, set_aside.as_deref()))]
    Corrupt {
        path: PathBuf,
        /// Where the corrupt file is now; `None` if it is still in place, or another process moved it.
        set_aside: Option<PathBuf>,
    },
    /// A later version of this program wrote the database. It is left unchanged.
    #[error("the database has schema {found}, and this program knows {known}: {}", path.display())]
    NewerSchema {
        path: PathBuf,
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// Forgets failed for too many conversations to remember which. No holding is trusted any more.
    #[error("the memory failed to forget more than {limit} conversations; restart to trust what it holds")]
    TooManyFailedForgets { limit: usize },
    /// Others changed a conversation so often that no attempt to change it succeeded.
    #[error("too many processes change one conversation")]
    Contended,
    /// The thread that was to make a change ended before it did.
    #[error("a change of a conversation was not made")]
    Abandoned,
    /// A PostgreSQL database or the connection to it failed.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// Any other database error.
    #[error("{}: {source}", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
}

impl StoreError {
    /// The error without the address of a shared database, which only the operator may see, in the log.
    #[must_use]
    pub fn without_address(&self) -> String {
        match self {
            Self::Postgres(_) => "the database that conversations are kept in does not answer as it should".to_owned(),
            other => other.to_string(),
        }
    }
}

fn corrupt(path: &Path, set_aside: Option<&Path>) -> String {
    match set_aside {
        Some(set_aside) => StoreWarning::SetAside { set_aside: set_aside.to_path_buf() }.to_string(),
        None => format!("the database is corrupt: {}", path.display()),
    }
}

/// A problem while opening a store, although one was opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreWarning {
    /// The database was corrupt. It was renamed, and an empty one took its place.
    #[error("the database was corrupt and is now {}; conversations start anew", set_aside.display())]
    SetAside {
        /// Where the corrupt file is now.
        set_aside: PathBuf,
    },
    /// The shared database does not respond yet. Every use tries again.
    #[error("nothing is remembered until the database answers: {reason}")]
    Away { reason: PostgresError },
    /// Views are kept in memory and end with the process.
    #[error("the store cannot be used ({reason}); conversations are kept only until this process ends")]
    MemoryOnly { reason: StoreError },
}
