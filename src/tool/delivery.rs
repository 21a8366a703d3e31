//! The one path from an answer to its record.
//!
//! A request opens a [`Dispatch`] before any work is done. The answer's [`Delivery`] is put into it, and `cli` or
//! `serve` passes its way of writing to [`deliver`]. The delivery is committed only after everything was written and flushed.
//! The holder of the [`Recall`] may cancel at any time: before, during or after writing and recording.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::{Delivery, Receipt};
use pagewise_store::StoreError;

/// An answer on its way to a client. Dropping it records nothing.
#[derive(Debug)]
#[must_use = "an answer that is not delivered is not recorded"]
pub struct Dispatch(Arc<DispatchState>);

/// Cancels a pending answer, or takes back the record of a written one.
#[derive(Debug, Clone)]
pub struct Recall(Arc<DispatchState>);

/// What a dispatch and its recalls share.
#[derive(Debug, Default)]
struct DispatchState {
    stage: Mutex<DeliveryStage>,
    /// Whether the client cancels requests whose answers it read.
    ignores_late_notice: AtomicBool,
}

/// The stage of an answer.
#[derive(Debug, Default)]
enum DeliveryStage {
    /// The request is being processed.
    #[default]
    Open,
    /// The answer is ready and not yet written.
    Made(Delivery),
    /// The client may have received some or all of the answer.
    Writing(Delivery),
    /// The answer was written; the store is recording it.
    Recording,
    /// The record can be taken back.
    Recorded(Receipt),
    /// The client does not want the answer; nothing may be recorded.
    Cancelled,
    /// Nothing is recorded, and nothing will be.
    Ended,
}

/// The outcome of delivering an answer that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It is recorded.
    Recorded,
    /// The request was cancelled: no record remains.
    Cancelled,
    /// There was nothing to record.
    Nothing,
}

/// Why an answer was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum DeliverError<E> {
    /// Writing failed. The caller handles the error.
    #[error("the answer could not be written")]
    Write(E),
    /// The answer was written, but the store failed.
    #[error("the delivery could not be recorded: {0}")]
    Store(#[from] StoreError),
}

/// Writes an answer with the caller's `write`, and records it once everything was written and flushed. Blocks while the
/// store works.
///
/// # Errors
/// [`DeliverError::Write`] if `write` fails, [`DeliverError::Store`] if the store fails. Both record nothing.
pub fn deliver<E>(
    dispatch: Dispatch,
    write: impl FnOnce() -> Result<(), E>,
) -> Result<DeliveryOutcome, DeliverError<E>> {
    dispatch.begin_writing();
    write().map_err(DeliverError::Write)?;
    Ok(dispatch.record()?)
}

impl Dispatch {
    /// Opens the dispatch of a new request.
    pub fn open() -> Self {
        Self(Arc::default())
    }

    /// The dispatch of a finished answer, which may have nothing to record.
    pub fn of(delivery: Option<Delivery>) -> Self {
        let stage = Mutex::new(delivery.map_or(DeliveryStage::Open, DeliveryStage::Made));
        Self(Arc::new(DispatchState { stage, ..DispatchState::default() }))
    }

    /// A handle that can cancel the answer.
    #[must_use]
    pub fn recall(&self) -> Recall {
        Recall(Arc::clone(&self.0))
    }

    /// Adds the delivery to record. Dropped if the request was cancelled in the meantime.
    pub fn put(&self, delivery: Delivery) {
        let mut stage = locked(&self.0);
        if matches!(*stage, DeliveryStage::Open | DeliveryStage::Made(_)) {
            *stage = DeliveryStage::Made(delivery);
        }
    }

    /// Lets the answer stand if the client cancels it after it was written.
    pub fn ignore_late_notice(&self) {
        self.0.ignores_late_notice.store(true, Ordering::Relaxed);
    }

    /// Marks the answer as possibly received. [`deliver`] calls this before writing; a caller that writes elsewhere calls
    /// it itself.
    pub fn begin_writing(&self) {
        let mut stage = locked(&self.0);
        *stage = match std::mem::replace(&mut *stage, DeliveryStage::Ended) {
            DeliveryStage::Made(delivery) => DeliveryStage::Writing(delivery),
            other => other,
        };
    }

    fn record(self) -> Result<DeliveryOutcome, StoreError> {
        let delivery = match begin_recording(&mut locked(&self.0)) {
            Ok(delivery) => delivery,
            Err(delivered) => return Ok(delivered),
        };
        let committed = delivery.commit();
        let mut stage = locked(&self.0);
        let is_cancelled = matches!(*stage, DeliveryStage::Cancelled);
        match committed {
            Ok(receipt) if !is_cancelled => *stage = DeliveryStage::Recorded(receipt),
            Ok(receipt) => {
                drop(stage);
                return receipt.take_back().map(|()| DeliveryOutcome::Cancelled);
            }
            Err(error) => {
                *stage = DeliveryStage::Ended;
                return Err(error);
            }
        }
        Ok(DeliveryOutcome::Recorded)
    }
}

/// Takes the delivery to record, or says why there is none.
fn begin_recording(stage: &mut DeliveryStage) -> Result<Delivery, DeliveryOutcome> {
    match std::mem::replace(stage, DeliveryStage::Recording) {
        DeliveryStage::Writing(delivery) => Ok(delivery),
        DeliveryStage::Cancelled => {
            *stage = DeliveryStage::Cancelled;
            Err(DeliveryOutcome::Cancelled)
        }
        _ => {
            *stage = DeliveryStage::Ended;
            Err(DeliveryOutcome::Nothing)
        }
    }
}

impl Drop for Dispatch {
    fn drop(&mut self) {
        let mut stage = locked(&self.0);
        if matches!(*stage, DeliveryStage::Open | DeliveryStage::Made(_) | DeliveryStage::Writing(_)) {
            *stage = DeliveryStage::Ended;
        }
    }
}

impl Recall {
    /// Cancels the answer. Returns the receipt if it was already recorded, for the caller to take back. If the store is
    /// still recording, [`deliver`] takes it back.
    #[must_use = "what was recorded stays until it is taken back"]
    pub fn cancel(&self) -> Option<Receipt> {
        let mut stage = locked(&self.0);
        let cancelled =
            if matches!(*stage, DeliveryStage::Ended) { DeliveryStage::Ended } else { DeliveryStage::Cancelled };
        match std::mem::replace(&mut *stage, cancelled) {
            DeliveryStage::Recorded(receipt) => Some(receipt),
            _ => None,
        }
    }

    /// Cancels the answer because its client said so; see [`Recall::cancel`].
    #[must_use = "what was recorded stays until it is taken back"]
    pub fn cancel_by_notice(&self) -> Option<Receipt> {
        let is_ignored = self.0.ignores_late_notice.load(Ordering::Relaxed) && self.is_answered();
        if is_ignored { None } else { self.cancel() }
    }

    /// Whether there is nothing left to cancel.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(*locked(&self.0), DeliveryStage::Ended | DeliveryStage::Cancelled)
    }

    /// Whether the client may have received the answer.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        matches!(*locked(&self.0), DeliveryStage::Writing(_) | DeliveryStage::Recording | DeliveryStage::Recorded(_))
    }
}

/// Stages are replaced whole, so a poisoned lock is safe to use.
fn locked(state: &DispatchState) -> MutexGuard<'_, DeliveryStage> {
    state.stage.lock().unwrap_or_else(PoisonError::into_inner)
}
