//! Group commit: changes made at the same time share one transaction.
//!
//! Each caller queues its change and waits for the lock. Whoever holds the lock makes all changes queued so far. So a caller
//! returns only when its own change is durable, a lone change does not wait, and no background thread is needed.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime};

use super::sync::{Mutex, MutexGuard};
use crate::context::request::Retention;
use pagewise_base::share::SharedCache;
use pagewise_store::{ConversationCopies, StoreError, ViewStore, change, change_all};
use pagewise_view::{ConversationChange, ConversationId, ForgetScope, Version};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Time between two prunings.
const BETWEEN_PRUNINGS: Duration = DAY;

/// Changes in one transaction. Bounds how long other processes wait for the database.
const MAX_BATCH: usize = 256;

/// The version that a change made; `None` if it was refused.
pub(crate) type WriteOutcome = Result<Option<Version>, StoreError>;

/// Changes conversations, and prunes old ones.
pub(crate) struct ConversationWriter {
    store: Arc<dyn ViewStore>,
    retention: Retention,
    queue: Mutex<Vec<QueuedChange>>,
    /// Held while writing.
    turn: Mutex<PruneSchedule>,
}

#[derive(Default)]
struct PruneSchedule {
    /// When to check again whether pruning is due; `None` before the first check.
    next_pruning: Option<SystemTime>,
}

struct QueuedChange {
    entry: (ConversationId, ConversationChange),
    outcome: Arc<Mutex<Option<WriteOutcome>>>,
}

impl ConversationWriter {
    pub(crate) fn new(store: Arc<dyn ViewStore>, retention: Retention) -> Self {
        Self { store, retention, queue: Mutex::new(Vec::new()), turn: Mutex::new(PruneSchedule::default()) }
    }

    /// Changes a conversation; returns once that is durable.
    pub(crate) fn change(
        &self,
        copies: &dyn ConversationCopies,
        conversation: &ConversationId,
        change: ConversationChange,
    ) -> WriteOutcome {
        let outcome = Arc::new(Mutex::new(None));
        let entry = (conversation.clone(), change);
        locked(&self.queue).push(QueuedChange { entry, outcome: Arc::clone(&outcome) });
        loop {
            let mut turn = locked(&self.turn);
            if let Some(written) = locked(&outcome).take() {
                return written;
            }
            let batch = self.next_batch();
            if batch.is_empty() {
                // The thread that took our change panicked.
                return Err(StoreError::Abandoned);
            }
            self.write_batch(copies, batch);
            self.prune_sometimes(copies, &mut turn);
        }
    }

    fn next_batch(&self) -> Vec<QueuedChange> {
        let mut queue = locked(&self.queue);
        let count = queue.len().min(MAX_BATCH);
        queue.drain(..count).collect()
    }

    /// Makes all changes in one transaction. If that fails, makes each by itself, so that one failure does not affect the
    /// others.
    fn write_batch(&self, copies: &dyn ConversationCopies, batch: Vec<QueuedChange>) {
        let now = SystemTime::now();
        let (entries, outcomes): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|waiting| (waiting.entry, waiting.outcome)).unzip();
        let together = (entries.len() > 1).then(|| change_all(&*self.store, copies, &entries, now));
        match together {
            Some(Ok(written)) => {
                let written = outcomes.iter().zip(written);
                written.for_each(|(outcome, written)| *locked(outcome) = Some(Ok(written.version)));
            }
            Some(Err(_)) | None => {
                for (outcome, (id, one)) in outcomes.iter().zip(entries) {
                    let written = change(&*self.store, copies, &id, one, now);
                    *locked(outcome) = Some(written.map(|written| written.version));
                }
            }
        }
    }

    /// Prunes once a day per store. A failure is retried the next day.
    fn prune_sometimes(&self, copies: &dyn ConversationCopies, turn: &mut PruneSchedule) {
        let now = SystemTime::now();
        if turn.next_pruning.is_some_and(|next| now < next) {
            return;
        }
        turn.next_pruning = now.checked_add(BETWEEN_PRUNINGS);
        let Ok(last) = self.store.last_pruned() else { return };
        // A last pruning in the future came from a wrong clock.
        let is_due = last.is_none_or(|last| now.duration_since(last).map_or(true, |since| since >= BETWEEN_PRUNINGS));
        if let (true, Some(unused_since)) =
            (is_due, now.checked_sub(DAY.saturating_mul(self.retention.max_unused_days)))
        {
            let _ = self.forget_excess(copies, now);
            let _ = self.store.prune(unused_since, self.retention.max_holdings, now);
        }
    }

    /// Forgets the conversations that make too many holdings together. Whoever has most gives way, and the store, which prunes by
    /// last use alone, then finds no excess.
    fn forget_excess(&self, copies: &dyn ConversationCopies, now: SystemTime) -> Result<(), StoreError> {
        if self.store.health()?.holdings <= self.retention.max_holdings {
            return Ok(());
        }
        let records = self.store.list()?;
        let kept = SharedCache::new(self.retention.max_holdings);
        for record in records.iter().rev() {
            kept.insert(record.id.clone(), (), record.holdings, record.head.owner.map(|owner| owner.0));
        }
        for record in records.iter().filter(|record| record.holdings > 0 && !kept.contains(&record.id)) {
            change(&*self.store, copies, &record.id, ConversationChange::Forget(ForgetScope::Everything), now)?;
        }
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
