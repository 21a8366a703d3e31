//! A PostgreSQL store, shared by several machines.
//!
//! **One round trip per call**: each call is one statement, or a few sent together.
//!
//! **Restarts**: after a server restart or failover, commits that the server confirmed may be lost. A value from before is
//! never taken for current, and the sequences of its conversation jump, so that no number stands for two states.
//!
//! **Lost responses**: a call is repeated once, on another connection. A swap that was done before is recognised by its
//! revision: a conversation remembers its last 16.
//!
//! **Failures** have no fallback, because other machines would not see local state. For one second after a failure,
//! calls fail at once, so that answers do not wait for the database.
//!
//! File hashes stay in a local SQLite database, since they describe local files.

mod address;
#[cfg(feature = "postgres")]
mod connections;
mod error;
#[cfg(feature = "postgres")]
mod migration;
#[cfg(feature = "postgres")]
mod operations;
#[cfg(feature = "postgres")]
mod report;
#[cfg(feature = "postgres")]
mod schema;
#[cfg(feature = "postgres")]
mod sessions;
#[cfg(feature = "postgres")]
mod statements;
#[cfg(feature = "postgres")]
mod store;

pub use address::{AddressError, PostgresAddress};
pub use error::{AwaitedStep, PostgresError};
#[cfg(feature = "postgres")]
pub use store::PostgresStore;
