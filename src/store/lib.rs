//! Persistent state of conversations, shared by requests and processes.
//!
//! [`ViewStore`] is the interface. [`MemoryStore`], [`SqliteStore`] and `PostgresStore` implement it and pass one conformance
//! suite (`tests/store_promises.rs`). A conversation is one value, and [`change_all`] replaces it by compare-and-set, so that
//! all processes agree on the order of what happened in it.
//!
//! **What is stored**: hashes of contents, pages, paths and owners; page and line numbers, page counts, forms, and
//! usage. Never content. One exception: people are shown file names, so a conversation keeps the paths of the files that it
//! holds or had pages of forgotten. Only the database's owner can read them.
//!
//! For people who look at a conversation, its last steps and forgotten pages are stored too: moments, usage and page numbers.
//! No rule rests on them.
//!
//! **Cost**: see `benches/README.md`, measured by `benches/record.rs`.
//!
//! **Failures** must not fail an answer. Every failure is a typed [`StoreError`]. What cannot be read counts as not
//! held, and what cannot be recorded is sent again.

mod change;
mod error;
mod format;
mod hash_store;
mod memory;
mod monitor;
mod open;
mod postgres;
mod report;
mod rows;
mod sessions;
mod sqlite;
mod view_store;

pub use self::change::{ConversationCopies, change, change_all, fork};
pub use self::error::{StoreError, StoreWarning};
pub use self::hash_store::HashStore;
pub use self::memory::MemoryStore;
pub use self::monitor::{CallTally, StoreMonitor, StoreTally};
pub use self::open::{DatabaseSettings, OpenedStore, inspect_database, inspect_folder, open_database, open_or_memory};
#[cfg(feature = "postgres")]
pub use self::postgres::PostgresStore;
pub use self::postgres::{AddressError, AwaitedStep, PostgresAddress, PostgresError};
pub use self::report::{PoolUsage, ServerReport, StoreReport};
pub use self::sessions::{MemorySessions, SessionStore, StoredSession};
pub use self::sqlite::SqliteStore;
pub use self::view_store::{ConversationRecord, PruneCounts, StoreHealth, Swap, ViewStore};
