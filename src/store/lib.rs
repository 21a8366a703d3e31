//! Persistent state of conversations, shared by requests and processes.
//!
//! [`ViewStore`] is the interface. [`MemoryStore`] and [`SqliteStore`] implement it and pass one conformance suite
//! (`tests/store.rs`). The store assigns a [`Sequence`](pagewise_view::Sequence) to every recording and forget, in one order for all processes
//! that write to a conversation.
//!
//! **What is stored**: hashes of contents, pages, paths and owners; page and line numbers, page counts, forms, and
//! usage. Never content. One exception: `context_status` shows file names, so each path is stored beside its hash, and
//! removed with the last conversation that holds the file or had pages of it forgotten. Only the database's owner can
//! read it.
//!
//! For people who look at a conversation, its last steps and forgotten pages are stored too: moments, usage and page numbers
//! (not in PostgreSQL). No rule rests on them.
//!
//! **Cost**: see `benches/README.md`, measured by `benches/record.rs`.
//!
//! **Failures** must not fail an answer. Every failure is a typed [`StoreError`]. What cannot be read counts as not
//! held, and what cannot be recorded is sent again.

mod error;
mod hash_store;
mod held_rows;
mod history;
mod memory;
mod monitor;
mod open;
mod postgres;
mod records;
mod report;
mod sessions;
mod sqlite;
mod view_store;

use std::time::SystemTime;

pub use self::error::{StoreError, StoreWarning};
pub use self::hash_store::HashStore;
pub use self::history::{ConversationHistory, HistoryStep, StepKind};
pub use self::memory::MemoryStore;
pub use self::monitor::{CallTally, StoreMonitor, StoreTally};
pub use self::open::{DatabaseSettings, OpenedStore, inspect_database, inspect_folder, open_database, open_or_memory};
#[cfg(feature = "postgres")]
pub use self::postgres::PostgresStore;
pub use self::postgres::{AddressError, AwaitedStep, PostgresAddress, PostgresError};
pub use self::records::{
    ConversationHead, ConversationRecord, ConversationState, DeliveryRecord, PruneCounts, RowUpdate, StoreHealth,
    Usage, Version,
};
pub use self::report::{PoolUsage, ServerReport, StoreReport};
pub use self::sessions::{MemorySessions, SessionStore, StoredSession};
pub use self::sqlite::SqliteStore;
pub use self::view_store::ViewStore;

/// 0 before 1970.
fn seconds_since_1970(moment: SystemTime) -> u64 {
    moment.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
