//! Counts the failures of a store.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::{
    ConversationHead, ConversationHistory, ConversationRecord, ConversationState, DeliveryRecord, PruneCounts,
    SessionStore, StoreError, StoreHealth, StoreWarning, Usage, Version, ViewStore,
};
use pagewise_base::hash::ContentHash;
use pagewise_view::{ConversationId, FileKey, ForgetScope, Principal, Sequence};

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
    /// Calls that read.
    pub reads: CallTally,
    /// Calls that write.
    pub writes: CallTally,
}

/// Counts of one kind of call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallTally {
    /// All of them.
    pub calls: u64,
    /// Those that failed.
    pub failures: u64,
    /// Whether the last call failed, recently.
    pub is_failing: bool,
}

impl CallCounter {
    fn count<T>(&self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let is_failure = outcome.as_ref().is_err_and(is_store_failure);
        let failed = is_failure.then(Instant::now);
        self.failures.fetch_add(u64::from(is_failure), Ordering::Relaxed);
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

/// Whether an error is the store's fault rather than the caller's.
fn is_store_failure(error: &StoreError) -> bool {
    !matches!(error, StoreError::UnknownConversation { .. } | StoreError::ConversationExists { .. })
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
    fn read(
        &self,
        conversation: &ConversationId,
        known: Option<Version>,
    ) -> Result<Option<ConversationState>, StoreError> {
        self.reads.count(self.store.read(conversation, known))
    }

    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError> {
        self.reads.count(self.store.head(conversation))
    }

    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        self.writes.count(self.store.create(conversation, owner, now))
    }

    fn record_all(
        &self,
        deliveries: &[(ConversationId, DeliveryRecord)],
        now: SystemTime,
    ) -> Result<Vec<Option<Version>>, StoreError> {
        self.writes.count(self.store.record_all(deliveries, now))
    }

    fn take_back(
        &self,
        conversation: &ConversationId,
        at: Version,
        sent: Usage,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        self.writes.count(self.store.take_back(conversation, at, sent, now))
    }

    fn forget(
        &self,
        conversation: &ConversationId,
        what: &ForgetScope,
        now: SystemTime,
    ) -> Result<Version, StoreError> {
        self.writes.count(self.store.forget(conversation, what, now))
    }

    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError> {
        self.writes.count(self.store.enter(conversation, generation, now))
    }

    fn fork(
        &self,
        from: &ConversationId,
        to: &ConversationId,
        as_of: Option<Sequence>,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        self.writes.count(self.store.fork(from, to, as_of, now))
    }

    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError> {
        self.reads.count(self.store.describe(conversation))
    }

    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        self.reads.count(self.store.conversations())
    }

    fn history(&self, conversation: &ConversationId) -> Result<ConversationHistory, StoreError> {
        self.reads.count(self.store.history(conversation))
    }

    fn file_names(&self, files: &[FileKey]) -> Result<BTreeMap<FileKey, String>, StoreError> {
        self.reads.count(self.store.file_names(files))
    }

    fn page_counts(&self, contents: &[ContentHash]) -> Result<BTreeMap<ContentHash, u32>, StoreError> {
        self.reads.count(self.store.page_counts(contents))
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        self.reads.count(self.store.last_pruned())
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        self.writes.count(self.store.prune(unused_since, max_holdings, now))
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

    #[test]
    fn what_a_caller_asked_wrongly_is_no_trouble() {
        let store = StoreMonitor::new(Arc::new(crate::MemoryStore::new()));
        let forked =
            store.fork(&ConversationId::mint([1; 16]), &ConversationId::mint([2; 16]), None, SystemTime::now());
        assert!(forked.is_err());
        assert_eq!(store.tally().writes, CallTally { calls: 1, failures: 0, is_failing: false });
    }
}
