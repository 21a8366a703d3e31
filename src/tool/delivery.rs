//! The one way from an answer to its record.
//!
//! A request opens a [`Dispatch`] before any work is done for it. The answer's [`Delivery`] is put into it, and the door
//! calls [`deliver`] with its own way to write. The delivery is committed only after that way reported that all was
//! written and flushed. Whoever has the [`Recall`] may cancel at any time: before the answer was made, while it is
//! written or recorded, and after that.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::{Delivery, Receipt, StoreError};

/// An answer on its way to a client. Dropping it records nothing.
#[derive(Debug)]
#[must_use = "an answer that is not delivered is not recorded"]
pub struct Dispatch(Arc<Mutex<DeliveryStage>>);

/// Cancels an answer on its way, or takes back the record of one that was written.
#[derive(Debug, Clone)]
pub struct Recall(Arc<Mutex<DeliveryStage>>);

/// How far an answer is.
#[derive(Debug)]
enum DeliveryStage {
    /// The request is being answered.
    Open,
    /// The answer is made and not written yet.
    Made(Delivery),
    /// The client may have the answer, or a part of it.
    Writing(Delivery),
    /// The answer was written; the store is recording it.
    Recording,
    /// The record may be taken back.
    Recorded(Receipt),
    /// The client does not want the answer; nothing may be recorded.
    Cancelled,
    /// Nothing is recorded and nothing will be.
    Ended,
}

/// What became of an answer that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It is recorded.
    Recorded,
    /// It was cancelled: nothing is recorded, or no longer.
    Cancelled,
    /// It had nothing to record.
    Nothing,
}

/// Why an answer is not recorded.
#[derive(Debug, thiserror::Error)]
pub enum DeliverError<E> {
    /// It was not written whole. The door knows what to do about that.
    #[error("the answer could not be written")]
    Write(E),
    /// It was written, and the store failed.
    #[error("what was given could not be recorded: {0}")]
    Store(#[from] StoreError),
}

/// Writes an answer by the door's own way, and records it once all of it was written and flushed. Blocks while the store
/// works.
///
/// # Errors
/// [`DeliverError::Write`] where `write` fails, [`DeliverError::Store`] where the store does; both record nothing.
pub fn deliver<E>(
    dispatch: Dispatch,
    write: impl FnOnce() -> Result<(), E>,
) -> Result<DeliveryOutcome, DeliverError<E>> {
    dispatch.begin_writing();
    write().map_err(DeliverError::Write)?;
    Ok(dispatch.record()?)
}

impl Dispatch {
    /// An answer that is to be made.
    pub fn open() -> Self {
        Self(Arc::new(Mutex::new(DeliveryStage::Open)))
    }

    /// An answer that was made already, and may have nothing to record.
    pub fn of(delivery: Option<Delivery>) -> Self {
        Self(Arc::new(Mutex::new(delivery.map_or(DeliveryStage::Open, DeliveryStage::Made))))
    }

    /// The right to cancel it.
    #[must_use]
    pub fn recall(&self) -> Recall {
        Recall(Arc::clone(&self.0))
    }

    /// Gives the answer what is to be recorded of it. Nothing is kept where the request was cancelled meanwhile.
    pub fn put(&self, delivery: Delivery) {
        let mut stage = locked(&self.0);
        if matches!(*stage, DeliveryStage::Open | DeliveryStage::Made(_)) {
            *stage = DeliveryStage::Made(delivery);
        }
    }

    /// Notes that the client may have the answer from now on. [`deliver`] does so before it writes; a door whose writing
    /// began elsewhere says when.
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

/// Takes out what is to be recorded, or says why nothing is.
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
    /// Cancels the answer. Gives what was recorded of it already, to be taken back; where the store is still recording,
    /// [`deliver`] takes it back.
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

    /// Whether there is nothing left to cancel.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(*locked(&self.0), DeliveryStage::Ended | DeliveryStage::Cancelled)
    }

    /// Whether the client may have the answer already.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        matches!(*locked(&self.0), DeliveryStage::Writing(_) | DeliveryStage::Recording | DeliveryStage::Recorded(_))
    }
}

/// No stage is left half changed, so that a holder that panicked does no harm.
fn locked(stage: &Mutex<DeliveryStage>) -> MutexGuard<'_, DeliveryStage> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}
