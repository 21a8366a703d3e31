//! What a store is like, for whoever sets one up.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::{DeliveryRecord, SqliteStore, StoreError, ViewStore};
use crate::view::ConversationId;

/// What a store is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreReport {
    /// What keeps it, with its version.
    pub engine: String,
    /// Where it is, without what is secret.
    pub place: String,
    /// The version of its tables.
    pub schema: i64,
    /// The median time of a reading.
    pub read: Duration,
    /// The median time of a recording.
    pub record: Duration,
    /// Conversations that it knows.
    pub conversations: u64,
    /// Their holdings.
    pub holdings: u64,
    /// The server that keeps it, where one does.
    pub server: Option<ServerReport>,
}

/// What a server of a database and the way to it are like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerReport {
    /// The protocol and cipher of TLS; `None` where the connection has none.
    pub tls: Option<String>,
    /// Whom the server takes this program for.
    pub user: String,
    /// How many seconds the server's clock is ahead of this machine's; 0 where they agree within two.
    pub clock_ahead_seconds: i64,
    /// Connections of this process.
    pub pool: PoolUsage,
    /// As many connections as the server takes of all its clients.
    pub max_connections: String,
    /// What a commit waits for (`synchronous_commit`).
    pub durability: String,
}

/// How many connections there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolUsage {
    /// Open ones.
    pub open: usize,
    /// Those that nobody uses.
    pub idle: usize,
    /// Calls that wait for one.
    pub waiting: usize,
    /// As many as there may be.
    pub max: usize,
}

/// Readings and recordings that are timed.
const SAMPLES: usize = 21;

/// Times readings and recordings in a conversation that nobody else knows.
pub(super) fn measure_latency(store: &dyn ViewStore, scratch: &ConversationId) -> Result<[Duration; 2], StoreError> {
    let record = median(|| store.record(scratch, &DeliveryRecord::default(), SystemTime::now()).map(|_| ()))?;
    let read = median(|| store.read(scratch, None).map(|_| ()))?;
    Ok([read, record])
}

/// The median time of `work`, which is done once before it counts.
fn median(work: impl Fn() -> Result<(), StoreError>) -> Result<Duration, StoreError> {
    work()?;
    let mut times = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times.get(SAMPLES / 2).copied().unwrap_or_default())
}

/// A conversation that nobody else knows.
pub(super) fn scratch_conversation(random: u64) -> ConversationId {
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(random.to_le_bytes()).for_each(|(byte, part)| *byte = part);
    ConversationId::mint(bytes)
}

/// What the database of a data folder is like. Reads and records in a conversation of its own, which leaves again.
///
/// # Errors
/// [`StoreError`]
pub fn inspect_folder(folder: &Path) -> Result<StoreReport, StoreError> {
    let (store, _) = SqliteStore::open(folder)?;
    store.inspect()
}
