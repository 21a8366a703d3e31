//! What conversations hold, which outlives requests and processes.
//!
//! [`ViewStore`] is the promise, [`MemoryStore`] and [`SqliteStore`] keep it, and one conformance suite
//! (`tests/store.rs`) holds both to it. A store gives every recording and forgetting a [`Sequence`], in one order for
//! all processes that write to a conversation.
//!
//! **What is kept**: hashes of contents, pages, paths and owners, page and line numbers, page counts, forms, and counts
//! of what was sent.
//! Never content. One exception: `context_status` shows file names, so each path is kept beside its hash, in a table
//! of its own, and leaves with the last conversation that holds the file. The database is readable by its owner alone.
//!
//! **What it costs** stands in `benches/README.md`, measured by `benches/record.rs`.
//!
//! **When it fails**, a reply must not: every failure is a typed [`StoreError`]. What cannot be read is not held, and
//! is sent again; what cannot be recorded is sent again too.

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

/// Keeps what conversations hold: their rows are the truth, and every process asks for it.
///
/// All methods block. Those that write are whole or not at all, and durable against the end of the process when they
/// return. Moments are the caller's clock, to the second. The sequences of a conversation count up by one, for it alone.
pub trait ViewStore: Send + Sync {
    /// What a conversation holds now, or `None` where it is unknown. `known` is the version of a copy at hand, to which
    /// [`RowUpdate`] then only adds.
    ///
    /// # Errors
    /// [`StoreError`]
    fn read(
        &self,
        conversation: &ConversationId,
        known: Option<Version>,
    ) -> Result<Option<ConversationState>, StoreError>;

    /// What one look-up tells of a conversation, or `None` where it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError>;

    /// Makes a conversation known, as `owner`'s where there is one; false where it already was.
    ///
    /// # Errors
    /// [`StoreError`]
    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError>;

    /// Records what was delivered to conversations, each delivery under a new sequence, all of them or none. Makes the
    /// conversations known.
    ///
    /// `None` for a delivery that was refused: something was forgotten after [`DeliveryRecord::planned`], or the conversation
    /// is another than there. Its [`DeliveryRecord::sent`] counts all the same, unless everything was forgotten since.
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

    /// Removes what was recorded under `at`: the rows whose sequence is still that one, and what was counted as `sent`,
    /// unless everything was forgotten since. Counts as a forgetting, so that nothing is recorded that was planned on it.
    /// Does nothing where the conversation is another by now.
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

    /// Forgets, as [`ConversationView::forget`](crate::view::ConversationView::forget) says, under a new sequence, and
    /// makes the conversation known. Where that is everything, [`Usage`] is zero again.
    ///
    /// # Errors
    /// [`StoreError`]
    fn forget(&self, conversation: &ConversationId, what: &ForgetScope, now: SystemTime)
    -> Result<Version, StoreError>;

    /// Takes note that a client is in its `generation` of a conversation, and returns the conversation's, which is the
    /// largest that any named. A larger one than before forgets [`ForgetScope::AllButFiles`].
    ///
    /// # Errors
    /// [`StoreError`]
    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError>;

    /// Makes `to` hold what `from` holds, or what of it was last recorded at or before `as_of`; under the same sequences,
    /// of the same owner and generation, with all that was [`Usage`].
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

    /// What is known of a conversation besides its rows, or `None` where it is unknown. Counts the holdings.
    ///
    /// # Errors
    /// [`StoreError`]
    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError>;

    /// All conversations, the last used first.
    ///
    /// # Errors
    /// [`StoreError`]
    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError>;

    /// The paths of files, as far as they are known.
    ///
    /// # Errors
    /// [`StoreError`]
    fn file_names(&self, files: &[FileKey]) -> Result<BTreeMap<FileKey, String>, StoreError>;

    /// How many pages the documents of these contents have, as far as that was recorded.
    ///
    /// # Errors
    /// [`StoreError`]
    fn page_counts(&self, contents: &[ContentHash]) -> Result<BTreeMap<ContentHash, u32>, StoreError>;

    /// When [`ViewStore::prune`] last ran, or `None` where it never did.
    ///
    /// # Errors
    /// [`StoreError`]
    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError>;

    /// Drops the conversations last used before `unused_since`, and then the least recently used until at most
    /// `max_holdings` holdings remain. Takes note of `now`.
    ///
    /// # Errors
    /// [`StoreError`]
    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError>;

    /// What was lost since this was last asked, and is not told by the error of a call that writes: a reading that fails
    /// costs an answer next to nothing, and may be all that ever notices. For a door to show its user.
    fn take_warning(&self) -> Option<StoreWarning> {
        None
    }

    /// The sessions that are kept beside the views; `None` where this store keeps none.
    fn sessions(&self) -> Option<&dyn SessionStore> {
        None
    }

    /// Whether the store answers, and how much it keeps.
    ///
    /// # Errors
    /// [`StoreError`]
    fn health(&self) -> Result<StoreHealth, StoreError>;
}

/// Why a store could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder or a file in it could not be made or opened.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The data folder lies on a network file system, where processes on several machines cannot share a database.
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
    /// The database can be read but not written.
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
    /// The database was found corrupt while in use. It was renamed where possible, and the store goes on empty.
    #[error("{}", corrupt(path, set_aside.as_deref()))]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// Where the corrupt file now is; `None` where it is still in its place, or another process moved it.
        set_aside: Option<PathBuf>,
    },
    /// The database was written by a later version of this program, and is left alone.
    #[error("the database has schema {found}, and this program knows {known}: {}", path.display())]
    NewerSchema {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The latest that this program knows.
        known: i64,
    },
    /// So many conversations could not be forgotten that it is not known any more which: nothing held is relied on.
    #[error("the memory failed to forget more than {limit} conversations; restart to rely on what it holds")]
    TooManyFailedForgets {
        /// The most that is remembered.
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
    /// A PostgreSQL database, or the way to it, failed.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// Any other failure of the database.
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
