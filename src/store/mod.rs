//! What outlives a request: the views of all conversations.
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
//! **What it costs**: `benches/record.rs`, 2026-11-22, two cores that others kept at a load of 17 to 23, the version before
//! and this one in turns, three times. Alone, one delivery after the other: 44 to 55 µs before and 30 to 37 now in the
//! median. With seven other processes that record every 5 ms: 179 to 219 before, 138 to 183 now. Two of the three pages
//! that a commit writes are left; two tables that SQLite made and dropped for RETURNING, a counter that all conversations
//! wrote to, and the reading of tombstones are not. What remains is mostly not the store's: one process that has the store
//! to itself, and records every 5 ms, takes 171 to 179 µs on that machine, where it takes 30 to 37 without the rests. With
//! nothing else on it: 27 alone, 203 with rests, 136 for eight with rests (99 of 100 within .9 ms), 33 for eight without. As a
//! door records, right after it made an answer, it is 42 alone, and 70 beside seven others that record every 5 ms (99 of
//! 100 within .6 ms); the answer itself waits for what the store is asked before, 21 µs alone and 101 beside the others. With
//! SQLite's own checkpoints, of 1,000 pages in place of 8,000, the 99th of 100 took 7.2 to 8.4 ms in place of 1.9 to 2.7
//! (at a load of 11); maps of the file in place of reads, and database pages of 1 KiB, gained nothing in a prototype.
//!
//! **When it fails**, a reply must not: every failure is a typed [`StoreError`], and the caller goes on with the view
//! that it has. A mark that is lost costs one page sent again.

mod fallback;
mod hashes;
mod memory;
mod opening;
mod private;
mod rows;
mod schema;
mod soundness;
mod sqlite;
mod statements;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use fallback::{OpenedStore, StoreWarning, open_or_memory};
pub use memory::MemoryStore;
pub use sqlite::SqliteStore;

use crate::hash::ContentHash;
use crate::view::{ConversationId, ConversationView, FileKey, Forget, Holding, Principal, Sequence};

/// Keeps the views of conversations.
///
/// All methods block. Those that write are whole or not at all, and durable against the end of the process when they
/// return. Moments are the caller's clock, to the second.
pub trait ViewStore: Send + Sync {
    /// The view of a conversation; an empty one where it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn load(&self, conversation: &ConversationId) -> Result<ConversationView, StoreError> {
        self.load_since(conversation, Sequence::START)
    }

    /// What was recorded and forgotten after `since`, to be merged into an older view by
    /// [`ConversationView::union`].
    ///
    /// # Errors
    /// [`StoreError`]
    fn load_since(&self, conversation: &ConversationId, since: Sequence) -> Result<ConversationView, StoreError>;

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
    /// `None` for a delivery that was not recorded, because something was forgotten after [`Delivery::planned`].
    ///
    /// # Errors
    /// [`StoreError`]
    fn record_all(
        &self,
        deliveries: &[(ConversationId, Delivery)],
        now: SystemTime,
    ) -> Result<Vec<Option<Sequence>>, StoreError>;

    /// [`ViewStore::record_all`] for one delivery.
    ///
    /// # Errors
    /// [`StoreError`]
    fn record(
        &self,
        conversation: &ConversationId,
        delivery: &Delivery,
        now: SystemTime,
    ) -> Result<Option<Sequence>, StoreError> {
        let recorded = self.record_all(&[(conversation.clone(), delivery.clone())], now)?;
        Ok(recorded.into_iter().next().flatten())
    }

    /// Forgets, up to a new sequence, which is returned. Where that begins an epoch, [`Sent`] is zero again.
    ///
    /// A caller that forgets in a view at hand too does so up to the larger of this and that view's
    /// [`ConversationView::latest`]: the view may hold what this store has lost.
    ///
    /// # Errors
    /// [`StoreError`]
    fn forget(&self, conversation: &ConversationId, what: &Forget, now: SystemTime) -> Result<Sequence, StoreError>;

    /// Takes note that a client is in its `generation` of a conversation, and returns the conversation's, which is the
    /// largest that any named. A larger one than before forgets [`Forget::AllButFiles`].
    ///
    /// # Errors
    /// [`StoreError`]
    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError>;

    /// Makes `to` a copy of `from`, as [`ConversationView::fork`] does, with all that was [`Sent`], of the same owner
    /// and generation.
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

    /// What one look-up tells of a conversation, or `None` where it is unknown. Ask before each use of a view at hand,
    /// and merge [`ViewStore::load_since`] where [`Head::latest`] is another than then.
    ///
    /// # Errors
    /// [`StoreError`]
    fn head(&self, conversation: &ConversationId) -> Result<Option<Head>, StoreError>;

    /// What is known of a conversation besides its view, or `None` where it is unknown. Counts the holdings.
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
    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<Pruned, StoreError>;

    /// What was lost since this was last asked, and is not told by the error of a call that writes: a reading that fails
    /// costs an answer next to nothing, and may be all that ever notices. For a door to show its user.
    fn take_warning(&self) -> Option<StoreWarning> {
        None
    }

    /// Whether the store answers, and how much it keeps.
    ///
    /// # Errors
    /// [`StoreError`]
    fn health(&self) -> Result<Health, StoreError>;
}

/// What one answer gave, recorded together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivery {
    /// The last sequence that the answer's plan knew of. What was forgotten after it may be what the plan rested on, so
    /// that such a delivery is not recorded; `None` rests on nothing.
    pub planned: Option<Sequence>,
    /// What the answer said is gone; forgotten before the rest is recorded.
    pub forget: Vec<Forget>,
    /// What the conversation now holds.
    pub holdings: Vec<Holding>,
    /// The paths of the files among the holdings, to be shown.
    pub names: BTreeMap<FileKey, String>,
    /// How many pages the documents of these contents have.
    pub page_counts: BTreeMap<ContentHash, u32>,
    /// How much it was.
    pub sent: Sent,
}

/// What one look-up tells of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Head {
    /// When it was made known, in seconds since 1970. One that was dropped and came back under its name is another, and
    /// knows nothing of what the former had forgotten.
    pub begun: u64,
    /// The sequence of its last recording or forgetting.
    pub latest: Sequence,
    /// The largest generation that its client named; 0 before.
    pub generation: u64,
    /// Whose it is, where a server tells its callers apart.
    pub owner: Option<Principal>,
    /// What was sent in this epoch.
    pub sent: Sent,
}

/// How much was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    /// Media blocks: documents and images.
    pub blocks: u64,
    /// Pages of PDF among them.
    pub pages: u64,
    /// Bytes of all blocks as a request carries them: media in base64.
    pub bytes: u64,
    /// Tokens, as estimated.
    pub tokens: u64,
}

impl Sent {
    /// Adds what was sent besides.
    pub fn add(&mut self, more: Self) {
        self.blocks = self.blocks.saturating_add(more.blocks);
        self.pages = self.pages.saturating_add(more.pages);
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.tokens = self.tokens.saturating_add(more.tokens);
    }
}

/// What is known of a conversation besides its view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRecord {
    /// Its handle.
    pub id: ConversationId,
    /// When it was made known.
    pub created: SystemTime,
    /// When it was last written to.
    pub used: SystemTime,
    /// How many holdings it has.
    pub holdings: u64,
    /// The rest of it.
    pub head: Head,
}

/// What pruning dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Conversations.
    pub conversations: u64,
    /// Their holdings.
    pub holdings: u64,
}

/// The state of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The database, or `None` where nothing outlives the process.
    pub database: Option<PathBuf>,
    /// How many conversations are known.
    pub conversations: u64,
    /// How many holdings they have.
    pub holdings: u64,
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
