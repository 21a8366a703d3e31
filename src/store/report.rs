//! Inspects a store, for people who set one up.

use std::time::{Duration, Instant, SystemTime};

use super::{StoreError, ViewStore, change};
use pagewise_view::{ConversationChange, ConversationId, DeliveryRecord};

/// The properties of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreReport {
    /// The database engine and its version.
    pub engine: String,
    /// Where it is, without secrets.
    pub location: String,
    /// The schema version.
    pub schema: i64,
    /// Median time of a read.
    pub read: Duration,
    /// Median time of a record.
    pub record: Duration,
    /// Conversations that it knows.
    pub conversations: u64,
    pub holdings: u64,
    /// The database server, if there is one.
    pub server: Option<ServerReport>,
}

/// The properties of a database server and the connection to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerReport {
    /// TLS protocol and cipher; `None` without TLS.
    pub tls: Option<String>,
    /// The database user.
    pub user: String,
    /// Seconds that the server's clock is ahead of this machine's; 0 if they agree within two.
    pub clock_ahead_seconds: i64,
    /// Connections of this process.
    pub pool: PoolUsage,
    /// Maximum connections of the server over all clients.
    pub max_connections: String,
    /// What a commit waits for (`synchronous_commit`).
    pub durability: String,
}

/// Connections of a pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolUsage {
    pub open: usize,
    /// Unused ones.
    pub idle: usize,
    /// Calls waiting for a connection.
    pub waiting: usize,
    /// The maximum.
    pub max: usize,
}

/// Samples per measurement.
const SAMPLES: usize = 21;

/// Measures reads and records in a temporary conversation.
pub(super) fn measure_latency(store: &dyn ViewStore, scratch: &ConversationId) -> Result<[Duration; 2], StoreError> {
    let record = || {
        let delivery = ConversationChange::Record(DeliveryRecord::default());
        change(store, &(), scratch, delivery, SystemTime::now()).map(|_| ())
    };
    let record = median(record)?;
    let read = median(|| store.load(scratch, None).map(|_| ()))?;
    Ok([read, record])
}

/// The median time of `work`, after one warm-up.
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

/// A handle for a temporary conversation.
pub(super) fn scratch_conversation(random: u64) -> ConversationId {
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(random.to_le_bytes()).for_each(|(byte, part)| *byte = part);
    ConversationId::mint(bytes)
}
