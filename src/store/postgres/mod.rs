//! A store in a PostgreSQL database, shared by many machines.
//!
//! **One round trip a call**: what a call needs stands in one statement, or in a few that are sent together. Its decisions,
//! whether a delivery is refused and which sequence is next, are made by the statement on the row that it locks.
//!
//! **Sequences** count up by one for each conversation. Where the server was started since the last one, because it failed
//! or another took its place, they leap: what it had promised may be lost, and its numbers must not mean something else.
//!
//! **A call whose answer was lost** is run again once, on another connection. Whatever would count twice has a number of
//! its own, which the conversation remembers for its last 16 calls.
//!
//! **When it fails**, it fails: nothing is kept here in its place, for other machines would not know of it. The next calls
//! are refused at once for a second, so that answers do not wait for a database that is away.
//!
//! Content hashes of files stay beside the process, in its own SQLite database: they are facts of its own disk.

mod address;
#[cfg(feature = "postgres")]
mod clock;
#[cfg(feature = "postgres")]
mod connections;
mod error;
#[cfg(feature = "postgres")]
mod error_mapping;
#[cfg(feature = "postgres")]
mod maintenance;
#[cfg(feature = "postgres")]
mod operations;
#[cfg(feature = "postgres")]
mod recording;
#[cfg(feature = "postgres")]
mod report;
#[cfg(feature = "postgres")]
mod rows;
#[cfg(feature = "postgres")]
mod schema;
#[cfg(feature = "postgres")]
mod sessions;
#[cfg(feature = "postgres")]
mod statements;
#[cfg(feature = "postgres")]
mod store;
#[cfg(feature = "postgres")]
mod tls;

pub use address::{AddressError, PostgresAddress};
pub use error::{AwaitedStep, PostgresError};
#[cfg(feature = "postgres")]
pub use store::PostgresStore;
