//! Data and deliveries that wait until a response is written.
//!
//! The SDK's handlers return before their response is written, so its data and its delivery wait elsewhere. Over
//! standard output they wait in [`PendingResponses`] under the request's id, until the transport writes the response.
//! Over HTTP they wait in the request's exchange for the writer of the answer's mark. Both report the outcome of
//! writing to [`deliver`].

mod blobs;
mod in_flight;
mod recalls;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use rmcp::model::RequestId;

pub(super) use self::blobs::{BlobLease, BlobStream, MessagePart, OpenBlobs, PIECE_BYTES, ResultBlobs};
pub(super) use self::in_flight::InFlight;
pub(super) use self::recalls::{Recalls, take_back};

use self::in_flight::Flight;
use super::lock::lock;
use crate::context::{Delivery, Receipt};
use crate::tool::{DeliverError, Dispatch, Recall, deliver};

/// The response to one request, from the request until it is written.
pub(super) struct PendingResponse {
    dispatch: Dispatch,
    flight: Option<Flight>,
}

/// The parts of a response that its handler leaves for the writer.
pub(super) struct ResponseParts {
    pub(super) blobs: ResultBlobs,
    /// The delivery to record once the response is written. The conversation's next request waits for it.
    pub(super) delivery: Option<(Delivery, Flight)>,
    /// Whether the client cancels requests whose answers it read.
    pub(super) ignores_late_notice: bool,
}

impl PendingResponse {
    /// A response whose answer is not there yet.
    pub(super) fn open() -> Self {
        Self { dispatch: Dispatch::open(), flight: None }
    }

    pub(super) fn recall(&self) -> Recall {
        self.dispatch.recall()
    }

    /// Notes that the client may receive the response from now on.
    pub(super) fn begin_writing(&self) {
        self.dispatch.begin_writing();
    }

    pub(super) fn put(&mut self, delivery: Option<(Delivery, Flight)>, ignores_late_notice: bool) {
        if let Some((delivery, flight)) = delivery {
            if ignores_late_notice {
                self.dispatch.ignore_late_notice();
            }
            self.dispatch.put(delivery);
            self.flight = Some(flight);
        }
    }

    /// Whether there is something to record.
    pub(super) fn has_delivery(&self) -> bool {
        self.flight.is_some()
    }

    /// Records the delivery if the response was written, on a thread that may block. If the store fails, a page is sent
    /// twice.
    pub(super) async fn deliver<E: Send + 'static>(self, written: Result<(), E>, warn: fn(&str)) -> Result<(), E> {
        if !self.has_delivery() {
            return written;
        }
        let Self { dispatch, flight } = self;
        let delivering = tokio::task::spawn_blocking(move || {
            let delivered = deliver(dispatch, || written);
            drop(flight);
            delivered
        });
        match delivering.await {
            Ok(Ok(_)) => {}
            Ok(Err(DeliverError::Write(error))) => return Err(error),
            Ok(Err(DeliverError::Store(error))) => warn(&format!("the delivery could not be recorded: {error}")),
            Err(error) => warn(&format!("the delivery could not be recorded: {error}")),
        }
        Ok(())
    }

    /// Records the delivery of a response that was written.
    pub(super) async fn record(self, warn: fn(&str)) {
        let Ok(()) = self.deliver::<Infallible>(Ok(()), warn).await;
    }
}

/// Responses not written yet, by request id.
#[derive(Clone, Default)]
pub(super) struct PendingResponses {
    requests: Arc<Mutex<HashMap<RequestId, AwaitedResponse>>>,
    recalls: Recalls,
}

/// The parts of a response that a request waits for.
enum AwaitedResponse {
    One(Box<(PendingResponse, ResultBlobs)>),
    /// Two open requests share this id. Nobody knows which of them a response answers, so nothing is recorded.
    Either(ResultBlobs),
}

impl PendingResponses {
    /// Keeps the parts of a response until it is written. A cancelled request has no response, and its parts are
    /// dropped.
    pub(super) fn put(&self, id: &RequestId, answer: ResponseParts) {
        match lock(&self.requests).get_mut(id) {
            Some(AwaitedResponse::One(awaited)) => {
                awaited.0.put(answer.delivery, answer.ignores_late_notice);
                awaited.1 = answer.blobs;
            }
            Some(AwaitedResponse::Either(blobs)) => blobs.append(answer.blobs),
            None => {}
        }
    }

    pub(super) fn begin(&self, id: &RequestId) {
        let mut requests = lock(&self.requests);
        let awaited = match requests.remove(id) {
            None => {
                let pending = PendingResponse::open();
                self.recalls.begin(id, pending.recall());
                AwaitedResponse::One(Box::new((pending, ResultBlobs::default())))
            }
            Some(AwaitedResponse::One(first)) => AwaitedResponse::Either(first.1),
            Some(either @ AwaitedResponse::Either(_)) => either,
        };
        requests.insert(id.clone(), awaited);
    }

    /// Whether all responses were taken.
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.requests).is_empty()
    }

    pub(super) fn contains(&self, id: &RequestId) -> bool {
        lock(&self.requests).contains_key(id)
    }

    /// Cancels a request, and returns the receipts to take back.
    pub(super) fn cancel(&self, id: &RequestId) -> Vec<Receipt> {
        let receipts = self.recalls.cancel(id);
        drop(self.take(id));
        receipts
    }

    pub(super) fn take(&self, id: &RequestId) -> (Option<PendingResponse>, ResultBlobs) {
        match lock(&self.requests).remove(id) {
            Some(AwaitedResponse::One(awaited)) => (Some(awaited.0), awaited.1),
            Some(AwaitedResponse::Either(blobs)) => (None, blobs),
            None => (None, ResultBlobs::default()),
        }
    }
}
