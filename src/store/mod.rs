//! Persistent state of conversations, shared by requests and processes.
//!
//! [`ViewStore`] is the interface. [`MemoryStore`] and [`SqliteStore`] implement it and pass one conformance suite
//! (`tests/store.rs`). The store assigns a [`Sequence`] to every recording and forget, in one order for all processes
//! that write to a conversation.
//!
//! **What is stored**: hashes of contents, pages, paths and owners; page and line numbers, page counts, forms, and
//! usage. Never content. One exception: `context_status` shows file names, so each path is stored beside its hash, and
//! removed with the last conversation that holds the file. Only the database's owner can read it.
//!
//! **Cost**: see `benches/README.md`, measured by `benches/record.rs`.
//!
//! **Failures** must not fail an answer. Every failure is a typed [`StoreError`]. What cannot be read counts as not
//! held, and what cannot be recorded is sent again.

mod held_rows;
mod memory;
mod monitor;
mod open;
mod postgres;
mod records;
mod report;
mod sessions;
mod sqlite;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use self::memory::MemoryStore;
pub use self::monitor::{CallTally, StoreMonitor, StoreTally};
pub use self::open::{DatabaseSettings, OpenedStore, StoreWarning, inspect_database, open_database, open_or_memory};
pub use self::postgres::{AddressError, AwaitedStep, PostgresAddress, PostgresError, PostgresStore};
pub use self::records::{
    ConversationHead, ConversationRecord, ConversationState, DeliveryRecord, PruneCounts, RowUpdate, StoreHealth,
    Usage, Version,
};
pub use self::report::{PoolUsage, ServerReport, StoreReport, inspect_folder};
pub use self::sessions::{MemorySessions, SessionStore, StoredSession};
pub use self::sqlite::SqliteStore;

#[cfg(feature = "postgres")]
use crate::hash::ContentHash;
use crate::view::{ConversationId, FileKey, ForgetScope, Principal, Sequence};

/// Stores what conversations hold. The stored rows are the only truth; processes cache them at most.
///
/// All methods block. Writes are atomic, and survive the end of the process once they return. Times come from the
/// caller's clock, to the second. Each conversation counts its own sequences, in steps of one.
pub trait ViewStore: Send + Sync {
    /// What a conversation holds; `None` if it is unknown. With the version of a cached copy as `known`, the
    /// [`RowUpdate`] contains only what that copy lacks.
    ///
    /// # Errors
    /// [`StoreError`]
    fn read(
        &self,
        conversation: &ConversationId,
        known: Option<Version>,
    ) -> Result<Option<ConversationState>, StoreError>;

    /// The head of a conversation; `None` if it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError>;

    /// Creates a conversation, owned by `owner` if given. Returns false if it exists.
    ///
    /// # Errors
    /// [`StoreError`]
    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError>;

    /// Records deliveries atomically, each under a new sequence. Creates unknown conversations.
    ///
    /// Returns `None` for a refused delivery: something was forgotten after [`DeliveryRecord::planned`], or the
    /// conversation was dropped and created again. Its [`DeliveryRecord::sent`] still counts, unless everything was
    /// forgotten since.
    ///
    /// # Errors
    /// [`StoreError`]
    fn record_all(
        &self,
        deliveries: &[(ConversationId, DeliveryRecord)],
        now: SystemTime,
    ) -> Result<Vec<Option<Version>>, StoreError>;

    /// [`ViewStore::record_all`] for one delivery.
    ///
    /// # Errors
    /// [`StoreError`]
    fn record(
        &self,
        conversation: &ConversationId,
        delivery: &DeliveryRecord,
        now: SystemTime,
    ) -> Result<Option<Version>, StoreError> {
        let recorded = self.record_all(&[(conversation.clone(), delivery.clone())], now)?;
        Ok(recorded.into_iter().next().flatten())
    }

    /// Removes the rows still recorded under `at`, and subtracts `sent` unless everything was forgotten since. Counts
    /// as a forget, so deliveries planned on these rows are refused. Does nothing if the conversation was dropped and
    /// created again.
    ///
    /// # Errors
    /// [`StoreError`]
    fn take_back(
        &self,
        conversation: &ConversationId,
        at: Version,
        sent: Usage,
        now: SystemTime,
    ) -> Result<(), StoreError>;

    /// Forgets under a new sequence, by the rule of
    /// [`ConversationView::forget`](crate::view::ConversationView::forget). Creates an unknown conversation. Forgetting
    /// everything resets its [`Usage`].
    ///
    /// # Errors
    /// [`StoreError`]
    fn forget(&self, conversation: &ConversationId, what: &ForgetScope, now: SystemTime)
    -> Result<Version, StoreError>;

    /// Enters a generation, and returns the largest one entered so far. A larger generation than before forgets
    /// [`ForgetScope::AllButFiles`].
    ///
    /// # Errors
    /// [`StoreError`]
    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError>;

    /// Creates `to` as a copy of `from`, optionally with only the rows last recorded at or before `as_of`. Sequences,
    /// owner, generation and [`Usage`] are copied.
    ///
    /// # Errors
    /// [`StoreError::UnknownConversation`] for `from`, [`StoreError::ConversationExists`] for `to`.
    fn fork(
        &self,
        from: &ConversationId,
        to: &ConversationId,
        as_of: Option<Sequence>,
        now: SystemTime,
    ) -> Result<(), StoreError>;

    /// The record of a conversation, with its number of holdings; `None` if it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError>;

    /// All conversations, most recently used first.
    ///
    /// # Errors
    /// [`StoreError`]
    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError>;

    /// The known paths of files.
    ///
    /// # Errors
    /// [`StoreError`]
    fn file_names(&self, files: &[FileKey]) -> Result<BTreeMap<FileKey, String>, StoreError>;

    /// The recorded page counts of documents.
    ///
    /// # Errors
    /// [`StoreError`]
    fn page_counts(&self, contents: &[ContentHash]) -> Result<BTreeMap<ContentHash, u32>, StoreError>;

    /// When [`ViewStore::prune`] last ran; `None` if never.
    ///
    /// # Errors
    /// [`StoreError`]
    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError>;

    /// Drops conversations last used before `unused_since`, then the least recently used until at most `max_holdings`
    /// holdings remain. Records `now` as the time of pruning.
    ///
    /// # Errors
    /// [`StoreError`]
    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError>;

    /// What was lost since the last call and reported by no write error. A failing read costs little, and may be the
    /// only sign. For a door to show its user.
    fn take_warning(&self) -> Option<StoreWarning> {
        None
    }

    /// The session store beside the views; `None` if there is none.
    fn sessions(&self) -> Option<&dyn SessionStore> {
        None
    }

    /// Checks that the store responds, and counts its contents.
    ///
    /// # Errors
    /// [`StoreError`]
    fn health(&self) -> Result<StoreHealth, StoreError>;
}

/// Why a store could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder or a file in it could not be created or opened.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The data folder is on a network file system, which several machines cannot use for one database.
    #[error("{} is on a network file system; PAGEWISE_DATA_DIR names another folder", path.display())]
    Network {
        /// The folder.
        path: PathBuf,
    },
    /// Other processes kept the database locked for longer than [`SqliteStore::BUSY_TIMEOUT`].
    #[error("the database is locked: {}", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The database is read-only.
    #[error("the database cannot be written: {}", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// No room is left.
    #[error("the disk is full: {}", path.display())]
    DiskFull {
        /// The database.
        path: PathBuf,
    },
    /// The database was found corrupt while in use. If possible it was renamed and replaced by an empty one.
    #[error("{}", corrupt(path, set_aside.as_deref()))]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// Where the corrupt file is now; `None` if it is still in place, or another process moved it.
        set_aside: Option<PathBuf>,
    },
    /// A later version of this program wrote the database. It is left unchanged.
    #[error("the database has schema {found}, and this program knows {known}: {}", path.display())]
    NewerSchema {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// Forgets failed for too many conversations to remember which. No holding is trusted any more.
    #[error("the memory failed to forget more than {limit} conversations; restart to rely on what it holds")]
    TooManyFailedForgets {
        /// The maximum.
        limit: usize,
    },
    /// No such conversation.
    #[error("no conversation {conversation}")]
    UnknownConversation {
        /// The handle asked for.
        conversation: ConversationId,
    },
    /// The handle is taken.
    #[error("conversation {conversation} exists")]
    ConversationExists {
        /// The handle asked for.
        conversation: ConversationId,
    },
    /// A PostgreSQL database or the connection to it failed.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// Any other database error.
    #[error("{}: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

fn corrupt(path: &Path, set_aside: Option<&Path>) -> String {
    match set_aside {
        Some(set_aside) => StoreWarning::SetAside { set_aside: set_aside.to_path_buf() }.to_string(),
        None => format!("the database is corrupt: {}", path.display()),
    }
}

/// 0 before 1970.
fn seconds_since_1970(moment: SystemTime) -> u64 {
    moment.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
