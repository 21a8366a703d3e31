//! A PostgreSQL store, shared by several machines.
//!
//! **One round trip per call**: each call is one statement, or a few sent together. Decisions, such as whether a
//! delivery is refused, are made by the statement on the row that it locks.
//!
//! **Sequences** count up by one per conversation. After a server restart or failover they jump: the server may have
//! lost commits that it confirmed, and their numbers must not be used again.
//!
//! **Lost responses**: a call is repeated once, on another connection. Calls that must not count twice carry an id; a
//! conversation remembers its last 16.
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
mod operations;
#[cfg(feature = "postgres")]
mod report;
#[cfg(feature = "postgres")]
mod schema;
#[cfg(feature = "postgres")]
mod sessions;
#[cfg(feature = "postgres")]
mod store;

pub use address::{AddressError, PostgresAddress};
pub use error::{AwaitedStep, PostgresError};
#[cfg(feature = "postgres")]
pub use store::PostgresStore;
