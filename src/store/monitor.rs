//! Counts the failures of a store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::{ConversationRecord, PruneCounts, SessionStore, StoreError, StoreHealth, StoreWarning, Swap, ViewStore};
use pagewise_view::{Conversation, ConversationId};

/// How long after its last failure a store counts as failing if nobody calls it. Load balancers send no calls to a
/// failing server, so it would never recover otherwise.
const FAILING_WINDOW: Duration = Duration::from_secs(10);

/// A store that counts its calls and failures.
pub struct StoreMonitor {
    store: Arc<dyn ViewStore>,
    reads: CallCounter,
    writes: CallCounter,
}

/// Counts calls of one kind.
#[derive(Default)]
struct CallCounter {
    calls: AtomicU64,
    failures: AtomicU64,
    /// When the last call failed; `None` if it succeeded.
    failed: Mutex<Option<Instant>>,
}

/// How a store fares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreTally {
    pub reads: CallTally,
    pub writes: CallTally,
}

/// Counts of one kind of call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallTally {
    /// All of them.
    pub calls: u64,
    pub failures: u64,
    /// Whether the last call failed, recently.
    pub is_failing: bool,
}

impl CallCounter {
    fn count<T>(&self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let failed = outcome.is_err().then(Instant::now);
        self.failures.fetch_add(u64::from(failed.is_some()), Ordering::Relaxed);
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = failed;
        outcome
    }

    fn tally(&self) -> CallTally {
        let failed = *self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        CallTally {
            calls: self.calls.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            is_failing: failed.is_some_and(|failed| failed.elapsed() < FAILING_WINDOW),
        }
    }
}

impl StoreMonitor {
    /// Wraps a store.
    #[must_use]
    pub fn new(store: Arc<dyn ViewStore>) -> Self {
        Self { store, reads: CallCounter::default(), writes: CallCounter::default() }
    }

    /// The counts so far.
    #[must_use]
    pub fn tally(&self) -> StoreTally {
        StoreTally { reads: self.reads.tally(), writes: self.writes.tally() }
    }
}

impl ViewStore for StoreMonitor {
    fn load(&self, id: &ConversationId, copy: Option<Arc<Conversation>>) -> Result<Arc<Conversation>, StoreError> {
        self.reads.count(self.store.load(id, copy))
    }

    fn swap(&self, swaps: &[Swap]) -> Result<Vec<bool>, StoreError> {
        self.writes.count(self.store.swap(swaps))
    }

    fn list(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        self.reads.count(self.store.list())
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        self.writes.count(self.store.prune(unused_since, max_holdings, now))
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        self.reads.count(self.store.last_pruned())
    }

    fn take_warning(&self) -> Option<StoreWarning> {
        self.store.take_warning()
    }

    fn sessions(&self) -> Option<&dyn SessionStore> {
        self.store.sessions()
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        self.reads.count(self.store.health())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_trouble_until_a_call_succeeds() {
        let outcomes = CallCounter::default();
        let fail = || Err::<(), _>(StoreError::DiskFull { path: "views.sqlite3".into() });
        assert_eq!(outcomes.tally(), CallTally::default());
        assert!(outcomes.count(fail()).is_err());
        assert_eq!(outcomes.tally(), CallTally { calls: 1, failures: 1, is_failing: true });
        assert!(outcomes.count(Ok(())).is_ok());
        assert_eq!(outcomes.tally(), CallTally { calls: 2, failures: 1, is_failing: false });
    }
}
