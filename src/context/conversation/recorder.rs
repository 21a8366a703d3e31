//! Recording in batches: those who commit at once share one transaction.
//!
//! Each puts its delivery into a queue and waits for its turn; whoever has the turn records all that has gathered. So
//! nobody returns before its own delivery is durable, a lone commit waits for nobody, and no thread has to be ended.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime};

use super::sync::{Mutex, MutexGuard};
use crate::context::request::Retention;
use crate::store::{DeliveryRecord, StoreError, Version, ViewStore};
use crate::view::ConversationId;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long after one pruning the next may come.
const BETWEEN_PRUNINGS: Duration = DAY;

/// Deliveries that one transaction takes. 256: a process that waits for the database waits some milliseconds.
const MAX_BATCH: usize = 256;

/// What came of one delivery: the version that it made, or `None` where what it rested on was forgotten.
pub(crate) type RecordOutcome = Result<Option<Version>, StoreError>;

/// Records deliveries, and prunes what is old.
pub(crate) struct DeliveryRecorder {
    store: Arc<dyn ViewStore>,
    retention: Retention,
    queue: Mutex<Vec<QueuedDelivery>>,
    /// Held by the one who records.
    turn: Mutex<PruneSchedule>,
}

#[derive(Default)]
struct PruneSchedule {
    /// Not to be asked about before; `None` until it was asked once.
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

    /// Records a delivery, and returns once it is durable.
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
                // Whoever had it broke off. What is not known to be recorded is sent again.
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

    /// All in one transaction; where that fails, each by itself, so that each has its own error and none takes others
    /// with it.
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

    /// Drops what is old, once a day for all processes of a store. What fails here fails again tomorrow.
    fn prune_sometimes(&self, turn: &mut PruneSchedule) {
        let now = SystemTime::now();
        if turn.next_pruning.is_some_and(|next| now < next) {
            return;
        }
        turn.next_pruning = now.checked_add(BETWEEN_PRUNINGS);
        let Ok(last) = self.store.last_pruned() else { return };
        // A last pruning in the future was made under a wrong clock.
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
