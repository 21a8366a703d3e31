//! Group commit: deliveries committed at the same time share one transaction.
//!
//! Each caller queues its delivery and waits for the lock. Whoever holds the lock records everything queued so far. So
//! a caller returns only when its own delivery is durable, a lone commit does not wait, and no background thread is
//! needed.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime};

use super::sync::{Mutex, MutexGuard};
use crate::context::request::Retention;
use pagewise_store::{DeliveryRecord, StoreError, Version, ViewStore};
use pagewise_view::ConversationId;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Time between two prunings.
const BETWEEN_PRUNINGS: Duration = DAY;

/// Deliveries in one transaction. Bounds how long other processes wait for the database.
const MAX_BATCH: usize = 256;

/// The version that a delivery created; `None` if something it relied on was forgotten.
pub(crate) type RecordOutcome = Result<Option<Version>, StoreError>;

/// Records deliveries and prunes old conversations.
pub(crate) struct DeliveryRecorder {
    store: Arc<dyn ViewStore>,
    retention: Retention,
    queue: Mutex<Vec<QueuedDelivery>>,
    /// Held while recording.
    turn: Mutex<PruneSchedule>,
}

#[derive(Default)]
struct PruneSchedule {
    /// When to check again whether pruning is due; `None` before the first check.
    next_pruning: Option<SystemTime>,
}

struct QueuedDelivery {
    entry: (ConversationId, DeliveryRecord),
    outcome: Arc<Mutex<Option<RecordOutcome>>>,
}

impl DeliveryRecorder {
    pub(crate) fn new(store: Arc<dyn ViewStore>, retention: Retention) -> Self {
        Self { store, retention, queue: Mutex::new(Vec::new()), turn: Mutex::new(PruneSchedule::default()) }
    }

    /// Records a delivery; returns once it is durable.
    pub(crate) fn record(&self, conversation: ConversationId, delivery: DeliveryRecord) -> RecordOutcome {
        let outcome = Arc::new(Mutex::new(None));
        locked(&self.queue).push(QueuedDelivery { entry: (conversation, delivery), outcome: Arc::clone(&outcome) });
        loop {
            let mut turn = locked(&self.turn);
            if let Some(recorded) = locked(&outcome).take() {
                return recorded;
            }
            let batch = self.next_batch();
            if batch.is_empty() {
                // The thread that took our delivery panicked. A delivery not known to be recorded is sent again.
                return Ok(None);
            }
            self.record_batch(batch);
            self.prune_sometimes(&mut turn);
        }
    }

    fn next_batch(&self) -> Vec<QueuedDelivery> {
        let mut queue = locked(&self.queue);
        let count = queue.len().min(MAX_BATCH);
        queue.drain(..count).collect()
    }

    /// Records all in one transaction. If that fails, records each by itself, so that one failure does not affect the
    /// others.
    fn record_batch(&self, batch: Vec<QueuedDelivery>) {
        let now = SystemTime::now();
        let (entries, outcomes): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|waiting| (waiting.entry, waiting.outcome)).unzip();
        let together = if entries.len() > 1 { self.store.record_all(&entries, now).ok() } else { None };
        match together {
            Some(recorded) => {
                outcomes.iter().zip(recorded).for_each(|(outcome, at)| *locked(outcome) = Some(Ok(at)));
            }
            None => outcomes.iter().zip(&entries).for_each(|(outcome, (conversation, delivery))| {
                *locked(outcome) = Some(self.store.record(conversation, delivery, now));
            }),
        }
    }

    /// Prunes once a day per store. A failure is retried the next day.
    fn prune_sometimes(&self, turn: &mut PruneSchedule) {
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
            let _ = self.store.prune(unused_since, self.retention.max_holdings, now);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
